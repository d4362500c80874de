"""Sources: a commit is read from objects alone, a working tree as its author sees it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import Link, Program, Submodule, skill_md
from skillbuild.errors import ConfigError, GitError
from skillbuild.source import git, tree
from skillbuild.source.tree import Kind, Leaf

FILES: repos.Files = {
    "skills/pdf/SKILL.md": skill_md("pdf"),
    "skills/pdf/run.sh": Program("#!/bin/sh\n"),
    "skills/link": Link("pdf"),
    "vendor": Submodule(),
    ".gitignore": "*.log\n",
}


def leaves(folder: Path, revision: str | None = None) -> dict[str, Kind]:
    listed = tree.open_for_check(folder, revision).leaves()
    return {leaf.path: leaf.kind for leaf in listed}


def contents(origin: tree.Source) -> dict[str, bytes | None]:
    plain = sorted((leaf for leaf in origin.leaves() if leaf.is_file), key=lambda leaf: leaf.path)
    with origin.reader() as reader:
        return {leaf.path: data for leaf, data in zip(plain, reader.read(plain), strict=True)}


KINDS = {
    "skills/pdf/SKILL.md": Kind.FILE,
    "skills/pdf/run.sh": Kind.EXECUTABLE,
    "skills/link": Kind.LINK,
    "vendor": Kind.SUBMODULE,
    ".gitignore": Kind.FILE,
}


def test_a_commit_and_its_checkout_list_the_same(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    assert leaves(top) == KINDS
    assert leaves(top, "HEAD") == KINDS


def test_a_work_tree_shows_what_was_just_typed_and_not_what_is_ignored(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    (top / "skills/pdf/new.md").write_text("new")
    (top / "skills/pdf/trace.log").write_text("ignored")
    (top / "skills/pdf/run.sh").unlink()
    assert leaves(top) == {
        "skills/pdf/SKILL.md": Kind.FILE,
        "skills/pdf/new.md": Kind.FILE,
        "skills/link": Kind.LINK,
        "vendor": Kind.SUBMODULE,
        ".gitignore": Kind.FILE,
    }
    assert leaves(top, "HEAD") == KINDS


def test_a_work_tree_has_the_content_that_is_on_disk(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    (top / ".gitignore").write_text("changed\n")
    assert contents(tree.open_for_check(top, None))[".gitignore"] == b"changed\n"
    assert contents(tree.open_for_check(top, "HEAD"))[".gitignore"] == b"*.log\n"


POINTER = (
    b"version https://git-lfs.github.com/spec/v1\n"
    b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
)


def test_a_work_tree_has_the_staged_pointer_where_git_lfs_has_put_the_content(
    tmp_path: Path,
) -> None:
    files: repos.Files = {
        **FILES,
        "skills/pdf/logo.png": POINTER,
        "skills/pdf/same.png": POINTER,
        "skills/pdf/small.txt": "small\n",
    }
    top = repos.repository(tmp_path / "repo", files)
    (top / "skills/pdf/logo.png").write_bytes(b"\x89PNG" * 5000)
    (top / "skills/pdf/small.txt").write_text("is longer now\n")
    (top / "skills/pdf/new.png").write_bytes(b"\x89PNG")
    source = tree.open_for_check(top, None)
    held = contents(source)
    assert held["skills/pdf/logo.png"] == held["skills/pdf/same.png"] == POINTER
    assert held["skills/pdf/small.txt"] == b"is longer now\n"
    assert held["skills/pdf/new.png"] == b"\x89PNG"
    with source.reader() as reader:
        leaf = next(leaf for leaf in source.leaves() if leaf.path.endswith("logo.png"))
        assert reader.sizes([leaf]) == [len(POINTER)]
    for revision in (None, "HEAD"):
        errors = [item for item in repos.check(top, revision).findings if item.is_error]
        assert {item.code for item in errors} >= {"file-lfs"}
        assert {place.path for item in errors for place in item.places} >= {
            "skills/pdf/logo.png",
            "skills/pdf/same.png",
        }
    repos.git(top, "add", "--all")
    assert contents(tree.open_for_check(top, None))["skills/pdf/logo.png"] == b"\x89PNG" * 5000


def test_a_folder_outside_git_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "skills/pdf").mkdir(parents=True)
    (tmp_path / "skills/pdf/SKILL.md").write_text(skill_md("pdf"))
    (tmp_path / "skills/alias").symlink_to("pdf")
    (tmp_path / "dangling").symlink_to("nowhere")
    assert leaves(tmp_path) == {
        "skills/pdf/SKILL.md": Kind.FILE,
        "skills/alias": Kind.LINK,
        "dangling": Kind.LINK,
    }


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the platform has no named pipes")
def test_a_named_pipe_is_seen_and_never_opened(tmp_path: Path) -> None:
    (tmp_path / "pdf").mkdir()
    (tmp_path / "pdf/SKILL.md").write_text(skill_md("pdf"))
    os.mkfifo(tmp_path / "pdf/pipe")
    assert leaves(tmp_path) == {"pdf/SKILL.md": Kind.FILE, "pdf/pipe": Kind.SPECIAL}
    assert repos.codes(repos.check(tmp_path)) == [("pdf/pipe", "file-special")]


def test_a_directory_inside_a_repository_is_a_source_of_its_own(tmp_path: Path) -> None:
    files = {
        "team/skillbuild.toml": 'title = "Team"\n',
        "team/skills/pdf/SKILL.md": skill_md("pdf"),
        "skillbuild.toml": 'title = "All"\n',
        "other/SKILL.md": skill_md("other"),
    }
    top = repos.repository(tmp_path / "repo", files)
    inner = tree.open_commit(top / "team", "HEAD")
    assert inner.prefix == "team/"
    assert sorted(contents(inner)) == ["skillbuild.toml", "skills/pdf/SKILL.md"]
    assert contents(inner) == contents(tree.open_for_check(top / "team", None))
    assert tree.read_config(inner, inner.leaves()).title == "Team"
    whole = tree.open_commit(top, "HEAD")
    assert tree.read_config(whole, whole.leaves()).title == "All"


def test_without_a_configuration_file_the_defaults_hold(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", {"a": "1", "sub/skillbuild.toml": "title = 1\n"})
    origin = tree.open_commit(top, "HEAD")
    assert tree.read_config(origin, origin.leaves()).title == "Agent Skills"


def test_a_link_in_place_of_the_configuration_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.toml"
    outside.write_text('title = "Outside"\n')
    top = repos.repository(tmp_path / "repo", {"skillbuild.toml": Link(f"{outside}")})
    for origin in (tree.open_for_check(top, None), tree.open_commit(top, "HEAD")):
        with pytest.raises(ConfigError, match=r"skillbuild\.toml is not a file in the source"):
            tree.read_config(origin, origin.leaves())


def test_a_configuration_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    text = f'title = "A"\n#{"x" * 1024 * 1024}\n'
    top = repos.repository(tmp_path / "repo", {"skillbuild.toml": text})
    for origin in (tree.open_for_check(top, None), tree.open_commit(top, "HEAD")):
        with pytest.raises(ConfigError, match="is 1,048,590 bytes; the limit is 1,048,576"):
            tree.read_config(origin, origin.leaves())


def test_a_file_outside_of_skills_is_a_small_file_of_the_source(tmp_path: Path) -> None:
    files: repos.Files = {
        "small": "x" * 65_536,
        "large": "x" * 65_537,
        "link": Link("small"),
        "sub": Submodule(),
    }
    top = repos.repository(tmp_path / "repo", files)
    for origin in (tree.open_commit(top, "HEAD"), tree.open_for_check(top, None)):
        leaves = {leaf.path: leaf for leaf in origin.leaves()}
        with origin.reader() as reader:
            assert tree.read_outside(leaves["small"], reader) == b"x" * 65_536
            for path, reason in {
                "large": "is 65,537 bytes; the limit is 65,536",
                "link": "is not a file in the source",
                "sub": "is not a file in the source",
                "../small": "is not a file in the source",
            }.items():
                with pytest.raises(tree.OutsideError, match=f"^{reason}$"):
                    tree.read_outside(leaves.get(path), reader)


def test_an_unreadable_configuration_is_an_error(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", {"skillbuild.toml": 'title = "A"\n'})
    repos.unpack(top)
    repos.swap(top, repos.git(top, "rev-parse", "HEAD:skillbuild.toml"), b'title = "B"\n')
    origin = tree.open_commit(top, "HEAD")
    with pytest.raises(ConfigError, match=r"skillbuild\.toml cannot be read from the source"):
        tree.read_config(origin, origin.leaves())


def test_outside_git_a_build_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="is not in a git repository; run `git init` and commit"):
        tree.open_commit(tmp_path, "HEAD")


def test_a_source_that_is_no_directory_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="gone is not a directory"):
        tree.open_for_check(tmp_path / "gone", None)


@pytest.mark.parametrize(
    ("settings", "attributes"),
    [
        ({"core.autocrlf": "true"}, ""),
        ({"core.eol": "crlf"}, "* text=auto\n"),
        ({}, "* text eol=crlf\n"),
        ({}, "* ident\n"),
        ({}, "* working-tree-encoding=UTF-16LE text\n"),
        ({"filter.upper.smudge": "tr a-z A-Z", "filter.upper.clean": "cat"}, "* filter=upper\n"),
        ({"core.symlinks": "false"}, ""),
        ({"core.fileMode": "false"}, ""),
    ],
    ids=["autocrlf", "eol", "eol attribute", "ident", "encoding", "filter", "symlinks", "fileMode"],
)
def test_a_build_ignores_how_a_checkout_converts_files(
    tmp_path: Path, settings: dict[str, str], attributes: str
) -> None:
    skill = {**FILES, "skills/pdf/SKILL.md": skill_md("pdf", body="$Id$ one\ntwo\n")}
    plain = repos.repository(tmp_path / "plain", {**skill, ".gitattributes": attributes})
    odd = repos.empty(tmp_path / "odd")
    for key, value in settings.items():
        repos.git(odd, "config", key, value)
    repos.commit(odd, {**skill, ".gitattributes": attributes})
    repos.checkout(odd)
    repos.build(plain, tmp_path / "one")
    repos.build(odd, tmp_path / "two")
    assert repos.digests(tmp_path / "one") == repos.digests(tmp_path / "two")


def test_a_checkout_without_links_is_checked_as_one_with_links(tmp_path: Path) -> None:
    files = {**FILES, "skills/pdf/other": Link("SKILL.md")}
    top = repos.empty(tmp_path / "repo")
    repos.git(top, "config", "core.symlinks", "false")
    repos.commit(top, files)
    repos.checkout(top)
    assert (top / "skills/link").read_text() == "pdf"
    assert leaves(top) == KINDS | {"skills/pdf/other": Kind.LINK}
    assert repos.codes(repos.check(top)) == repos.codes(repos.check(top, "HEAD"))


def test_names_that_are_not_utf_8_keep_their_bytes(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", {"n\udce9/a.md": "1"})
    assert leaves(top) == leaves(top, "HEAD") == {"n\udce9/a.md": Kind.FILE}


def test_a_file_that_is_gone_when_it_is_read_has_no_content(tmp_path: Path) -> None:
    origin = tree.open_for_check(tmp_path, None)
    with origin.reader() as reader:
        gone = [Leaf("gone.md", Kind.FILE)]
        assert (reader.sizes(gone), list(reader.read(gone))) == ([None], [None])


def test_a_bare_repository_is_checked_at_head(tmp_path: Path) -> None:
    bare = repos.repository(tmp_path / "repo.git", FILES, bare=True)
    origin = tree.open_for_check(bare, None)
    assert origin.commit is not None
    assert origin.commit.commit == repos.git(bare, "rev-parse", "main")
    assert leaves(bare) == KINDS


def test_a_folder_of_clones_is_read_without_their_git_directories(tmp_path: Path) -> None:
    for path in ("a/SKILL.md", "a/.git/HEAD", "b/.git", "b/SKILL.md"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    origin = tree.FolderSource(tmp_path, None)
    assert sorted(leaf.path for leaf in origin.leaves()) == ["a/SKILL.md", "b/SKILL.md"]


def test_a_tracked_directory_that_became_a_link_is_not_read_through(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", {"a/SKILL.md": "a", "a/d/f": "inside"})
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "f").write_text("outside")
    shutil.rmtree(repo / "a" / "d")
    (repo / "a" / "d").symlink_to(tmp_path / "outside")
    listed = {leaf.path: leaf.kind for leaf in tree.open_for_check(repo, None).leaves()}
    assert listed == {"a/SKILL.md": Kind.FILE, "a/d": Kind.LINK}


def test_a_path_with_dot_dot_is_resolved_before_the_repository_is_searched(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", {"a/SKILL.md": "a"})
    (tmp_path / "plain").mkdir()
    assert git.find(repo / ".." / "plain") is None


def test_empty_folders_in_each_other_are_not_read_to_their_end(tmp_path: Path) -> None:
    """Thirty trees name a billion folders, which hold no file."""
    repo = repos.repository(tmp_path / "repo", {"a": "A"})
    folder = repos.raw_tree(repo, [])
    for _ in range(30):
        folder = repos.raw_tree(repo, [("40000", b"a", folder), ("40000", b"b", folder)])
    with tree.open_commit(repo, "HEAD").reader() as reader:
        assert reader.below(folder, "skill", 100) is None
        whole = repos.git(repo, "rev-parse", "HEAD^{tree}")
        assert [leaf.path for leaf in reader.below(whole, "skill", 1) or ()] == ["skill/a"]
        assert reader.below("0" * 40, "skill", 1) is None

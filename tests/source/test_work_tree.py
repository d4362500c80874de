"""A working tree is read as it is on disk: as the commit that `git add --all` would make of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import Link, Program, Submodule, skill_md
from skillbuild.cli import preview
from skillbuild.source import tree
from skillbuild.source.tree import Kind

BEFORE: Mapping[str, repos.Files] = {
    "nothing": {},
    "file": {"": "text\n"},
    "program": {"": Program("text\n")},
    "link": {"": Link("../SKILL.md")},
    "dangling": {"": Link("text\n")},
    "folder": {"/a": "a\n", "/b/c": Program("c\n")},
    "submodule": {"": Submodule()},
}
"""What is committed at a path, by what is added to the path."""


def nothing(path: Path) -> None:
    pass


def file(path: Path) -> None:
    path.write_text("text\n")


def program(path: Path) -> None:
    file(path)
    path.chmod(0o755)


def link(path: Path) -> None:
    path.symlink_to("../SKILL.md")


def dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def link_to_folder(path: Path) -> None:
    path.symlink_to("../folder")


def empty_folder(path: Path) -> None:
    path.mkdir()


def folder(path: Path) -> None:
    path.mkdir()
    file(path / "a")
    program(path / "new")
    (path / "b").mkdir()
    link(path / "b" / "d")


def file_above(path: Path) -> None:
    folder(path)
    shutil.rmtree(path / "b")
    file(path / "b")


def ignored(path: Path) -> None:
    path.mkdir()
    file(path / "trace.log")
    file(path / "kept.md")


def repository(path: Path) -> None:
    repos.repository(path, {"inner": "x"})


AFTER: list[Callable[[Path], None]] = [
    nothing,
    file,
    program,
    link,
    dangling,
    link_to_folder,
    empty_folder,
    folder,
    file_above,
    ignored,
    repository,
]
PAIRS = {
    f"{before}-{after.__name__}": (BEFORE[before], after) for before in BEFORE for after in AFTER
}


def committed() -> dict[str, repos.Content]:
    """A source with the first state of every pair, inside of a skill and outside of any."""
    files: dict[str, repos.Content] = {".gitignore": "*.log\n"}
    for name, (before, _) in PAIRS.items():
        files[f"inside/{name}/SKILL.md"] = skill_md(name.replace("_", "-"))
        for place in (f"inside/{name}/x/it", f"outside/{name}/it"):
            files[f"{place}.md"] = "beside\n"
            files |= {place + end: content for end, content in before.items()}
    return files


def change(top: Path) -> None:
    """Bring every pair into its second state."""
    for name, (_, after) in PAIRS.items():
        for place in (top / f"inside/{name}/x/it", top / f"outside/{name}/it"):
            if place.is_dir() and not place.is_symlink():
                shutil.rmtree(place)
            else:
                place.unlink(missing_ok=True)
            after(place)


def leaves(top: Path, revision: str | None = None) -> dict[str, Kind]:
    return {leaf.path: leaf.kind for leaf in tree.open_for_check(top, revision).leaves()}


def differing(one: Mapping[str, Kind], other: Mapping[str, Kind]) -> dict[str, object]:
    paths = sorted({*one, *other})
    return {
        path: (one.get(path), other.get(path)) for path in paths if one.get(path) != other.get(path)
    }


def commit_all(top: Path) -> None:
    repos.git(top, "add", "--all")
    who = ("-c", "user.name=A", "-c", "user.email=a@b")
    repos.git(top, *who, "commit", "--quiet", "--message=All", "--allow-empty")


@pytest.mark.parametrize(
    "settings",
    [{"core.fileMode": "on", "core.symlinks": "1"}, {"core.fileMode": "", "core.symlinks": "no"}],
    ids=["bits and links", "neither"],
)
def test_a_changed_work_tree_is_checked_as_its_commit_will_be(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    top = repos.empty(tmp_path / "repo")
    for key, value in settings.items():
        repos.git(top, "config", key, value)
    repos.commit(top, committed())
    repos.checkout(top)
    assert differing(leaves(top), leaves(top, "HEAD")) == {}
    change(top)
    listed, inner, report = leaves(top), leaves(top / "inside"), repos.check(top)
    commit_all(top)
    assert differing(listed, leaves(top, "HEAD")) == {}
    assert differing(inner, leaves(top / "inside", "HEAD")) == {}
    later = repos.check(top, "HEAD")
    assert report.findings == later.findings
    assert (report.ignored, report.invalid, report.files) == (
        later.ignored,
        later.invalid,
        later.files,
    )
    assert differing(leaves(top), listed) == {}


def test_names_and_rules_of_what_is_ignored_are_those_on_disk(tmp_path: Path) -> None:
    files: repos.Files = {
        ".gitignore": "*.log\n",
        "a/SKILL.md": skill_md("a"),
        "a/Case.md": "x",
        "a/tracked.log": "x",
        "b/skill.md": skill_md("b"),
    }
    top = repos.repository(tmp_path / "repo", files)
    repos.git(top, "add", "--force", "a/tracked.log")
    (top / "a/Case.md").rename(top / "a/case.md")
    (top / "b/skill.md").rename(top / "b/SKILL.md")
    file(top / "a/new.log")
    file(top / "a/new.tmp")
    (top / ".gitignore").write_text("*.tmp\n")
    listed = leaves(top)
    assert sorted(listed) == [
        ".gitignore",
        *("a/SKILL.md", "a/case.md", "a/new.log", "a/tracked.log", "b/SKILL.md"),
    ]
    commit_all(top)
    assert listed == leaves(top, "HEAD")


def test_what_is_in_the_index_alone_is_not_there(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", {"a/SKILL.md": skill_md("a")})
    for name in ("a/staged.md", "a/gone.md"):
        file(top / name)
    repos.git(top, "add", "--all")
    (top / "a/gone.md").unlink()
    assert leaves(top) == {"a/SKILL.md": Kind.FILE, "a/staged.md": Kind.FILE}


def test_a_conflict_is_one_file(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", {"a/SKILL.md": skill_md("a")})
    ids = [repos.blob(top, text) for text in ("base", "ours", "theirs")]
    lines = [f"100644 {blob} {stage}\ta/SKILL.md\n" for stage, blob in enumerate(ids, 1)]
    zero = f"0 {'0' * 40}\ta/SKILL.md\n"
    repos.git(top, "update-index", "--index-info", stdin="".join([zero, *lines]).encode())
    assert repos.git(top, "ls-files", "--unmerged").count("\n") == 2
    assert leaves(top) == {"a/SKILL.md": Kind.FILE}


def test_preview_sees_a_change_of_kind_alone(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", {"a/SKILL.md": skill_md("a"), "a/run.sh": "x"})
    before = preview.fingerprint(top)
    (top / "a/run.sh").chmod(0o755)
    assert preview.fingerprint(top) != before

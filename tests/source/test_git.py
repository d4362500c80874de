"""Git: every kind of repository is read, objects are verified, and no program it names is run."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
import zlib
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import AUTHOR, Link, Program, Submodule, skill_md
from skillbuild.cli import main
from skillbuild.errors import GitError, SkillbuildError
from skillbuild.source import git
from skillbuild.source.git import Commit, Objects, Repository

FILES: repos.Files = {
    "skills/pdf/SKILL.md": skill_md("pdf"),
    "skills/pdf/scripts/fill.py": Program("#!/usr/bin/env python3\n"),
    "README.md": "Skills.\n",
}


def repository_at(path: Path) -> Repository:
    repository = git.find(path)
    assert repository is not None
    return repository


def blob_id(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


PDF = blob_id(skill_md("pdf").encode())


def read(folder: Path, *object_ids: str) -> list[bytes | None]:
    with Objects(repository_at(folder)) as objects:
        return list(objects.read(object_ids))


def sizes(folder: Path, *object_ids: str) -> list[int | None]:
    with Objects(repository_at(folder)) as objects:
        return objects.sizes(object_ids)


# Which repository a path lies in.


def test_a_work_tree_is_found_from_its_root_and_from_below(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    assert git.find(top) == Repository(top / ".git", top, "")
    assert git.find(top / "skills/pdf") == Repository(top / ".git", top, "skills/pdf/")


def test_a_bare_repository_is_its_own_git_directory(tmp_path: Path) -> None:
    bare = repos.repository(tmp_path / "repo.git", FILES, bare=True)
    assert git.find(bare) == Repository(bare, None, "")


def test_outside_git_there_is_no_repository(tmp_path: Path) -> None:
    assert git.find(tmp_path) is None


def test_a_folder_named_dot_git_that_is_none_does_not_stop_the_search(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    (top / "skills/.git").mkdir()
    assert git.find(top / "skills") == Repository(top / ".git", top, "skills/")


def test_a_linked_worktree_reads_its_own_head(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    first = repos.git(top, "rev-parse", "HEAD")
    repos.git(top, "worktree", "add", "--quiet", "--detach", "../linked", first)
    second = repos.commit(top, {"other": "x"}, day=1)
    linked = repository_at(tmp_path / "linked")
    assert git.resolve(linked, "HEAD").commit == first
    assert git.resolve(repository_at(top), "HEAD").commit == second
    assert read(tmp_path / "linked", PDF) == [skill_md("pdf").encode()]


@pytest.mark.parametrize("absolute", [True, False])
def test_a_git_file_leads_to_the_git_directory(tmp_path: Path, absolute: bool) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    apart = (top / ".git").rename(tmp_path / "apart")
    (top / ".git").write_text(f"gitdir: {apart if absolute else '../apart'}\n")
    assert git.resolve(repository_at(top), "HEAD").commit == repos.git(apart, "rev-parse", "main")


@pytest.mark.parametrize("text", ["gitdir: ../gone\n", "", "junk\n", "gitdir: \0\n", "../apart"])
def test_a_git_file_that_leads_nowhere_is_an_error_with_the_remedy(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / ".git").write_text(text)
    with pytest.raises(GitError, match=r"\.git does not point to a git directory; run `git work"):
        git.find(tmp_path)


# Revisions.


def test_head_branch_tag_and_id_name_one_commit(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    commit = repos.git(top, "rev-parse", "HEAD")
    tree = repos.git(top, "rev-parse", "HEAD^{tree}")
    repos.git(top, "-c", "user.name=A", "-c", "user.email=a@b", "tag", "-m", "One", "v1")
    repos.git(top, "tag", "light")
    repos.git(top, "checkout", "--quiet", "--detach")
    names = ["HEAD", "main", "refs/heads/main", "v1", "light", commit, commit[:10]]
    assert {git.resolve(repository_at(top), name) for name in names} == {Commit(commit, tree)}


def test_a_directory_is_a_source_with_a_tree_of_its_own(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    inner = git.resolve(repository_at(top / "skills"), "HEAD")
    assert inner == Commit(
        repos.git(top, "rev-parse", "HEAD"), repos.git(top, "rev-parse", "HEAD:skills")
    )


def test_a_directory_that_the_commit_does_not_have_is_an_error(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    (top / "new").mkdir()
    with pytest.raises(GitError, match=r"commit [0-9a-f]{12} has no directory 'new'"):
        git.resolve(repository_at(top / "new"), "HEAD")


@pytest.mark.parametrize(
    "revision",
    ["gone", "", "--all", "-x", "HEAD:README.md", "main^{tree}", "a b", "HEAD~5", "@{9}"],
)
def test_a_revision_that_names_no_commit_is_an_error(tmp_path: Path, revision: str) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    with pytest.raises(GitError, match=r"^no commit .*; fetch the commit, or correct --rev$"):
        git.resolve(repository_at(top), revision)


def test_a_repository_without_a_commit_says_what_to_do(tmp_path: Path) -> None:
    top = repos.empty(tmp_path / "repo")
    with pytest.raises(GitError, match=r"no commit 'HEAD' in .*; commit something first"):
        git.resolve(repository_at(top), "HEAD")


def test_a_commit_id_that_looks_like_an_option_is_none(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    head = repos.git(top, "rev-parse", "main")
    assert not git.is_older(repository_at(top), head, f"--output={tmp_path / 'planted'}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["repo"]


def test_an_ancestor_is_older_and_nothing_else_is(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    first = repos.git(top, "rev-parse", "main")
    second = repos.commit(top, {"a": "a"}, day=1)
    repos.git(top, "branch", "side", first)
    side = repos.commit(top, {"b": "b"}, branch="side", day=2)
    where = repository_at(top)
    assert git.is_older(where, first, second)
    assert not git.is_older(where, second, first)
    assert not git.is_older(where, first, first)
    assert not git.is_older(where, side, second)
    assert not git.is_older(where, first, "f" * 40)


# Listings.


def test_a_tree_is_listed_with_modes_ids_and_raw_names(tmp_path: Path) -> None:
    files: repos.Files = {
        "a b/\tc\n.md": "1",
        "c\udce9.md": "2",
        "link": Link("a b"),
        "module": Submodule("2" * 40),
        "run": Program("3"),
        '"quoted"': "4",
    }
    top = repos.repository(tmp_path / "repo", files, bare=True)
    where = repository_at(top)
    listed = list(git.list_tree(where, git.resolve(where, "main").tree))
    assert listed == [
        ('"quoted"', "100644", blob_id(b"4")),
        ("a b/\tc\n.md", "100644", blob_id(b"1")),
        ("c\udce9.md", "100644", blob_id(b"2")),
        ("link", "120000", blob_id(b"a b")),
        ("module", "160000", "2" * 40),
        ("run", "100755", blob_id(b"3")),
    ]


def test_a_missing_subtree_is_an_error(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", FILES, bare=True)
    repos.unpack(top)
    repos.object_file(top, repos.git(top, "rev-parse", "main:skills")).unlink()
    where = repository_at(top)
    with pytest.raises(GitError, match="git ls-tree failed: "):
        list(git.list_tree(where, git.resolve(where, "main").tree))


# Contents.


def test_contents_and_sizes_come_in_the_order_asked_for(tmp_path: Path) -> None:
    top = repos.empty(tmp_path / "repo", bare=True)
    data = [b"", b"one\n", b"\0\r\n" * 50_000, b"blob 3\0abc"]
    ids = [repos.blob(top, content) for content in data]
    absent = "0" * 40
    assert read(top, *ids, absent, *reversed(ids)) == [*data, None, *reversed(data)]
    assert sizes(top, *ids, absent) == [0, 4, 150_000, 10, None]


def test_more_requests_than_a_pipe_holds_do_not_block(tmp_path: Path) -> None:
    top = repos.empty(tmp_path / "repo", bare=True)
    object_id = repos.blob(top, b"x" * 5000)
    assert read(top, *[object_id] * 2500) == [b"x" * 5000] * 2500
    assert sizes(top, *[object_id] * 2500) == [5000] * 2500


def test_a_sha256_repository_is_read(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", FILES, object_format="sha256")
    commit = git.resolve(repository_at(top), "HEAD")
    entries = list(git.list_tree(repository_at(top), commit.tree))
    assert len(commit.commit) == 64
    assert read(top, *[object_id for _, _, object_id in entries]) == [
        b"Skills.\n",
        skill_md("pdf").encode(),
        b"#!/usr/bin/env python3\n",
    ]


def test_a_swapped_object_is_no_content(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    repos.unpack(top)
    repos.swap(top, PDF, skill_md("pdf", "Does another thing.").encode())
    assert repos.git(top, "cat-file", "blob", PDF).startswith("---\nname: pdf\ndescription: Does a")
    assert read(top, PDF) == [None]


def test_a_tree_under_the_id_of_a_blob_is_no_content(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    tree = repos.git(top, "rev-parse", "HEAD^{tree}")
    assert read(top, tree, PDF) == [None, skill_md("pdf").encode()]


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"junk",
        zlib.compress(b"blob 999\0short"),
        zlib.compress(b"blob 3\0long\n"),
        zlib.compress(b"blob 10\0" + bytes(500_000))[:200],
        zlib.compress(b"blob 500000\0" + bytes(500_000))[:200],
        zlib.compress(b"nonsense 3\0abc"),
        zlib.compress(b"blob 99999999999999999999\0abc"),
    ],
    ids=["empty", "junk", "short", "long", "long cut", "short cut", "type", "size"],
)
def test_a_corrupt_object_hurts_no_other(tmp_path: Path, damage: bytes) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    repos.unpack(top)
    path = repos.object_file(top, PDF)
    path.chmod(0o644)
    path.write_bytes(damage)
    readme = blob_id(b"Skills.\n")
    assert read(top, readme, PDF, PDF, readme) == [b"Skills.\n", None, None, b"Skills.\n"]


def test_replaced_objects_are_ignored(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    other = repos.blob(top, skill_md("evil"))
    repos.git(top, "replace", PDF, other)
    assert repos.git(top, "cat-file", "blob", PDF) == skill_md("evil").strip()
    assert read(top, PDF) == [skill_md("pdf").encode()]


def test_a_replaced_commit_is_ignored(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    first = git.resolve(repository_at(top), "main")
    other = repos.commit(top, {"evil": "x"}, branch="other", day=1)
    repos.git(top, "replace", "-f", first.commit, other)
    assert git.resolve(repository_at(top), "main") == first


def test_alternates_are_read_since_every_blob_is_hashed(tmp_path: Path) -> None:
    origin = repos.repository(tmp_path / "origin", FILES)
    shared = tmp_path / "shared"
    repos.git(tmp_path, "clone", "--quiet", "--shared", f"{origin}", f"{shared}")
    repos.unpack(origin)
    assert not list((shared / ".git/objects").glob("??"))
    assert read(shared, PDF) == [skill_md("pdf").encode()]
    repos.swap(origin, PDF, b"other")
    assert read(shared, PDF) == [None]


def test_a_shallow_clone_is_read(tmp_path: Path) -> None:
    origin = repos.repository(tmp_path / "origin", FILES)
    repos.commit(origin, {**FILES, "new": "x"}, day=1)
    shallow = repos.clone(origin, tmp_path / "shallow", "--depth=1")
    where = repository_at(shallow)
    assert git.resolve(where, "HEAD") == git.resolve(repository_at(origin), "HEAD")
    assert not git.is_older(where, repos.git(origin, "rev-parse", "main~1"), "HEAD")


def test_a_missing_blob_of_a_partial_clone_is_not_fetched(tmp_path: Path) -> None:
    origin = repos.repository(tmp_path / "origin", FILES)
    repos.git(origin, "config", "uploadpack.allowFilter", "true")
    partial = repos.clone(origin, tmp_path / "partial", "--filter=blob:none", "--no-checkout")
    where = repository_at(partial)
    listed = list(git.list_tree(where, git.resolve(where, "HEAD").tree))
    assert [path for path, _, _ in listed] == sorted(FILES)
    assert sizes(partial, PDF) == [None]
    assert read(partial, PDF) == [None]


# The environment.


def test_inherited_git_variables_are_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    other = repos.repository(tmp_path / "other", {"other": "x"})
    wanted = git.resolve(repository_at(top), "HEAD")
    planted = {
        "GIT_DIR": f"{other}/.git",
        "GIT_WORK_TREE": f"{other}",
        "GIT_INDEX_FILE": f"{other}/.git/index",
        "GIT_OBJECT_DIRECTORY": f"{other}/.git/objects",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": f"{other}/.git/objects",
        "GIT_COMMON_DIR": f"{other}/.git",
        "GIT_NAMESPACE": "other",
        "GIT_REPLACE_REF_BASE": "refs/heads/",
        "GIT_CEILING_DIRECTORIES": f"{tmp_path}",
        "GIT_CONFIG": f"{other}/.git/config",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.worktree",
        "GIT_CONFIG_VALUE_0": f"{other}",
        "GIT_CONFIG_PARAMETERS": "'core.bare'='true'",
        "GIT_EXEC_PATH": f"{tmp_path}",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_TRACE": f"{tmp_path}/trace",
        "GIT_DEFAULT_HASH": "sha256",
        "GIT_SHALLOW_FILE": f"{other}/HEAD",
    }
    for name, value in planted.items():
        monkeypatch.setenv(name, value)
    where = repository_at(top)
    assert git.resolve(where, "HEAD") == wanted
    assert [path for path, _, _ in git.list_tree(where, wanted.tree)] == sorted(FILES)
    assert sorted(git.list_work_tree(where)) == [
        ("README.md", "100644"),
        ("skills/pdf/SKILL.md", "100644"),
        ("skills/pdf/scripts/fill.py", "100755"),
    ]
    assert not (tmp_path / "trace").exists()


def test_a_path_that_begins_with_a_dash_is_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repos.repository(tmp_path / "--exec=x", FILES)
    monkeypatch.chdir(tmp_path)
    where = repository_at(Path("--exec=x"))
    assert len(list(git.list_tree(where, git.resolve(where, "HEAD").tree))) == 3
    assert len(list(git.list_work_tree(where))) == 3


@pytest.mark.parametrize("name", ["*", ":(top)", ":!x", "[ab]", "sp ace", "café", "-"])
def test_a_directory_name_is_never_a_pattern(tmp_path: Path, name: str) -> None:
    top = repos.repository(tmp_path / "repo", {f"{name}/in": "1", "other/out": "2", "a": "3"})
    where = repository_at(top / name)
    commit = git.resolve(where, "HEAD")
    assert [path for path, _, _ in git.list_tree(where, commit.tree)] == ["in"]
    assert list(git.list_work_tree(where)) == [("in", "100644")]


def test_a_repository_path_may_hold_any_byte(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "a:b;\n'\"c\udce9", FILES)
    assert len(list(git.list_work_tree(repository_at(top)))) == 3
    assert read(top, PDF) == [skill_md("pdf").encode()]


def test_without_git_the_error_names_the_version_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    monkeypatch.setenv("PATH", f"{tmp_path}")
    message = r"^git is not installed or not on PATH; install git 2\.\d+ or newer$"
    with pytest.raises(GitError, match=message):
        git.require_version()
    with pytest.raises(GitError, match=message):
        repos.check(top)
    with pytest.raises(GitError, match=message):
        repos.build(top, tmp_path / "out")


@pytest.mark.parametrize("version", ["1.8.3.1", "2.20.1", "2.24.4", ""])
def test_an_old_git_is_refused_with_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    fake_git(tmp_path, f"git version {version}")
    monkeypatch.setenv("PATH", f"{tmp_path}", prepend=os.pathsep)
    shown = f"git version {version}".strip()
    with pytest.raises(GitError, match=f"^{shown} is too old; install git 2"):
        git.require_version()


@pytest.mark.parametrize(
    "version", ["2.39.5", "2.45.1 (Apple Git-154)", "2.47.0.windows.1", "3.0.0-rc1", "2.100.0"]
)
def test_a_newer_git_of_any_maker_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    fake_git(tmp_path, f"git version {version}")
    monkeypatch.setenv("PATH", f"{tmp_path}", prepend=os.pathsep)
    git.require_version()


def fake_git(folder: Path, says: str) -> None:
    (folder / "git").write_text(f"#!/bin/sh\necho '{says}'\n")
    (folder / "git").chmod(0o755)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("bare", [True, False])
def test_a_foreign_owner_is_fine_since_nothing_of_theirs_runs(tmp_path: Path, bare: bool) -> None:
    top = repos.repository(tmp_path / "repo", FILES, bare=bare)
    for path in [top, *top.rglob("*")]:
        os.chown(path, 12_345, 12_345, follow_symlinks=False)
    refused = subprocess.run(
        ["git", "status"], cwd=top, env=repos.environment(), capture_output=True, check=False
    )
    assert b"dubious ownership" in refused.stderr
    assert repos.published(repos.build(top, tmp_path / "out")) == ["pdf"]
    assert repos.codes(repos.check(top)) == []


# Programs that a repository names.

EXECUTING_KEYS = [
    "core.fsmonitor",
    "core.sshCommand",
    "core.pager",
    "core.editor",
    "core.askPass",
    "core.alternateRefsCommand",
    "core.gitProxy",
    "sequence.editor",
    "pager.log",
    "pager.ls-tree",
    "pager.cat-file",
    "pager.ls-files",
    "pager.rev-parse",
    "pager.version",
    "pager.config",
    "pager.check-attr",
    "pager.diff-index",
    "diff.external",
    "diff.planted.command",
    "diff.planted.textconv",
    "merge.planted.driver",
    "filter.planted.clean",
    "filter.planted.smudge",
    "filter.planted.process",
    "gpg.program",
    "gpg.openpgp.program",
    "gpg.ssh.program",
    "gpg.ssh.defaultKeyCommand",
    "gpg.x509.program",
    "credential.helper",
    "interactive.diffFilter",
    "uploadpack.packObjectsHook",
    "trailer.planted.command",
    "trailer.planted.cmd",
    "receive.procReceiveRefs",
    "remote.origin.uploadpack",
    "remote.origin.vcs",
    "difftool.planted.cmd",
    "mergetool.planted.cmd",
    "browser.planted.cmd",
    "man.planted.cmd",
    "web.browser",
    "sendemail.smtpServer",
    "imap.tunnel",
    "gc.recentObjectsHook",
    "submodule.module.update",
    "alias.rev-parse",
    "alias.ls-tree",
    "alias.ls-files",
    "alias.cat-file",
    "alias.log",
    "alias.version",
    "alias.config",
    "alias.check-attr",
    "alias.diff-index",
]
HOOKS = [
    "fsmonitor-watchman",
    "post-checkout",
    "post-index-change",
    "pre-auto-gc",
    "query-watchman",
    "reference-transaction",
]
SIGNATURES = {
    "openpgp": ("-----BEGIN PGP SIGNATURE-----", "-----END PGP SIGNATURE-----"),
    "ssh": ("-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"),
    "x509": ("-----BEGIN SIGNED MESSAGE-----", "-----END SIGNED MESSAGE-----"),
}


def plant(folder: Path, canary: Path) -> None:
    """Set every key, hook and attribute that can name a program to one that writes a trace file."""
    program = folder.parent / "program"
    program.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{canary}'\ncat\n")
    program.chmod(0o755)
    for key in EXECUTING_KEYS:
        bang = "!" if key.startswith(("alias.", "credential.", "submodule.")) else ""
        repos.git(folder, "config", key, f"{bang}{program}")
    hooks = folder.parent / "hooks"
    hooks.mkdir()
    for hook in HOOKS:
        shutil.copy2(program, hooks / hook)
    included = folder.parent / "included"
    included.write_text(f"[core]\n\tfsmonitor = {program}\n\tpager = {program}\n")
    settings = {
        "core.hooksPath": f"{hooks}",
        "core.attributesFile": f"{folder.parent / 'attributes'}",
        "core.fsmonitorHookVersion": "1",
        "core.untrackedCache": "true",
        "core.repositoryFormatVersion": "1",
        "log.showSignature": "true",
        "log.mailmap": "true",
        "log.diffMerges": "on",
        "filter.planted.required": "true",
        "trailer.planted.runMode": "atWhatever",
        "extensions.partialClone": "origin",
        "remote.origin.url": f"ext::{program} %S",
        "remote.origin.promisor": "true",
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
        "pager.status": "true",
        "include.path": f"{included}",
    }
    for key, value in settings.items():
        repos.git(folder, "-c", "core.pager=cat", "config", key, value)
    for name in ("info", "worktree"):
        where = repos.git_dir(folder) / "info" if name == "info" else folder.parent
        where.mkdir(exist_ok=True)
        (where / "attributes").write_text("* filter=planted diff=planted merge=planted text\n")


def sign_head(folder: Path, kind: str) -> None:
    """Replace the branch by two commits that carry a signature, as `log.showSignature` wants."""
    begin, end = SIGNATURES[kind]
    parent = repos.git(folder, "rev-parse", "main")
    for _ in range(2):
        tree = repos.git(folder, "rev-parse", f"{parent}^{{tree}}")
        who = AUTHOR + b" 1700000000 +0000"
        head = f"tree {tree}\nparent {parent}\n".encode()
        head += b"author " + who + b"\ncommitter " + who + b"\n"
        head += f"gpgsig {begin}\n \n AAAA\n {end}\n\nSigned\n".encode()
        parent = repos.git(folder, "hash-object", "-t", "commit", "-w", "--stdin", stdin=head)
    repos.git(folder, "update-ref", "refs/heads/main", parent)


@pytest.mark.skipif(os.name != "posix", reason="the planted programs are shell scripts")
@pytest.mark.parametrize("kind", list(SIGNATURES))
def test_no_program_that_a_repository_names_is_run(tmp_path: Path, kind: str) -> None:
    canary, out = tmp_path / "canary", tmp_path / "out"
    files = {**FILES, ".gitattributes": "* filter=planted diff=planted merge=planted\n"}
    top = repos.repository(tmp_path / "repo", files)
    sign_head(top, kind)
    plant(top, canary)
    repos.git(top, "config", "gpg.format", kind)
    (top / "skills/pdf/new.md").write_text("Typed a moment ago.\n")
    os.utime(top / "README.md", (1, 1))
    repos.check(top)
    repos.check(top / "skills")
    repos.check(top, "main")
    older = repos.git(top, "-c", "core.pager=cat", "rev-parse", "main~1")
    (top / "skills/pdf/SKILL.md").write_text("Changed a moment ago.\n")
    assert main.main(["build", f"{top}", f"--out={out}", "-v"]) == 0
    with pytest.raises(SkillbuildError, match="newer commit"):
        repos.build(top, out, older)
    assert (canary.read_text() if canary.exists() else "") == ""


@pytest.mark.skipif(os.name != "posix", reason="the planted programs are shell scripts")
def test_the_planted_programs_would_have_run(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    top = repos.repository(tmp_path / "repo", FILES)
    sign_head(top, "openpgp")
    plant(top, canary)
    os.utime(top / "README.md", (1, 1))
    for command in (
        ["status"],
        ["log", "-1"],
        ["show", "--ext-diff"],
        ["add", "--renormalize", "."],
        ["ls-files", "--modified"],
    ):
        canary.unlink(missing_ok=True)
        subprocess.run(
            ["git", *command], cwd=top, env=repos.environment(), capture_output=True, check=False
        )
        assert canary.exists(), command


@pytest.mark.skipif(os.name != "posix", reason="permission bits are those of POSIX")
def test_reading_leaves_the_repository_as_it_was(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    os.utime(top / "README.md", (1, 1))
    before = snapshot(top)
    repos.check(top)
    repos.build(top, tmp_path / "out")
    assert snapshot(top) == before


def snapshot(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Mode, size and time of change of everything below a folder."""
    return {
        path.relative_to(folder).as_posix(): (
            stat.S_IMODE(status.st_mode),
            status.st_size,
            status.st_mtime_ns,
        )
        for path in folder.rglob("*")
        for status in [path.lstat()]
    }


def test_git_is_not_left_running(tmp_path: Path) -> None:
    top = repos.repository(tmp_path / "repo", FILES)
    with Objects(repository_at(top)) as objects:
        list(objects.read([PDF]))
        objects.sizes([PDF])
        processes = list(objects._processes.values())
    assert [process.poll() is not None for process in processes] == [True, True]

"""What the working tree has that the commit lacks: told where it is sure, and nowhere else."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import Link, Program, skill_md
from skillbuild.source import tree
from skillbuild.source.uncommitted import Uncommitted, in_skills
from skillbuild.source.work_tree import Changes, changes_since

FILES: repos.Files = {
    ".gitignore": "*.log\nignored/\n",
    "README.md": "Skills.\n",
    "skillbuild.toml": 'title = "T"\nexclude = ["/tests/"]\n',
    "skills/pdf/SKILL.md": skill_md("pdf"),
    "skills/pdf/run.sh": Program("#!/bin/sh\n"),
    "skills/pdf/notes.md": "one\ntwo\n",
    "tests/x/SKILL.md": skill_md("x"),
    "link": Link("README.md"),
}
Edit = Callable[[Path], object]


@pytest.fixture(params=["fresh", "settled"])
def top(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A working tree as git has just written it, that its index is not sure of, or an older one."""
    top = repos.repository(tmp_path / "repo", FILES)
    if request.param == "settled":
        for path in FILES:
            os.utime(top / path, ns=(10**18 + 1, 10**18 + 1), follow_symlinks=False)
        repos.git(top, "update-index", "--refresh")
    return top


def changed(folder: Path, revision: str = "HEAD") -> Changes | None:
    return changes_since(folder, tree.open_commit(folder, revision).commit.commit)


def uncommitted(folder: Path) -> Uncommitted:
    found = changed(folder)
    commit = tree.open_commit(folder, "HEAD").commit.commit
    return Uncommitted() if found is None else in_skills(found, folder, commit)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def replace_by_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("SKILL.md")


def same_size_and_time(path: Path) -> None:
    """A change that only the second to the last digit of its time tells."""
    status = path.stat()
    path.write_text("two\none\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 10))


def stage(top: Path, path: str, text: str) -> None:
    write(top / path, text)
    repos.git(top, "add", path)


NOTES = "skills/pdf/notes.md"
SURE: dict[str, tuple[Edit, tuple[str, ...], tuple[str, ...]]] = {
    "changed": (lambda top: write(top / NOTES, "other\n"), (NOTES,), ()),
    "same size": (lambda top: same_size_and_time(top / NOTES), (NOTES,), ()),
    "staged": (lambda top: stage(top, NOTES, "other\n"), (NOTES,), ()),
    "deleted": (lambda top: (top / NOTES).unlink(), (NOTES,), ()),
    "new file": (lambda top: write(top / "skills/pdf/a/b", "x"), ("skills/pdf/a/b",), ()),
    "executable": (lambda top: (top / NOTES).chmod(0o755), (NOTES,), ()),
    "plain": (lambda top: (top / "skills/pdf/run.sh").chmod(0o644), ("skills/pdf/run.sh",), ()),
    "link": (lambda top: replace_by_link(top / NOTES), (NOTES,), ()),
    "settings": (lambda top: write(top / "skillbuild.toml", "x"), ("skillbuild.toml",), ()),
    "new skill": (lambda top: write(top / "skills/a/SKILL.md", "x"), (), ("skills/a",)),
    "staged skill": (lambda top: stage(top, "skills/a/SKILL.md", "x"), (), ("skills/a",)),
    "inner skill": (lambda top: write(top / "skills/pdf/in/SKILL.md", "x"), (), ("skills/pdf/in",)),
    "renamed skill": (
        lambda top: (top / "skills/pdf").rename(top / "skills/doc"),
        ("skills/pdf/SKILL.md", NOTES, "skills/pdf/run.sh"),
        ("skills/doc",),
    ),
}


@pytest.mark.parametrize(("edit", "files", "skills"), SURE.values(), ids=list(SURE))
def test_a_change_of_a_skill_is_told(
    top: Path, edit: Edit, files: tuple[str, ...], skills: tuple[str, ...]
) -> None:
    assert changed(top) is None
    edit(top)
    assert uncommitted(top) == Uncommitted(files, (), skills)


def hide(top: Path) -> None:
    repos.git(top, "update-index", "--skip-worktree", NOTES)
    repos.git(top, "update-index", "--assume-unchanged", "skills/pdf/run.sh")
    (top / NOTES).unlink()
    (top / "skills/pdf/run.sh").write_text("other")


NO_CHANGE: dict[str, Edit] = {
    "nothing": lambda top: None,
    "another file": lambda top: write(top / "README.md", "Other.\n"),
    "an untracked file": lambda top: write(top / "x/notes.md", "x"),
    "an ignored file": lambda top: write(top / "skills/pdf/trace.log", "x"),
    "an ignored skill": lambda top: write(top / "ignored/a/SKILL.md", "x"),
    "an excluded skill": lambda top: write(top / "tests/y/SKILL.md", "x"),
    "junk": lambda top: write(top / "skills/pdf/__pycache__/a.pyc", "x"),
    "a time": lambda top: os.utime(top / NOTES, (1, 1)),
    "line ends": lambda top: (top / NOTES).write_bytes(b"one\r\ntwo\r\n"),
    "an output": lambda top: repos.build(top, top / "out"),
    "a skill in a dot-directory": lambda top: write(top / ".claude/skills/a/SKILL.md", "x"),
    "a file that git is not to look at": hide,
}


@pytest.mark.parametrize("edit", NO_CHANGE.values(), ids=list(NO_CHANGE))
def test_what_changes_no_skill_is_not_told(top: Path, edit: Edit) -> None:
    edit(top)
    assert uncommitted(top) == Uncommitted()


@pytest.mark.parametrize(
    ("attributes", "where"),
    [
        ("* filter=upper\n", ".gitattributes"),
        ("*.md filter=upper diff\n", "skills/.gitattributes"),
        ("*.md text ident\n", ".git/info/attributes"),
        ("skills/**/notes.md working-tree-encoding=UTF-16\n", ".gitattributes"),
        ("[attr]large filter=upper\n*.md large\n", ".gitattributes"),
        ('"skills/pdf/notes.md" filter=upper\n', ".gitattributes"),
        ("* filter=upper\n", ".git/named"),
    ],
)
def test_a_file_that_a_filter_converts_may_differ(top: Path, attributes: str, where: str) -> None:
    write(top / where, attributes)
    repos.git(top, "config", "core.attributesFile", f"{top}/.git/named")
    assert uncommitted(top) == Uncommitted()
    write(top / NOTES, "ONE\nTWO\n")
    assert uncommitted(top) == Uncommitted((), (NOTES,))
    (top / NOTES).unlink()
    assert uncommitted(top) == Uncommitted((NOTES,))


def test_a_filter_for_other_files_hides_nothing(top: Path) -> None:
    write(top / ".git/info/attributes", "*.png filter=lfs diff=lfs merge=lfs -text\n")
    write(top / NOTES, "other\n")
    assert uncommitted(top) == Uncommitted((NOTES,))


@pytest.mark.skipif(os.name != "posix", reason="the filter is a shell script")
def test_no_filter_of_the_repository_is_run(top: Path, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    program = tmp_path / "filter"
    program.write_text(f"#!/bin/sh\necho ran >> '{canary}'\ncat\n")
    program.chmod(0o755)
    write(top / ".git/info/attributes", "* filter=own\n")
    for key in ("clean", "smudge", "process"):
        repos.git(top, "config", f"filter.own.{key}", f"{program}")
    write(top / NOTES, "other\n")
    os.utime(top / "skills/pdf/SKILL.md", (1, 1))
    write(top / "skills/pdf/new.md", "new\n")
    assert uncommitted(top) == Uncommitted(("skills/pdf/new.md",), (NOTES,))
    assert not canary.exists()
    repos.git(top, "status")
    assert canary.exists()


@pytest.mark.parametrize(
    ("settings", "attributes", "unclear"),
    [
        ({"core.autocrlf": "true"}, "", ()),
        ({}, "* text eol=crlf\n", ()),
        ({}, "* text ident\n", (NOTES,)),
        (
            {"filter.up.smudge": "tr a-z A-Z", "filter.up.clean": "tr A-Z a-z"},
            "*.md filter=up\n",
            ("skills/pdf/SKILL.md", NOTES),
        ),
        ({"core.symlinks": "false"}, "", ()),
        ({"core.fileMode": "false"}, "", ()),
    ],
    ids=["autocrlf", "eol", "ident", "filter", "symlinks", "fileMode"],
)
@pytest.mark.parametrize("touched", [False, True])
def test_a_fresh_checkout_has_no_changes(
    tmp_path: Path,
    settings: dict[str, str],
    attributes: str,
    unclear: tuple[str, ...],
    touched: bool,
) -> None:
    top = repos.empty(tmp_path / "repo")
    for key, value in settings.items():
        repos.git(top, "config", key, value)
    repos.commit(top, {**FILES, ".gitattributes": attributes, NOTES: "$Id$ one\ntwo\n"})
    repos.checkout(top)
    for path in top.glob("skills/**/*.md") if touched else ():
        os.utime(path, (1, 1))
    assert uncommitted(top) == Uncommitted(unclear=unclear if touched else ())


def test_a_copied_work_tree_has_no_changes(top: Path, tmp_path: Path) -> None:
    shutil.copytree(top, tmp_path / "copy", symlinks=True, copy_function=shutil.copyfile)
    (tmp_path / "copy/skills/pdf/run.sh").chmod(0o755)
    assert changed(tmp_path / "copy") is None
    write(tmp_path / "copy" / NOTES, "one\ntwx\n")
    assert uncommitted(tmp_path / "copy") == Uncommitted((NOTES,))


def test_a_bare_repository_a_folder_and_another_commit_are_not_compared(
    top: Path, tmp_path: Path
) -> None:
    bare = repos.repository(tmp_path / "bare", FILES, bare=True)
    assert changed(bare) is None
    first = repos.git(top, "rev-parse", "HEAD")
    repos.commit(top, {**FILES, NOTES: "x"}, day=1)
    repos.checkout(top)
    write(top / NOTES, "y")
    assert changed(top, first) is None
    assert changed(top, "main") == Changes(frozenset([NOTES]), frozenset())
    assert changes_since(tmp_path / "none", first) is None


def test_a_directory_and_a_linked_worktree_are_compared_by_themselves(
    top: Path, tmp_path: Path
) -> None:
    repos.git(top, "worktree", "add", "--quiet", "--detach", "../linked", "HEAD")
    write(tmp_path / "linked" / NOTES, "other\n")
    write(top / "skills/new/SKILL.md", "x")
    write(top / "other/SKILL.md", "x")
    assert uncommitted(tmp_path / "linked") == Uncommitted((NOTES,))
    assert uncommitted(tmp_path / "linked/skills") == Uncommitted((NOTES,))
    assert uncommitted(top / "skills") == Uncommitted((), (), ("skills/new",))


def test_a_directory_that_became_a_link_is_a_change(top: Path) -> None:
    (top / "skills/pdf").rename(top / "pdf")
    (top / "skills/pdf").symlink_to("../pdf")
    assert uncommitted(top) == Uncommitted(("skills/pdf",), (), ("pdf",))


def test_the_line_names_new_skills_and_counts_the_rest() -> None:
    assert Uncommitted(("a", "b"), (), ("team/new",)).warning() == (
        "warning: the working tree has uncommitted changes: 2 changed files and 1 new skill"
        " (team/new); commit them, or check them with skillbuild check"
    )
    many = Uncommitted(skills=("a", "b\n", "c", "d")).warning()
    assert "changes: 4 new skills (a, b\\n, c and d);" in many
    both = Uncommitted(("a",), ("b",)).warning()
    assert both.endswith(
        "skillbuild check; 1 file may differ from this commit, because skillbuild does not run the"
        " git filters that a comparison needs; run git status to check"
    )
    assert Uncommitted().warning() == ""

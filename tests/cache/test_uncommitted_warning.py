"""A build with nothing to do says what is not committed, and notices when that changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import skill_md
from skillbuild.cli import main

FILES: repos.Files = {"skills/a/SKILL.md": skill_md("a"), "skills/b/SKILL.md": skill_md("b")}
START, END = (
    "skillbuild: warning: the working tree has uncommitted changes: ",
    "; commit them, or check them with",
)
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", f"{tmp_path / 'cache'}")
    return repos.repository(tmp_path / "repo", FILES)


def warning(repo: Path, capsys: Capture, *options: str, source: str = "", status: int = 0) -> str:
    """What a build says of changes, without the words that are always the same."""
    out = f"--out={repo.parent / 'out'}"
    assert main.main(["build", f"{repo / source}", out, *options]) == status
    errors = capsys.readouterr().err
    line = next((line for line in errors.splitlines() if line.startswith(START)), "")
    return line.removeprefix(START).partition(END)[0]


def test_each_build_says_what_is_true_now(repo: Path, capsys: Capture) -> None:
    assert warning(repo, capsys) == warning(repo, capsys) == ""
    (repo / "skills/a/SKILL.md").write_text(skill_md("a", "Does two things."))
    changed = "1 changed file"
    assert [warning(repo, capsys) for _ in range(3)] == [changed] * 3
    (repo / "skills/new").mkdir()
    (repo / "skills/new/SKILL.md").write_text(skill_md("new"))
    both = "1 changed file and 1 new skill (skills/new)"
    assert [warning(repo, capsys) for _ in range(3)] == [both] * 3
    repos.git(repo, "add", "--all")
    assert warning(repo, capsys) == both
    repos.git(repo, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "-m", "x")
    assert warning(repo, capsys) == warning(repo, capsys) == ""


def test_the_same_line_comes_from_a_directory_with_its_own_paths(
    repo: Path, capsys: Capture
) -> None:
    assert warning(repo, capsys, source="skills") == ""
    (repo / "skills/new").mkdir()
    (repo / "skills/new/SKILL.md").write_text(skill_md("new"))
    wanted = "1 new skill (skills/new)"
    assert warning(repo, capsys, source="skills") == wanted
    assert warning(repo, capsys, source="skills") == wanted


def test_quiet_says_nothing_and_the_status_is_the_same(repo: Path, capsys: Capture) -> None:
    (repo / "skills/a/SKILL.md").write_text("changed")
    assert warning(repo, capsys, "-q") == warning(repo, capsys, "-q") == ""
    assert warning(repo, capsys, "--format", "json").startswith("1 changed file")
    assert warning(repo, capsys, "--rev", "HEAD").startswith("1 changed file")


def test_a_build_that_fails_says_it_too(repo: Path, capsys: Capture) -> None:
    repos.commit(repo, {**FILES, "skills/b/SKILL.md": "# Bad\n"}, day=1)
    assert warning(repo, capsys, status=1).startswith("1 changed file")


def test_while_nothing_changes_nothing_that_builds_is_loaded(repo: Path) -> None:
    command = ("build", f"{repo}", f"--out={repo.parent / 'out'}")
    loads = []
    for text in (skill_md("a"), skill_md("a"), "changed"):
        (repo / "skills/a/SKILL.md").write_text(text)
        with repos.skillbuild(*command, variables={"PYTHONPROFILEIMPORTTIME": "1"}) as run:
            errors = run.communicate()[1].decode()
        loads.append("skillbuild.build\n" in errors)
    assert loads == [True, False, False]
    assert f"\n{START}1 changed file" in errors


def test_an_index_that_cannot_be_read_stops_no_build(repo: Path, capsys: Capture) -> None:
    (repo / "skills/a/SKILL.md").write_text("changed")
    (repo / ".git/index").write_bytes(b"damaged")
    assert warning(repo, capsys) == warning(repo, capsys) == ""
    (repo / ".git/index").unlink()
    assert warning(repo, capsys, "--recheck") == ""

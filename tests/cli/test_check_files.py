"""`check FILE...`: the skills that hold these files, with the settings of the repository."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import Link, skill_md
from skillbuild.cli import main

Capture = pytest.CaptureFixture[str]

BROKEN = "# Nothing\n"
FILES: repos.Files = {
    "README.md": "ours\n",
    "skillbuild.toml": 'exclude = ["skills/a/draft.md"]\n',
    "skills/a/SKILL.md": skill_md("a", "Does: one thing"),
    "skills/a/draft.md": "x\n",
    "skills/a/inner/SKILL.md": BROKEN,
    "skills/b/SKILL.md": BROKEN,
    "skills/b/references/more.md": "More.\n",
    "skills/c/SKILL.md": "# Another\n",
    "skills/c/skillbuild.toml": "no settings\n",
    "skills/d/skill.md": skill_md("d"),
    "skills/skills/b/SKILL.md": BROKEN,
    "skills/skills/b/references/more.md": "More.\n",
    "alias": Link("skills"),
}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return repos.repository(tmp_path / "repo", FILES)


def found(capsys: Capture, *arguments: object) -> tuple[int, list[str]]:
    """The exit status, and of each finding path and rule."""
    status = main.main(["check", "--format", "json", *map(str, arguments)])
    report = json.loads(capsys.readouterr().out)
    return status, [f"{item['path']} {item['code']}" for item in report["diagnostics"]]


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        (["README.md"], []),
        (["README.md", "skills/d/skill.md"], ["skills/d/skill.md skill-file-case"]),
        (["skills/a/draft.md"], ["skills/a/SKILL.md yaml-unquoted-colon"]),
        (
            ["skills/a/inner/SKILL.md"],
            [
                "skills/a/SKILL.md yaml-unquoted-colon",
                "skills/a/inner/SKILL.md frontmatter-missing",
            ],
        ),
        (
            ["skills/b/references/more.md", "skills/c/skillbuild.toml", "README.md"],
            ["skills/b/SKILL.md frontmatter-missing", "skills/c/SKILL.md frontmatter-missing"],
        ),
        (["skills/skills/b/SKILL.md"], ["skills/b/SKILL.md frontmatter-missing"]),
        (["alias/c/SKILL.md"], ["skills/c/SKILL.md frontmatter-missing"]),
    ],
)
@pytest.mark.parametrize("folder", ["", "skills/c"])
def test_the_skills_that_hold_the_files_are_checked(
    files: list[str],
    wanted: list[str],
    folder: str,
    repo: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    """From wherever; of equal skills in two places there is one finding."""
    monkeypatch.chdir(repo / folder)
    up = "../../" if folder else ""
    assert found(capsys, *(up + file for file in files)) == (1 if wanted else 0, wanted)
    assert found(capsys, *(repo / file for file in files))[1] == wanted


def test_the_numbers_are_those_of_the_checked_skills(
    repo: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(repo / "skills")
    assert main.main(["check", "c/skillbuild.toml", "a/SKILL.md"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "1 problem fixable with skillbuild check --fix c/skillbuild.toml a/SKILL.md" in lines
    assert lines[-1].startswith("2 skills found: 0 valid, 2 invalid; 2 errors, 0 warnings; ")


def test_files_are_fixed_in_the_skills_that_hold_them(repo: Path, capsys: Capture) -> None:
    (repo / "skills/b/SKILL.md").write_text(skill_md("b", "Does: one thing"))
    assert main.main(["check", "--fix", str(repo / "skills/a/draft.md")]) == 0
    assert capsys.readouterr().out.endswith("\n1 problem fixed in 1 file, 0 left\n")
    assert repos.git(repo, "diff", "--name-only").split() == [
        "skills/a/SKILL.md",
        "skills/b/SKILL.md",
    ]
    assert "Does: one" in (repo / "skills/b/SKILL.md").read_text()


def test_a_commit_is_read_where_one_is_named(repo: Path, capsys: Capture) -> None:
    (repo / "skills/c/SKILL.md").write_text(skill_md("c"))
    file = repo / "skills/c/SKILL.md"
    assert found(capsys, file) == (0, [])
    wanted = ["skills/c/SKILL.md frontmatter-missing"]
    assert found(capsys, "--rev", "HEAD", file) == (1, wanted)


def test_outside_of_git_the_working_directory_is_the_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/SKILL.md").write_text(BROKEN)
    monkeypatch.chdir(tmp_path)
    assert found(capsys, "a/SKILL.md") == (1, ["a/SKILL.md frontmatter-missing"])
    monkeypatch.chdir(tmp_path / "a")
    assert main.main(["check", "../a/../../x"]) == 2
    assert capsys.readouterr().err == "skillbuild: ../a/../../x does not exist\n"


def test_what_cannot_be_checked_together_is_told(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    other = repos.repository(tmp_path / "other", {"a/SKILL.md": skill_md("a")})
    loose = tmp_path / "loose.md"
    loose.write_text("x\n")
    monkeypatch.chdir(repo)
    ours, theirs = repo / "README.md", other / "a/SKILL.md"
    for arguments, line in (
        (
            [ours, theirs],
            f"{ours} and {theirs} are in different repositories; check them separately",
        ),
        ([ours, repo], f"{repo} is a directory; pass either one directory or only files"),
        ([loose], f"{loose} is not in a git working tree; pass the directory of the source"),
    ):
        assert main.main(["check", *map(str, arguments)]) == 2
        assert capsys.readouterr().err == f"skillbuild: {line}\n"

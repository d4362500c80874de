"""A first build of many skills starts what its workers are forked from before all else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import skill_md
from skillbuild.compile import early, processes

ENOUGH = processes.SKILLS_WORTH_A_WORKER

TELLS = """
import sys
from skillbuild.cli.main import main
from skillbuild.compile import early

def context(*modules):
    print(sorted(modules), "skillbuild.build" in sys.modules, file=sys.stderr)

early.context = context
if __name__ == "__main__":
    sys.exit(main())
"""


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What was loaded ahead, each time, on a machine with two cores."""
    seen: list[tuple[str, ...]] = []
    monkeypatch.setattr(early, "CORES", 2)
    monkeypatch.setattr(processes, "CORES", 2)
    monkeypatch.setattr(early, "context", lambda *modules: seen.append(modules))
    return seen


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Just enough skills, of which one is outside of `team`; many long names between them."""
    names = [f"skill-{number}" for number in range(ENOUGH)]
    skills = {f"team/{name}/SKILL.md": skill_md(name) for name in names[1:]}
    others = {f"team/{name}/{'x' * 200}-{number}": "" for name in names[1:] for number in range(2)}
    others |= {"other/skill-0/SKILL.md": skill_md(names[0]), "other/NO-SKILL.txt": ""}
    return repos.repository(tmp_path_factory.mktemp("early") / "repo", {**skills, **others})


def test_enough_skills_are_counted_and_no_more(
    repo: Path, tmp_path: Path, started: list[tuple[str, ...]]
) -> None:
    early.start_early(repo / "team", "HEAD", tmp_path / "out", 0)
    assert started == []
    early.start_early(repo, "HEAD", tmp_path / "out", 0)
    early.start_early(repo / ".git", "HEAD", tmp_path / "out", 0)
    assert started == [(early.WORKERS, early.PRELOAD)] * 2


def test_only_the_first_names_of_a_large_source_are_looked_at(
    repo: Path,
    tmp_path: Path,
    started: list[tuple[str, ...]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(early, "_MOST_READS", 1)
    early.start_early(repo, "HEAD", tmp_path / "out", 0)
    assert started == []


def test_wanted_processes_are_not_counted_for(
    tmp_path: Path, started: list[tuple[str, ...]]
) -> None:
    early.start_early(tmp_path, "HEAD", tmp_path / "out", 1)
    assert started == []
    early.start_early(tmp_path, "HEAD", tmp_path / "out", 2)
    assert started == [(early.WORKERS, early.PRELOAD)]


def test_nothing_is_started_over_a_release_or_for_a_source_that_cannot_be_read(
    repo: Path, tmp_path: Path, started: list[tuple[str, ...]]
) -> None:
    out = tmp_path / "out"
    for source, revision in ((repo, "gone"), (repo, "--all"), (tmp_path / "none", "HEAD")):
        early.start_early(source, revision, out, 0)
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad/.git").write_text("gitdir: nowhere")
    early.start_early(tmp_path / "bad", "HEAD", out, 0)
    out.mkdir()
    (out / "catalog.json").write_text("{}")
    early.start_early(repo, "HEAD", out, 2)
    assert started == []


def test_a_build_starts_it_before_it_loads_what_builds(repo: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", TELLS, "build", "-q", f"{repo}", "-o", f"{tmp_path / 'out'}"]
    done = subprocess.run([*command, "--jobs", "2"], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[:1] == [f"{[early.PRELOAD, early.WORKERS]} False"]
    assert done.returncode == 0, done.stderr
    again = subprocess.run([*command, "--recheck"], capture_output=True, text=True, check=False)
    assert (again.returncode, early.PRELOAD in again.stderr) == (0, False), again.stderr

"""What workers need is loaded while a first build still plans, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import skill_md
from skillbuild.build import Options
from skillbuild.compile import workers
from skillbuild.compile.compiler import SkillCompiler

FILES: repos.Files = {"skills/a/SKILL.md": skill_md("a"), "skills/b/SKILL.md": skill_md("b")}


@pytest.mark.parametrize(("jobs", "loaded"), [(2, [SkillCompiler.__module__]), (1, []), (0, [])])
def test_a_first_build_loads_ahead_what_workers_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int, loaded: list[str]
) -> None:
    """Two skills are too few for workers that nobody asked for."""
    seen: list[str] = []
    monkeypatch.setattr(workers, "load_ahead", seen.append)
    repo = repos.repository(tmp_path / "repo", FILES)
    repos.build(repo, tmp_path / "out", options=Options(jobs=jobs))
    assert seen == loaded
    repos.commit(repo, {**FILES, "skills/b/SKILL.md": skill_md("b", "New.")}, day=1)
    repos.build(repo, tmp_path / "out", options=Options(jobs=jobs))
    assert seen == loaded

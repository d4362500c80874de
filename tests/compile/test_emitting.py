"""Files about all skills are the same whether one process makes them or two."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from helpers import repos
from helpers.repos import skill_md
from skillbuild.build import Options
from skillbuild.cache import signed_files, stored
from skillbuild.compile import emitting

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only there a build forks")

NAMES = ("merge-pdf", "split-pdf", "crop-images")
FILES: repos.Files = {
    f"media/{name}/SKILL.md": skill_md(name, f"Use to {name.replace('-', ' ')} files quickly.")
    for name in NAMES
}


@pytest.fixture(autouse=True)
def few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emitting, "_SKILLS_WORTH_A_FORK", 1)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return repos.repository(tmp_path / "repo", FILES)


def forks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The processes that are forked from here on."""
    seen: list[int] = []
    fork = os.fork

    def note() -> int:
        child = fork()
        seen.append(child)
        return child

    monkeypatch.setattr(os, "fork", note)
    return seen


def built(repo: Path, out: Path, jobs: int) -> dict[str, str]:
    repos.build(repo, out, options=Options(jobs=jobs, cache=True))
    return repos.digests(out)


def test_two_processes_publish_what_one_does(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = built(repo, tmp_path / "alone", 1)
    seen = forks(monkeypatch)
    assert built(repo, tmp_path / "two", 2) == alone
    assert len(seen) == 1
    assert sum(path.endswith("/-/related/index.html") for path in alone) == len(NAMES)


def test_what_the_other_process_noted_is_stored(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So the next build writes no page again that shows what it showed before."""
    notes = []
    for jobs in (1, 2):
        out = tmp_path / f"out-{jobs}"
        built(repo, out, jobs)
        head = (signed_files.read(out, stored.KIND) or b"").partition(b"\n")[0]
        notes.append([part for part in head.split(b'"') if part.endswith(b"/-/related/index.html")])
    assert notes[0] == notes[1] != []
    assert len(notes[0]) == len(NAMES)


def no_process() -> NoReturn:
    raise BlockingIOError("no more processes")


def half_a_result(value: object, *given: object) -> NoReturn:
    os._exit(0)


@pytest.mark.parametrize(
    ("module", "name", "fault"), [(os, "fork", no_process), (pickle, "dump", half_a_result)]
)
def test_what_the_other_process_does_not_hand_over_is_made_here(
    repo: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    module: object,
    name: str,
    fault: Callable[..., NoReturn],
) -> None:
    alone = built(repo, tmp_path / "alone", 1)
    monkeypatch.setattr(emitting, "CORES", 2)
    with monkeypatch.context() as patched:
        patched.setattr(module, name, fault)
        assert built(repo, tmp_path / "two", 0) == alone

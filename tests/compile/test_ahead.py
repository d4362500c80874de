"""What workers need is loaded while a build of everything still plans, and only then."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import skill_md
from skillbuild.build import Options
from skillbuild.compile import compiler, preload, workers
from skillbuild.emit.site import bytecode
from skillbuild.emit.site.templates import own_environment

FILES: repos.Files = {"skills/a/SKILL.md": skill_md("a"), "skills/b/SKILL.md": skill_md("b")}

NEVER_COMPILES = """
import sys
from jinja2 import Environment
from skillbuild.cli.main import main

def refuse(*given):
    raise AssertionError("compiled here")

Environment.compile = refuse
sys.argv[1:1] = ["build", "--no-cache"]
if __name__ == "__main__":
    sys.exit(main())
"""


@pytest.fixture(autouse=True)
def no_templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The process begins without templates, those of other tests too, and forgets them again."""
    monkeypatch.setenv("XDG_CACHE_HOME", f"{tmp_path / 'cache'}")
    own_environment.cache_clear()
    yield
    own_environment.cache_clear()


@pytest.mark.parametrize(
    ("jobs", "settings", "loaded"),
    [
        (2, "", [preload.__name__]),
        (2, 'formats = ["zip", "discovery"]\n', [compiler.__name__]),
        (1, "", []),
        (0, "", []),
    ],
)
def test_a_build_of_everything_loads_ahead_what_workers_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int, settings: str, loaded: list[str]
) -> None:
    """Two skills are too few for workers that nobody asked for."""
    seen: list[str] = []
    monkeypatch.setattr(workers, "load_ahead", seen.append)
    files = {**FILES, "skillbuild.toml": settings}
    repo = repos.repository(tmp_path / "repo", files)
    options = Options(jobs=jobs, cache=True)
    repos.build(repo, tmp_path / "out", options=options)
    assert seen == loaded
    repos.commit(repo, {**files, "skills/b/SKILL.md": skill_md("b", "New.")}, day=1)
    repos.build(repo, tmp_path / "out", options=options)
    assert seen == loaded


def test_a_build_after_a_release_that_is_elsewhere_loads_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    repo = repos.repository(tmp_path / "repo", FILES)
    repos.build(repo, tmp_path / "published")
    own_environment.cache_clear()
    monkeypatch.setattr(workers, "load_ahead", seen.append)
    options = Options(jobs=2)
    repos.build(repo, tmp_path / "out", options=options, previous=tmp_path / "published")
    assert seen == [preload.__name__]


def test_templates_that_are_known_are_not_compiled_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    monkeypatch.setattr(workers, "load_ahead", seen.append)
    bytecode.load_all()
    repo = repos.repository(tmp_path / "repo", FILES)
    repos.build(repo, tmp_path / "out", options=Options(jobs=2))
    assert seen == [compiler.__name__]


def test_templates_are_compiled_once_for_all_processes(tmp_path: Path) -> None:
    """In the process that workers are forked from: this one is new, and compiles none."""
    repo = repos.repository(tmp_path / "repo", FILES)
    command = [sys.executable, "-c", NEVER_COMPILES, f"{repo}", "-o", f"{tmp_path / 'out'}"]
    done = subprocess.run([*command, "--jobs", "2"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("compiled here")) == (0, 0), done.stderr
    alone = subprocess.run([*command, "--jobs", "1"], capture_output=True, text=True, check=False)
    assert "compiled here" in alone.stderr


def test_a_process_that_dies_gives_nothing() -> None:
    assert workers.call(os.abort) is None
    assert workers.call(os.getpid) != os.getpid()


@pytest.mark.skipif(os.name != "posix", reason="Windows has no signals for a whole job")
def test_a_signal_for_a_whole_job_ends_no_process_that_a_build_waits_for() -> None:
    """Neither a worker nor what workers are forked from."""
    forked_from = workers.call(os.getppid)
    assert forked_from is not None
    for number in (signal.SIGTERM, signal.SIGINT):
        assert workers.call(partial(_survives, number)) == forked_from
        os.kill(forked_from, number)
    assert workers.call(os.getppid) == forked_from
    assert workers.call(partial(signal.pthread_sigmask, signal.SIG_BLOCK, ())) == set()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no SIGKILL")
def test_a_pool_ends_when_a_worker_without_work_is_killed() -> None:
    """The one that is left may wait for ever for what the killed one holds, and ignores SIGTERM."""
    with workers._pool(2, __name__) as pool:
        for future in [pool.submit(time.sleep, 0.2) for _ in range(2)]:
            future.result()
        one, other = pool._processes.values()
        assert one.pid is not None
        os.kill(one.pid, signal.SIGKILL)
    assert one.exitcode == -signal.SIGKILL
    assert other.exitcode is not None


def _survives(number: signal.Signals) -> int:
    signal.raise_signal(number)
    return os.getppid()

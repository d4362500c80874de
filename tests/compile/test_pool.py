"""Skills shared among processes: a program of its own in each test, which has one thread or two."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import skill_md
from skillbuild.build import Options, Report
from skillbuild.compile import pool

linux = pytest.mark.skipif(sys.platform != "linux", reason="only there a process is forked")

PROGRAM = """
import json, os, sys, threading, time
from dataclasses import dataclass
from pathlib import Path

from skillbuild.compile import pool
from skillbuild.compile.pool import Pool
from skillbuild.compile.request import Options, Request
from skillbuild.compile.result import SkillResult
from skillbuild.config import Config
from skillbuild.diagnostics import finding
from skillbuild.errors import GitError
from skillbuild.rules import source as rules
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import FolderSource, Kind, Leaf

WHAT = sys.argv[1]
SOURCE = FolderSource(Path.cwd(), None)
inherited = False


@dataclass
class Step:
    parent: int

    def run(self, tree, outline, reader):
        if os.getpid() != self.parent:
            if WHAT == "fault":
                raise GitError("no more objects")
            if WHAT == "bug":
                raise LookupError("not thought of")
            if WHAT == "forever":
                os.write(1, b"%d\\n" % os.getpid())
                time.sleep(1000)
        told = {"pid": os.getpid(), "inherited": inherited, "open": []}
        if Path("/proc/self/fd").exists():
            told["open"] = [os.readlink(each) for each in Path("/proc/self/fd").iterdir()
                            if os.path.lexists(each)]
        texts = list(reader.read(tree.leaves))
        told["read"] = len(texts[0])
        item = finding(rules.NO_SKILLS, json.dumps(told), None, "", "")
        return SkillResult(tree.directory, (item,), 1)


def main():
    global inherited
    inherited = True
    lock = open("held", "w")
    if WHAT == "no /proc":
        pool._TASKS = Path("missing")
    if WHAT == "threads":
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
    names = [f"s{number}" for number in range(60)]
    trees = [SkillTree(name, (Leaf(f"{name}/SKILL.md", Kind.FILE),)) for name in names]
    request = Request(SOURCE, [], Config(), Options(jobs=int(sys.argv[2])))
    with SOURCE.reader() as reader:
        results = Pool(request).run(Step(os.getpid()), trees, Outline({}), reader)
        if WHAT == "first":
            next(results)
            results.close()
            print(Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text())
            return
        for result in results:
            told = json.loads(result.findings[0].path)
            print(json.dumps({"directory": result.directory, "main": os.getpid(), **told}))


if __name__ == "__main__":
    main()
"""


def start(folder: Path, what: str, jobs: int = 3) -> subprocess.Popen[str]:
    program = folder / "program.py"
    program.write_text(PROGRAM)
    for number in range(60):
        (folder / f"s{number}").mkdir()
        (folder / f"s{number}/SKILL.md").write_text("x" * number)
    return subprocess.Popen(
        [sys.executable, str(program), what, str(jobs)],
        cwd=folder,
        env=repos.environment(PYTHONPATH=f"{repos.BUILDER}"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def told(folder: Path, what: str, jobs: int = 3) -> list[dict[str, object]]:
    """What each skill was worked on by, in the order of the results."""
    with start(folder, what, jobs) as program:
        out, err = program.communicate(timeout=120)
    assert (program.returncode, err) == (0, "")
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize("what", ["alone", "threads", "no /proc"])
def test_results_come_in_order_from_all_processes(tmp_path: Path, what: str) -> None:
    """A process is not forked if it may have another thread; a spawned one loads the program."""
    every = told(tmp_path, what)
    assert [each["directory"] for each in every] == [f"s{number}" for number in range(60)]
    assert [each["read"] for each in every] == list(range(60))
    pids = {each["pid"] for each in every}
    assert 1 < len(pids) <= 3
    assert every[0]["main"] not in pids
    is_forked = sys.platform == "linux" and what == "alone"
    assert {each["inherited"] for each in every} == {is_forked}


def test_one_process_is_this_one(tmp_path: Path) -> None:
    every = told(tmp_path, "alone", 1)
    assert {each["pid"] for each in every} == {every[0]["main"]}


@linux
def test_a_forked_process_has_no_open_file_but_its_own(tmp_path: Path) -> None:
    """Neither the lock of a stage, nor a pipe to another process: nobody waits for it."""
    for each in told(tmp_path, "alone"):
        files = each["open"]
        assert isinstance(files, list)
        others = [file for file in files if not file.startswith("/dev/null")]
        assert sum(file.startswith("socket:") for file in others) == 1
        assert [file for file in others if file.startswith(str(tmp_path))] == []
        assert sum(file.startswith("pipe:") for file in others) == 3  # Two streams, the parent.


@pytest.mark.parametrize("what", ["fault", "bug"])
def test_what_goes_wrong_in_a_process_is_told(tmp_path: Path, what: str) -> None:
    with start(tmp_path, what) as program:
        _, err = program.communicate(timeout=120)
    assert program.returncode == 1
    last = err.strip().splitlines()[-1]
    if what == "fault":
        assert last == "skillbuild.errors.GitError: no more objects"
    else:
        assert last.startswith("RuntimeError: a worker process failed")
        assert "LookupError: not thought of" in err


@linux
def test_who_wants_no_more_results_ends_the_processes(tmp_path: Path) -> None:
    with start(tmp_path, "first") as program:
        out, err = program.communicate(timeout=120)
    assert (out.strip(), err) == ("", "")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no SIGKILL")
@pytest.mark.parametrize("number", ["SIGKILL", "SIGTERM"])
def test_processes_end_with_the_one_that_started_them(tmp_path: Path, number: str) -> None:
    """Even in the midst of a long work; each would hold the pipe open."""
    with start(tmp_path, "forever") as program:
        assert program.stdout is not None
        workers = [int(program.stdout.readline()) for _ in range(3)]
        for worker in workers:
            os.kill(worker, signal.SIGTERM)  # It ignores that.
        time.sleep(0.1)
        for worker in workers:
            os.kill(worker, 0)
        program.send_signal(getattr(signal, number))
        program.communicate(timeout=60)
        assert program.returncode == -getattr(signal, number)


def report_of(report: Report) -> tuple[object, ...]:
    return report.skills, report.files, report.invalid, report.findings


@pytest.mark.parametrize("jobs", [1, 3])
def test_any_number_of_processes_reports_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    files = {f"s{number}/SKILL.md": skill_md(f"s{number % 7}") for number in range(20)}
    repo = repos.repository(tmp_path / "repo", {**files, "bad/SKILL.md": "x"})
    single = repos.check(repo)
    monkeypatch.setattr(pool, "_NAMES_AT_ONCE", 5)
    assert report_of(repos.check(repo, None, Options(jobs=jobs))) == report_of(single)

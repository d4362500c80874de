"""Ctrl-C and SIGTERM end a command at once, quietly, and leave nothing behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from helpers import repos

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")

_TABLE = "".join(
    f"| cell {n} | `code {n}` | *more* [link](https://example.org/{n}) |\n" for n in range(900)
)
_SKILLS = 60
"""Each takes the better part of a second, so that no build is over before it is interrupted."""


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = repos.empty(tmp_path_factory.mktemp("slow") / "repo")
    body = f"| a | b | c |\n|---|---|---|\n{_TABLE}"
    names = [f"skill-{number}" for number in range(_SKILLS)]
    repos.commit(
        folder,
        {f"{name}/SKILL.md": repos.skill_md(name, body=f"# {name}\n\n{body}") for name in names},
    )
    return folder


def start(*arguments: object) -> subprocess.Popen[str]:
    """A command in a session of its own, as a shell starts one on a terminal."""
    return subprocess.Popen(
        [sys.executable, "-m", "skillbuild", *map(str, arguments)],
        start_new_session=True,
        # A shell lets what it starts in the background ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def start_build(repo: Path, out: Path, jobs: int) -> subprocess.Popen[str]:
    """A build that has written its first page."""
    build = start("build", repo, "--out", out, "--jobs", jobs)
    while not list(out.glob(".stage-*/**/index.html")):
        assert build.poll() is None
        time.sleep(0.01)
    return build


def end(process: subprocess.Popen[str], number: signal.Signals, *, group: bool) -> str:
    """Send a signal and wait until no process holds the streams; returns what was printed.

    To a group SIGTERM goes as `timeout` sends it: to the process, and then to all.
    """
    if not group or number == signal.SIGTERM:
        process.send_signal(number)
    if group:
        os.killpg(process.pid, number)
    out, err = process.communicate(timeout=60)
    return out + err


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("number", "group", "status"),
    [
        pytest.param(signal.SIGINT, True, 130, id="Ctrl-C"),
        pytest.param(signal.SIGINT, False, 130, id="SIGINT to the build alone"),
        pytest.param(signal.SIGTERM, False, 143, id="SIGTERM"),
        pytest.param(signal.SIGTERM, True, 143, id="SIGTERM twice, as timeout sends it"),
    ],
)
@pytest.mark.nightly
def test_an_interrupted_build_leaves_nothing(
    tmp_path: Path, repo: Path, number: signal.Signals, group: bool, status: int, jobs: int
) -> None:
    out = tmp_path / "out"
    build = start_build(repo, out, jobs)
    assert end(build, number, group=group) == ""
    assert build.returncode == status
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_a_build_one_of_whose_workers_is_killed_tells_it_and_leaves_nothing(
    tmp_path: Path, repo: Path
) -> None:
    out = tmp_path / "out"
    build = start_build(repo, out, 2)
    children = [pid for pid, parent in parents() if parent == build.pid]
    workers = [pid for pid in children if b"git" not in Path(f"/proc/{pid}/comm").read_bytes()]
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    told = build.communicate(timeout=60)[1]
    assert told.startswith("skillbuild: a worker process was killed")
    assert told.count("\n") == 1
    assert build.returncode == 2
    assert list(tmp_path.iterdir()) == []


def parents() -> Iterator[tuple[int, int]]:
    """Each process and its parent."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            yield int(stat.parent.name), int(stat.read_text().rpartition(")")[2].split()[1])


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["Ctrl-C", "SIGTERM"]
)
def test_a_signal_while_python_makes_a_class_ends_with_the_same_status(
    tmp_path: Path, number: signal.Signals, status: int
) -> None:
    """Data classes are made by `exec`, and much of the first half second goes by with that."""
    inside = f"exec('import signal; signal.raise_signal({int(number)})')"
    assert in_place_of_a_command(tmp_path, inside).returncode == status


def test_who_ignores_ctrl_c_before_a_command_ignores_it_in_the_command(tmp_path: Path) -> None:
    """As a shell does for what it starts in the background."""
    before = "signal.signal(signal.SIGINT, signal.SIG_IGN)"
    done = in_place_of_a_command(tmp_path, "signal.raise_signal(signal.SIGINT) or 7", before)
    assert (done.returncode, done.stderr) == (7, "")


def test_the_same_signal_again_does_not_end_what_cleans_up(tmp_path: Path) -> None:
    before = """
def run():
    try:
        signal.raise_signal(signal.SIGTERM)
    finally:
        signal.raise_signal(signal.SIGTERM)
        print("clean")
"""
    done = in_place_of_a_command(tmp_path, "run()", before)
    assert (done.returncode, done.stdout, done.stderr) == (143, "clean\n", "")


def in_place_of_a_command(
    folder: Path, expression: str, before: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run an expression where a command would run; a module, as is `python -m skillbuild`."""
    lines = (
        "import signal, sys",
        "from skillbuild.cli import main",
        "signal.signal(signal.SIGINT, signal.default_int_handler)",
        before,
        f"main._run = lambda options: {expression}",
        'sys.exit(main.main(["check"]))',
    )
    (folder / "program.py").write_text("\n".join(lines))
    command = [sys.executable, "-m", "program"]
    return subprocess.run(
        command, cwd=folder, check=False, capture_output=True, text=True, timeout=60
    )


def test_a_preview_that_is_terminated_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = repos.empty(tmp_path / "repo")
    repos.commit(repo, {"a/SKILL.md": repos.skill_md("a")})
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setenv("TMPDIR", str(temporary))
    preview = start("preview", repo, "--port", port)
    assert preview.stderr is not None
    assert preview.stderr.readline().startswith("http://127.0.0.1:")
    end(preview, signal.SIGTERM, group=False)
    assert preview.returncode == 143
    assert list(temporary.iterdir()) == []

"""However a build ends, the files that `catalog.json` names are there and the next build works."""

from __future__ import annotations

import contextlib
import hashlib
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import Program, skill_md
from skillbuild.build import Options
from skillbuild.cli import main
from skillbuild.output import stage_folders, verify
from skillbuild.output.publish import Publish
from skillbuild.release.layout import HEAD_FILES, SEARCH_FILE
from skillbuild.storage import disk

ROUNDS = 50

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and limits are those of POSIX")


def noise(seed: str, size: int) -> bytes:
    return hashlib.shake_256(seed.encode()).digest(size)


def release(number: int, size: int = 3000) -> repos.Files:
    """Ten skills, half of them not in the other release, all of them changed."""
    files: dict[str, repos.Content] = {}
    for name in [f"s{i}" for i in range(5)] + [f"r{number}-{i}" for i in range(5)]:
        body = f"Release {number}.\n\nRun `scripts/run.sh`.\n"
        files[f"{name}/SKILL.md"] = skill_md(name, body=body)
        files[f"{name}/scripts/run.sh"] = Program("#!/bin/sh\n")
        files[f"{name}/data.bin"] = b"\0" + noise(f"{name} {number}", size)
    return files


@pytest.fixture
def commits(tmp_path: Path) -> list[str]:
    """Two commits of a bare repository `repo`."""
    repo = repos.empty(tmp_path / "repo", bare=True)
    return [repos.commit(repo, release(number), day=number) for number in range(2)]


def build_commit(repo: Path, out: Path, commit: str) -> None:
    repos.build(repo, out, commit, Options(allow_older=True, recheck=True, jobs=1))


def child(repo: Path, out: Path, commit: str) -> multiprocessing.process.BaseProcess:
    """A build in a process that shares nothing with this one but what it has imported."""
    context = multiprocessing.get_context("fork")
    process = context.Process(target=build_commit, args=(repo, out, commit))
    process.start()
    return process


def core_holds(out: Path) -> None:
    if (out / "catalog.json").exists():
        verdict = verify.verify(out)
        assert [fault for fault in verdict.faults if fault.core] == []


def all_holds(out: Path) -> None:
    verdict = verify.verify(out)
    assert (verdict.faults, verdict.remarks) == ((), ())
    assert not list(out.glob(".stage-*"))


def killed_build(repo: Path, out: Path) -> None:
    """A build by the command that is killed when its workers have begun to write."""
    command = [sys.executable, "-m", "skillbuild", "build", str(repo), "-o", str(out)]
    # Any worker that is left holds the pipe open.
    with subprocess.Popen(
        [*command, "--jobs", "2", "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as build:
        while not any(file.is_file() for file in out.glob(".stage-*/**/*")):
            assert build.poll() is None, build.communicate()
        build.kill()
        build.communicate(timeout=60)
    assert build.returncode == -signal.SIGKILL


MANY = {f"s{i}/SKILL.md": skill_md(f"s{i}") for i in range(400)}


def test_the_workers_of_a_killed_build_end_with_it(tmp_path: Path) -> None:
    repo, out = repos.empty(tmp_path / "repo", bare=True), tmp_path / "out"
    repos.commit(repo, MANY)
    killed_build(repo, out)


def test_a_build_with_nothing_to_do_removes_what_a_killed_one_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repo, out = repos.empty(tmp_path / "repo", bare=True), tmp_path / "out"
    first = repos.commit(repo, {"a/SKILL.md": skill_md("a")})
    command = ["build", str(repo), "--rev", first, "-o", str(out)]
    assert main.main(command) == 0
    repos.commit(repo, MANY, day=1)
    killed_build(repo, out)
    assert list(out.glob(".stage-*"))
    capsys.readouterr()
    assert main.main(command) == 0
    assert "nothing changed" in capsys.readouterr().out
    all_holds(out)


def test_what_a_build_that_runs_prepares_stays(tmp_path: Path) -> None:
    folder = tmp_path / ".stage-x"
    folder.mkdir()
    with disk.locked(folder, wait=True):
        stage_folders.remove_left(tmp_path)
        assert folder.is_dir()
    with disk.locked(tmp_path, wait=True):  # Another build has just made it, perhaps.
        stage_folders.remove_left(tmp_path)
        assert folder.is_dir()
    stage_folders.remove_left(tmp_path)
    assert not folder.exists()


@pytest.mark.nightly
def test_a_build_killed_at_any_moment_leaves_a_release_that_verifies(
    tmp_path: Path, commits: list[str]
) -> None:
    repo, out = tmp_path / "repo", tmp_path / "out"
    chance = random.Random(1)
    build_commit(repo, tmp_path / "warm", commits[0])
    started = time.monotonic()
    whole = child(repo, tmp_path / "timed", commits[0])
    whole.join()
    duration = time.monotonic() - started
    killed = 0
    for number in range(ROUNDS):
        process = child(repo, out, commits[number % 2])
        process.join(chance.uniform(0, duration * 1.1))
        process.kill()
        process.join()
        killed += process.exitcode != 0
        core_holds(out)
        if number % 10 == 9:
            commit = commits[chance.randrange(2)]
            repos.build(repo, out, commit, Options(allow_older=True, jobs=1))
            assert verify.verify(out).release.catalog.commit == commit
            assert verify.verify(out).faults == ()
    build_commit(repo, out, commits[0])
    all_holds(out)
    assert killed >= ROUNDS // 4


class KilledError(BaseException):
    """The process ended here."""


@pytest.mark.parametrize("killed_at", HEAD_FILES)
def test_a_build_killed_between_its_head_files_is_told_and_ended_by_the_next(
    tmp_path: Path, commits: list[str], monkeypatch: pytest.MonkeyPatch, killed_at: str
) -> None:
    repo, out = tmp_path / "repo", tmp_path / "out"
    build_commit(repo, out, commits[0])
    place = Publish._place_head

    def killed(publish: Publish, name: str) -> None:
        if name == killed_at:
            raise KilledError
        place(publish, name)

    with monkeypatch.context() as patched:
        patched.setattr(Publish, "_place_head", killed)
        with pytest.raises(KilledError):
            build_commit(repo, out, commits[1])
    core_holds(out)
    verdict = verify.verify(out)
    head_is_new = verdict.release.catalog.commit == commits[1]
    assert head_is_new == (killed_at == "SHA256SUMS")
    stale = {fault.path for fault in verdict.faults if fault.hint == verify.PUBLISH}
    assert {"SHA256SUMS"} <= stale <= {*HEAD_FILES, SEARCH_FILE}
    assert ("release.json" in stale) == (killed_at == "catalog.json")
    assert not verdict.holds(whole=True)
    build_commit(repo, out, commits[1])
    all_holds(out)


def test_concurrent_builds_all_end_well(tmp_path: Path, commits: list[str]) -> None:
    repo, out = tmp_path / "repo", tmp_path / "out"
    runs = [
        repos.skillbuild("build", f"{repo}", "--out", f"{out}", "--rev", commits[i % 2], "--jobs=1")
        for i in range(4)
    ]
    ends = [(run.communicate()[1].decode(), run.returncode) for run in runs]
    assert ends == [("", 0)] * 4
    all_holds(out)
    assert verify.verify(out).release.catalog.commit in commits


# No space, no permission.


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system of a few bytes, where this process may mount one."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", f"{folder}"]
    may = shutil.which("mount") and os.geteuid() == 0
    if not may or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a file system; RLIMIT_FSIZE tests the same faults")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", f"{folder}"], check=True)


def fails(repo: Path, out: Path, commit: str, message: str) -> None:
    """A build ends with status 2 and one line, and leaves the release before it as it was."""
    before = index_and_record(out)
    with repos.skillbuild(
        "build", f"{repo}", "--out", f"{out}", "--rev", commit, "--jobs=1"
    ) as run:
        output, errors = run.communicate()
    assert (run.returncode, output) == (2, b"")
    assert errors.decode().startswith("skillbuild: cannot write ")
    assert errors.decode().endswith(f": {message}\n")
    assert errors.count(b"\n") == 1
    assert index_and_record(out) == before
    core_holds(out)


def index_and_record(out: Path) -> list[bytes | None]:
    paths = [out / name for name in ("index.json", "catalog.json")]
    return [path.read_bytes() if path.exists() else None for path in paths]


def test_a_full_disk_leaves_the_old_release(tmp_path: Path, commits: list[str]) -> None:
    repo = tmp_path / "repo"
    large = repos.commit(repo, release(2, size=300_000), day=2)
    with small_disk(tmp_path / "disk", "3m") as disk:
        fails(repo, disk / "out", large, "no space left on device")
        build_commit(repo, disk / "out", commits[0])
        fails(repo, disk / "out", large, "no space left on device")
        build_commit(repo, disk / "out", commits[1])
        all_holds(disk / "out")


def test_a_read_only_disk_is_an_error_and_no_hindrance_to_a_build_of_the_same(
    tmp_path: Path, commits: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    repo = tmp_path / "repo"
    with small_disk(tmp_path / "disk", "8m") as disk:
        out = disk / "out"
        same = ["build", f"{repo}", "--out", f"{out}", "--rev", commits[0]]
        assert main.main(same) == 0
        subprocess.run(["mount", "-o", "remount,ro", f"{disk}"], check=True)
        fails(repo, out, commits[1], "read-only file system")
        capsys.readouterr()
        assert main.main(same) == 0
        assert ", nothing changed in " in capsys.readouterr().out
        all_holds(out)


@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="no bit keeps root out")
def test_a_read_only_output_is_an_error(tmp_path: Path, commits: list[str]) -> None:
    repo, out = tmp_path / "repo", tmp_path / "out"
    build_commit(repo, out, commits[0])
    out.chmod(0o555)
    try:
        fails(repo, out, commits[1], "permission denied")
    finally:
        out.chmod(0o755)


LIMITED = """
import resource, sys
limit = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
from skillbuild.cli.main import main
sys.exit(main())
"""


@pytest.mark.parametrize("limit", [0, 100, 2000, 20_000])
@pytest.mark.nightly
def test_a_limit_on_file_sizes_leaves_the_old_release(
    tmp_path: Path, commits: list[str], limit: int
) -> None:
    repo, out = tmp_path / "repo", tmp_path / "out"
    large = repos.commit(repo, release(2, size=100_000), day=2)
    build_commit(repo, out, commits[0])
    before = index_and_record(out)
    run = subprocess.run(
        [sys.executable, "-c", LIMITED, f"{limit}", "build", repo, "--out", out, "--rev", large],
        env=repos.environment(PYTHONPATH=f"{repos.BUILDER}"),
        capture_output=True,
        check=False,
    )
    assert run.returncode == 2, run.stderr
    assert run.stderr.endswith(b": file too large\n")
    assert index_and_record(out) == before
    core_holds(out)
    build_commit(repo, out, large)
    all_holds(out)

"""Releases come and go while a server answers: nothing is missing meanwhile, and nothing stays."""

import itertools
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import skillbuild
from helpers.repos import skill_md
from helpers.serving import FILES, built
from helpers.swaps import swap
from helpers.talk import NEW, Http, HttpServer
from skillbuild.release.checksums import Checksums

SWAPS = 200


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two outputs of which each has files, pages and skills that the other has not."""
    files = {path: FILES[path] for path in ("skillbuild.toml", "skills/pdf/SKILL.md")}
    first = {**files, "skills/one/SKILL.md": skill_md("one", "The first.")}
    second = {**files, "skills/two/SKILL.md": skill_md("two", "The second.")}
    folder = tmp_path_factory.mktemp("releases")
    return built(folder / "a", first), built(folder / "b", second)


def paths(out: Path) -> set[str]:
    return {*Checksums.parse((out / "SHA256SUMS").read_bytes()).paths(), "SHA256SUMS"}


class Visitors:
    """Ask for files in turn, in a thread, until they are told to end."""

    def __init__(self, server: HttpServer, wanted: list[str]) -> None:
        self.asked = 0
        self.failures: list[tuple[str, int]] = []
        self._server, self._wanted = server, itertools.cycle(wanted)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        for path in self._wanted:
            status = self._server.request("GET", f"{self._server.base}/{path}")[0]
            self.asked += 1
            if status != 200:
                self.failures.append((path, status))
            if self._end.is_set():
                return

    def __enter__(self) -> "Visitors":
        self._thread.start()
        return self

    def __exit__(self, *ignored: object) -> None:
        self._end.set()
        self._thread.join()


@pytest.mark.parametrize("options", [(), ("--base-path", "/team/skills")])
@pytest.mark.nightly
def test_no_file_of_both_releases_is_ever_missing(
    releases: tuple[Path, Path], tmp_path: Path, options: tuple[str, ...]
) -> None:
    out = Path(shutil.copytree(releases[0], tmp_path / "out"))
    wanted = ["", *sorted(paths(releases[0]) & paths(releases[1])), "catalog.json", "index.json"]
    with HttpServer(out, *options) as server, Visitors(server, wanted) as visitors:
        for number in range(SWAPS // 4):
            swap(out, releases[(number + 1) % 2])
        while visitors.asked < len(wanted):
            visitors._end.wait(0.01)
    assert visitors.failures == []


def test_a_file_that_is_coming_is_waited_for_and_one_that_is_gone_is_missing(
    releases: tuple[Path, Path], tmp_path: Path
) -> None:
    out = Path(shutil.copytree(releases[0], tmp_path / "out"))
    coming = min(path for path in paths(releases[1]) - paths(releases[0]) if "blobs/" in path)
    going = min(path for path in paths(releases[0]) - paths(releases[1]) if "blobs/" in path)
    steps = {"first": threading.Event()}
    with HttpServer(out) as server:
        answers: list[int] = []

        def ask() -> None:
            answers.append(server.request("GET", f"/{coming}")[0])

        def pause() -> None:
            if not steps["first"].is_set():
                steps["first"].set()
                visitor.start()
                visitor.join(0.2)
            for name in ("catalog.json", "index.json", "SHA256SUMS", "index.html"):
                assert server.request("GET", f"/{name}")[0] == 200, name

        visitor = threading.Thread(target=ask)
        swap(out, releases[1], pause)
        visitor.join()
        assert answers == [200]
        assert server.request("GET", f"/{going}")[0] == 404


def memory(server: HttpServer) -> int:
    """Resident kB of a server."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return next(int(row.split()[1]) for row in status.splitlines() if row.startswith("VmRSS"))


def descriptors(server: HttpServer) -> int:
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.nightly
def test_memory_does_not_grow_with_publishes(releases: tuple[Path, Path], tmp_path: Path) -> None:
    out = Path(shutil.copytree(releases[0], tmp_path / "out"))
    with HttpServer(out) as server:
        client = Http(server, NEW)
        sizes = list(swapped(client, out, releases))
        held = descriptors(server)
    first, last = sizes[50:60], sizes[-10:]
    assert sum(last) < 1.1 * sum(first), (first, last)
    assert held < 30


def swapped(client: Http, out: Path, releases: tuple[Path, Path]) -> Iterator[int]:
    """Swap and ask; the memory after each swap."""
    for number in range(SWAPS):
        swap(out, releases[(number + 1) % 2])
        wanted, gone = ("two", "one") if number % 2 == 0 else ("one", "two")
        items = client.ask("resources/list")["resources"]
        assert f"skill://{wanted}/SKILL.md" in [item["uri"] for item in items]
        assert client.ask("resources/read", uri=f"skill://{wanted}/SKILL.md")["contents"]
        assert client.fault("resources/read", uri=f"skill://{gone}/SKILL.md")["code"] == -32602
        yield memory(client.server)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.nightly
def test_honest_clients_are_served_beside_hostile_ones() -> None:
    """A small run of `bench/soak.py`; how quickly they are served is for quiet machines."""
    soak = Path(__file__).parents[1] / "bench" / "soak.py"
    few = ["--seconds", "4", "--skills", "8", "--silent", "60", "--slow", "6", "--searches", "4"]
    command = [sys.executable, str(soak), *few, "--floods", "2", "--every", "0.2", "--p99", "60"]
    packages = str(Path(skillbuild.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": packages}
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, env=environment, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 errors, 0 with wrong bytes" in done.stdout

"""What is told of a file that is not as it was published, and of one that cannot be read now."""

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from helpers.repos import skill_md
from helpers.serving import FILES, LOGO, built, rebuilt
from helpers.talk import ERAS, NEW, Http, HttpServer, Process, Stdio
from skillbuild.model import Digest
from skillbuild.release.layout import blob_path
from skillbuild.serve.methods.describe import describe
from skillbuild.serve.state import content
from skillbuild.serve.state.release import load_release
from skillbuild.serve.state.watch import DirectoryWatcher
from skillbuild.storage import disk
from skillbuild.storage.files import DamagedError, UnavailableError
from skillbuild.uris import archive_uri

resource = pytest.importorskip("resource")
LOGO_URI = "skill://pdf/assets/logo.bin"
PDF_URI = "skill://pdf/SKILL.md"
linux = pytest.mark.skipif(sys.platform != "linux", reason="sets the limits of another process")


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return built(tmp_path, FILES)


def flip(path: Path) -> None:
    path.write_bytes(bytes([path.read_bytes()[0] ^ 1]) + path.read_bytes()[1:])


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES = [(flip, "wrong digest"), (cut, "1,023 bytes instead of 1,024"), (Path.unlink, "missing")]


@pytest.mark.parametrize(("damage", "reason"), [*DAMAGES, (directory, "not a regular file")])
@pytest.mark.parametrize("era", ERAS)
def test_a_file_that_is_not_as_published_is_damaged(
    release: Path, damage: Callable[[Path], None], reason: str, era: str
) -> None:
    path = release / blob_path(Digest.of(LOGO))
    path.chmod(0o644)
    damage(path)
    with HttpServer(release) as server:
        client = Http(server, era)
        assert client.fault("resources/read", uri=LOGO_URI) == {
            "code": -32603,
            "message": f"The content of {LOGO_URI} is damaged: {reason}",
            "data": {"code": "damaged-content", "uri": LOGO_URI},
        }
        assert server.request("GET", f"/{blob_path(Digest.of(LOGO))}")[0] == 500
        assert client.ask("resources/read", uri=PDF_URI)["contents"]


@contextmanager
def without_descriptors(server: Process) -> Iterator[None]:
    """The server can open nothing, and has what it has opened."""
    limits = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (1, limits[1]))
    try:
        yield
    finally:
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, limits)


@linux
@pytest.mark.parametrize("era", ERAS)
def test_without_descriptors_the_client_may_try_again(release: Path, era: str) -> None:
    with Stdio(release, era) as client:
        assert client.ask("resources/list")["resources"]  # Then the SDK is imported.
        assert client.ask("skills/list")["skills"]
        with without_descriptors(client):
            name = blob_path(Digest.of(LOGO)).rpartition("/")[2]
            assert client.fault("resources/read", uri=LOGO_URI) == {
                "code": -32603,
                "message": f"blobs/sha256/{name}: cannot be read: too many open files; try again",
                "data": {"code": "unavailable"},
            }
            assert client.ask("skills/list")["skills"]
        assert client.ask("resources/read", uri=LOGO_URI)["contents"]


@linux
def test_a_release_that_cannot_be_read_now_is_read_later(release: Path) -> None:
    with Stdio(release, NEW) as client:
        count = len(client.ask("skills/list")["skills"])
        assert client.ask("resources/list")["resources"]  # Then the SDK is imported.
        with without_descriptors(client):
            rebuilt(release, {**FILES, "skills/new/SKILL.md": skill_md("new")}, day=1)
            assert len(client.ask("skills/list")["skills"]) == count
            line = client.error_line()
            assert "catalog.json: cannot be read: too many open files; still serving" in line
        assert client.error_line().startswith("skillbuild: now serving commit ")
        assert len(client.ask("skills/list")["skills"]) == count + 1


@pytest.mark.parametrize("era", ERAS)
def test_an_output_that_is_away_for_a_moment_is_not_damaged(release: Path, era: str) -> None:
    away = release.with_name("away")
    with HttpServer(release) as server:
        client = Http(server, era)
        assert client.ask("skills/list")["skills"]
        for is_empty in (False, True):  # As a file system that is not mounted.
            release.rename(away)
            if is_empty:
                release.mkdir()
            assert client.fault("resources/read", uri=LOGO_URI)["data"] == {"code": "unavailable"}
            assert server.request("GET", "/index.html")[0] == 503
            if is_empty:
                release.rmdir()
            away.rename(release)
            assert client.ask("resources/read", uri=LOGO_URI)["contents"]
            assert server.request("GET", "/index.html")[0] == 200


CODES = [errno.EMFILE, errno.ENFILE, errno.EIO, errno.EACCES, errno.ENOMEM, errno.ESTALE]


@pytest.mark.parametrize("code", CODES, ids=errno.errorcode.get)
def test_a_fault_of_the_system_is_no_damage_and_is_not_remembered(
    out: Path, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = archive_uri(next((out / "archives").glob("pdf-*.zip")).name)
    release, watcher = load_release(out), DirectoryWatcher(out)

    def fail(folder: Path, path: str) -> None:
        raise OSError(code, os.strerror(code), path)

    with monkeypatch.context() as patch:
        patch.setattr(disk, "open_below", fail)
        for ask in (
            lambda: content.read_document(release, PDF_URI),
            lambda: describe(release, archive),
            lambda: load_release(out),
        ):
            with pytest.raises(
                UnavailableError, match=f": cannot be read: {os.strerror(code).lower()}"
            ):
                ask()
        assert anyio.run(watcher.current).head_digest == release.head_digest
    assert content.read_document(release, PDF_URI) == str(FILES["skills/pdf/SKILL.md"]).encode()
    assert describe(release, archive) is not None
    assert not issubclass(UnavailableError, DamagedError)

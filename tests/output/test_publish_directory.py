"""`publish OUT DIRECTORY`: what any web server may serve, before, while and after a publish."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock, Thread, current_thread

import pytest

from helpers import repos
from helpers.publishing import Releases, content, digest_of
from skillbuild.cli import main
from skillbuild.errors import OutputError
from skillbuild.output import upload, verify
from skillbuild.output.upload import LEASE_FILE, Upload, Uploaded, publish
from skillbuild.release.layout import HEAD_FILES, RECORD_FILE
from skillbuild.storage import disk
from skillbuild.storage.targets import PRIVATE_FOLDER, ConflictError, Folder

pytestmark = pytest.mark.usefixtures("hurried")


class KilledError(BaseException):
    """The process ended here: nothing cleans up after it."""


class MortalFolder(Folder):
    """A directory whose publisher ends when it has begun to write a chosen file."""

    def __init__(self, folder: Path, killed_at: int) -> None:
        super().__init__(folder)
        self.written = 0
        self._killed_at = killed_at
        self._counting = Lock()

    @contextmanager
    def _staged(self, path: str, data: bytes) -> Iterator[Path]:
        with super()._staged(path, data) as staged:
            with self._counting:
                is_killed = self.written >= self._killed_at
                self.written += 1
            if is_killed:
                shutil.copyfile(staged, staged.with_name(f"{staged.name}.left"))
                # The thread that renews a lease ends without a word.
                raise ConflictError if current_thread().daemon else KilledError
            yield staged


class SlowFolder(Folder):
    """A directory whose leftovers are removed so slowly that a lease may be renewed meanwhile."""

    def remove_unfinished(self) -> None:
        super().remove_unfinished()
        time.sleep(4 * upload.RENEW_EVERY)


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = main.main(["publish", *map(str, arguments)])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_a_directory_holds_what_the_output_holds(
    releases: Releases, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new, _ = releases
    site = tmp_path / "www" / "skills"
    planned = run(capsys, old, site, "--dry-run")
    assert not site.exists()
    sent = run(capsys, old, site)
    assert content(site) == content(old)
    assert not (site / PRIVATE_FOLDER).exists()
    told = planned[1].replace("would get", "now has the release:")
    assert told == sent[1].replace(" uploaded (", " (")
    already = f"{site} already has this release ({digest_of(old)})\n"
    assert run(capsys, old, site) == (0, already, "")
    assert run(capsys, new, site)[0] == 0
    assert content(site) == {**content(old), **content(new)}
    gone = content(old).keys() - content(new).keys()
    status, printed, _ = run(capsys, new, site, "--prune", "--grace", "1")
    assert (status, "removed" in printed) == (0, False)
    for path in gone:
        os.utime(site / path, (0, 0))
    assert f", {len(gone)} files removed (sha256:" in run(capsys, new, site, "--prune")[1]
    assert content(site) == content(new)
    assert verify.verify(site).holds(whole=True)


@pytest.mark.parametrize("folder", ["blobs", "skills"])
def test_a_damaged_copy_is_repaired_by_the_command_that_verify_names(
    releases: Releases, tmp_path: Path, capsys: pytest.CaptureFixture[str], folder: str
) -> None:
    out, site = releases[0], tmp_path / "site"
    assert run(capsys, out, site)[0] == 0
    damaged = next(path for path in sorted((site / folder).rglob("*")) if path.is_file())
    damaged.write_bytes(b"damaged")
    assert main.main(["verify", "--whole", f"{site}"]) == 1
    fault = capsys.readouterr().out.splitlines()[0]
    assert fault.startswith(f"{damaged.relative_to(site).as_posix()}: error: ")
    assert fault.endswith("; run build --recheck; for a published copy, run publish --recheck")
    assert run(capsys, out, site, "--recheck")[0] == 0
    assert verify.verify(site).holds(whole=True)


def test_a_lease_that_is_renewed_until_the_end_leaves_no_folder(
    releases: Releases, tmp_path: Path
) -> None:
    publish(Upload(releases[0], SlowFolder(tmp_path / "site")))
    assert not (tmp_path / "site" / PRIVATE_FOLDER).exists()


def test_files_have_the_modes_of_files_that_a_web_server_may_read(
    releases: Releases, tmp_path: Path
) -> None:
    publish(Upload(releases[0], Folder(tmp_path / "site")))
    (tmp_path / "file").write_bytes(b"")
    modes = {(tmp_path / "site" / path).stat().st_mode for path in content(tmp_path / "site")}
    assert modes == {(tmp_path / "file").stat().st_mode}


@pytest.mark.nightly
def test_a_publish_that_is_killed_at_any_write_leaves_a_release_whole(
    releases: Releases, tmp_path: Path
) -> None:
    old, new, _ = releases
    heads = {(out / RECORD_FILE).read_bytes() for out in (old, new)}
    first = tmp_path / "first"
    publish(Upload(old, Folder(first)))
    for number in range(200):
        site = shutil.copytree(first, tmp_path / f"{number}")
        try:
            publish(Upload(new, MortalFolder(site, number)))
            break
        except KilledError:
            pass
        assert (site / RECORD_FILE).read_bytes() in heads
        assert verify.verify(site).holds(whole=False)
        publish(Upload(new, Folder(site)))
        assert content(site) == {**content(old), **content(new)}
        assert verify.verify(site).holds(whole=False)
    assert number > 15


def test_a_killed_first_publish_is_ended_by_the_next(releases: Releases, tmp_path: Path) -> None:
    with pytest.raises(KilledError):
        publish(Upload(releases[0], MortalFolder(tmp_path / "site", 5)))
    assert {*content(tmp_path / "site")} & {*HEAD_FILES} == set()
    assert main.main(["publish", "-q", str(releases[1]), str(tmp_path / "site")]) == 0
    found = content(tmp_path / "site")
    assert found.items() >= content(releases[1]).items()
    assert not any(path.startswith(PRIVATE_FOLDER) for path in found)


def test_a_process_that_is_killed_leaves_a_release_whole(
    releases: Releases, tmp_path: Path
) -> None:
    old, new, _ = releases
    site = tmp_path / "site"
    heads = {(out / RECORD_FILE).read_bytes() for out in (old, new)}
    publish(Upload(old, Folder(site)))
    command = [
        sys.executable,
        "-m",
        "skillbuild",
        "publish",
        "-q",
        "--recheck",
        str(new),
        str(site),
    ]
    for pause in (0.3, 0.4, 0.5, 0.6):
        process = subprocess.Popen(command, env=repos.environment(PYTHONPATH=str(repos.BUILDER)))
        try:
            process.wait(pause)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert (site / RECORD_FILE).read_bytes() in heads
        assert verify.verify(site).holds(whole=False)
        publish(Upload(old, Folder(site)))
        assert content(site).items() >= content(old).items()


def test_a_reader_finds_all_that_the_record_names_at_every_moment(
    releases: Releases, tmp_path: Path
) -> None:
    old, new, _ = releases
    site, over = tmp_path / "site", Event()
    publish(Upload(old, Folder(site)))
    verdicts: list[bool] = []

    def read() -> None:
        while not over.is_set():
            before = (site / RECORD_FILE).read_bytes()
            holds = verify.verify(site).holds(whole=False)
            verdicts.append(holds or (site / RECORD_FILE).read_bytes() != before)

    reader = Thread(target=read)
    reader.start()
    try:
        for out in (new, old, new, old):
            publish(Upload(out, Folder(site)))
    finally:
        over.set()
        reader.join()
    assert verdicts
    assert all(verdicts)


def test_of_publishers_at_the_same_time_one_wins_and_nothing_is_mixed(
    releases: Releases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload, "PATIENCE", 5.0)
    old, new, other = releases

    def attempt(site: Path, out: Path) -> bool:
        try:
            publish(Upload(out, Folder(site)))
        except OutputError as error:
            assert "try again later" in str(error)  # noqa: PT017 (in a thread of its own)
            return False
        return True

    for number in range(5):
        site = tmp_path / f"{number}"
        publish(Upload(old, Folder(site)))
        with ThreadPoolExecutor(2) as pool:
            won = list(pool.map(attempt, (site, site), (new, other)))
        assert any(won)
        present = content(site)
        winners = [out for out in (new, other) if content(out).items() <= present.items()]
        assert len(winners) == 1
        assert won[(new, other).index(winners[0])]
        assert verify.verify(site).holds(whole=False)


def test_a_directory_that_holds_something_else_is_refused(
    releases: Releases, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = releases[0]
    for name in ("notes", "work/.git", "linked"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "notes/mine.txt").write_text("mine\n")
    (tmp_path / "file").write_text("mine\n")
    publish(Upload(old, Folder(tmp_path / "linked")))
    (tmp_path / "linked/skills/there").symlink_to(tmp_path / "notes")
    (tmp_path / "link").symlink_to(tmp_path / "notes")
    inner = old / "inner"
    for dest, line in (
        ("notes", "{} is not empty and was not built by skillbuild; pass an empty directory"),
        ("work", "{} is a git repository; pass an empty directory"),
        ("link", "{} is a symbolic link; pass the directory itself"),
        ("file", "{} is not a directory"),
        ("linked", "{}/skills/there is a symbolic link; remove the link"),
        (old, f"{old} and {old} overlap; pass a directory outside the output"),
        (inner, f"{inner} and {old} overlap; pass a directory outside the output"),
    ):
        before = sorted(disk.files_below(tmp_path))
        wanted = f"skillbuild: {line.format(tmp_path / dest)}\n"
        assert run(capsys, old, tmp_path / dest) == (2, "", wanted)
        assert sorted(disk.files_below(tmp_path)) == before
    line = "https://skills.example/ is not writable; pass a directory, s3://, gs:// or az://"
    assert run(capsys, old, "https://skills.example/") == (2, "", f"skillbuild: {line}\n")


def test_a_file_that_somebody_changed_is_sent_again_with_recheck(
    releases: Releases, tmp_path: Path
) -> None:
    old, site = releases[0], tmp_path / "site"
    publish(Upload(old, Folder(site)))
    (site / "index.html").write_bytes(b"changed")
    assert publish(Upload(old, Folder(site))) == Uploaded(digest_of(old), 0, 0, is_same=True)
    publish(Upload(old, Folder(site), sends_all=True))
    assert content(site) == content(old)


def test_a_full_disk_is_one_line(
    releases: Releases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(disk, "write", write)
    with pytest.raises(OutputError, match=r"^cannot write .*: no space left on device$"):
        publish(Upload(releases[0], Folder(tmp_path / "site")))


def test_versions_decide_what_is_replaced(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    version = folder.update(LEASE_FILE, b"1", {}, None)
    assert folder.read_version(LEASE_FILE, 10) == (b"1", version)
    for wrong in (None, {"e_tag": "other"}):
        with pytest.raises(ConflictError):
            folder.update(LEASE_FILE, b"2", {}, wrong)
    assert folder.update(LEASE_FILE, b"2", {}, version) != version
    with pytest.raises(ConflictError):
        folder.update(LEASE_FILE, b"3", {}, version)
    folder.remove([LEASE_FILE, LEASE_FILE])
    with pytest.raises(ConflictError):
        folder.update(LEASE_FILE, b"3", {}, version)

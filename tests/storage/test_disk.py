"""Files of an output: written whole or not at all, never through a link, never over another."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.steps import environment
from skillbuild.errors import OutputError
from skillbuild.storage import disk

posix = pytest.mark.skipif(os.name != "posix", reason="the platform has no such files")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_a_plain_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "folder").mkdir()
    names = ["file", "folder", "gone", "file/below", "nul\0"]
    assert [disk.read(tmp_path / name) for name in names] == [b"x", None, None, None, None]


@posix
def test_no_link_is_followed_below_a_folder(tmp_path: Path) -> None:
    (tmp_path / "out/a/b").mkdir(parents=True)
    (tmp_path / "out/a/b/file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("out")
    for folder in ("out", "link"):
        with disk.open_below(tmp_path / folder, "a/b/file") as file:
            assert file.read() == b"x"
    (tmp_path / "out/c").symlink_to("a")
    (tmp_path / "out/a/d").symlink_to("b/file")
    for path in ("c/b/file", "a/d", "a/../a/b/file", "/a/b/file", "a//b/file", "../out/a/b/file"):
        with pytest.raises(OSError, match=r"."):
            disk.open_below(tmp_path / "out", path)


@posix
def test_links_and_pipes_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    assert disk.read(tmp_path / "link") is None
    assert disk.read(tmp_path / "pipe") in (None, b"")


def test_a_new_file_makes_its_folders_and_replaces_nothing(tmp_path: Path) -> None:
    disk.write(tmp_path / "a/b/file", b"first")
    with pytest.raises(FileExistsError):
        disk.write(tmp_path / "a/b/file", b"second")
    assert (tmp_path / "a/b/file").read_bytes() == b"first"


def test_overwriting_makes_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "linked").write_bytes(b"first")
    os.link(tmp_path / "linked", tmp_path / "file")
    disk.overwrite(tmp_path / "file", b"second")
    assert [(tmp_path / name).read_bytes() for name in ("linked", "file")] == [b"first", b"second"]


def test_a_staged_file_moves_over_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"1")
    (tmp_path / "two").write_bytes(b"2")
    disk.replace(tmp_path / "one", tmp_path / "a/final")
    disk.replace(tmp_path / "two", tmp_path / "a/final")
    assert sorted(disk.files_below(tmp_path)) == ["a/final"]
    assert (tmp_path / "a/final").read_bytes() == b"2"


def test_committing_replaces_the_whole_file_and_what_a_killed_process_left(tmp_path: Path) -> None:
    (tmp_path / "catalog.json").write_bytes(b"old")
    (tmp_path / ".catalog.json.new").write_bytes(b"half")
    before = (tmp_path / "catalog.json").stat().st_ino
    disk.commit(tmp_path / "catalog.json", [b"ne", b"w"])
    assert sorted(disk.files_below(tmp_path)) == ["catalog.json"]
    assert (tmp_path / "catalog.json").read_bytes() == b"new"
    assert (tmp_path / "catalog.json").stat().st_ino != before


def staged(folder: Path, data: bytes) -> Path:
    disk.overwrite(folder / "staged", data)
    return folder / "staged"


def test_an_added_file_is_read_only(tmp_path: Path) -> None:
    disk.add(staged(tmp_path, b"x"), tmp_path / "blobs/x")
    assert (tmp_path / "blobs/x").read_bytes() == b"x"
    assert mode(tmp_path / "blobs/x") == 0o444


def test_an_existing_file_is_not_written_again(tmp_path: Path) -> None:
    disk.add(staged(tmp_path, b"x"), tmp_path / "x")
    before = (tmp_path / "x").stat()
    disk.add(staged(tmp_path, b"x"), tmp_path / "x")
    after = (tmp_path / "x").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize("damage", [b"", b"y", b"xx"])
def test_a_damaged_file_is_replaced(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "x").write_bytes(damage)
    disk.add(staged(tmp_path, b"x"), tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == b"x"
    assert mode(tmp_path / "x") == 0o444


@posix
def test_a_link_in_the_place_of_a_file_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(b"secret")
    (tmp_path / "x").symlink_to("outside")
    disk.add(staged(tmp_path, b"x"), tmp_path / "x")
    assert not (tmp_path / "x").is_symlink()
    assert (tmp_path / "outside").read_bytes() == b"secret"


def test_removing_a_file_removes_the_folders_it_leaves_empty(tmp_path: Path) -> None:
    disk.write(tmp_path / "a/b/c/file", b"")
    disk.write(tmp_path / "a/other", b"")
    disk.remove(tmp_path, "a/b/c/file")
    disk.remove(tmp_path, "a/b/c/file")
    assert [path.name for path in tmp_path.rglob("*")] == ["a", "other"]


def test_the_size_of_a_folder_leaves_stages_out(tmp_path: Path) -> None:
    disk.write(tmp_path / "a/b", b"12345")
    disk.write(tmp_path / "c", b"1")
    disk.write(tmp_path / ".stage-x/d", b"123")
    assert disk.size_of(tmp_path, ".stage-") == 6


HOLD = """
import sys
from pathlib import Path
from skillbuild.storage import disk
with disk.locked(Path(sys.argv[1]), wait=True):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_lock_is_exclusive_and_ends_with_its_process(tmp_path: Path) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path],
        env=environment(PYTHONPATH=f"{Path(disk.__file__).parents[2]}"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with disk.locked(tmp_path, wait=False) as free:
            assert free is False
        other.kill()
        other.wait()
    with disk.locked(tmp_path, wait=False) as free:
        assert free is True


def test_an_error_of_the_operating_system_is_one_line_about_the_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with (
        pytest.raises(OutputError, match=r"^cannot write .*file.below: not a directory$"),
        disk.faults(tmp_path),
    ):
        disk.write(tmp_path / "file/below", b"")


@posix
def test_a_link_is_refused_and_a_pipe_is_empty(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    with disk.open_file(tmp_path / "file") as file:
        assert file.read() == b"x"
    with pytest.raises(OSError, match="symbolic links"):
        disk.open_file(tmp_path / "link")
    with disk.open_file(tmp_path / "pipe") as pipe:
        assert pipe.read() == b""


@posix
def test_a_created_file_is_its_users_alone_and_replaces_none(tmp_path: Path) -> None:
    with disk.create_file(tmp_path / "new") as file:
        file.write(b"x")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("new", "link"):
        with pytest.raises(FileExistsError):
            disk.create_file(tmp_path / name)


def test_replacing_a_file_writes_it_whole_and_leaves_no_other(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    disk.replace_file(tmp_path / "file", [b"ne", memoryview(b"w")])
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"new")]


@posix
def test_a_replaced_file_is_its_users_alone(tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(b"other")
    (tmp_path / "file").symlink_to("outside")
    disk.replace_file(tmp_path / "file", [b"new"])
    status = (tmp_path / "file").lstat()
    assert (stat.S_ISREG(status.st_mode), stat.S_IMODE(status.st_mode)) == (True, 0o600)
    assert (tmp_path / "outside").read_bytes() == b"other"


def test_a_file_that_cannot_be_replaced_leaves_no_temporary_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        disk.replace_file(tmp_path / "folder", [b"new"])
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]

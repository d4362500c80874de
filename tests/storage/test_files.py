"""Reading a file by its path: the bytes, or one of three errors, whatever is in its place."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from helpers.outputs import MemoryFiles
from skillbuild.model import Digest
from skillbuild.storage.files import (
    DamagedError,
    Directory,
    FileError,
    MissingError,
    UnavailableError,
    holds,
    read_named,
    read_or_none,
)

posix = pytest.mark.skipif(os.name != "posix", reason="the platform has no such files")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "out/a").mkdir(parents=True)
    (tmp_path / "out/a/file").write_bytes(b"12345")
    return tmp_path / "out"


def fault(files: Directory, path: str, most: int = 9) -> FileError:
    with pytest.raises(FileError) as caught:
        files.read(path, most)
    return caught.value


def test_a_file_is_read_up_to_its_bound_and_its_size_is_known(folder: Path) -> None:
    files = Directory(folder)
    assert (files.read("a/file", 5), files.size("a/file")) == (b"12345", 5)
    assert list(files.paths()) == ["a/file"]
    assert files.where == f"{folder}"
    too_large = fault(files, "a/file", 4)
    assert (type(too_large), str(too_large)) == (DamagedError, "a/file: larger than 4 bytes")


@pytest.mark.parametrize("path", ["b", "a/b", "../out/a/file", "/a/file", "a/\0", "", "x" * 300])
def test_what_is_not_there_is_missing(folder: Path, path: str) -> None:
    missing = fault(Directory(folder), path)
    assert (type(missing), missing.reason) == (MissingError, "missing")


@posix
def test_what_is_no_file_of_the_directory_is_damage(folder: Path) -> None:
    (folder.parent / "secret").write_bytes(b"x")
    (folder / "link").symlink_to("a/file")
    (folder / "up").symlink_to("..")
    (folder / "folder").symlink_to("a")
    os.mkfifo(folder / "pipe")
    assert str(fault(Directory(folder), "link")) == "link: is a symbolic link"
    before = len(list(Path("/dev/fd").iterdir()))
    for path in ("up/secret", "folder/file", "pipe", "a", "a/file/below"):
        damaged = fault(Directory(folder), path)
        assert (type(damaged), damaged.reason) == (DamagedError, "not a regular file")
    assert len(list(Path("/dev/fd").iterdir())) == before


@posix
def test_the_directory_may_be_a_link_that_changes(folder: Path) -> None:
    (folder.parent / "new/a").mkdir(parents=True)
    (folder.parent / "new/a/file").write_bytes(b"new")
    link = folder.parent / "link"
    link.symlink_to("out")
    files = Directory(link)
    assert files.read("a/file", 9) == b"12345"
    link.unlink()
    assert isinstance(fault(files, "a/file"), UnavailableError)
    link.symlink_to("new")
    assert files.read("a/file", 9) == b"new"


def test_a_directory_that_is_away_is_not_damaged(folder: Path) -> None:
    files = Directory(folder)
    folder.rename(folder.parent / "elsewhere")
    away = fault(files, "a/file")
    assert (type(away), away.reason) == (UnavailableError, f"{folder} is not a directory")


def test_a_fault_of_the_system_is_not_damage(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr("skillbuild.storage.disk.open_below", fail)
    fault_of_system = fault(Directory(folder), "a/file")
    assert type(fault_of_system) is UnavailableError
    assert str(fault_of_system) == "a/file: cannot be read: too many open files"


def test_a_file_of_known_digest_is_that_or_damaged() -> None:
    files = MemoryFiles({"x": b"12345"})
    right, wrong = Digest.of(b"12345"), Digest.of(b"")
    assert read_named(files, "x", right) == read_named(files, "x", right, 5) == b"12345"
    for digest, size, reason in (
        (wrong, None, "wrong digest"),
        (wrong, 5, "wrong digest"),
        (right, 6, "5 bytes instead of 6"),
        (right, 4, "larger than 4 bytes"),
    ):
        with pytest.raises(DamagedError, match=f"^x: {reason}$"):
            read_named(files, "x", digest, size)
    with pytest.raises(DamagedError, match="larger than 3 bytes"):
        read_named(files, "x", right, most=3)
    with pytest.raises(MissingError):
        read_named(files, "y", right)


def test_a_file_that_may_be_missing() -> None:
    files = MemoryFiles({"x": b"12345"})
    assert (read_or_none(files, "x"), read_or_none(files, "y")) == (b"12345", None)
    with pytest.raises(DamagedError):
        read_or_none(files, "x", 4)
    given = [("x", b"12345"), ("x", b"1234"), ("x", b"other"), ("y", b"")]
    assert [holds(files, *each) for each in given] == [True, False, False, False]


def test_no_traceback_holds_the_bytes_that_were_refused(tmp_path: Path) -> None:
    data = b"x" * 1000
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(DamagedError) as caught:
        read_named(Directory(tmp_path), "x", Digest.of(b""))
    frames = [each.frame for each in caught.traceback][1:]
    assert frames
    assert data not in [value for frame in frames for value in frame.f_locals.values()]
    assert caught.value.again().__traceback__ is None

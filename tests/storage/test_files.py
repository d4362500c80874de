"""Reading a file by its path: the bytes, or one of three errors, whatever is in its place."""

from __future__ import annotations

import errno
import os
import time
import tracemalloc
from collections.abc import Iterator
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
    UnreachableError,
    collected,
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


def later(seconds: float = 60) -> float:
    return time.monotonic() + seconds


@pytest.mark.parametrize("sizes", [[], [5], [300_000], [200_000, 200_000, 1], [1 << 16] * 100])
def test_a_body_is_joined_wherever_it_is_kept(sizes: list[int]) -> None:
    pieces = [bytes([number % 256]) * size for number, size in enumerate(sizes)]
    assert collected("x", iter(pieces), sum(sizes), later()) == b"".join(pieces)
    with pytest.raises(UnreachableError, match=r"^x: timed out$"):
        collected("x", iter([*pieces, b"1"]), sum(sizes) + 1, later(-1))


def test_a_body_without_end_takes_little_memory() -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        while True:
            yield bytes(1 << 16)
            sent += 1 << 16

    tracemalloc.start()
    try:
        with pytest.raises(DamagedError, match=r"^x: larger than 50,000,000 bytes$"):
            collected("x", endless(), 50_000_000, later())
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sent < 51_000_000
    assert most < 1_000_000


def test_a_large_body_that_cannot_be_kept_is_a_fault_that_may_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(**_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    assert collected("x", iter([b"1", b"2"]), 2, later()) == b"12"
    reason = "^x: cannot write a temporary file: no space left on device$"
    with pytest.raises(UnavailableError, match=reason):
        collected("x", iter([bytes(300_000)] * 2), 600_000, later())


def test_a_fault_of_the_origin_is_no_fault_of_the_temporary_file() -> None:
    def broken() -> Iterator[bytes]:
        yield b"1"
        raise TimeoutError("the store took too long")

    with pytest.raises(TimeoutError, match="the store took too long"):
        collected("x", broken(), 2, later())


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

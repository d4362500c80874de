"""Where the files of a release are that is verified: in a directory, or published at an address."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Protocol, TypeVar

from skillbuild.errors import OutputError
from skillbuild.output import contents, remote
from skillbuild.storage import disk
from skillbuild.storage.origin import UnreachableError

Item = TypeVar("Item")
Result = TypeVar("Result")

Progress = Callable[[int, int, int], None]
"""Takes the files that were read, those that there are to read (0 while nobody can tell), and the
bytes of the first.
"""
_AT_ONCE = 16
"""Files that are read from afar at the same time: so many are in memory."""


class UnreadableFileError(OutputError):
    """A file is there, or may be, and cannot be had."""


class ReleaseFiles(Protocol):
    """Reads the files of a release by their paths."""

    where: str

    def read(self, path: str, most: int = remote.LARGEST_RECORD) -> bytes | None:
        """A file; None if it is missing. `UnreadableFileError` for one that cannot be had."""

    def each(self, check: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """What a function that reads files gives for each item, in their order."""

    def paths(self) -> Iterator[str]:
        """All that is there, in no order; nothing where that is not asked for."""

    def expect(self, count: int) -> None:
        """So many files will be read."""

    @property
    def size(self) -> int:
        """Bytes of all that is there, or where that is not known, of all that was read."""


class DirectoryFiles:
    """The files of an output directory."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self.where = f"{out}"

    def read(self, path: str, most: int = remote.LARGEST_RECORD) -> bytes | None:
        return disk.read(self._out / path)

    def each(self, check: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        return map(check, items)

    def paths(self) -> Iterator[str]:
        return disk.files_below(self._out)

    def expect(self, count: int) -> None:
        pass

    @property
    def size(self) -> int:
        return contents.size_of(self._out)


class PublishedFiles:
    """The files of a release at a URL or in an object store: each is fetched and none is kept."""

    def __init__(self, address: str, progress: Progress = lambda read, files, size: None) -> None:
        self.where = address
        self._read = remote.reader(address)
        self._progress = progress
        self._lock = Lock()
        self._count = self._expected = 0
        self.size = 0

    def read(self, path: str, most: int = remote.LARGEST_RECORD) -> bytes | None:
        """Raises `UnreachableError` if the origin is away: then nothing is said of the release."""
        try:
            data = self._read(path, most)
        except UnreachableError:
            raise
        except OutputError as error:
            raise UnreadableFileError(str(error)) from error
        with self._lock:
            self._count += 1
            self.size += len(data or b"")
            self._progress(self._count, self._expected, self.size)
        return data

    def each(self, check: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """The first that raises an error ends it."""
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            running = deque[Future[Result]]()
            try:
                for item in items:
                    running.append(pool.submit(check, item))
                    if len(running) >= 4 * _AT_ONCE:
                        yield running.popleft().result()
                while running:
                    yield running.popleft().result()
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    def paths(self) -> Iterator[str]:
        """Nothing: objects of earlier releases stay until somebody removes them."""
        return iter(())

    def expect(self, count: int) -> None:
        self._expected = self._count + count

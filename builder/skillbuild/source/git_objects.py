"""Contents and sizes of git objects: asked for in batches, every blob re-hashed.

Git prints a swapped object without a word, and a loose one whatever length it claims, so nothing
it says is believed before the bytes hash to the id that was asked for.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from io import BufferedReader
from types import TracebackType
from typing import Self, TypeVar

from skillbuild.errors import GitError
from skillbuild.source.git import Repository, start
from skillbuild.source.git_process import Process

_Answer = TypeVar("_Answer")


class Objects:
    """Two long-lived git processes that answer sizes and contents; use it as a context."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._processes: dict[str, Process] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in self._processes.values():
            self._stop(process)

    @staticmethod
    def _stop(process: Process) -> None:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def sizes(self, object_ids: Sequence[str]) -> list[int | None]:
        """Size in bytes of each blob, None for one that is missing; nothing is inflated."""
        return [size for part in _chunks(object_ids) for size in self._all(part, self._size_some)]

    def read(self, object_ids: Sequence[str]) -> Iterator[bytes | None]:
        """Each blob in turn, None for one that is missing or does not hash to its id."""
        for part in _chunks(object_ids):
            yield from self._all(part, self._read_some)

    @staticmethod
    def _all(
        object_ids: Sequence[str], ask: Callable[[Sequence[str]], list[_Answer | None]]
    ) -> list[_Answer | None]:
        found: list[_Answer | None] = []
        while len(found) < len(object_ids):
            found += ask(object_ids[len(found) :])
        return found

    def _size_some(self, object_ids: Sequence[str]) -> list[int | None]:
        """The answers up to the object that git dies of, as at one it would have to fetch."""
        output = self._ask("--batch-check", object_ids)
        found: list[int | None] = []
        for _ in object_ids:
            header = output.readline()
            if not header:
                self._stop(self._processes.pop("--batch-check"))
                return [*found, None]
            found.append(_size(header))
        return found

    def _read_some(self, object_ids: Sequence[str]) -> list[bytes | None]:
        """The answers up to the first damaged object, and None for that one.

        A loose object is printed as it is, whatever length it claims: from there on the answers
        cannot be told apart, so this process is not asked again.
        """
        output = self._ask("--batch", [*object_ids, _END])
        found: list[bytes | None] = []
        for object_id in object_ids:
            try:
                found.append(_read_one(object_id, output))
            except _DamagedObjectError:
                self._stop(self._processes.pop("--batch"))
                return [*found, None]
        output.readline()
        return found

    def _ask(self, option: str, object_ids: Sequence[str]) -> BufferedReader:
        process = self._processes.get(option)
        if process is None:
            process = self._processes[option] = start(self._repository, "cat-file", option)
        if process.stdin is None or not isinstance(process.stdout, BufferedReader):
            raise GitError("git cat-file has no pipes")
        # A process that has died says so by the end of its answers.
        with suppress(BrokenPipeError):
            process.stdin.write("".join(f"{name}\n" for name in object_ids).encode())
            process.stdin.flush()
        return process.stdout


_MOST_IN_FLIGHT = 400
"""Requests written before answers are read: together they stay below the 64 KiB of a pipe."""


def _chunks(items: Sequence[str]) -> Iterator[Sequence[str]]:
    return (items[i : i + _MOST_IN_FLIGHT] for i in range(0, len(items), _MOST_IN_FLIGHT))


def _size(header: bytes) -> int | None:
    words = header.split()
    return int(words[2]) if len(words) == 3 and words[2].isdigit() else None


_END = f"end-{secrets.token_hex(16)}"
"""Asked for after the objects of a batch: no object, so its answer is the last of all."""
_LAST_ANSWER = f"{_END} missing\n".encode()
_PIECE = 1 << 20


class _DamagedObjectError(Exception):
    """What came is not the object that was asked for."""


def _read_one(object_id: str, output: BufferedReader) -> bytes | None:
    header = output.readline()
    size = _size(header)
    if size is None and header == f"{object_id} missing\n".encode():
        return None
    if size is None or not header.startswith(f"{object_id} blob ".encode()):
        raise _DamagedObjectError
    data = bytearray()
    while len(data) <= size:
        piece = output.read1(min(size + 1 - len(data), _PIECE))
        data += piece
        if not piece or data.endswith(_LAST_ANSWER):
            raise _DamagedObjectError
    content = bytes(data[:-1])
    if not _matches(object_id, content):
        raise _DamagedObjectError
    return content


def _matches(object_id: str, data: bytes) -> bool:
    hashed = hashlib.sha1(usedforsecurity=False) if len(object_id) == 40 else hashlib.sha256()
    hashed.update(b"blob %d\0" % len(data))
    hashed.update(data)
    return hashed.hexdigest() == object_id

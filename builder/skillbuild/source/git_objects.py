"""Sizes and contents of git objects, asked for in batches; every blob is hashed again.

Git prints an object that was put in the place of another without an error, and a loose object
whatever length it claims. So no content counts before its hash is the id that was asked for.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from io import BufferedReader
from types import TracebackType
from typing import Self, TypeVar

from skillbuild.errors import GitError
from skillbuild.source.git import Repository, start
from skillbuild.source.git_process import Process

_Answer = TypeVar("_Answer")


class Objects:
    """Reads objects of a repository through two `git cat-file` processes; use it as a context."""

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
        """The size in bytes of each blob, None for a missing one; no content is read."""
        return [size for part in _chunks(object_ids) for size in self._all(part, self._size_some)]

    def read(self, object_ids: Sequence[str], kind: str = "blob") -> Iterator[bytes | None]:
        """The content of each object in turn, None for one that is missing or damaged.

        An object of another kind (git's `blob` or `tree`) counts as damaged.
        """
        for part in _chunks(object_ids):
            yield from self._all(part, partial(self._read_some, kind))

    @staticmethod
    def _all(
        object_ids: Sequence[str], ask: Callable[[Sequence[str]], list[_Answer | None]]
    ) -> list[_Answer | None]:
        """Ask again for the rest until there is an answer for every object."""
        answers: list[_Answer | None] = []
        while len(answers) < len(object_ids):
            answers += ask(object_ids[len(answers) :])
        return answers

    def _size_some(self, object_ids: Sequence[str]) -> list[int | None]:
        """The sizes of the first objects, up to one that is missing or until the end; at least one.

        In a partial clone git ends at an object that it would have to fetch; it counts as missing.
        """
        output = self._ask("--batch-check", object_ids)
        sizes: list[int | None] = []
        for _ in object_ids:
            header = output.readline()
            if not header:
                self._stop(self._processes.pop("--batch-check"))
                return [*sizes, None]
            sizes.append(_size(header))
        return sizes

    def _read_some(self, kind: str, object_ids: Sequence[str]) -> list[bytes | None]:
        """The contents up to the first damaged object, and None for that one.

        A loose object is printed as it is, whatever length it claims: from there on the answers
        cannot be told apart, so this process is not asked again.
        """
        output = self._ask("--batch", [*object_ids, _END])
        contents: list[bytes | None] = []
        for object_id in object_ids:
            try:
                contents.append(_read_one(kind, object_id, output))
            except _DamagedObjectError:
                self._stop(self._processes.pop("--batch"))
                return [*contents, None]
        output.readline()
        return contents

    def _ask(self, option: str, object_ids: Sequence[str]) -> BufferedReader:
        """The output of `git cat-file` with this option, after the request for these objects."""
        process = self._processes.get(option)
        if process is None:
            process = self._processes[option] = start(self._repository, "cat-file", option)
        if process.stdin is None or not isinstance(process.stdout, BufferedReader):
            raise GitError("git cat-file has no pipes")
        # If the process has died, its output ends early, which the caller sees.
        with suppress(BrokenPipeError):
            process.stdin.write("".join(f"{name}\n" for name in object_ids).encode())
            process.stdin.flush()
        return process.stdout


_MOST_IN_FLIGHT = 400
"""Objects asked for before answers are read: the request fits into the 64 KiB of a pipe."""


def _chunks(items: Sequence[str]) -> Iterator[Sequence[str]]:
    return (items[i : i + _MOST_IN_FLIGHT] for i in range(0, len(items), _MOST_IN_FLIGHT))


def _size(header: bytes) -> int | None:
    """The size in a line `<id> <type> <size>`, None for `<id> missing`."""
    words = header.split()
    return int(words[2]) if len(words) == 3 and words[2].isdigit() else None


_END = f"end-{secrets.token_hex(16)}"
"""Asked for after the objects of a batch; no object has this name, so the answer marks the end."""
_LAST_ANSWER = f"{_END} missing\n".encode()
_PIECE = 1 << 20
"""Bytes that are read from git at once."""


class _DamagedObjectError(Exception):
    """Git printed something else than the object that was asked for."""


def _read_one(kind: str, object_id: str, output: BufferedReader) -> bytes | None:
    """The next object of the output, or None if git does not have it.

    Raises `_DamagedObjectError` if it is not the object `object_id`; then the rest of the output is
    of no use.
    """
    header = output.readline()
    size = _size(header)
    if size is None and header == f"{object_id} missing\n".encode():
        return None
    if size is None or not header.startswith(f"{object_id} {kind} ".encode()):
        raise _DamagedObjectError
    data = bytearray()
    while len(data) <= size:
        piece = output.read1(min(size + 1 - len(data), _PIECE))
        data += piece
        if not piece or data.endswith(_LAST_ANSWER):
            raise _DamagedObjectError
    content = bytes(data[:-1])
    if not _is_object(kind, object_id, content):
        raise _DamagedObjectError
    return content


def is_blob(object_id: str, data: bytes) -> bool:
    """Whether a blob of these bytes has this id."""
    return _is_object("blob", object_id, data)


def _is_object(kind: str, object_id: str, data: bytes) -> bool:
    hashed = hashlib.sha1(usedforsecurity=False) if len(object_id) == 40 else hashlib.sha256()
    hashed.update(b"%b %d\0" % (kind.encode(), len(data)))
    hashed.update(data)
    return hashed.hexdigest() == object_id

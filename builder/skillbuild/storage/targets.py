"""Where a release is published to: an object store, or a directory with the same conditions."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from skillbuild.errors import OutputError
from skillbuild.model import Digest
from skillbuild.storage import disk
from skillbuild.storage.files import Directory, Files, MissingError

PRIVATE_FOLDER = ".skillbuild"
"""What publishers leave for each other below a target; no part of a release."""
_UNFINISHED = f"{PRIVATE_FOLDER}/unfinished"

Version = Mapping[str, str | None]
"""What names the version of an object: to be passed on whole."""


class ConflictError(OutputError):
    """An object is there already, or is of another version than it must be."""


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object as a list has it; `changed` is in seconds since 1970, by the clock of the store."""

    path: str
    size: int
    changed: float


class Target(Files, Protocol):
    """Objects by path, each of which is replaced whole; a condition and the change are one step.

    `attributes` are the headers that a web server sends with an object.
    """

    where: str
    may_ignore_conditions: bool
    """Whether it has to be tried that conditions are kept."""

    def read_version(self, path: str, most: int) -> tuple[bytes, Version]:
        """A file, and what names its version."""

    def has(self, path: str) -> bool:
        """Whether there is an object."""

    def create(self, path: str, data: bytes, attributes: Mapping[str, str]) -> Version:
        """Put an object where none is; `ConflictError` if there is one."""

    def update(
        self, path: str, data: bytes, attributes: Mapping[str, str], version: Version | None
    ) -> Version:
        """Put an object over this version of it, None for none; else `ConflictError`."""

    def overwrite(self, path: str, data: bytes, attributes: Mapping[str, str]) -> Version:
        """Put an object, whatever is there."""

    def remove(self, paths: list[str]) -> None:
        """Remove objects; one that is gone already is none the worse."""

    def objects(self) -> Iterator[StoredObject]:
        """All objects, in no order."""

    def remove_unfinished(self) -> None:
        """Remove what killed publishers have half written, while nobody else publishes."""


class Folder(Directory):
    """A directory as a target; a version of a file is its content.

    A file is written below `PRIVATE_FOLDER` before it gets its name, so that nobody reads half of
    it. Conditions are looked at under the lock of the directory, and what publishers leave for each
    other is written under it.
    """

    may_ignore_conditions = False

    def read_version(self, path: str, most: int) -> tuple[bytes, Version]:
        if not os.path.lexists(self.folder):
            raise MissingError(path)
        data = self.read(path, most)
        return data, _version(data)

    def has(self, path: str) -> bool:
        return (self.folder / path).is_file()

    def create(self, path: str, data: bytes, attributes: Mapping[str, str]) -> Version:
        if path.startswith(f"{PRIVATE_FOLDER}/"):
            return self.update(path, data, attributes, None)
        with self._staged(path, data) as staged:
            try:
                disk.place(staged, self.folder / path)
            except FileExistsError as error:
                raise self._conflict(path) from error
        return _version(data)

    def update(
        self, path: str, data: bytes, attributes: Mapping[str, str], version: Version | None
    ) -> Version:
        with self._locked(), self._staged(path, data) as staged:
            present = disk.read(self.folder / path)
            if version != (None if present is None else _version(present)):
                raise self._conflict(path)
            disk.replace(staged, self.folder / path)
        return _version(data)

    def overwrite(self, path: str, data: bytes, attributes: Mapping[str, str]) -> Version:
        with self._staged(path, data) as staged:
            disk.replace(staged, self.folder / path)
        return _version(data)

    def remove(self, paths: list[str]) -> None:
        for path in paths:
            with disk.faults(self.folder / path):
                disk.remove(self.folder, path)

    def objects(self) -> Iterator[StoredObject]:
        for path in self.paths():
            with suppress(FileNotFoundError):
                status = (self.folder / path).lstat()
                yield StoredObject(path, status.st_size, status.st_mtime)

    def remove_unfinished(self) -> None:
        with self._locked():  # So nobody is just writing to a lease.
            disk.remove_tree(self.folder / _UNFINISHED)

    def _conflict(self, path: str) -> ConflictError:
        return ConflictError(f"{self.folder / path} was changed by somebody else")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with disk.faults(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            with disk.locked(self.folder, wait=True):
                yield

    @contextmanager
    def _staged(self, path: str, data: bytes) -> Iterator[Path]:
        """The data in a file of another name, which is gone afterwards."""
        staged = self.folder / _UNFINISHED / f"{path.rpartition('/')[2]}.{os.urandom(8).hex()}"
        with disk.faults(self.folder / path):
            try:
                disk.write(staged, data)
                yield staged
            finally:  # The folder stays, as other threads are about to write into it.
                staged.unlink(missing_ok=True)


def _version(data: bytes) -> Version:
    return {"e_tag": Digest.of(data).hex}

"""Defines the targets to which a release can be published: an object store, or a directory with the
same guarantees.
"""

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
"""Folder below a target with files for coordination between publishers; not part of a release."""
_UNFINISHED = f"{PRIVATE_FOLDER}/unfinished"

Version = Mapping[str, str | None]
"""The version of an object; callers must pass it on unchanged."""


class ConflictError(OutputError):
    """The object exists already, or does not have the expected version."""


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object in the listing of a target.

    `changed` is the time of the last change in seconds since 1970, by the clock of the store.
    """

    path: str
    size: int
    changed: float


class Target(Files, Protocol):
    """A store of objects, each identified by its path. Each write replaces a whole object.

    `create` and `update` check their condition and write in one atomic step. `attributes` are the
    headers that a web server sends with an object.
    """

    where: str
    may_ignore_conditions: bool
    """Whether the target may ignore conditions, so that a publish must test it first."""

    def read_version(self, path: str, most: int) -> tuple[bytes, Version]:
        """Return the content of an object and its version."""

    def has(self, path: str) -> bool:
        """Return whether the object exists."""

    def create(self, path: str, data: bytes, attributes: Mapping[str, str]) -> Version:
        """Create an object. Raises `ConflictError` if it exists."""

    def update(
        self, path: str, data: bytes, attributes: Mapping[str, str], version: Version | None
    ) -> Version:
        """Replace an object if it has this version, or create it if `version` is None.

        Otherwise raises `ConflictError`.
        """

    def overwrite(self, path: str, data: bytes, attributes: Mapping[str, str]) -> Version:
        """Create or replace an object."""

    def remove(self, paths: list[str]) -> None:
        """Remove objects; missing ones are ignored."""

    def objects(self) -> Iterator[StoredObject]:
        """Yield all objects, in no particular order."""

    def remove_unfinished(self) -> None:
        """Remove partly written files that killed publishers left behind. Call this only while
        nobody else is publishing.
        """


class Folder(Directory):
    """A directory as a target. The version of a file is the digest of its content.

    Files are written below `PRIVATE_FOLDER` and then renamed, so that no reader sees part of a
    file. The directory is locked during `update`, and while `create` writes a file whose final path
    is below `PRIVATE_FOLDER`.
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
        with self._locked():  # So no one else is writing a lease.
            disk.remove_tree(self.folder / _UNFINISHED)

    def _conflict(self, path: str) -> ConflictError:
        return ConflictError(f"somebody else changed {self.folder / path}")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with disk.faults(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            with disk.locked(self.folder, wait=True):
                yield

    @contextmanager
    def _staged(self, path: str, data: bytes) -> Iterator[Path]:
        """Write the data to a temporary file, which is removed at the end of the block."""
        staged = self.folder / _UNFINISHED / f"{path.rpartition('/')[2]}.{os.urandom(8).hex()}"
        with disk.faults(self.folder / path):
            try:
                disk.write(staged, data)
                yield staged
            finally:  # The folder remains, because other threads may be about to write into it.
                staged.unlink(missing_ok=True)


def _version(data: bytes) -> Version:
    return {"e_tag": Digest.of(data).hex}

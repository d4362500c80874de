"""Writes the files of a release into a stage: a folder in the output that nobody reads yet."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from skillbuild.model import Digest, OutputFile
from skillbuild.output.stage_folders import STAGE_PREFIX
from skillbuild.release import checksums
from skillbuild.release.layout import HEAD_FILES
from skillbuild.storage import disk
from skillbuild.storage.files import Directory, holds

_BESIDE = (STAGE_PREFIX, disk.LOCK_FILE) if disk.LOCK_FILE else (STAGE_PREFIX,)
"""How the names begin that an output without a release may hold: stages, and the lock."""


class StageWriter:
    """Writes into a stage; safe in several processes at once, and picklable."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._folder = os.fspath(folder)
        self.out = folder.parent
        self.spread = all(entry.name.startswith(_BESIDE) for entry in self.out.iterdir())
        """Whether files are staged in their final folders, which can then be moved whole: so if the
        output has no release."""

    def staged(self, path: str) -> Path:
        """Where a file waits."""
        return Path(self._staged(path))

    def _staged(self, path: str) -> str:
        """The same as text: a release has many files, and a `Path` takes long to make."""
        return f"{self._folder}{os.sep}{self.name(path)}"

    def name(self, path: str) -> str:
        """What a file is called in the stage.

        Beside another release all files wait in one folder, under the digest of their path: to
        create folders takes more time than to write the files.
        """
        return path if self.spread or path in HEAD_FILES else Digest.of(path.encode()).hex

    def add(self, files: Mapping[str, bytes]) -> list[bytes]:
        """Stage addressed files, by path; returns their lines of SHA256SUMS.

        What the output has already, byte for byte, is not staged.
        """
        with disk.faults(self.folder):
            return [checksums.line(path, self._add(path, data)) for path, data in files.items()]

    def write_once(self, files: Iterable[OutputFile]) -> list[bytes]:
        """Stage files whose content follows from their path; returns their checksum lines.

        Several workers may stage the same.
        """
        lines = []
        with disk.faults(self.folder):
            for file in files:
                self._write_once(file.path, file.data, read_only=False)
                lines.append(checksums.line(file.path, Digest.of(file.data)))
        return lines

    def _add(self, path: str, data: bytes) -> Digest:
        if self.spread or not holds(Directory(self.out), path, data):
            self._write_once(path, data)
        return Digest.of(data)

    def _write_once(self, path: str, data: bytes, *, read_only: bool = True) -> None:
        """Two workers may stage equal content: whoever comes second has nothing to do."""
        try:
            disk.write(self._staged(path), data, read_only=read_only)
        except FileExistsError:
            return

    def write(self, files: Iterable[OutputFile]) -> list[bytes]:
        """Stage files whose content may change under their path; returns their checksum lines."""
        lines = []
        with disk.faults(self.folder):
            for file in files:
                disk.overwrite(self._staged(file.path), file.data)
                lines.append(checksums.line(file.path, Digest.of(file.data)))
        return lines

"""Writes the files of a release into a stage: a folder in the output that no reader uses."""

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
"""Prefixes of the only names in an output that has no release yet: stages and the lock file."""


class StageWriter:
    """Writes files into a stage. Instances can be pickled, and several processes can use the same
    instance.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._folder = os.fspath(folder)
        self.out = folder.parent
        self.spread = all(entry.name.startswith(_BESIDE) for entry in self.out.iterdir())
        """Whether files are staged in their final folders, so that whole folders can be moved; True
        if the output contains no release.
        """

    def staged(self, path: str) -> Path:
        """Return the path of a staged file."""
        return Path(self._staged(path))

    def _staged(self, path: str) -> str:
        """Return the path of a staged file as a string; creating a `Path` for each file would be
        slow.
        """
        return f"{self._folder}{os.sep}{self.name(path)}"

    def name(self, path: str) -> str:
        """Return the path of a file relative to the stage.

        If the output contains a release, all files except head files are staged in one folder and
        named by the digest of their path, because creating folders takes longer than writing the
        files.
        """
        return path if self.spread or path in HEAD_FILES else Digest.of(path.encode()).hex

    def add(self, files: Mapping[str, bytes]) -> list[bytes]:
        """Stage content-addressed files and return their SHA256SUMS lines.

        `files` maps paths to contents. A file is not staged if the output already contains the same
        bytes at its path.
        """
        with disk.faults(self.folder):
            return [checksums.line(path, self._add(path, data)) for path, data in files.items()]

    def write_once(self, files: Iterable[OutputFile]) -> list[bytes]:
        """Stage files whose content is determined by their path. Returns their checksum lines.

        Several workers may stage the same file.
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
        """Write a file unless another worker has written the same content already."""
        try:
            disk.write(self._staged(path), data, read_only=read_only)
        except FileExistsError:
            return

    def write(self, files: Iterable[OutputFile]) -> list[bytes]:
        """Stage files whose content is not determined by their path. Returns their checksum
        lines.
        """
        lines = []
        with disk.faults(self.folder):
            for file in files:
                disk.overwrite(self._staged(file.path), file.data)
                lines.append(checksums.line(file.path, Digest.of(file.data)))
        return lines

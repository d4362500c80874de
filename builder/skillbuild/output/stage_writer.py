"""Writes what is to be published into a stage: a folder in the output that nobody reads yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from skillbuild.compile.pack import Packed
from skillbuild.model import Digest, OutputFile
from skillbuild.output.location import STAGE_PREFIX
from skillbuild.release import checksums, record
from skillbuild.storage import disk

_BESIDE = (STAGE_PREFIX, disk.LOCK_FILE) if disk.LOCK_FILE else (STAGE_PREFIX,)
"""What an empty output holds."""


class StageWriter:
    """Writes into a stage; safe in several processes at once, and picklable."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.out = folder.parent
        self.spread = all(one.name.startswith(_BESIDE) for one in self.out.iterdir())
        """Whether the output is empty: files wait in folders that need only be moved to it."""

    def staged(self, path: str) -> Path:
        """Where a file waits."""
        return self.folder / self.name(path)

    def name(self, path: str) -> str:
        """What a file is called in the stage.

        Beside another release it is one folder for all: to make folders costs more than the files.
        """
        return path if self.spread else Digest.of(path.encode()).hex

    def add(self, packed: Packed) -> list[bytes]:
        """Stage the blobs, archives and icons of one skill; returns lines of their checksums."""
        files = {record.blob_path(digest): data for digest, data in packed.blobs.items()}
        files |= {f"archives/{name}": data for name, data in packed.archives.items()}
        files |= {f"icons/{name}": data for name, data in packed.icons.items()}
        return self.add_files(files)

    def add_files(self, files: Mapping[str, bytes]) -> list[bytes]:
        """Stage files that are named by their content."""
        with disk.faults(self.folder):
            return [checksums.line(path, self._add_one(path, data)) for path, data in files.items()]

    def _add_one(self, path: str, data: bytes) -> Digest:
        if self.spread or disk.read(self.out / path) != data:
            self._write_once(path, data)
        return Digest.of(data)

    def _write_once(self, path: str, data: bytes) -> None:
        """Equal content may be staged by two workers: whoever comes second has nothing to do."""
        try:
            disk.write(self.staged(path), data, read_only=True)
        except FileExistsError:
            return

    def write(self, files: Iterator[OutputFile]) -> list[bytes]:
        """Stage pages and the like; returns lines of their checksums."""
        lines = []
        with disk.faults(self.folder):
            for file in files:
                disk.overwrite(self.staged(file.path), file.data)
                lines.append(checksums.line(file.path, Digest.of(file.data)))
        return lines

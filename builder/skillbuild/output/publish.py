"""Moves the files of a new release into the output while the output is locked.

Blobs, archives and icons come first, as hard links. Then the pages are renamed into place, then
`index.json` and `release.json`, and then `catalog.json`. Finally, files that no release needs are
removed, and SHA256SUMS is written. So `catalog.json` never names a missing file, even if the build
is killed.

During a publish, files without a digest in their path may already belong to the next release.
`catalog.json` decides which release is published. SHA256SUMS lists the new files only after the
publish has finished.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from skillbuild.errors import OutputError
from skillbuild.output import directory
from skillbuild.output.base import Base, intact_of
from skillbuild.output.stage_writer import StageWriter
from skillbuild.release import checksums
from skillbuild.release.checksums import Checksums, path_of
from skillbuild.release.layout import (
    ADDRESSED_FOLDERS,
    CHECKSUMS_FILE,
    HEAD_FILES,
    INDEX_FILE,
    RECORD_FILE,
    RELEASE_FILE,
    is_addressed,
)
from skillbuild.storage import disk


@dataclass(frozen=True, slots=True)
class Publish:
    """Publishes one release to a locked output, given the base and the files of the new release."""

    out: Path
    writer: StageWriter
    base: Base
    own: Checksums
    """Files of this release: staged, or already correct in an intact base."""
    all: Checksums
    """Files of this release, the head files, and the files of retained releases."""

    def run(self) -> int | None:
        """Replace the old release with the new one. Returns the number of bytes by which the output
        grew.

        Returns None if the base is damaged, or if it is a release published elsewhere.
        """
        intact = intact_of(self.base)
        old = intact.checksums if intact else directory.listed_in(self.out)
        new_lines = self._new_lines()
        surplus = self._surplus(old)
        touched = {*map(path_of, new_lines), *surplus, *HEAD_FILES} if intact else set[str]()
        if intact:
            directory.require_no_links_to(self.out, touched)
        else:
            directory.require_no_links(self.out)
        before = disk.size_of_files(self.out, touched)
        self._require_staged(new_lines)
        staged = self._staged_size(new_lines) if self.writer.spread else None
        disk.commit(self.out / CHECKSUMS_FILE, checksums.during_publish(old, self.all).pieces())
        self._place(new_lines)
        self._place_head(INDEX_FILE)
        self._place_head(RELEASE_FILE)
        self._place_head(RECORD_FILE)
        directory.remove(self.out, surplus)
        self._place_head(CHECKSUMS_FILE)
        return disk.size_of_files(self.out, touched) - before if intact else staged

    def _new_lines(self) -> list[bytes]:
        """Return the checksum lines of the files that an intact base does not contain."""
        intact = intact_of(self.base)
        present = {*intact.checksums.lines} if intact else set[bytes]()
        return [line for line in self.own.lines if line not in present]

    def _surplus(self, old: Checksums) -> set[str]:
        """Return the paths that no release needs any more.

        If the base is intact, only files in its SHA256SUMS are considered, because it has no
        others.
        """
        paths = set(map(path_of, {*old.lines}.difference(self.all.lines)))
        if intact_of(self.base) is None:
            paths.update(directory.addressed_files(self.out))
        if len(paths) > len(self.all.lines) // 10:
            return paths.difference(self.all.paths())
        return {path for path in paths if path not in self.all}

    def _require_staged(self, new_lines: Iterable[bytes]) -> None:
        """Raise `OutputError` if another build has removed files of the base that are not staged
        again.
        """
        if self.writer.spread:
            return
        missing = {self.writer.name(path): path for path in map(path_of, new_lines)}
        for name in disk.files_below(self.writer.folder):
            missing.pop(name, None)
        for path in missing.values():
            if not (self.out / path).is_file():
                raise OutputError(f"{self.out / path} is gone; run build again")

    def _staged_size(self, new_lines: Iterable[bytes]) -> int:
        """Return the size of the files that are staged in their final folders.

        Staged files that are not part of the release, because their skill was left out later, are
        removed first.
        """
        wanted = {*map(path_of, new_lines), *HEAD_FILES}
        sizes = array("Q", disk.sizes_below(self.writer.folder))
        if len(sizes) == len(wanted):
            return sum(sizes)
        for path in disk.files_below(self.writer.folder):
            if path not in wanted:
                disk.remove(self.writer.folder, path)
        return disk.size_of(self.writer.folder)

    def _place(self, new_lines: Collection[bytes]) -> None:
        moved = self._move_folders(new_lines) if self.writer.spread else set()
        paths = [path for path in map(path_of, new_lines) if _top(path) not in moved]
        for path in paths:
            if is_addressed(path) and self.writer.staged(path).exists():
                disk.add(self.writer.staged(path), self.out / path)
        for path in paths:
            if not is_addressed(path):
                disk.replace(self.writer.staged(path), self.out / path)

    def _place_head(self, name: str) -> None:
        disk.replace(self.writer.staged(name), self.out / name)

    def _move_folders(self, new_lines: Collection[bytes]) -> set[str]:
        """Move whole staged folders where the output has no such folder; return their names."""
        tops = dict.fromkeys(_top(path) for path in map(path_of, new_lines))
        addressed_first = sorted(tops, key=lambda top: top not in _ADDRESSED_TOPS)
        free = [top for top in addressed_first if not os.path.lexists(self.out / top)]
        for top in free:
            (self.writer.folder / top).rename(self.out / top)
        return set(free)


_ADDRESSED_TOPS = frozenset(_folder.partition("/")[0] for _folder in ADDRESSED_FOLDERS)


def _top(path: str) -> str:
    return path.partition("/")[0]

"""A release is staged beside the old one, then published under a lock; `catalog.json` commits it.

Order: blobs and archives by link (never over another file), then pages, then `index.json`, then
`catalog.json` by rename, then what no release names is removed, then SHA256SUMS. A reader of
`catalog.json` finds all that it names at every moment, whatever kills the build.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from skillbuild.cache import sealed_files
from skillbuild.errors import OutputError
from skillbuild.model import Digest, OutputFile
from skillbuild.output import location
from skillbuild.output.location import STAGE_PREFIX
from skillbuild.output.remote import Remote
from skillbuild.output.stage_writer import StageWriter
from skillbuild.release import checksums, record, retention
from skillbuild.release.checksums import Checksums
from skillbuild.release.record import CHECKSUMS_FILE, INDEX_FILE, RECORD_FILE, Record
from skillbuild.storage import disk

ADDRESSED = ("blobs/", "archives/", "icons/")
_HEADS = (INDEX_FILE, RECORD_FILE, CHECKSUMS_FILE)
_FETCHES = 8
"""Files that are fetched at once."""


Late = Callable[[Record, Checksums], Iterator[OutputFile]]
"""Gives the pages that need the record as it is published: what is kept and what is gone.

The other argument tells of all other files of the release.
"""


@dataclass(frozen=True, slots=True)
class Standing:
    """A whole release that an output holds: its files, and what tells that it is still the same."""

    release: Record
    checksums: Checksums
    record: Digest
    listed: Digest
    """Of SHA256SUMS."""
    signature: str


@dataclass(frozen=True, slots=True)
class Landed:
    """A release as it was published, with the digests of its record and of SHA256SUMS."""

    release: Record
    record: Digest
    listed: Digest
    checksums: Checksums
    unchanged: bool
    growth: int | None
    """Bytes by which the output grew, when only what changed was touched."""


@dataclass(frozen=True, slots=True)
class _New:
    """All that an output is to hold, and what every release has: the heads of it."""

    heads: Mapping[str, Digest]
    """Index, record and SHA256SUMS, which wait in the stage."""
    own: Checksums
    """Files that are staged, or stand in the output as they are wanted."""
    checksums: Checksums
    """The same with the heads, and what is kept of earlier releases."""

    def is_there(self, out: Path) -> bool:
        """True when an output holds this very release, as far as heads and names tell."""
        same = all(disk.digest_of(out / name) == digest for name, digest in self.heads.items())
        return same and is_whole(out, self.checksums)


@dataclass(frozen=True, slots=True)
class Basis:
    """What a release is built upon."""

    remote: Remote | None = None
    """Published elsewhere: the previous release, whatever the output holds."""
    standing: Standing | None = None
    """In the output: what it has need not be staged. It is of no use beside a remote one."""
    anew: bool = False
    """Whether even a release that is there already is written again."""


_NOTHING = Basis()


class MovedError(Exception):
    """The output is not, or no longer, what was said of it."""


class Stage:
    """A new release on its way; nothing of it is visible before `commit`.

    Workers write through `StageWriter`, the builder commits.
    """

    def __init__(self, out: Path, folder: Path, basis: Basis) -> None:
        self.out = out
        self.writer = StageWriter(folder)
        self.remote = basis.remote
        self.standing = basis.standing
        self.anew = basis.anew

    def commit(
        self,
        release: Record,
        staged: Iterable[bytes],
        keep: int,
        late: Late = lambda final, own: iter(()),
    ) -> Landed:
        """Publish what was staged; `staged` are the lines of SHA256SUMS for all of the release.

        The index waits already. The record is published with what is kept of at most `keep`
        earlier releases. A release that is there already is left alone.
        """
        own = self._known().over(staged)
        brought = self._bring(self.remote, release, own, keep) if self.remote else []
        with disk.faults(self.out), disk.locked(self.out, wait=True):
            if (
                self.standing is not None
                and sealed_files.signature(self.out) != self.standing.signature
            ):
                raise MovedError
            final = retention.with_history(release, self._previous(), keep, own)
            own = own.plus([*self.writer.write(late(final, own)), *brought])
            heads = {INDEX_FILE: release.index_digest}
            heads[RECORD_FILE] = self.write_head(RECORD_FILE, record.pieces(final))
            further = checksums.lines(heads)
            for kept in final.releases:
                further += checksums.lines(kept.files)
            every = own.plus(further)
            heads[CHECKSUMS_FILE] = self.write_head(CHECKSUMS_FILE, every.text())
            new = _New(heads, own, every)
            unchanged = not self.anew and new.is_there(self.out)
            growth = self._publish(new) if not unchanged else None
        return Landed(final, heads[RECORD_FILE], heads[CHECKSUMS_FILE], every, unchanged, growth)

    def _known(self) -> Checksums:
        return self.standing.checksums if self.standing else Checksums()

    def write_head(self, name: str, parts: Iterable[bytes]) -> Digest:
        """A file of the release that is too large to be held: it waits in the stage."""
        return disk.write_parts(self.writer.folder / name, parts)

    def size(self) -> int:
        """Bytes that wait to be published."""
        return disk.size_of(self.writer.folder, STAGE_PREFIX)

    def standing_checksums(self, paths: Iterable[str]) -> list[bytes]:
        """Lines of files that stand in the output as the release wants them."""
        known = self._known()
        return [line for path in paths if (line := known.find(path))]

    def _previous(self) -> Record | None:
        if self.remote is not None:
            return self.remote.release
        return self.standing.release if self.standing else read_record(self.out)

    def _publish(self, new: _New) -> int | None:
        listed = self._known() if self.standing else checksums.listed_in(self.out)
        known = {*self._known().lines}
        fresh = [line for line in new.own.lines if line not in known]
        gone = self._gone(listed, new.checksums)
        touched = {*map(checksums.path_of, fresh), *gone, *_HEADS} if self.standing else set[str]()
        if self.standing is None:
            location.refuse_links(self.out)
        else:
            location.refuse_links_to(self.out, touched)
        before = disk.size_of_files(self.out, touched)
        self._require(fresh)
        disk.commit(self.out / CHECKSUMS_FILE, checksums.unfinished(listed, new.checksums).text())
        self._place(fresh)
        disk.replace(self.writer.folder / INDEX_FILE, self.out / INDEX_FILE)
        disk.replace(self.writer.folder / RECORD_FILE, self.out / RECORD_FILE)
        _remove(self.out, gone)
        disk.replace(self.writer.folder / CHECKSUMS_FILE, self.out / CHECKSUMS_FILE)
        return disk.size_of_files(self.out, touched) - before if self.standing else None

    def _gone(self, listed: Checksums, wanted: Checksums) -> set[str]:
        """Paths of what is no more; of a release that stands, nothing else is in the output."""
        left = set(map(checksums.path_of, {*listed.lines}.difference(wanted.lines)))
        if self.standing is None:
            left.update(_addressed_below(self.out))
        if len(left) > len(wanted.lines) // 10:
            return left.difference(wanted.paths())
        return {path for path in left if path not in wanted}

    def _bring(self, remote: Remote, release: Record, own: Checksums, keep: int) -> list[bytes]:
        """Stage what the kept releases name and this one does not; returns its checksum lines."""

        def fetch(path: str) -> None:
            present = disk.read(self.out / path)
            if present is None or Digest.of(present) != named[path]:
                self.writer.add_files({path: remote.fetch(path, named[path])})

        kept = retention.with_history(release, remote.release, keep, own).releases
        named = {path: digest for one in kept for path, digest in one.files.items()}
        with ThreadPoolExecutor(_FETCHES) as pool:
            for _ in pool.map(fetch, sorted(named)):
                pass
        return checksums.lines(named)

    def _require(self, fresh: Iterable[bytes]) -> None:
        """What was there already is not staged; a build beside this one may have removed it."""
        if self.writer.spread:
            return
        missing = {self.writer.name(path): path for path in map(checksums.path_of, fresh)}
        for name in disk.files_below(self.writer.folder):
            missing.pop(name, None)
        for path in missing.values():
            if not (self.out / path).is_file():
                raise OutputError(f"{self.out / path} is gone; run build again")

    def _place(self, fresh: Collection[bytes]) -> None:
        moved = self._move_folders(fresh) if self.writer.spread else set()
        left = [path for path in map(checksums.path_of, fresh) if _top(path) not in moved]
        for path in left:
            if path.startswith(ADDRESSED) and self.writer.staged(path).exists():
                disk.add(self.writer.staged(path), self.out / path)
        for path in left:
            if not path.startswith(ADDRESSED):
                disk.replace(self.writer.staged(path), self.out / path)

    def _move_folders(self, fresh: Collection[bytes]) -> set[str]:
        """Move what stands at the top of the stage to where there is nothing; returns its names.

        What was staged and is not published, as a skill that was left out later, stays behind.
        """
        if sum(1 for _ in disk.files_below(self.writer.folder)) != len(fresh) + len(_HEADS):
            paths = {*map(checksums.path_of, fresh), *_HEADS}
            for path in disk.files_below(self.writer.folder):
                if path not in paths:
                    disk.remove(self.writer.folder, path)
        tops = dict.fromkeys(_top(checksums.path_of(line)) for line in fresh)
        addressed_first = sorted(tops, key=lambda top: f"{top}/" not in ADDRESSED)
        free = [top for top in addressed_first if not os.path.lexists(self.out / top)]
        for top in free:
            (self.writer.folder / top).rename(self.out / top)
        return set(free)


def _top(path: str) -> str:
    return path.partition("/")[0]


@contextmanager
def staging(out: Path, basis: Basis = _NOTHING) -> Iterator[Stage]:
    """A stage in the output's own file system; leaves nothing behind but what was committed."""
    location.refuse(out)
    made = not out.exists()
    with disk.faults(out):
        out.mkdir(parents=True, exist_ok=True)
        with disk.locked(out, wait=True):
            folder = Path(tempfile.mkdtemp(prefix=STAGE_PREFIX, dir=out))
            hold = disk.locked(folder, wait=True)
            hold.__enter__()
            _sweep_stages(out)
    try:
        yield Stage(out, folder, basis)
    finally:
        _remove_if_unused(out)
        hold.__exit__(None, None, None)
        disk.remove_tree(folder)
        if made:
            with suppress(OSError):
                out.rmdir()


def sweep(out: Path) -> None:
    """Remove what killed builds left, where a build has nothing else to write."""
    if any(out.glob(f"{STAGE_PREFIX}*")):
        with disk.faults(out), disk.locked(out, wait=True):
            _sweep_stages(out)


def _sweep_stages(out: Path) -> None:
    """Remove the stages of builds that were killed: their locks went with them."""
    for folder in out.glob(f"{STAGE_PREFIX}*"):
        if folder.is_dir() and not folder.is_symlink():
            with disk.locked(folder, wait=False) as free:
                if free:
                    disk.remove_tree(folder)


def _remove_if_unused(out: Path) -> None:
    """Remove what publishes left that never came to their commit, where none ever did.

    Until then a stage is there, which marks the directory as ours for the next build.
    """
    with suppress(OSError), disk.locked(out, wait=True):
        if not os.path.lexists(out / RECORD_FILE):
            _remove(out, {*checksums.listed_in(out).paths(), *_addressed_below(out)})
            disk.remove(out, CHECKSUMS_FILE)


def size_of(out: Path) -> int:
    """Bytes of all that is published, earlier releases included."""
    return disk.size_of(out, STAGE_PREFIX)


def read_record(out: Path) -> Record | None:
    """The record of the release that is there, None without one."""
    data = disk.read(out / RECORD_FILE)
    return None if data is None else record.decode(data)


def standing(out: Path) -> Standing | None:
    """What an output holds by its own word; None when that is not the word of a finished build."""
    seen = sealed_files.signature(out)
    data, listed = disk.read(out / RECORD_FILE), disk.read(out / CHECKSUMS_FILE)
    if seen is None or data is None or listed is None or sealed_files.signature(out) != seen:
        return None
    bare = record.decode_bare(data)
    return Standing(bare, checksums.parsed(listed), Digest.of(data), Digest.of(listed), seen)


def is_complete(out: Path, current: Record) -> bool:
    """True when the last publish of `current` went through to its end, and nothing was lost."""
    record_digest = disk.digest_of(out / RECORD_FILE)
    if record_digest is None or disk.digest_of(out / INDEX_FILE) != current.index_digest:
        return False
    listed = checksums.listed_in(out)
    told = listed.find(RECORD_FILE) == checksums.line(RECORD_FILE, record_digest)
    return told and is_whole(out, listed)


def is_whole(out: Path, listed: Checksums) -> bool:
    """Whether all listed files that are named by their content are there, and no others."""
    named = {path for path in listed.paths() if path.startswith(ADDRESSED)}
    return named == set(_addressed_below(out))


def _addressed_below(out: Path) -> Iterator[str]:
    for top in ("blobs", "archives", "icons"):
        yield from (f"{top}/{path}" for path in disk.files_below(out / top))


def _remove(out: Path, paths: Iterable[str]) -> None:
    for path in paths:
        if _is_inside(path):
            disk.remove(out, path)


def _is_inside(path: str) -> bool:
    return not path.startswith("/") and ".." not in path.split("/") and "\\" not in path

"""Checks that an output directory is whole, without trusting the code that wrote it.

Files are hashed and archives unpacked. *Core* is every content-addressed file that `catalog.json`
names; it must be there at every moment. *Whole* adds that the index, the pages and SHA256SUMS
belong to the same release, which is not so when a publish was interrupted.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Set
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from skillbuild.errors import OutputError
from skillbuild.media import archive
from skillbuild.media.html_policy import active_content
from skillbuild.model import Archive, Digest, Entry, File
from skillbuild.output import contents, location
from skillbuild.release import record, retention
from skillbuild.release.checksums import Checksums
from skillbuild.release.entries import EntryLines
from skillbuild.release.entry import skill_digest
from skillbuild.release.layout import CHECKSUMS_FILE, INDEX_FILE, RECORD_FILE, is_addressed
from skillbuild.release.record import Record
from skillbuild.release.sorted_lines import path_in
from skillbuild.storage import disk

_TEMPORARY = frozenset(f".{name}.new" for name in (RECORD_FILE, INDEX_FILE, CHECKSUMS_FILE))
"""What `disk.commit` calls these files while it writes them."""
_FOREIGN = f"no file of a release, {CHECKSUMS_FILE} does not name it; remove it"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a file of an output.

    A fault that is not `core` concerns the whole alone; another build mends most of them.
    """

    path: str
    message: str
    core: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of `verify`."""

    release: Record
    files: int
    """Content-addressed files that the record names, each counted once."""
    size: int
    """Bytes of those whose size the record gives."""
    faults: tuple[Fault, ...]
    remarks: tuple[str, ...]
    """What is odd but harmless."""

    def holds(self, *, whole: bool) -> bool:
        """Whether the core is without a fault, and with `whole` all the rest too."""
        return not any(fault.core or whole for fault in self.faults)


def verify(out: Path) -> Verdict:
    """Read and hash every file of an output; `OutputError` without a readable record."""
    if not out.is_dir():
        raise OutputError(f"{out} is not a directory")
    release = load(out)
    entries = _readable_entries(release)
    files = record.named_files(release) | record.files_of(entries)
    retained, lost = _retained_files(out, release, files)
    core = [
        *lost,
        *_core_faults(out, entries, {**retained, **files}),
        *_part_faults(release, entries),
    ]
    addressed = files.keys() | retained.keys()
    whole = list(_whole_faults(out, release, addressed))
    foreign = _foreign_files(out, addressed)
    left_over = [path for path in foreign if _is_left_over(path)]
    others = [Fault(path, _FOREIGN, core=False) for path in foreign if not _is_left_over(path)]
    size = sum(size or 0 for _, size in files.values())
    faults = (*core, *whole, *others)
    return Verdict(release, len(files), size, faults, tuple(_remarks(left_over)))


def _readable_entries(release: Record) -> EntryLines:
    """The entries of all parts that can be read; the others have faults of their own."""
    entries = EntryLines.of(release.catalog.entries)
    lines: list[bytes] = []
    for number in range(len(entries.parts)):
        with suppress(OutputError):
            lines += entries.lines_of(number)
    return EntryLines(lines)


def _part_faults(release: Record, readable: EntryLines) -> Iterator[Fault]:
    """Whether the head names the parts as their entries are cut, in the order of their paths.

    `readable` are the entries of all parts that can be read.
    """
    entries = EntryLines.of(release.catalog.entries)
    if len(entries) != len(readable):  # A part is missing, or its number of skills is wrong.
        yield Fault(
            RECORD_FILE, f"names {len(entries)} skills, {len(readable)} are there", core=True
        )
    paths = list(map(path_in, readable.lines))
    if any(first >= second for first, second in pairwise(paths)):
        yield Fault(RECORD_FILE, "skills are not in the order of their paths", core=True)
    elif len(entries) == len(readable) and entries != readable:
        yield Fault(RECORD_FILE, "parts are not described as they are", core=True)


def _retained_files(
    out: Path, release: Record, published: Container[str]
) -> tuple[retention.Files, list[Fault]]:
    """The files of retained releases, unless one of these cannot be read."""
    try:
        return retention.retained_files(release, published, disk.reader(out)), []
    except OutputError as error:
        return {}, [Fault(RECORD_FILE, str(error), core=True)]


def load(out: Path) -> Record:
    """The record of an output; `OutputError` when it is missing or damaged."""
    release = contents.read_record(out)
    if release is None:
        raise OutputError(f"{out / RECORD_FILE} is missing; run build again")
    return release


def _core_faults(out: Path, entries: EntryLines, files: retention.Files) -> Iterator[Fault]:
    faults = [
        fault
        for path, (digest, size) in sorted(files.items())
        for fault in _file_faults(out, path, digest, size)
    ]
    yield from faults
    damaged = {fault.path for fault in faults}
    for entry in entries:
        yield from _entry_faults(out, entry, damaged)


def _file_faults(out: Path, path: str, digest: Digest, size: int | None) -> Iterator[Fault]:
    data = disk.read(out / path)
    if data is None:
        yield Fault(path, "missing", core=True)
    elif size is not None and len(data) != size:
        yield Fault(path, f"{len(data):,} bytes in place of {size:,}", core=True)
    elif Digest.of(data) != digest:
        yield Fault(path, "wrong digest", core=True)


def _entry_faults(out: Path, entry: Entry, damaged: set[str]) -> Iterator[Fault]:
    """Whether the skill digest follows from the files, and each archive unpacks to them."""
    if skill_digest(entry.resources) != entry.skill_digest:
        yield Fault(RECORD_FILE, f"{entry.path}: skillDigest does not match", core=True)
    for described in entry.archives:
        path = f"archives/{described.file_name}"
        data = None if path in damaged else disk.read(out / path)
        if data is not None:
            yield from _archive_faults(path, data, described, entry)


def _archive_faults(path: str, data: bytes, described: Archive, entry: Entry) -> Iterator[Fault]:
    try:
        files = archive.unpack(data, described.media_type)
    except archive.ArchiveError as error:
        yield Fault(path, str(error), core=True)
        return
    if list(map(_identity, files)) != [
        (resource.path, resource.digest, resource.executable) for resource in entry.resources
    ]:
        yield Fault(path, f"does not unpack to the files of {entry.path}", core=True)


def _identity(file: File) -> tuple[str, Digest, bool]:
    return file.path, Digest.of(file.data), file.executable


def _whole_faults(out: Path, release: Record, addressed: Set[str]) -> Iterator[Fault]:
    """Faults of the index, of SHA256SUMS, and of the files that it names and the core does not."""
    index = disk.read(out / INDEX_FILE)
    if index is None or Digest.of(index) != release.index_digest:
        yield Fault(INDEX_FILE, "not the index of this release; run build again", core=False)
    data = disk.read(out / CHECKSUMS_FILE)
    if data is None:
        yield Fault(CHECKSUMS_FILE, "missing; run build again", core=False)
        return
    parsed = Checksums.parse(data)
    for path in parsed.repeated_paths():
        yield Fault(path, f"{CHECKSUMS_FILE} names it with two digests", core=False)
    checksums = parsed.hex_digests()
    if RECORD_FILE not in checksums:
        yield Fault(CHECKSUMS_FILE, "a publish was interrupted; run build again", core=False)
    for path, digest in checksums.items():
        if path not in addressed:
            yield from _page_faults(path, disk.read(out / path), digest)


def _page_faults(path: str, data: bytes | None, digest: str) -> Iterator[Fault]:
    """Faults of a file by its content, None if it is missing, and its digest in SHA256SUMS."""
    if data is None or Digest.of(data).hex != digest:
        state = "missing" if data is None else "changed since it was published"
        yield Fault(path, f"{state}; run build --recheck", core=False)
    if data is not None and path.endswith(".html"):
        for message in active_content(data.decode(errors="replace")):
            yield Fault(path, f"active content: {message}", core=False)


def _foreign_files(out: Path, addressed: Set[str]) -> list[str]:
    """Paths that neither the record nor SHA256SUMS names, sorted; none without SHA256SUMS."""
    checksums = disk.read(out / CHECKSUMS_FILE)
    if checksums is None:
        return []
    heads = {INDEX_FILE, RECORD_FILE, CHECKSUMS_FILE, disk.LOCK_FILE}
    named = heads | addressed | Checksums.parse(checksums).hex_digests().keys()
    return sorted(path for path in disk.files_below(out) if path not in named)


def _is_left_over(path: str) -> bool:
    """Whether a foreign file is one that an interrupted build leaves, and the next one removes."""
    is_staged = path.startswith(location.STAGE_PREFIX)
    return is_addressed(path) or is_staged or path in _TEMPORARY


def _remarks(left_over: list[str]) -> Iterator[str]:
    if left_over:
        yield f"{len(left_over)} files belong to no release, the first is {left_over[0]}"

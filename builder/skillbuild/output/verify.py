"""Checks that an output directory is whole, without trusting the code that wrote it.

Files are hashed and archives unpacked. *Core* is every content-addressed file that `catalog.json`
names; it must be there at every moment. *Whole* adds that the index, the pages and SHA256SUMS
belong to the same release, which is not so when a publish was interrupted.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Set
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from skillbuild.errors import OutputError
from skillbuild.media import archive
from skillbuild.media.html_policy import active_content
from skillbuild.model import Archive, Digest, Entry, File
from skillbuild.output import contents, location, verify_versions
from skillbuild.output.verify_versions import read_versions, versions_of
from skillbuild.release import record, retention
from skillbuild.release.checksums import Checksums
from skillbuild.release.entries import EntryLines
from skillbuild.release.entry import skill_digest
from skillbuild.release.layout import (
    CHECKSUMS_FILE,
    INDEX_FILE,
    RECORD_FILE,
    SEARCH_FILE,
    is_addressed,
)
from skillbuild.release.record import Record
from skillbuild.release.search.manifest import search_files
from skillbuild.release.sorted_lines import path_in
from skillbuild.release.versions import VersionRecord
from skillbuild.storage import disk
from skillbuild.text.wording import are, plural

_TEMPORARY = frozenset(f".{name}.new" for name in (RECORD_FILE, INDEX_FILE, CHECKSUMS_FILE))
"""What `disk.commit` calls these files while it writes them."""

PUBLISH = "run build again"
"""For what every build writes."""
REBUILD = "run build --recheck, or restore the file from a copy of the output"
"""For what the commit of this release gives."""
RESTORE = "restore the file from a copy of the output, or remove the output and build again"
"""For what only an earlier commit gives."""
DISTRUST = "run build --recheck before anybody uses it"
"""For a record that contradicts itself or its archives: no build writes one."""
MEND = "run build --recheck; if it stays, mend the templates of the source"
REMOVE = "remove it, or move it out of the output"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a file of an output.

    A fault that is not `core` concerns the whole alone; another build mends most of them.
    """

    path: str
    message: str
    core: bool
    hint: str = ""
    """What to do about it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of `verify`."""

    release: Record
    files: int
    """Content-addressed files that the record names, each counted once."""
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
    search, unread = _search_files(out, release)
    versions, broken = read_versions(out, versions_of(release, entries))
    files = {**record.named_files(release), **record.files_of(entries), **search}
    files |= verify_versions.files_of(versions)
    retained, lost = _retained_files(out, release, files)
    core = [
        *unread,
        *lost,
        *(Fault(path, message, core=True, hint=REBUILD) for path, message in broken),
        *_archives_of_versions(out, versions),
        *_core_faults(out, entries, files, retained),
        *_part_faults(release, entries),
    ]
    addressed = files.keys() | retained.keys()
    whole = list(_whole_faults(out, release, addressed))
    foreign = _foreign_files(out, addressed)
    left_over = [path for path in foreign if _is_left_over(path)]
    others = [_foreign(path) for path in foreign if not _is_left_over(path)]
    faults = (*core, *whole, *others)
    return Verdict(release, len(files), faults, tuple(_remarks(left_over)))


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
        numbers = f"{plural(len(entries), 'skill')}, {are(len(readable))} there"
        yield _contradiction(f"names {numbers}")
    paths = list(map(path_in, readable.lines))
    if any(first >= second for first, second in pairwise(paths)):
        yield _contradiction("skills are not in the order of their paths")
    elif len(entries) == len(readable) and entries != readable:
        yield _contradiction("parts are not described as they are")


def _contradiction(message: str) -> Fault:
    return Fault(RECORD_FILE, message, core=True, hint=DISTRUST)


def _search_files(out: Path, release: Record) -> tuple[retention.Files, list[Fault]]:
    """The files of the search, unless its manifest or a directory cannot be read."""
    try:
        return search_files(release.search_digest, disk.reader(out), REBUILD), []
    except OutputError as error:
        message = str(error).removesuffix(f"; {REBUILD}")
        return {}, [Fault(SEARCH_FILE, message, core=True, hint=REBUILD)]


def _retained_files(
    out: Path, release: Record, published: Container[str]
) -> tuple[retention.Files, list[Fault]]:
    """The files of retained releases, unless one of these cannot be read."""
    try:
        return retention.retained_files(release, published, disk.reader(out), RESTORE), []
    except OutputError as error:
        message = str(error).removesuffix(f"; {RESTORE}")
        return {}, [Fault(RECORD_FILE, message, core=True, hint=RESTORE)]


def load(out: Path) -> Record:
    """The record of an output; `OutputError` when it is missing or damaged."""
    release = contents.read_record(out)
    if release is None:
        raise OutputError(f"{out / RECORD_FILE} is missing; run build again")
    return release


def _core_faults(
    out: Path, entries: EntryLines, files: retention.Files, retained: retention.Files
) -> Iterator[Fault]:
    """Faults of the files of the release and of the retained ones, and of the entries."""
    faults = [
        Fault(path, message, core=True, hint=REBUILD if path in files else RESTORE)
        for path, (digest, size) in sorted({**retained, **files}.items())
        for message in _file_faults(out, path, digest, size)
    ]
    yield from faults
    damaged = {fault.path for fault in faults}
    for entry in entries:
        yield from _entry_faults(out, entry, damaged)


def _file_faults(out: Path, path: str, digest: Digest, size: int | None) -> Iterator[str]:
    data = disk.read(out / path)
    if data is None:
        yield "missing"
    elif size is not None and len(data) != size:
        yield f"{plural(len(data), 'byte')} in place of {size:,}"
    elif Digest.of(data) != digest:
        yield "wrong digest"


def _entry_faults(out: Path, entry: Entry, damaged: set[str]) -> Iterator[Fault]:
    """Whether the skill digest follows from the files, and each archive unpacks to them."""
    if skill_digest(entry.resources) != entry.skill_digest:
        yield _contradiction(f"{entry.path}: skillDigest does not match")
    for described in entry.archives:
        path = f"archives/{described.file_name}"
        data = None if path in damaged else disk.read(out / path)
        if data is not None:
            yield from _archive_faults(path, data, described, entry)


def _archives_of_versions(out: Path, versions: Iterable[VersionRecord]) -> Iterator[Fault]:
    """Whether the archive of each version unpacks to its files, if it is there."""
    for version in versions:
        for described in version.archives:
            path = f"archives/{described.file_name}"
            data = disk.read(out / path)
            if data is not None and Digest.of(data) == described.digest:
                yield from _archive_faults(path, data, described, version)


def _archive_faults(
    path: str, data: bytes, described: Archive, entry: Entry | VersionRecord
) -> Iterator[Fault]:
    try:
        files = archive.unpack(data, described.media_type)
    except archive.ArchiveError as error:
        yield Fault(path, str(error), core=True, hint=DISTRUST)
        return
    if list(map(_identity, files)) != [
        (resource.path, resource.digest, resource.executable) for resource in entry.resources
    ]:
        message = f"does not unpack to the files of {entry.path}"
        yield Fault(path, message, core=True, hint=DISTRUST)


def _identity(file: File) -> tuple[str, Digest, bool]:
    return file.path, Digest.of(file.data), file.executable


def _whole_faults(out: Path, release: Record, addressed: Set[str]) -> Iterator[Fault]:
    """Faults of the index, of SHA256SUMS, and of the files that it names and the core does not."""
    index = disk.read(out / INDEX_FILE)
    if index is None or Digest.of(index) != release.index_digest:
        yield _stale(INDEX_FILE, "not the index of this release")
    if disk.digest_of(out / SEARCH_FILE) != release.search_digest:
        yield _stale(SEARCH_FILE, "not the search of this release")
    data = disk.read(out / CHECKSUMS_FILE)
    if data is None:
        yield _stale(CHECKSUMS_FILE, "missing")
        return
    parsed = Checksums.parse(data)
    for path in parsed.repeated_paths():
        message = f"{CHECKSUMS_FILE} names it with two digests"
        yield Fault(path, message, core=False, hint=DISTRUST)
    checksums = parsed.hex_digests()
    if RECORD_FILE not in checksums:
        yield _stale(CHECKSUMS_FILE, "a publish was interrupted")
    for path, digest in checksums.items():
        if path not in addressed:
            yield from _page_faults(path, disk.read(out / path), digest)


def _stale(path: str, message: str) -> Fault:
    return Fault(path, message, core=False, hint=PUBLISH)


def _foreign(path: str) -> Fault:
    message = f"no file of a release, {CHECKSUMS_FILE} does not name it"
    return Fault(path, message, core=False, hint=REMOVE)


def _page_faults(path: str, data: bytes | None, digest: str) -> Iterator[Fault]:
    """Faults of a file by its content, None if it is missing, and its digest in SHA256SUMS."""
    if data is None or Digest.of(data).hex != digest:
        state = "missing" if data is None else "changed since it was published"
        hint = RESTORE if is_addressed(path) else REBUILD
        yield Fault(path, state, core=False, hint=hint)
    if data is not None and path.endswith(".html"):
        for message in active_content(data.decode(errors="replace")):
            yield Fault(path, f"active content: {message}", core=False, hint=MEND)


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
    if len(left_over) == 1:
        yield f"1 file belongs to no release: {left_over[0]}"
    elif left_over:
        files = plural(len(left_over), "file")
        yield f"{files} belong to no release, the first is {left_over[0]}"

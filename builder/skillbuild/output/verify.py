"""Checks that a release is whole, in a directory or where it is published, without trusting the
code that wrote it.

Files are hashed and archives unpacked. *Core* is every content-addressed file that `catalog.json`
names; it must be there at every moment. *Whole* adds that the index, the pages and SHA256SUMS
belong to the same release, which is not so when a publish was interrupted.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise
from pathlib import Path

from skillbuild.errors import OutputError
from skillbuild.media import archive
from skillbuild.media.html_policy import active_content
from skillbuild.model import Archive, Digest, Entry, File
from skillbuild.output import contents, location, verify_versions
from skillbuild.output.release_files import (
    DirectoryFiles,
    Progress,
    PublishedFiles,
    ReleaseFiles,
    UnreadableFileError,
)
from skillbuild.output.remote import LARGEST_RECORD
from skillbuild.output.verify_versions import read_versions, versions_of
from skillbuild.release import record, retention
from skillbuild.release.checksums import Checksums
from skillbuild.release.entries import EntryLines, ReadPath
from skillbuild.release.entry import skill_digest
from skillbuild.release.layout import (
    CHECKSUMS_FILE,
    INDEX_FILE,
    RECORD_FILE,
    SEARCH_FILE,
    is_addressed,
)
from skillbuild.release.record import Record
from skillbuild.release.search.reading import search_files
from skillbuild.release.sorted_lines import path_in
from skillbuild.release.versions import VersionRecord
from skillbuild.storage import disk
from skillbuild.storage.origin import UnreachableError
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
REMEDY = "run build --recheck; if it stays, fix the templates of the source"
REMOVE = "remove it, or move it out of the output"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a file of an output.

    A fault that is not `core` concerns the whole alone; another build fixes most of them.
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
    size: int
    """Bytes of all that is in the directory, or of all that was read from afar."""
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
    return _verdict(DirectoryFiles(out), load(out))


def verify_published(address: str, progress: Progress) -> Verdict:
    """The same for what is published at a URL or in an object store; each file is fetched once.

    `OutputError` also if it cannot be reached, or another release is published meanwhile.
    """
    stored = PublishedFiles(address, progress)
    data = stored.read(RECORD_FILE)
    if data is None:
        raise OutputError(f"{address} has no {RECORD_FILE}")
    read = partial(_read_or_none, stored)
    verdict = _verdict(stored, record.decode(data, read, "publish the output again"))
    if verdict.faults and stored.read(RECORD_FILE) != data:
        raise OutputError(f"another release was published to {address} meanwhile; run verify again")
    return verdict


def _verdict(stored: ReleaseFiles, release: Record) -> Verdict:
    entries, parts = _readable_entries(release)
    read = partial(_read_or_none, stored)
    search, unread = _search_files(read, release)
    versions, broken = read_versions(stored, versions_of(release, entries))
    files = {**record.named_files(release), **record.files_of(entries), **search}
    files |= verify_versions.files_of(versions)
    retained, lost = _retained_files(read, release, files)
    sums = _read_or_none(stored, CHECKSUMS_FILE)
    addressed = files.keys() | retained.keys()
    again = _count_read_again([*entries, *versions])
    stored.expect(len(addressed - parts) + again + _count_others(sums, addressed))
    core = [
        *unread,
        *lost,
        *(Fault(path, message, core=True, hint=REBUILD) for path, message in broken),
        *_core_faults(stored, {**retained, **files}, files.keys(), parts),
        *_archive_owner_faults(stored, chain(entries, versions), files),
        *_part_faults(release, entries),
    ]
    whole = list(_whole_faults(stored, release, sums, addressed))
    foreign = _foreign_files(stored, sums, addressed)
    left_over = [path for path in foreign if _is_left_over(path)]
    others = [_foreign(path) for path in foreign if not _is_left_over(path)]
    faults = (*core, *whole, *others)
    return Verdict(release, len(files), stored.size, faults, tuple(_remarks(left_over)))


def _readable_entries(release: Record) -> tuple[EntryLines, set[str]]:
    """The entries of all parts that can be read, and the paths of these parts; the others have
    faults of their own.
    """
    entries = EntryLines.of(release.catalog.entries)
    lines: list[bytes] = []
    readable: set[str] = set()
    for number, part in enumerate(entries.parts):
        with suppress(OutputError):
            lines += entries.lines_of(number)
            readable.add(part.path)
    return EntryLines(lines), readable


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


def _read_or_none(stored: ReleaseFiles, path: str, most: int = LARGEST_RECORD) -> bytes | None:
    """A file; None if it is missing or cannot be had, which is found again where it is hashed."""
    try:
        return stored.read(path, most)
    except UnreadableFileError:
        return None


def _search_files(read: ReadPath, release: Record) -> tuple[retention.Files, list[Fault]]:
    """The files of the search, unless its manifest or a directory cannot be read."""
    try:
        return search_files(release.search_digest, read, REBUILD), []
    except UnreachableError:
        raise
    except OutputError as error:
        message = str(error).removesuffix(f"; {REBUILD}")
        return {}, [Fault(SEARCH_FILE, message, core=True, hint=REBUILD)]


def _retained_files(
    read: ReadPath, release: Record, published: Container[str]
) -> tuple[retention.Files, list[Fault]]:
    """The files of retained releases, unless one of these cannot be read."""
    try:
        return retention.retained_files(release, published, read, RESTORE), []
    except UnreachableError:
        raise
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
    stored: ReleaseFiles, named: retention.Files, published: Container[str], read: Container[str]
) -> Iterator[Fault]:
    """Faults of the files of the release and of the retained ones, by path.

    Those that were `read` are right, and archives of the release are read where they are unpacked.
    """

    def check(path: str) -> list[Fault]:
        hint = REBUILD if path in published else RESTORE
        _, messages = _read_named(stored, path, named)
        return [Fault(path, message, core=True, hint=hint) for message in messages]

    paths = (path for path in sorted(named) if path not in read)
    others = (path for path in paths if not (path in published and _is_archive(path)))
    yield from chain.from_iterable(stored.each(check, others))


def _archive_owner_faults(
    stored: ReleaseFiles, owners: Iterable[Entry | VersionRecord], named: retention.Files
) -> Iterable[Fault]:
    """Whether the skill digest of each entry follows from its files, and each archive of an entry
    or of a version is as it is named and unpacks to them.
    """

    def check(owner: Entry | VersionRecord) -> list[Fault]:
        faults = []
        if isinstance(owner, Entry) and skill_digest(owner.resources) != owner.skill_digest:
            faults.append(_contradiction(f"{owner.path}: skillDigest does not match"))
        for described in owner.archives:
            path = f"archives/{described.file_name}"
            data, messages = _read_named(stored, path, named)
            faults += [Fault(path, message, core=True, hint=REBUILD) for message in messages]
            if data is not None and not messages:
                faults += _archive_faults(path, data, described, owner)
        return faults

    # A version and the skill of today may have an archive in common.
    return dict.fromkeys(chain.from_iterable(stored.each(check, owners)))


def _is_archive(path: str) -> bool:
    return path.startswith("archives/") and not path.endswith(".md")


def _read_named(
    stored: ReleaseFiles, path: str, named: retention.Files
) -> tuple[bytes | None, list[str]]:
    """A file that the record names, and what is wrong with it."""
    digest, size = named[path]
    try:
        data = stored.read(path) if size is None else stored.read(path, size)
    except UnreadableFileError as error:
        return None, [str(error)]
    if data is None:
        return None, ["missing"]
    if size is not None and len(data) != size:
        return data, [f"{plural(len(data), 'byte')} in place of {size:,}"]
    return data, [] if Digest.of(data) == digest else ["wrong digest"]


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


def _whole_faults(
    stored: ReleaseFiles, release: Record, sums: bytes | None, addressed: Container[str]
) -> Iterator[Fault]:
    """Faults of the index, of SHA256SUMS, and of the files that it names and the core does not."""
    parsed = Checksums.parse(sums or b"")
    checksums = parsed.hex_digests()
    heads = {INDEX_FILE: (release.index_digest, "index")}
    heads[SEARCH_FILE] = (release.search_digest, "search")
    for path, (digest, what) in heads.items():
        data = _read_or_none(stored, path)
        if data is None or Digest.of(data) != digest:
            yield _stale(path, f"not the {what} of this release")
        if path in checksums:
            yield from _page_faults(path, data, checksums[path])
    if sums is None:
        yield _stale(CHECKSUMS_FILE, "missing")
        return
    for path in parsed.repeated_paths():
        message = f"{CHECKSUMS_FILE} names it with two digests"
        yield Fault(path, message, core=False, hint=DISTRUST)
    if RECORD_FILE not in checksums:
        yield _stale(CHECKSUMS_FILE, "a publish was interrupted")

    def check(path: str) -> list[Fault]:
        try:
            return list(_page_faults(path, stored.read(path), checksums[path]))
        except UnreadableFileError as error:
            return [Fault(path, str(error), core=False, hint=REBUILD)]

    pages = (path for path in checksums if path not in addressed and path not in heads)
    yield from chain.from_iterable(stored.each(check, pages))


def _count_read_again(owners: Iterable[Entry | VersionRecord]) -> int:
    """How often an archive is read for another owner than the first."""
    names = [each.file_name for owner in owners for each in owner.archives]
    return len(names) - len({*names})


def _count_others(sums: bytes | None, addressed: Container[str]) -> int:
    """How many files SHA256SUMS names that the record does not."""
    return sum(path not in addressed for path in Checksums.parse(sums or b"").paths())


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
            yield Fault(path, f"active content: {message}", core=False, hint=REMEDY)


def _foreign_files(stored: ReleaseFiles, sums: bytes | None, addressed: Set[str]) -> list[str]:
    """Paths that neither the record nor SHA256SUMS names, sorted; none without SHA256SUMS."""
    if sums is None:
        return []
    heads = {INDEX_FILE, RECORD_FILE, CHECKSUMS_FILE, disk.LOCK_FILE}
    named = heads | addressed | Checksums.parse(sums).hex_digests().keys()
    return sorted(path for path in stored.paths() if path not in named)


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

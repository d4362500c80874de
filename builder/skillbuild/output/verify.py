"""Verifies a release in a directory, at a URL or in an object store, without trusting the code that
built the release.

Files are hashed and archives unpacked. `catalog.json` and the content-addressed files that it names
must be correct at every moment, so a fault in one of these files is *core*. After an interrupted
publish, the index, `release.json`, the pages and SHA256SUMS may belong to another release. A fault
in one of them matters only if the *whole* output is checked.

Once a publish has finished, SHA256SUMS lists `catalog.json`. From then on, the SHA256SUMS lines for
files at fixed addresses must match the `filesDigest` of the release. A mismatch is a core fault,
too.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Set
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path
from threading import Lock
from typing import TypeVar

from skillbuild.errors import OutputError
from skillbuild.media import archive
from skillbuild.media.html_policy import active_content
from skillbuild.model import (
    Archive,
    Digest,
    Entry,
    File,
    Gone,
    SizedDigest,
    Version,
    version_address,
)
from skillbuild.output import base, directory
from skillbuild.output.stage_folders import STAGE_PREFIX
from skillbuild.release import record, retention
from skillbuild.release.checksums import Checksums, files_digest
from skillbuild.release.entries import EntryLines
from skillbuild.release.entry import REMEDY_AFAR, skill_digest
from skillbuild.release.layout import (
    CHECKSUMS_FILE,
    HEAD_FILES,
    INDEX_FILE,
    RECORD_FILE,
    RELEASE_FILE,
    SEARCH_FILE,
    is_addressed,
    is_at_fixed_address,
)
from skillbuild.release.record import Record
from skillbuild.release.search.reading import search_files
from skillbuild.release.sorted_lines import path_in
from skillbuild.release.versions import VersionRecord, decode_version, version_path
from skillbuild.storage import disk
from skillbuild.storage.files import (
    MOST_BYTES,
    DamagedError,
    Directory,
    FileError,
    Files,
    MissingError,
    UnavailableError,
    read_named,
)
from skillbuild.storage.targets import PRIVATE_FOLDER
from skillbuild.text.wording import plural

Item = TypeVar("Item")
Result = TypeVar("Result")
Progress = Callable[[int, int, int], None]
"""A function that is called with the number of files read, the number of files to read (0 while it
is unknown), and the number of bytes read.
"""

_AT_ONCE = 16
"""Number of files read from a remote origin at the same time, each held in memory as a whole."""
_MOST_UNAVAILABLE = 20
"""Number of unreadable files after which verification gives up on an origin."""
_PAUSE = 5.0
"""Seconds between two checks of an index that is expected at a URL."""
_TEMPORARY = frozenset(f".{name}.new" for name in HEAD_FILES)
"""The temporary names that `disk.commit` gives head files while it writes them."""

_NOT_THE_FILES = "the lines for files at fixed addresses do not match the release's filesDigest"
PUBLISH = "run build again"
"""Hint for files that every build writes again."""
REBUILD = "run build --recheck; for a published copy, run publish --recheck"
"""Hint for files that a build of the release's commit restores."""
RESTORE = "restore the file from a copy, or remove the output and build again"
"""Hint for files that only a build of an earlier commit restores."""
DISTRUST = "run build --recheck before anybody uses the output"
"""Hint for a record that contradicts itself or its archives, which no build writes."""
REMEDY = "run build --recheck; if that does not help, fix the templates in the source"
REMOVE = "remove the file, or move it out of the output"
WAIT = "publish the output again (publish --recheck), or wait longer with --wait"
"""Hint for head files at a URL that are not the expected ones."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A problem with a file of an output.

    Faults that are not `core` matter only with `--whole`. Building again fixes most of these
    faults.
    """

    path: str
    message: str
    core: bool
    hint: str = ""
    """How to fix it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of `verify`."""

    release: Record
    files: int
    """Number of files checked, including files of earlier releases that are kept."""
    size: int
    """Total size in bytes of the directory, or of everything that was downloaded."""
    faults: tuple[Fault, ...]
    remarks: tuple[str, ...]
    """Harmless oddities."""

    def holds(self, *, whole: bool) -> bool:
        """Return whether there is no core fault, or with `whole` no fault at all."""
        return not any(fault.core or whole for fault in self.faults)


class VerifiedFiles:
    """Reads the files of a release for verification, and counts the files and bytes read.

    `each` handles up to `at_once` items in parallel, which helps if reads are slow. Safe to share
    between threads.
    """

    def __init__(
        self,
        files: Files,
        at_once: int = 1,
        progress: Progress = lambda read, files, size: None,
    ) -> None:
        self.where = files.where
        self.read_bytes = 0
        self._files, self._at_once, self._progress = files, at_once, progress
        self._lock = Lock()
        self._count = self._expected = self._unavailable = 0

    def read(self, path: str, most: int) -> bytes:
        """Read a file.

        If too many files are unreadable, raises an `OutputError` that is not a `FileError`, and
        verification stops without a verdict.
        """
        size = 0
        try:
            data = self._files.read(path, most)
            size = len(data)
        except UnavailableError as error:
            self._unavailable += 1
            if self._unavailable > _MOST_UNAVAILABLE:
                times = f"{self._unavailable} files cannot be read"
                raise OutputError(f"{times}; the last error: {error}") from error
            raise
        finally:
            with self._lock:
                self._count += 1
                self.read_bytes += size
                self._progress(self._count, self._expected, self.read_bytes)
        return data

    def size(self, path: str) -> int:
        return self._files.size(path)

    def paths(self) -> Iterator[str]:
        return self._files.paths()

    def expect(self, count: int) -> None:
        """Announce how many more files will be read."""
        self._expected = self._count + count

    def each(self, check: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Apply `check`, which reads files, to each item; yield the results in order.

        Stops at the first error.
        """
        if self._at_once == 1:
            yield from map(check, items)
            return
        with ThreadPoolExecutor(self._at_once) as pool:
            running = deque[Future[Result]]()
            try:
                for item in items:
                    running.append(pool.submit(check, item))
                    if len(running) >= 4 * self._at_once:
                        yield running.popleft().result()
                while running:
                    yield running.popleft().result()
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise


def verify(out: Path) -> Verdict:
    """Read and hash every file of an output. Raises `OutputError` if the record is unreadable."""
    if not out.is_dir():
        raise OutputError(f"{out} is not a directory")
    head = _published(out)
    stored = VerifiedFiles(Directory(out))
    verdict = _verdict(stored, head.release, head.record_digest, stored.paths())
    return replace(verdict, size=directory.size_of(out))


def verify_published(address: str, progress: Progress) -> Verdict:
    """Verify what is published at a URL or in an object store; each file is fetched once.

    Unlisted files are not searched for, because files of earlier releases may remain. Raises
    `OutputError` if the release cannot be reached, or is replaced during verification.
    """
    stored = VerifiedFiles(base.files_at(address), _AT_ONCE, progress)
    try:
        data = stored.read(RECORD_FILE, MOST_BYTES)
    except MissingError as error:
        raise OutputError(f"{address} has no {RECORD_FILE}") from error
    release = record.decode(data, stored, REMEDY_AFAR)
    verdict = _verdict(stored, release, Digest.of(data), ())
    if verdict.faults and stored.read(RECORD_FILE, MOST_BYTES) != data:
        raise OutputError(f"another release was published to {address} meanwhile; run verify again")
    return replace(verdict, size=stored.read_bytes)


def verify_heads(
    url: str,
    expected: Digest | None,
    wait: float,
    pause: Callable[[float], None] = time.sleep,
    *,
    indexes: bool = True,
) -> list[str]:
    """Return the problems with the head files at `url`, retrying for up to `wait` seconds until
    there are none.

    The index and `release.json` must match the record, and the release must have the digest
    `expected` if it is given. With `indexes`, SHA256SUMS and every file that clients read at a
    fixed address are checked, too; `verify_published` checks everything else.
    """
    until = time.monotonic() + wait
    while faults := list(_head_faults(url, expected, indexes=indexes)):
        left = until - time.monotonic()
        if left <= 0:
            return faults
        pause(min(left, _PAUSE))
    return []


def _head_faults(url: str, expected: Digest | None, *, indexes: bool) -> Iterator[str]:
    try:
        files = base.files_at(url)
        data = files.read(RECORD_FILE, MOST_BYTES)
        release = record.decode(data, files, REMEDY_AFAR)
        if expected not in {None, release.release_digest}:
            yield f"the release is {release.release_digest} instead of {expected}; {WAIT}"
        for path, named in _beside(release).items():
            if not _is_named(files, path, named):
                yield f"{path} is not the file that {RECORD_FILE} names; {WAIT}"
        if indexes:
            yield from _index_faults(files, release, Digest.of(data))
    except MissingError as error:
        yield f"{error}; {WAIT}"
    except OutputError as error:
        yield str(error)


def _index_faults(files: Files, release: Record, head: Digest) -> Iterator[str]:
    sums = Checksums.parse(files.read(CHECKSUMS_FILE, MOST_BYTES))
    digests = sums.hex_digests()
    if digests.get(RECORD_FILE) != head.hex:
        yield f"{CHECKSUMS_FILE} does not belong to the same release as {RECORD_FILE}; {WAIT}"
        return
    if files_digest(sums) != release.fixed.digest:
        yield f"{CHECKSUMS_FILE}: {_NOT_THE_FILES}; {DISTRUST}"
    stored = VerifiedFiles(files, _AT_ONCE)
    fixed = sorted(filter(is_at_fixed_address, digests.keys() - {INDEX_FILE}))
    found = stored.each(lambda path: Digest.of(stored.read(path, MOST_BYTES)).hex, fixed)
    for path, digest in zip(fixed, found, strict=True):
        if digest != digests[path]:
            yield f"{path} does not belong to this release; {WAIT}"


def _beside(release: Record) -> dict[str, SizedDigest]:
    """Return the digests of `index.json` and `release.json`, as the record gives them."""
    own = SizedDigest.of(release.release_object)
    return {INDEX_FILE: release.fixed.index, RELEASE_FILE: own}


def _is_named(files: Files, path: str, named: SizedDigest) -> bool:
    """Return whether a file has the digest in the record; raises an error if it cannot be read."""
    try:
        read_named(files, path, named.digest, named.size)
    except DamagedError:
        return False
    return True


def _verdict(
    stored: VerifiedFiles, release: Record, head: Digest, present: Iterable[str]
) -> Verdict:
    """Hash the files of a release and collect all faults.

    `head` is the digest of `catalog.json`; `present` are the paths of all files that are known to
    exist.
    """
    entries, parts = _readable_entries(release)
    search, unread = _search_files(stored, release)
    versions, broken = _read_versions(stored, _versions_of(release, entries))
    files = {**record.named_files(release), **record.files_of(entries), **search}
    for each in versions:
        files |= each.files()
    retained, lost = _retained_files(stored, release, files)
    sums = _read_or_none(stored, CHECKSUMS_FILE)
    addressed = files.keys() | retained.keys()
    again = _count_read_again([*entries, *versions])
    checked = {CHECKSUMS_FILE, *addressed, *Checksums.parse(sums or b"").paths()}
    stored.expect(len(checked - parts) - 1 + again)
    core = [
        *unread,
        *lost,
        *broken,
        *_core_faults(stored, {**retained, **files}, files.keys(), parts),
        *_archive_owner_faults(stored, chain(entries, versions), files),
        *_part_faults(release, entries),
    ]
    whole = list(_whole_faults(stored, release, head, sums, addressed))
    foreign = _foreign_files(present, sums, addressed)
    left_over = [path for path in foreign if _is_left_over(path)]
    others = [_foreign(path) for path in foreign if not _is_left_over(path)]
    faults = (*core, *whole, *others)
    return Verdict(release, len(checked), 0, faults, tuple(_remarks(left_over)))


def _readable_entries(release: Record) -> tuple[EntryLines, set[str]]:
    """Return the entries of all readable parts of the record, and the paths of these parts.

    Other faults report the unreadable parts.
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
    """Check that the record names its parts in order, and that they divide the entries correctly.

    `readable` are the entries of all readable parts.
    """
    entries = EntryLines.of(release.catalog.entries)
    if len(entries) != len(readable):  # A part is missing, or its number of skills is wrong.
        numbers = f"{plural(len(entries), 'skill')}, but its parts contain {len(readable):,}"
        yield _contradiction(f"lists {numbers}")
    paths = list(map(path_in, readable.lines))
    if any(first >= second for first, second in pairwise(paths)):
        yield _contradiction("the skills are not sorted by path")
    elif len(entries) == len(readable) and entries != readable:
        yield _contradiction("the parts do not match the digests and sizes in the record")


def _contradiction(message: str) -> Fault:
    return Fault(RECORD_FILE, message, core=True, hint=DISTRUST)


def _read_or_none(stored: Files, path: str, most: int = MOST_BYTES) -> bytes | None:
    """Read a file; return None if that fails, which is reported when the file is hashed."""
    try:
        return stored.read(path, most)
    except FileError:
        return None


def _search_files(stored: Files, release: Record) -> tuple[retention.NamedFiles, list[Fault]]:
    """Return the files of the search, and a fault if its manifest or a directory cannot be read."""
    try:
        return search_files(release.fixed.search, stored, REBUILD), []
    except OutputError as error:
        message = str(error).removesuffix(f"; {REBUILD}")
        return {}, [Fault(SEARCH_FILE, message, core=True, hint=REBUILD)]


def _retained_files(
    stored: Files, release: Record, published: Container[str]
) -> tuple[retention.NamedFiles, list[Fault]]:
    """Return the files of retained releases, and a fault if one of the releases cannot be read."""
    try:
        return retention.retained_files(release, published, stored, RESTORE), []
    except OutputError as error:
        message = str(error).removesuffix(f"; {RESTORE}")
        return {}, [Fault(RECORD_FILE, message, core=True, hint=RESTORE)]


def _versions_of(release: Record, entries: Iterable[Entry]) -> dict[str, Version]:
    """Return every version that a release names, by address; `entries` are the entries of its
    skills.
    """
    every: list[Entry | Gone] = [*entries, *release.catalog.gone]
    return {version.address: version for each in every for version in each.versions}


def _read_versions(
    stored: VerifiedFiles, versions: dict[str, Version]
) -> tuple[list[VersionRecord], list[Fault]]:
    """Return the records of all versions, and a fault for each record that cannot be read."""

    def check(named: tuple[str, Version]) -> VersionRecord | Fault:
        path = version_path(named[0])
        try:
            version = decode_version(stored.read(path, MOST_BYTES), path)
        except FileError as error:
            return Fault(path, error.reason, core=True, hint=REBUILD)
        except OutputError as error:
            return Fault(path, str(error).partition("; ")[0], core=True, hint=REBUILD)
        if version.digest == named[1].digest:
            return version
        message = "does not match the digest in the record"
        return Fault(path, message, core=True, hint=REBUILD)

    outcomes = list(stored.each(check, sorted(versions.items())))
    records = [each for each in outcomes if isinstance(each, VersionRecord)]
    return records, [each for each in outcomes if isinstance(each, Fault)]


def load(out: Path) -> Record:
    """Return the record of an output. Raises `OutputError` if it is missing or damaged."""
    return _published(out).release


def _published(out: Path) -> base.Published:
    present = base.read_base(out)
    if not isinstance(present, base.Published):
        raise OutputError(f"{out / RECORD_FILE} is missing; run build again")
    return present


def _core_faults(
    stored: VerifiedFiles,
    named: retention.NamedFiles,
    published: Container[str],
    read: Container[str],
) -> Iterator[Fault]:
    """Yield the faults in the files of the release and of retained releases, by path.

    Files in `read` have been checked already; archives of the release are checked when unpacked.
    """

    def check(path: str) -> list[Fault]:
        hint = REBUILD if path in published else RESTORE
        try:
            read_named(stored, path, *named[path])
        except FileError as error:
            return [Fault(path, error.reason, core=True, hint=hint)]
        return []

    paths = (path for path in sorted(named) if path not in read)
    others = (path for path in paths if not (path in published and _is_archive(path)))
    yield from chain.from_iterable(stored.each(check, others))


def _archive_owner_faults(
    stored: VerifiedFiles,
    owners: Iterable[Entry | VersionRecord],
    named: retention.NamedFiles,
) -> Iterable[Fault]:
    """Check the skill digest of each entry, and that each archive unpacks to the files of its
    owner.
    """

    def check(owner: Entry | VersionRecord) -> list[Fault]:
        faults = []
        if isinstance(owner, Entry) and skill_digest(owner.resources) != owner.skill_digest:
            faults.append(_contradiction(f"{owner.path}: skillDigest does not match"))
        for described, folder in _archives(owner):
            path = f"archives/{described.file_name}"
            try:
                data = read_named(stored, path, *named[path])
            except FileError as error:
                faults.append(Fault(path, error.reason, core=True, hint=REBUILD))
            else:
                faults += _archive_faults(path, data, described, owner, folder)
        return faults

    # A version and the current skill may share an archive.
    return dict.fromkeys(chain.from_iterable(stored.each(check, owners)))


def _archives(owner: Entry | VersionRecord) -> Iterator[tuple[Archive, str]]:
    """Yield each archive of a skill or version, and the prefix of the paths in it."""
    yield from ((described, "") for described in owner.archives)
    if isinstance(owner, Entry) and owner.upload is not None:
        yield owner.upload, f"{owner.folder}/"


def _is_archive(path: str) -> bool:
    return path.startswith("archives/") and not path.endswith(".md")


def _archive_faults(
    path: str, data: bytes, described: Archive, entry: Entry | VersionRecord, folder: str
) -> Iterator[Fault]:
    try:
        files = archive.unpack(data, described.media_type)
    except archive.ArchiveError as error:
        yield Fault(path, str(error), core=True, hint=DISTRUST)
        return
    if list(map(_identity, files)) != [
        (folder + resource.path, resource.digest, resource.executable)
        for resource in entry.resources
    ]:
        owner = entry.path if isinstance(entry, Entry) else version_address(entry.digest)
        message = f"the unpacked files do not match {owner}"
        yield Fault(path, message, core=True, hint=DISTRUST)


def _identity(file: File) -> tuple[str, Digest, bool]:
    return file.path, Digest.of(file.data), file.executable


def _whole_faults(
    stored: VerifiedFiles,
    release: Record,
    head: Digest,
    sums: bytes | None,
    addressed: Container[str],
) -> Iterator[Fault]:
    """Yield the faults in the head files, and in files that SHA256SUMS lists but that are not
    core.
    """
    listed = Checksums.parse(sums or b"")
    digests = listed.hex_digests()
    named = {**_beside(release), SEARCH_FILE: release.fixed.search}
    yield from _named_faults(stored, named, digests)
    if sums is None:
        yield _stale(CHECKSUMS_FILE, "missing")
        return
    for path in listed.repeated_paths() if RECORD_FILE in digests else ():
        message = f"{CHECKSUMS_FILE} lists this file with two digests"
        yield Fault(path, message, core=False, hint=DISTRUST)
    if RECORD_FILE not in digests:
        yield _stale(CHECKSUMS_FILE, "a publish was interrupted")
    elif digests[RECORD_FILE] == head.hex and files_digest(listed) != release.fixed.digest:
        yield Fault(CHECKSUMS_FILE, _NOT_THE_FILES, core=True, hint=DISTRUST)

    def check(path: str) -> list[Fault]:
        try:
            return list(_page_faults(path, stored.read(path, MOST_BYTES), digests[path]))
        except MissingError:
            return list(_page_faults(path, None, digests[path]))
        except FileError as error:
            return [Fault(path, error.reason, core=False, hint=REBUILD)]

    pages = (path for path in digests if path not in addressed and path not in named)
    yield from chain.from_iterable(stored.each(check, pages))


def _named_faults(
    stored: Files, named: Mapping[str, SizedDigest], digests: Mapping[str, str]
) -> Iterator[Fault]:
    """Yield the faults in files at fixed paths that the record names; `digests` come from
    SHA256SUMS.
    """
    for path, wanted in named.items():
        data = _read_or_none(stored, path, wanted.size)
        if data is None or Digest.of(data) != wanted.digest:
            yield _stale(path, "does not belong to this release")
        elif path in digests:
            yield from _page_faults(path, data, digests[path])


def _count_read_again(owners: Iterable[Entry | VersionRecord]) -> int:
    """Return how often an archive is read again because several owners share it."""
    names = [each.file_name for owner in owners for each, _ in _archives(owner)]
    return len(names) - len({*names})


def _stale(path: str, message: str) -> Fault:
    return Fault(path, message, core=False, hint=PUBLISH)


def _foreign(path: str) -> Fault:
    message = f"belongs to no release: {CHECKSUMS_FILE} does not list it"
    return Fault(path, message, core=False, hint=REMOVE)


def _page_faults(path: str, data: bytes | None, digest: str) -> Iterator[Fault]:
    """Check a file against its digest in SHA256SUMS; `data` is None if it is missing."""
    if data is None or Digest.of(data).hex != digest:
        state = "missing" if data is None else "changed since it was published"
        hint = RESTORE if is_addressed(path) else REBUILD
        yield Fault(path, state, core=False, hint=hint)
    if data is not None and path.endswith(".html"):
        for message in active_content(data.decode(errors="replace")):
            yield Fault(path, f"active content: {message}", core=False, hint=REMEDY)


def _foreign_files(present: Iterable[str], sums: bytes | None, addressed: Set[str]) -> list[str]:
    """Return the sorted paths that neither the record nor SHA256SUMS names; empty without
    SHA256SUMS.
    """
    if sums is None:
        return []
    named = {*HEAD_FILES, disk.LOCK_FILE} | addressed | Checksums.parse(sums).hex_digests().keys()
    return sorted(path for path in present if path not in named)


def _is_left_over(path: str) -> bool:
    """Return whether an unlisted file is left from a killed build or publish; the next one removes
    it.
    """
    is_staged = path.startswith((STAGE_PREFIX, f"{PRIVATE_FOLDER}/"))
    return is_addressed(path) or is_staged or path in _TEMPORARY


def _remarks(left_over: list[str]) -> Iterator[str]:
    if len(left_over) == 1:
        yield f"1 file belongs to no release: {left_over[0]}"
    elif left_over:
        files = plural(len(left_over), "file")
        yield f"{files} belong to no release; the first is {left_over[0]}"

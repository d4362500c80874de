"""Is an output whole? Reads it as a stranger would: by digest, and with other readers.

*Core* is all that `catalog.json` reaches; it must hold at every moment. *Whole* adds that the
index, the pages and SHA256SUMS agree with it, which an interrupted publish may leave behind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from skillbuild.errors import OutputError
from skillbuild.media import archive
from skillbuild.media.html_policy import active_content
from skillbuild.model import Archive, Digest, Entry, File
from skillbuild.output import contents, location
from skillbuild.release import record
from skillbuild.release.checksums import Checksums
from skillbuild.release.entry import skill_digest
from skillbuild.release.layout import CHECKSUMS_FILE, INDEX_FILE, RECORD_FILE, is_addressed
from skillbuild.release.record import Record
from skillbuild.storage import disk


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with an output; a fault that is not `core` may be mended by build."""

    path: str
    message: str
    core: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """What `verify` found: the record, how much was read, faults and harmless remarks."""

    release: Record
    files: int
    size: int
    faults: tuple[Fault, ...]
    remarks: tuple[str, ...]

    def holds(self, *, whole: bool) -> bool:
        return not any(fault.core or whole for fault in self.faults)


def verify(out: Path) -> Verdict:
    """Read and re-hash everything; raises `OutputError` when there is no readable record."""
    if not out.is_dir():
        raise OutputError(f"{out} is not a directory")
    release = load(out)
    files = record.files_of(release.catalog)
    faults = [
        fault
        for path, (digest, size) in sorted(files.items())
        for fault in _check_file(out, path, digest, size)
    ]
    damaged = {fault.path for fault in faults}
    for entry in release.catalog.entries:
        faults += _check_entry(out, entry, damaged)
    for kept in release.releases:
        for path, digest in sorted(kept.files.items()):
            faults += _check_file(out, path, digest, None)
    faults += _check_whole(out, release)
    foreign = _foreign(out, release)
    left = [path for path in foreign if _is_left_over(path)]
    faults += [Fault(path, _FOREIGN, core=False) for path in foreign if not _is_left_over(path)]
    remark = f"{len(left)} files belong to no release, the first is {left[0]}" if left else ""
    size = sum(size or 0 for _, size in files.values())
    return Verdict(release, len(files), size, tuple(faults), (remark,) if left else ())


_FOREIGN = f"no file of a release, {CHECKSUMS_FILE} does not name it; remove it"


def load(out: Path) -> Record:
    """The record of an output, by which everything else in it is known."""
    release = contents.read_record(out)
    if release is None:
        raise OutputError(f"{out / RECORD_FILE} is missing; run build again")
    return release


def _check_file(out: Path, path: str, digest: Digest, size: int | None) -> Iterator[Fault]:
    data = disk.read(out / path)
    if data is None:
        yield Fault(path, "missing", core=True)
    elif size is not None and len(data) != size:
        yield Fault(path, f"{len(data):,} bytes in place of {size:,}", core=True)
    elif Digest.of(data) != digest:
        yield Fault(path, "wrong digest", core=True)


def _check_entry(out: Path, entry: Entry, damaged: set[str]) -> Iterator[Fault]:
    if skill_digest(entry.resources) != entry.skill_digest:
        yield Fault(RECORD_FILE, f"{entry.path}: skillDigest does not match", core=True)
    for item in entry.archives:
        path = f"archives/{item.file_name}"
        data = None if path in damaged else disk.read(out / path)
        if data is not None:
            yield from _check_archive(path, data, item, entry)


def _check_archive(path: str, data: bytes, item: Archive, entry: Entry) -> Iterator[Fault]:
    try:
        members = archive.unpack(data, item.media_type)
    except archive.ArchiveError as error:
        yield Fault(path, str(error), core=True)
        return
    if [_described(member) for member in members] != [
        (resource.path, resource.digest, resource.executable) for resource in entry.resources
    ]:
        yield Fault(path, f"does not unpack to the files of {entry.path}", core=True)


def _described(member: File) -> tuple[str, Digest, bool]:
    return member.path, Digest.of(member.data), member.executable


def _check_whole(out: Path, release: Record) -> Iterator[Fault]:
    index = disk.read(out / INDEX_FILE)
    if index is None or Digest.of(index) != release.index_digest:
        yield Fault(INDEX_FILE, "not the index of this release; run build again", core=False)
    data = disk.read(out / CHECKSUMS_FILE)
    if data is None:
        yield Fault(CHECKSUMS_FILE, "missing; run build again", core=False)
        return
    listed = Checksums.parse(data).hex_digests()
    if RECORD_FILE not in listed:
        yield Fault(CHECKSUMS_FILE, "a publish was interrupted; run build again", core=False)
    addressed = set(record.files_of(release.catalog))
    addressed |= {path for kept in release.releases for path in kept.files}
    for path, expected in listed.items():
        if path not in addressed:
            found = disk.read(out / path)
            if found is None or Digest.of(found).hex != expected:
                what = "missing" if found is None else "changed since it was published"
                yield Fault(path, f"{what}; run build --recheck", core=False)
            if found is not None and path.endswith(".html"):
                for said in active_content(found.decode(errors="replace")):
                    yield Fault(path, f"active content: {said}", core=False)


def _foreign(out: Path, release: Record) -> list[str]:
    """Paths of files that neither the record nor SHA256SUMS names, sorted; none without it."""
    checksums = disk.read(out / CHECKSUMS_FILE)
    if checksums is None:
        return []
    known = {
        *Checksums.parse(checksums).hex_digests(),
        INDEX_FILE,
        RECORD_FILE,
        CHECKSUMS_FILE,
        disk.LOCK_FILE,
    }
    known |= record.files_of(release.catalog).keys()
    known |= {path for kept in release.releases for path in kept.files}
    return sorted(path for path in disk.files_below(out) if path not in known)


def _is_left_over(path: str) -> bool:
    """True for what an interrupted build leaves, and the next one removes."""
    return is_addressed(path) or path.startswith(location.STAGE_PREFIX) or path in _TEMPORARY


_TEMPORARY = frozenset(f".{name}.new" for name in (RECORD_FILE, INDEX_FILE, CHECKSUMS_FILE))

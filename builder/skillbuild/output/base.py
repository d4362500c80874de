"""The base of a build: the release that is published now, here or elsewhere, or none."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from skillbuild.model import Digest
from skillbuild.output.contents import is_whole
from skillbuild.output.remote import Remote
from skillbuild.output.signature import signature
from skillbuild.release import checksums, record
from skillbuild.release.checksums import Checksums
from skillbuild.release.entry import REMEDY
from skillbuild.release.layout import CHECKSUMS_FILE, INDEX_FILE, RECORD_FILE
from skillbuild.release.record import Record
from skillbuild.release.search.reading import require_known_format
from skillbuild.storage import disk


@dataclass(frozen=True, slots=True)
class Empty:
    """Nothing has been published in the output yet."""


@dataclass(frozen=True, slots=True)
class Published:
    """The release that the output holds, and its files as SHA256SUMS names them."""

    release: Record
    checksums: Checksums
    record_digest: Digest
    checksums_digest: Digest
    signature: str | None
    """Of the output when it was read; None if its last publish was interrupted."""
    intact: bool = False
    """Whether every file is known to stand in the output as `checksums` says.

    Then a build leaves unchanged files where they are. Otherwise it stages all files, and looks
    into the folders of the output to see which ones are to be removed.
    """


Base = Empty | Published | Remote
"""A remote release is one that is published elsewhere; it wins over what the output holds."""


def read_base(out: Path, previous: Remote | None = None) -> Base:
    """The base of the next build into `out`; `previous` is the release that the user named.

    A damaged record raises `OutputError`.
    """
    if previous is not None:
        return previous
    before = signature(out)
    data = disk.read(out / RECORD_FILE)
    if data is None:
        return Empty()
    listed = disk.read(out / CHECKSUMS_FILE) or b""
    is_steady = before == signature(out)
    return Published(
        release=record.decode(data, disk.reader(out)),
        checksums=Checksums.parse(listed),
        record_digest=Digest.of(data),
        checksums_digest=Digest.of(listed),
        signature=before if is_steady else None,
    )


def require_known_search(base: Base, out: Path) -> None:
    """`OutputError` if the base has a search of another format, which no release can retain."""
    if isinstance(base, Published):
        require_known_format(base.release.search_digest, disk.reader(out), REMEDY)
    elif isinstance(base, Remote):
        require_known_format(base.release.search_digest, base.read_beside(out), base.remedy)


def head_of(base: Base) -> Digest | None:
    """The digest of the `catalog.json` of the base."""
    return None if isinstance(base, Empty) else base.record_digest


def release_of(base: Base) -> Record | None:
    """The record of the release that comes before the next one."""
    return None if isinstance(base, Empty) else base.release


def intact_of(base: Base) -> Published | None:
    """The base, if a build may leave the unchanged files of it where they are."""
    return base if isinstance(base, Published) and base.intact else None


def is_complete(out: Path, base: Published) -> bool:
    """True when the last publish went through to its end, and no addressed file came or went."""
    release = base.release
    if base.signature is None or disk.digest_of(out / INDEX_FILE) != release.index_digest:
        return False
    line = checksums.line(RECORD_FILE, base.record_digest)
    return base.checksums.find(RECORD_FILE) == line and is_whole(out, base.checksums)

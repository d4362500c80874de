"""SHA256SUMS: the digests of all that an output holds, as `sha256sum --check` reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from skillbuild import record, store
from skillbuild.model import Digest
from skillbuild.record import RECORD_FILE, SUMS_FILE


def lines(files: Mapping[str, Digest], further: Mapping[str, Digest]) -> Iterator[bytes]:
    """One for each file of both, sorted by path."""
    for path in sorted(files.keys() | further.keys()):
        digest = further.get(path) or files[path]
        yield f"{digest.hex}  {path}\n".encode()


def unfinished(listed: Mapping[str, Digest], wanted: Mapping[str, Digest]) -> Iterator[bytes]:
    """The same while a release is on its way: no line for the record, so it is not complete.

    Old and new files are listed, so that the build after a killed one knows what to remove.
    """
    return (line for line in lines(listed, wanted) if line[64:] != _OF_RECORD)


_OF_RECORD = f"  {RECORD_FILE}\n".encode()


def listed_in(out: Path) -> dict[str, Digest]:
    """What the SHA256SUMS of an output says."""
    return parsed(store.read(out / SUMS_FILE) or b"")


def parsed(data: bytes) -> dict[str, Digest]:
    return {path: Digest(digest) for path, digest in record.parse_sums(data).items()}

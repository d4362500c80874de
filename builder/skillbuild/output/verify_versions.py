"""The versions of an output: whether each address holds what its digest promises."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from skillbuild.errors import OutputError
from skillbuild.model import Digest, Entry, Gone, Version
from skillbuild.release.record import Record
from skillbuild.release.versions import VersionRecord, decode_version, version_path
from skillbuild.storage import disk


def versions_of(release: Record, entries: Iterable[Entry]) -> dict[str, Version]:
    """Every version that a release names, by its address; `entries` are those of its skills."""
    every: list[Entry | Gone] = [*entries, *release.catalog.gone]
    return {version.address: version for each in every for version in each.versions}


def read_versions(
    out: Path, versions: dict[str, Version]
) -> tuple[list[VersionRecord], list[tuple[str, str]]]:
    """The records of all versions, and path and fault of each that cannot be read."""
    records: list[VersionRecord] = []
    faults: list[tuple[str, str]] = []
    for address, version in sorted(versions.items()):
        path = version_path(address)
        data = disk.read(out / path)
        if data is None:
            faults.append((path, "missing"))
            continue
        try:
            record = decode_version(data, path)
        except OutputError as error:
            faults.append((path, str(error).partition("; ")[0]))
            continue
        if record.version.digest != version.digest:
            faults.append((path, "has another digest than the record names"))
        else:
            records.append(record)
    return records, faults


def files_of(records: Iterable[VersionRecord]) -> dict[str, tuple[Digest, int]]:
    """Digest and size of every addressed file of these versions, by path."""
    return {path: file for each in records for path, file in each.files().items()}

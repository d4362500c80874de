"""The versions of an output: whether each address holds what its digest promises."""

from __future__ import annotations

from collections.abc import Iterable

from skillbuild.errors import OutputError
from skillbuild.model import Digest, Entry, Gone, Version
from skillbuild.output.release_files import ReleaseFiles
from skillbuild.release.record import Record
from skillbuild.release.versions import VersionRecord, decode_version, version_path
from skillbuild.storage.origin import UnreachableError


def versions_of(release: Record, entries: Iterable[Entry]) -> dict[str, Version]:
    """Every version that a release names, by its address; `entries` are those of its skills."""
    every: list[Entry | Gone] = [*entries, *release.catalog.gone]
    return {version.address: version for each in every for version in each.versions}


def read_versions(
    stored: ReleaseFiles, versions: dict[str, Version]
) -> tuple[list[VersionRecord], list[tuple[str, str]]]:
    """The records of all versions, and path and fault of each that cannot be read."""

    def check(named: tuple[str, Version]) -> VersionRecord | tuple[str, str]:
        path = version_path(named[0])
        try:
            data = stored.read(path)
            if data is None:
                return path, "missing"
            record = decode_version(data, path)
        except UnreachableError:
            raise
        except OutputError as error:
            return path, str(error).partition("; ")[0]
        if record.version.digest != named[1].digest:
            return path, "has another digest than the record names"
        return record

    records: list[VersionRecord] = []
    faults: list[tuple[str, str]] = []
    for outcome in stored.each(check, sorted(versions.items())):
        if isinstance(outcome, VersionRecord):
            records.append(outcome)
        else:
            faults.append(outcome)
    return records, faults


def files_of(records: Iterable[VersionRecord]) -> dict[str, tuple[Digest, int]]:
    """Digest and size of every addressed file of these versions, by path."""
    return {path: file for each in records for path, file in each.files().items()}

"""Converts the report of a build to JSON and back.

This module does not import the code that builds, so that an up-to-date build stays fast.
"""

from __future__ import annotations

import msgspec

from skillbuild.diagnostics import Finding, Silenced
from skillbuild.model import Digest, VersionTotals, decoder, plain
from skillbuild.report.run import Report
from skillbuild.text.json import json_line


class StoredReport(msgspec.Struct, frozen=True):
    """The parts of a report that are needed again if a later build has the same inputs."""

    findings: tuple[Finding, ...]
    skills: int
    files: int
    invalid: tuple[str, ...]
    ignored: dict[str, str]
    unlisted: dict[str, dict[str, tuple[str, ...]]]
    internal: tuple[str, ...]
    copies: dict[str, str]
    excluded: tuple[str, ...]
    silenced: tuple[Silenced, ...]
    size: int
    digest: Digest | None
    index_size: int
    versions: VersionTotals | None

    @classmethod
    def of(cls, report: Report) -> StoredReport:
        return cls(**{name: getattr(report, name) for name in cls.__struct_fields__})

    def report(self) -> Report:
        """Return the stored report for another build with the same inputs, marked as unchanged."""
        return Report(**msgspec.structs.asdict(self), unchanged=True)


REPORT = decoder(StoredReport)


def encode(value: object) -> bytes:
    """Encode a value as one line of JSON. Raises `UnicodeEncodeError` if the value contains a file
    name that is not UTF-8.
    """
    return json_line(plain(value))

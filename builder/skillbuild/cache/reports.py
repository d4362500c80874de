"""The report of a build as it is stored, in JSON; loads nothing that builds."""

from __future__ import annotations

import msgspec

from skillbuild.diagnostics import Finding, Severity, Silenced
from skillbuild.model import Digest, Place, VersionTotals, decoder, plain
from skillbuild.report.run import Report
from skillbuild.rules.registry import RULES
from skillbuild.text.json import json_line


class StoredFinding(msgspec.Struct, frozen=True, omit_defaults=True):
    """A finding, with the code of its rule."""

    code: str
    path: str
    message: str
    hint: str
    severity: Severity
    line: int = 0
    """0 stands for no place."""
    column: int = 0
    others: tuple[str, ...] = ()
    fingerprint: str = ""

    @classmethod
    def of(cls, item: Finding) -> StoredFinding:
        line, column = (item.place.line, item.place.column) if item.place else (0, 0)
        return cls(
            item.rule.code,
            item.path,
            item.message,
            item.hint,
            item.severity,
            line,
            column,
            item.others,
            item.fingerprint,
        )

    def finding(self) -> Finding:
        return Finding(
            RULES[self.code],
            self.path,
            Place(self.line, self.column) if self.line else None,
            self.message,
            self.hint,
            self.severity,
            self.others,
            self.fingerprint,
        )


class StoredSilenced(msgspec.Struct, frozen=True):
    """A `Silenced`."""

    finding: StoredFinding
    reason: str


class StoredReport(msgspec.Struct, frozen=True):
    """The `Report` of a build that was published."""

    findings: tuple[StoredFinding, ...]
    skills: int
    files: int
    invalid: tuple[str, ...]
    ignored: dict[str, str]
    unlisted: dict[str, int]
    internal: int
    copies: dict[str, str]
    excluded: tuple[str, ...]
    silenced: tuple[StoredSilenced, ...]
    size: int
    digest: Digest | None
    index_size: int
    versions: VersionTotals | None

    @classmethod
    def of(cls, report: Report) -> StoredReport:
        return cls(
            findings=tuple(map(StoredFinding.of, report.findings)),
            skills=report.skills,
            files=report.files,
            invalid=report.invalid,
            ignored=dict(report.ignored),
            unlisted=dict(report.unlisted),
            internal=report.internal,
            copies=dict(report.copies),
            excluded=report.excluded,
            silenced=tuple(
                StoredSilenced(StoredFinding.of(item.finding), item.reason)
                for item in report.silenced
            ),
            size=report.size,
            digest=report.digest,
            index_size=report.index_size,
            versions=report.versions,
        )

    def report(self) -> Report:
        """The report of a build that found the same release published."""
        return Report(
            findings=tuple(item.finding() for item in self.findings),
            skills=self.skills,
            files=self.files,
            invalid=self.invalid,
            ignored=self.ignored,
            unlisted=self.unlisted,
            internal=self.internal,
            copies=self.copies,
            excluded=self.excluded,
            silenced=tuple(Silenced(each.finding.finding(), each.reason) for each in self.silenced),
            digest=self.digest,
            index_size=self.index_size,
            versions=self.versions,
            unchanged=True,
            size=self.size,
        )


REPORT = decoder(StoredReport)


def encode(value: object) -> bytes:
    """One line of JSON; `UnicodeEncodeError` for a name that is not UTF-8."""
    return json_line(plain(value))

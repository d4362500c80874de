"""Converts the report of a build to JSON and back.

This module does not import the code that builds, so that an up-to-date build stays fast.
"""

from __future__ import annotations

import msgspec

from skillbuild.diagnostics import Finding, FoundAt, Severity, Silenced
from skillbuild.model import Digest, Place, VersionTotals, decoder, plain
from skillbuild.report.run import Report
from skillbuild.rules.registry import RULES
from skillbuild.text.json import json_line


class StoredPlace(msgspec.Struct, frozen=True, omit_defaults=True):
    """A stored `FoundAt`: a further place of a finding."""

    path: str
    line: int = 0
    """The line; 0 if there is no position."""
    column: int = 0
    target: str = ""

    @classmethod
    def of(cls, item: FoundAt) -> StoredPlace:
        line, column = (item.place.line, item.place.column) if item.place else (0, 0)
        return cls(item.path, line, column, item.target)

    def found_at(self) -> FoundAt:
        place = Place(self.line, self.column) if self.line else None
        return FoundAt(self.path, place, self.target)


class StoredFinding(msgspec.Struct, frozen=True, omit_defaults=True):
    """A stored `Finding`; its rule is stored as a code."""

    code: str
    path: str
    message: str
    hint: str
    severity: Severity
    line: int = 0
    """The line; 0 if there is no position."""
    column: int = 0
    others: tuple[StoredPlace, ...] = ()
    fingerprint: str = ""
    target: str = ""
    cause: str = ""
    content: str = ""
    copies: tuple[str, ...] = ()

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
            tuple(map(StoredPlace.of, item.others)),
            item.fingerprint,
            item.target,
            item.cause,
            item.content,
            item.copies,
        )

    def finding(self) -> Finding:
        return Finding(
            RULES[self.code],
            self.path,
            Place(self.line, self.column) if self.line else None,
            self.message,
            self.hint,
            self.severity,
            tuple(each.found_at() for each in self.others),
            self.fingerprint,
            self.target,
            self.cause,
            content=self.content,
            copies=self.copies,
        )


class StoredSilenced(msgspec.Struct, frozen=True):
    """A stored `Silenced`."""

    finding: StoredFinding
    reason: str


class StoredReport(msgspec.Struct, frozen=True):
    """The stored `Report` of a successful build."""

    findings: tuple[StoredFinding, ...]
    skills: int
    files: int
    invalid: tuple[str, ...]
    ignored: dict[str, str]
    unlisted: dict[str, dict[str, tuple[str, ...]]]
    internal: tuple[str, ...]
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
            unlisted={key: dict(skills) for key, skills in report.unlisted.items()},
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
        """Return the report for a build of the same inputs, which changes nothing."""
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
    """Encode a value as one line of JSON; raise `UnicodeEncodeError` for a name that is
    not UTF-8.
    """
    return json_line(plain(value))

"""The JSON of reports; `summary` reads back what `check` or `build` and `diff` write.

What is written is ASCII and holds no `##[`, which GitHub's runner obeys anywhere in a line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from msgspec import Meta

from skillbuild.diagnostics import Finding, Rule, Severity
from skillbuild.model import JsonStruct, Place, Size, decoder, plain, schema_of
from skillbuild.release.compare import SkillChange
from skillbuild.rules.registry import RULES
from skillbuild.text.json import valid_text


class ReportedFinding(JsonStruct, frozen=True):
    """A finding in a report; its path leads from the repository to the file."""

    code: str
    severity: Severity
    path: str
    line: int | None
    column: int | None
    message: str
    hint: str
    fingerprint: str = ""

    @classmethod
    def of(cls, finding: Finding, prefix: str) -> ReportedFinding:
        place = finding.place
        return cls(
            finding.rule.code,
            finding.severity,
            valid_text(prefix + finding.path),
            place.line if place else None,
            place.column if place else None,
            valid_text(finding.message),
            valid_text(finding.hint),
            finding.fingerprint,
        )

    @property
    def finding(self) -> Finding:
        """The finding itself; `KeyError` for a rule that is not known."""
        place = None if self.line is None else Place(self.line, self.column or 1)
        return Finding(
            rule=RULES[self.code],
            path=self.path,
            place=place,
            message=self.message,
            hint=self.hint,
            severity=self.severity,
            fingerprint=self.fingerprint,
        )


class FindingsReport(JsonStruct, frozen=True):
    """What a job summary needs of the JSON of `check` or `build`."""

    skills: Size
    files: Size
    errors: Size
    warnings: Size
    unlisted: Mapping[str, Size]
    """How many skills each listing leaves out, but for internal ones."""
    internal: Size
    copies: Mapping[str, str]
    """By a directory that holds a skill once more, that of the skill."""
    diagnostics: tuple[ReportedFinding, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(each.finding for each in self.diagnostics)


class ChangesReport(JsonStruct, frozen=True):
    """What `diff` says in JSON."""

    changes: Annotated[tuple[SkillChange, ...], Meta(description="Sorted by skill path.")]


_FINDINGS = decoder(FindingsReport)
_CHANGES = decoder(ChangesReport)


def dump_json(value: object) -> str:
    """Indented JSON without `##[`."""
    return json.dumps(value, indent=2).replace("##[", "#\\u0023[")


def findings_json(findings: Sequence[Finding], prefix: str, summary: Mapping[str, object]) -> str:
    """One object: the fields of `summary`, then `diagnostics` with one object a finding.

    `prefix` leads from the repository to the source; it is put before every path.
    """
    diagnostics = [plain(ReportedFinding.of(finding, prefix)) for finding in findings]
    return dump_json({**summary, "diagnostics": diagnostics})


def findings_from_json(data: bytes | str) -> FindingsReport:
    """Read what `findings_json` wrote, paths with their prefix.

    `ValueError` names the field that is wrong, `KeyError` a rule that is not known.
    """
    report = _FINDINGS.decode(data)
    _ = report.findings
    return report


def rules_json(rules: Iterable[Rule]) -> str:
    """One object: `rules` with one object a rule, in the order given."""
    listed = [
        {
            "code": rule.code,
            "severity": str(rule.severity),
            "summary": rule.summary,
            "explanation": rule.explanation,
            "unlists": [str(listing) for listing in rule.unlists],
        }
        for rule in rules
    ]
    return dump_json({"rules": listed})


def changes_json(changes: Sequence[SkillChange]) -> str:
    """One object: `changes` with one object a skill, in the order given."""
    return dump_json(plain(ChangesReport(tuple(changes))))


def changes_from_json(data: bytes | str) -> tuple[SkillChange, ...]:
    """Read what `changes_json` wrote; `ValueError` names the field that is wrong."""
    return _CHANGES.decode(data).changes


def changes_schema() -> str:
    """The JSON Schema of what `diff` says."""
    return schema_of(ChangesReport, "diff", "What skillbuild diff says with --format json")

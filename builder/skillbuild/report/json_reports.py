"""The JSON reports. The `summary` command reads the reports of `check`, `build` and `diff`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from skillbuild.diagnostics import Finding, FoundAt, Rule, Severity
from skillbuild.model import (
    Digest,
    JsonStruct,
    Listing,
    LostSkill,
    Place,
    Size,
    decoder,
    plain,
    schema_of,
)
from skillbuild.release.compare import SkillChange
from skillbuild.report.run import Report
from skillbuild.rules.registry import RULES
from skillbuild.text.json import valid_text

_Code = Annotated[str, Meta(pattern="^[a-z0-9-]+$")]
_Unlisted = Annotated[
    Mapping[
        Annotated[str, Meta(extra_json_schema={"enum": list(Listing)})],
        Mapping[str, Annotated[tuple[str, ...], Meta(min_length=1)]],
    ],
    Meta(
        description="Maps each listing to the paths of the skills that it leaves out, and each"
        " path to the codes of the rules that cause this. Internal skills are not included."
    ),
]
_Internal = Annotated[
    tuple[str, ...],
    Meta(description="Paths of internal skills, which their authors keep out of listings."),
]
_Line = Annotated[int, Meta(ge=1)] | None
_Path = Annotated[str, Meta(description="Path of the file, relative to the repository.")]


class ReportedPlace(JsonStruct, frozen=True):
    """A place where a finding applies."""

    path: _Path
    line: _Line
    column: _Line
    target: Annotated[
        str,
        Meta(
            description="The path or address that the text at this place refers to; empty if"
            " there is none."
        ),
    ]

    @classmethod
    def of(cls, item: FoundAt, prefix: str) -> ReportedPlace:
        line, column = (item.place.line, item.place.column) if item.place else (None, None)
        return cls(valid_text(prefix + item.path), line, column, valid_text(item.target))

    @property
    def found_at(self) -> FoundAt:
        place = None if self.line is None else Place(self.line, self.column or 1)
        return FoundAt(self.path, place, self.target)


class ReportedFinding(JsonStruct, frozen=True):
    """A finding in a report."""

    code: _Code
    severity: Severity
    path: _Path
    line: _Line
    column: _Line
    message: str
    hint: str
    cause: Annotated[
        str,
        Meta(description="The common cause of several places; empty if there is only one place."),
    ]
    places: Annotated[
        tuple[ReportedPlace, ...],
        Meta(
            min_length=1,
            description="All places of the finding; path, line and column are those of the first.",
        ),
    ]
    copies: Annotated[
        tuple[_Path, ...],
        Meta(description="Other files with the same content, and so with the same problem."),
    ]
    fingerprint: Annotated[
        str,
        Meta(
            pattern="^[0-9a-f]{16}$",
            description="Fingerprint of a secret. An [[ignore]] entry with this fingerprint"
            " accepts this value in this file.",
        ),
    ] = ""

    @classmethod
    def of(cls, finding: Finding, prefix: str) -> ReportedFinding:
        place = finding.place
        return cls(
            finding.code,
            finding.severity,
            valid_text(prefix + finding.path),
            place.line if place else None,
            place.column if place else None,
            valid_text(finding.message),
            valid_text(finding.hint),
            valid_text(finding.cause),
            tuple(ReportedPlace.of(each, prefix) for each in finding.places),
            tuple(valid_text(prefix + path) for path in finding.copies),
            finding.fingerprint,
        )

    @property
    def finding(self) -> Finding:
        """The finding that the report describes."""
        first, *others = (each.found_at for each in self.places)
        return Finding(
            code=self.code,
            path=first.path,
            place=first.place,
            message=self.message,
            hint=self.hint,
            severity=self.severity,
            others=tuple(others),
            fingerprint=self.fingerprint,
            target=first.target,
            cause=self.cause,
            copies=self.copies,
        )


class ReportedFix(JsonStruct, frozen=True):
    """A fix that was made, or that --diff shows."""

    code: _Code
    path: _Path
    line: Annotated[
        _Line,
        Meta(description="Line number before all fixes; null if the fix changed the file mode."),
    ]
    field: Annotated[
        tuple[str | int, ...],
        Meta(
            description="The keys of the changed value, outermost first; empty if no value was"
            " changed."
        ),
    ]
    old: Annotated[str, Meta(description="The text or the git mode before the fix.")]
    new: str
    value: Annotated[
        str | bool | None,
        Meta(
            description="The value that parsers read after the fix; null if no value was"
            " changed, or if the file contains a secret."
        ),
    ]


class LeftFinding(JsonStruct, frozen=True):
    """A finding that was not fixed, although its rule is fixable."""

    code: _Code
    path: _Path
    line: _Line
    reason: str


@dataclass(frozen=True, slots=True)
class ReportedFixes:
    """What `check --fix` and `check --diff` report in addition to the findings."""

    fixes: tuple[ReportedFix, ...] | UnsetType = UNSET
    left: tuple[LeftFinding, ...] | UnsetType = UNSET
    diff: str | UnsetType = UNSET


class FindingsReport(JsonStruct, frozen=True, kw_only=True, rename="camel"):
    """The JSON report of `check` and `build`. `summary` turns it into a job summary."""

    skills: Annotated[Size, Meta(description="Number of skills without errors.")]
    files: Annotated[Size, Meta(description="Number of files in these skills.")]
    errors: Size
    warnings: Size
    notes: Size
    unlisted: _Unlisted
    internal: _Internal
    copies: Annotated[
        Mapping[str, str],
        Meta(
            description="Maps each directory that is a copy of a skill to the directory of that"
            " skill."
        ),
    ]
    invalid: Annotated[
        tuple[str, ...],
        Meta(description="Directories of invalid skills, and paths of misspelled SKILL.md files."),
    ]
    ignored: Annotated[
        Mapping[str, str],
        Meta(
            description="Maps the path of each SKILL.md, symbolic link or submodule that is"
            " not published as a skill to the reason."
        ),
    ]
    excluded: Annotated[
        tuple[str, ...], Meta(description="Files that the setting `exclude` leaves out of skills.")
    ]
    silenced: Annotated[Size, Meta(description="Number of findings that [[ignore]] silences.")]
    gone: Annotated[
        tuple[LostSkill, ...],
        Meta(description="Skills of the last release that are not in this one."),
    ] = ()
    delisted: Annotated[
        tuple[str, ...],
        Meta(
            description="Paths of skills that were in the MCP list of the last release and are not"
            " in the new list. The reasons are in `unlisted`."
        ),
    ] = ()
    release_digest: Digest | None
    fixes: Annotated[
        tuple[ReportedFix, ...] | UnsetType,
        Meta(description="With --fix, what was fixed; with --diff, what would be fixed."),
    ] = UNSET
    left: Annotated[
        tuple[LeftFinding, ...] | UnsetType,
        Meta(description="Findings of fixable rules that --fix did not fix, each with the reason."),
    ] = UNSET
    diff: Annotated[
        str | UnsetType,
        Meta(
            description="With --diff, the fixes as a patch for `git apply`. The content of files"
            " with secrets is not shown."
        ),
    ] = UNSET
    diagnostics: Annotated[
        tuple[ReportedFinding, ...],
        Meta(description="The findings; with --fix, only the findings that were not fixed."),
    ]

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(each.finding for each in self.diagnostics)


class ReportedRule(JsonStruct, frozen=True):
    """A rule, as `explain` describes it."""

    code: _Code
    severity: Severity
    summary: str
    explanation: Annotated[str, Meta(description="Why the rule exists, and how to fix a finding.")]
    unlists: Annotated[
        tuple[str, ...], Meta(description="Listings that leave out a skill that breaks the rule.")
    ]


class RulesReport(JsonStruct, frozen=True):
    """The JSON report of `explain`."""

    rules: Annotated[
        tuple[ReportedRule, ...],
        Meta(description="All rules in a fixed order, or only the requested rule."),
    ]


class ReportedFault(JsonStruct, frozen=True):
    """A problem in an output."""

    path: Annotated[
        str | None,
        Meta(
            description="Path of the file in the output; null if the problem concerns the"
            " whole output."
        ),
    ]
    severity: Annotated[
        Literal["error", "warning"],
        Meta(
            description="Without --whole, a problem is a warning unless it concerns the record or a"
            " file that is named by its digest."
        ),
    ]
    message: str
    hint: Annotated[
        str,
        Meta(description="How to fix the problem; empty if the message already says how."),
    ]


class VerifyReport(JsonStruct, frozen=True, kw_only=True, rename="camel"):
    """The JSON report of `verify`."""

    holds: Annotated[
        bool, Meta(description="Whether the check passed: true if the exit status is 0.")
    ]
    release_digest: Annotated[
        Digest | None,
        Meta(description="SHA-256 of release.json, from the record; null for a URL."),
    ]
    files: Annotated[
        Size | None,
        Meta(description="Number of files checked; null for a URL without --whole."),
    ]
    size: Annotated[
        Size | None,
        Meta(
            description="Size of all published files in bytes, as the command build counts it;"
            " null for a URL."
        ),
    ]
    faults: tuple[ReportedFault, ...]
    remarks: Annotated[
        tuple[str, ...],
        Meta(description="Harmless facts about the output that a reader may want to know."),
    ]


class ChangesReport(JsonStruct, frozen=True):
    """The JSON report of `diff`."""

    changes: Annotated[
        tuple[SkillChange, ...], Meta(description="The changes, sorted by skill path.")
    ]


class OutputNumbers(JsonStruct, frozen=True, rename="camel"):
    """The sizes of an output that was built."""

    skills: Size
    release_digest: Digest
    commit: str
    size: Annotated[Size, Meta(description="Size of the output in bytes.")]
    sizes: Annotated[Mapping[str, Size], Meta(description="Size in bytes for each kind of file.")]


class FindingNumbers(JsonStruct, frozen=True):
    """The number of findings of each severity."""

    errors: Size
    warnings: Size
    notes: Size
    unlisted: _Unlisted
    internal: _Internal


class ChangedSkills(JsonStruct, frozen=True):
    """The paths of the skills that changed, by kind of change."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    renamed: tuple[str, ...]
    removed: tuple[str, ...]
    deprecated: Annotated[
        tuple[str, ...],
        Meta(
            description="Skills that this change deprecates, including skills that are also"
            " changed or added."
        ),
    ]
    signals: Annotated[
        Mapping[str, tuple[str, ...]],
        Meta(
            description="Maps skill paths to the changes that a reviewer should look at carefully."
        ),
    ]


class SummaryReport(JsonStruct, frozen=True):
    """The JSON report of `summary`."""

    output: Annotated[
        OutputNumbers | None,
        Meta(description="The output that was built; null if nothing was built."),
    ]
    findings: Annotated[
        FindingNumbers | None,
        Meta(description="Counts of findings; null without --findings, or if that step failed."),
    ]
    changes: Annotated[
        ChangedSkills | None,
        Meta(description="Counts of changes; null without --changes, or if that step failed."),
    ]
    gone: Annotated[
        tuple[LostSkill, ...],
        Meta(description="Skills of the last release that are not in this one."),
    ] = ()


_FINDINGS = decoder(FindingsReport)
_CHANGES = decoder(ChangesReport)


def dump_json(value: object) -> str:
    """Return a struct or JSON value as indented JSON that never contains `##[`, which starts a
    workflow command.
    """
    return json.dumps(plain(value), indent=2).replace("##[", "#\\u0023[")


def findings_json(
    report: Report, findings: Sequence[Finding], prefix: str, fixes: ReportedFixes | None = None
) -> str:
    """Return the JSON report of `check` or `build`, with the given findings as the list
    `diagnostics`.

    All other fields come from `report` and `fixes`. `prefix` is the path from the repository to the
    source, and precedes every path of a finding.
    """
    said = fixes or ReportedFixes()
    return dump_json(
        FindingsReport(
            skills=report.skills,
            files=report.files,
            errors=report.errors,
            warnings=report.warnings,
            notes=report.notes,
            unlisted=report.unlisted,
            internal=report.internal,
            copies=report.copies,
            invalid=report.invalid,
            ignored=report.ignored,
            excluded=report.excluded,
            silenced=len(report.silenced),
            gone=report.gone,
            delisted=report.delisted,
            release_digest=report.digest,
            fixes=said.fixes,
            left=said.left,
            diff=said.diff,
            diagnostics=tuple(ReportedFinding.of(finding, prefix) for finding in findings),
        )
    )


def findings_from_json(data: bytes | str) -> FindingsReport:
    """Read what `findings_json` wrote; paths keep their prefix.

    Raises `ValueError`, which names the invalid field, or `KeyError` for an unknown rule.
    """
    report = _FINDINGS.decode(data)
    _ = [RULES[item.code] for item in report.diagnostics]
    return report


def rules_json(rules: Iterable[Rule]) -> str:
    """Return a JSON object whose field `rules` lists the rules in the given order."""
    return dump_json(
        RulesReport(
            tuple(
                ReportedRule(
                    rule.code, rule.severity, rule.summary, rule.explanation, tuple(rule.unlists)
                )
                for rule in rules
            )
        )
    )


def changes_json(changes: Sequence[SkillChange]) -> str:
    """Return a JSON object whose field `changes` lists the changes in the given order."""
    return dump_json(ChangesReport(tuple(changes)))


def changes_from_json(data: bytes | str) -> tuple[SkillChange, ...]:
    """Read what `changes_json` wrote. Raises `ValueError`, which names the invalid field."""
    return _CHANGES.decode(data).changes


def report_schema(command: str) -> str:
    """Return the JSON Schema of a command's report. For `check` and `build`, `command` is
    `findings`.
    """
    kinds: dict[str, type[JsonStruct]] = {
        "findings": FindingsReport,
        "diff": ChangesReport,
        "verify": VerifyReport,
        "explain": RulesReport,
        "summary": SummaryReport,
    }
    form = "--format json or --report json=FILE" if command == "findings" else "--format json"
    name = "check and build" if command == "findings" else command
    return schema_of(kinds[command], command, f"Output of skillbuild {name} with {form}")

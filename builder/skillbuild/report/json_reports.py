"""The JSON reports. `summary` reads the reports that `check`, `build` and `diff` write."""

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
        description="By listing, the skills that it leaves out: by skill path, the codes of the"
        " rules that are the reason. Internal skills are in no listing, and not here."
    ),
]
_Internal = Annotated[
    tuple[str, ...], Meta(description="Paths of skills that their authors keep out of listings.")
]
_Line = Annotated[int, Meta(ge=1)] | None
_Path = Annotated[str, Meta(description="Relative to the repository.")]


class ReportedPlace(JsonStruct, frozen=True):
    """One of the places of a finding."""

    path: _Path
    line: _Line
    column: _Line
    target: Annotated[
        str, Meta(description="The path or address that the text names there; empty if none.")
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
        Meta(description="What the places have in common; empty where they have only this one."),
    ]
    places: Annotated[
        tuple[ReportedPlace, ...],
        Meta(min_length=1, description="All of them; path, line and column are of the first."),
    ]
    copies: Annotated[
        tuple[_Path, ...],
        Meta(description="Other files with the bytes of that at path: the same is true of them."),
    ]
    fingerprint: Annotated[
        str,
        Meta(
            pattern="^[0-9a-f]{16}$",
            description="Of a secret: what [[ignore]] names to accept this value in this file.",
        ),
    ] = ""

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
            valid_text(finding.cause),
            tuple(ReportedPlace.of(each, prefix) for each in finding.places),
            tuple(valid_text(prefix + path) for path in finding.copies),
            finding.fingerprint,
        )

    @property
    def finding(self) -> Finding:
        """The finding itself; `KeyError` for a rule that is not known."""
        first, *others = (each.found_at for each in self.places)
        return Finding(
            rule=RULES[self.code],
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
    """A change that was made, or would be."""

    code: _Code
    path: _Path
    line: Annotated[_Line, Meta(description="Before all fixes; null for a mode.")]
    field: Annotated[
        tuple[str | int, ...],
        Meta(description="The keys that lead to the value; empty if no value was changed."),
    ]
    old: Annotated[str, Meta(description="As it was written: a text or a mode of git.")]
    new: str
    value: Annotated[
        str | bool | None,
        Meta(
            description="What parsers read there now; null if no value was changed, or the file"
            " holds a secret."
        ),
    ]


class LeftFinding(JsonStruct, frozen=True):
    """A finding that was not fixed, although its rule can be."""

    code: _Code
    path: _Path
    line: _Line
    reason: str


@dataclass(frozen=True, slots=True)
class ReportedFixes:
    """What `check --fix` and `--diff` say beside the findings."""

    fixes: tuple[ReportedFix, ...] | UnsetType = UNSET
    left: tuple[LeftFinding, ...] | UnsetType = UNSET
    diff: str | UnsetType = UNSET


class FindingsReport(JsonStruct, frozen=True, kw_only=True, rename="camel"):
    """What `check` and `build` say in JSON; a job summary is made of it."""

    skills: Annotated[Size, Meta(description="That are not refused.")]
    files: Annotated[Size, Meta(description="Of these skills.")]
    errors: Size
    warnings: Size
    notes: Size
    unlisted: _Unlisted
    internal: _Internal
    copies: Annotated[
        Mapping[str, str], Meta(description="By the directory of a copy, that of the skill.")
    ]
    invalid: Annotated[
        tuple[str, ...],
        Meta(description="Directories of refused skills, and paths of misspelled SKILL.md."),
    ]
    ignored: Annotated[
        Mapping[str, str],
        Meta(description="By path, why a SKILL.md, link or submodule is no skill."),
    ]
    excluded: Annotated[
        tuple[str, ...], Meta(description="Files that `exclude` takes out of skills.")
    ]
    silenced: Annotated[Size, Meta(description="Findings that [[ignore]] leaves out.")]
    gone: Annotated[
        tuple[LostSkill, ...],
        Meta(description="Skills of the release before that this one has no longer."),
    ] = ()
    delisted: Annotated[
        tuple[str, ...],
        Meta(
            description="Skill paths that the MCP list had in the release before, and has no"
            " longer; `unlisted` has the reasons."
        ),
    ] = ()
    release_digest: Digest | None
    fixes: Annotated[
        tuple[ReportedFix, ...] | UnsetType,
        Meta(description="With --fix, what was fixed; with --diff, what would be."),
    ] = UNSET
    left: Annotated[
        tuple[LeftFinding, ...] | UnsetType,
        Meta(description="Findings of rules that can be fixed, and why these were not."),
    ] = UNSET
    diff: Annotated[
        str | UnsetType,
        Meta(
            description="With --diff, the fixes as `git apply` takes them; the text of a file with"
            " a secret is not in it."
        ),
    ] = UNSET
    diagnostics: Annotated[
        tuple[ReportedFinding, ...], Meta(description="With --fix, the findings that are left.")
    ]

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(each.finding for each in self.diagnostics)


class ReportedRule(JsonStruct, frozen=True):
    """A rule."""

    code: _Code
    severity: Severity
    summary: str
    explanation: Annotated[str, Meta(description="Paragraphs, the last of which ends in a remedy.")]
    unlists: Annotated[
        tuple[str, ...], Meta(description="Listings that leave out a skill with it.")
    ]


class RulesReport(JsonStruct, frozen=True):
    """What `explain` says in JSON."""

    rules: Annotated[
        tuple[ReportedRule, ...],
        Meta(description="All rules in their order, or the one that was asked for."),
    ]


class ReportedFault(JsonStruct, frozen=True):
    """One thing that is wrong with an output."""

    path: Annotated[
        str | None, Meta(description="In the output; null for what concerns all of it.")
    ]
    severity: Annotated[
        Literal["error", "warning"],
        Meta(
            description="Without --whole, what concerns neither record nor addressed files is a"
            " warning."
        ),
    ]
    message: str
    hint: Annotated[
        str,
        Meta(description="What to do about it; empty where the message says it."),
    ]


class VerifyReport(JsonStruct, frozen=True, kw_only=True, rename="camel"):
    """What `verify` says in JSON."""

    holds: Annotated[bool, Meta(description="Whether the exit status is 0.")]
    release_digest: Annotated[
        Digest | None,
        Meta(description="Of release.json, as the record has it; null for a URL."),
    ]
    files: Annotated[
        Size | None,
        Meta(description="Addressed files that the record names; null for a URL."),
    ]
    size: Annotated[
        Size | None,
        Meta(description="Bytes of all that is published, as build counts them; null for a URL."),
    ]
    faults: tuple[ReportedFault, ...]
    remarks: Annotated[tuple[str, ...], Meta(description="What is odd but harmless.")]


class ChangesReport(JsonStruct, frozen=True):
    """What `diff` says in JSON."""

    changes: Annotated[tuple[SkillChange, ...], Meta(description="Sorted by skill path.")]


class OutputNumbers(JsonStruct, frozen=True, rename="camel"):
    """An output that was built."""

    skills: Size
    release_digest: Digest
    commit: str
    size: Annotated[Size, Meta(description="Bytes.")]
    sizes: Annotated[Mapping[str, Size], Meta(description="Bytes by kind of file.")]


class FindingNumbers(JsonStruct, frozen=True):
    """How many findings of each kind there are."""

    errors: Size
    warnings: Size
    notes: Size
    unlisted: _Unlisted
    internal: _Internal


class ChangedSkills(JsonStruct, frozen=True):
    """Skill paths by what became of the skill."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    renamed: tuple[str, ...]
    removed: tuple[str, ...]
    deprecated: Annotated[
        tuple[str, ...],
        Meta(description="Since this change; whether they are changed or added, too."),
    ]
    signals: Annotated[
        Mapping[str, tuple[str, ...]],
        Meta(description="By skill path, what a reviewer should look at twice."),
    ]


class SummaryReport(JsonStruct, frozen=True):
    """What `summary` says in JSON."""

    output: Annotated[OutputNumbers | None, Meta(description="Null if nothing was built.")]
    findings: Annotated[
        FindingNumbers | None,
        Meta(description="Null without --findings, or if that step did not end well."),
    ]
    changes: Annotated[
        ChangedSkills | None,
        Meta(description="Null without --changes, or if that step did not end well."),
    ]
    gone: Annotated[
        tuple[LostSkill, ...],
        Meta(description="Skills of the release before that this one has no longer."),
    ] = ()


_FINDINGS = decoder(FindingsReport)
_CHANGES = decoder(ChangesReport)


def dump_json(value: object) -> str:
    """Indented JSON without `##[`, of a struct or of a value that JSON can carry."""
    return json.dumps(plain(value), indent=2).replace("##[", "#\\u0023[")


def findings_json(
    report: Report, findings: Sequence[Finding], prefix: str, fixes: ReportedFixes | None = None
) -> str:
    """One object: what the report counts, and `diagnostics` with one object for each finding.

    `findings` are those of the report that are told. `prefix` leads from the repository to the
    source; it is put before every path of a finding.
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
    """Read what `findings_json` wrote, paths with their prefix.

    `ValueError` names the field that is wrong, `KeyError` a rule that is not known.
    """
    report = _FINDINGS.decode(data)
    _ = report.findings
    return report


def rules_json(rules: Iterable[Rule]) -> str:
    """One object: `rules` with one object a rule, in the order given."""
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
    """One object: `changes` with one object a skill, in the order given."""
    return dump_json(ChangesReport(tuple(changes)))


def changes_from_json(data: bytes | str) -> tuple[SkillChange, ...]:
    """Read what `changes_json` wrote; `ValueError` names the field that is wrong."""
    return _CHANGES.decode(data).changes


def report_schema(command: str) -> str:
    """The JSON Schema of what a command says in JSON; of `check` and `build` it is `findings`."""
    kinds: dict[str, type[JsonStruct]] = {
        "findings": FindingsReport,
        "diff": ChangesReport,
        "verify": VerifyReport,
        "explain": RulesReport,
        "summary": SummaryReport,
    }
    form = "--format json or --report json=FILE" if command == "findings" else "--format json"
    name = "check and build say" if command == "findings" else f"{command} says"
    return schema_of(kinds[command], command, f"What skillbuild {name} with {form}")

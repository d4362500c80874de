"""The JSON of reports; `summary` reads back what `check` or `build` and `diff` write.

What is written is ASCII and holds no `##[`, which GitHub's runner obeys anywhere in a line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from skillbuild.diagnostics import Finding, Rule, Severity
from skillbuild.model import Deprecation, Digest, Place
from skillbuild.release.compare import FileChange, SkillChange
from skillbuild.release.entry import deprecation_json, deprecation_of
from skillbuild.rules.registry import RULES
from skillbuild.text.json import valid_text
from skillbuild.text.json_fields import Fields


@dataclass(frozen=True, slots=True)
class FindingsReport:
    """What a job summary needs of the JSON of `check` or `build`."""

    skills: int
    files: int
    errors: int
    warnings: int
    unlisted: Mapping[str, int]
    """How many skills each listing leaves out, but for internal ones."""
    internal: int
    copies: int
    """Directories that hold a skill once more."""
    findings: tuple[Finding, ...]


def dump_json(value: object) -> str:
    """Indented JSON without `##[`."""
    return json.dumps(value, indent=2).replace("##[", "#\\u0023[")


def findings_json(findings: Sequence[Finding], prefix: str, summary: Mapping[str, object]) -> str:
    """One object: the fields of `summary`, then `diagnostics` with one object a finding.

    `prefix` leads from the repository to the source; it is put before every path.
    """
    diagnostics = [_finding_fields(finding, prefix) for finding in findings]
    return dump_json({**summary, "diagnostics": diagnostics})


def findings_from_json(top: Fields) -> FindingsReport:
    """Read what `findings_json` wrote, paths with their prefix.

    `ValueError` names the field that is wrong, `KeyError` a rule that is not known.
    """
    return FindingsReport(
        skills=top.number("skills"),
        files=top.number("files"),
        errors=top.number("errors"),
        warnings=top.number("warnings"),
        unlisted=top.numbers("unlisted"),
        internal=top.number("internal"),
        copies=len(top.table("copies")),
        findings=tuple(map(_finding_of, top.each("diagnostics"))),
    )


def _finding_fields(finding: Finding, prefix: str) -> dict[str, object]:
    fingerprint = {"fingerprint": finding.fingerprint} if finding.fingerprint else {}
    return {
        "code": finding.rule.code,
        "severity": str(finding.severity),
        "path": valid_text(prefix + finding.path),
        "line": finding.place.line if finding.place else None,
        "column": finding.place.column if finding.place else None,
        "message": valid_text(finding.message),
        "hint": valid_text(finding.hint),
        **fingerprint,
    }


def _finding_of(fields: Fields) -> Finding:
    line = fields.maybe_number("line")
    return Finding(
        rule=RULES[fields.text("code")],
        path=fields.text("path"),
        place=None if line is None else Place(line, fields.number("column")),
        message=fields.text("message"),
        hint=fields.text("hint"),
        severity=Severity(fields.text("severity")),
        fingerprint=fields.maybe_text("fingerprint") or "",
    )


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
    return dump_json({"changes": list(map(_change_fields, changes))})


def changes_from_json(top: Fields) -> tuple[SkillChange, ...]:
    """Read what `changes_json` wrote; `ValueError` names the field that is wrong."""
    return tuple(map(_change_of, top.each("changes")))


def _change_fields(change: SkillChange) -> dict[str, object]:
    return {
        "kind": change.kind,
        "path": change.path,
        "oldPath": change.old_path,
        "oldDigest": _digest_text(change.old_digest),
        "newDigest": _digest_text(change.new_digest),
        "files": [
            {
                "path": file.path,
                "oldDigest": _digest_text(file.old),
                "newDigest": _digest_text(file.new),
            }
            for file in change.files
        ],
        "signals": list(change.signals),
        "tokens": change.tokens,
        "unlisted": {"old": dict(change.old_unlisted), "new": dict(change.new_unlisted)},
        "deprecated": {
            "old": _deprecation_fields(change.old_deprecated),
            "new": _deprecation_fields(change.new_deprecated),
        },
    }


def _change_of(fields: Fields) -> SkillChange:
    unlisted, deprecated = fields.nested("unlisted"), fields.nested("deprecated")
    return SkillChange(
        kind=fields.text("kind"),
        path=fields.text("path"),
        old_path=fields.maybe_text("oldPath"),
        old_digest=_maybe_digest(fields, "oldDigest"),
        new_digest=_maybe_digest(fields, "newDigest"),
        files=tuple(map(_file_change_of, fields.each("files"))),
        signals=fields.texts("signals"),
        tokens=fields.integer("tokens"),
        old_unlisted=unlisted.text_lists("old"),
        new_unlisted=unlisted.text_lists("new"),
        old_deprecated=deprecation_of(deprecated, "old"),
        new_deprecated=deprecation_of(deprecated, "new"),
    )


def _deprecation_fields(deprecation: Deprecation | None) -> dict[str, str | None] | None:
    return None if deprecation is None else deprecation_json(deprecation)


def _file_change_of(fields: Fields) -> FileChange:
    old, new = _maybe_digest(fields, "oldDigest"), _maybe_digest(fields, "newDigest")
    return FileChange(fields.text("path"), old, new)


def _digest_text(digest: Digest | None) -> str | None:
    return None if digest is None else str(digest)


def _maybe_digest(fields: Fields, key: str) -> Digest | None:
    return None if fields.maybe_text(key) is None else fields.digest(key)

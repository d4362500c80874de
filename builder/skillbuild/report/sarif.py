"""Findings as SARIF 2.1.0, which code scanning reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from skillbuild import __version__
from skillbuild.diagnostics import Finding, FoundAt
from skillbuild.report.findings import by_severity, by_weight
from skillbuild.report.json_reports import dump_json
from skillbuild.rules.registry import RULES
from skillbuild.text.json import valid_text

MOST_IN_SARIF = 25_000
"""Maximum number of results in one run; GitHub rejects a file with more."""


def findings_sarif(findings: Sequence[Finding], prefix: str, remarks: Sequence[str] = ()) -> str:
    """Return a SARIF log with a result for each finding, and the rules of these findings.

    If there are more than `MOST_IN_SARIF` findings, only the most severe ones become results, and a
    notification gives the number of results and of all findings. Each of the `remarks`, which
    belong to no file, becomes a notification too. `prefix` is the path from the repository to the
    source.
    """
    results = _gravest(findings)
    codes = sorted({finding.code for finding in results})
    run: dict[str, object] = {
        "tool": {
            "driver": {
                "name": "skillbuild",
                "version": __version__,
                "rules": list(map(_rule, codes)),
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, prefix, codes) for finding in results],
    }
    notices = [*remarks]
    if len(results) < len(findings):
        shown = f"{len(results):,} of {len(findings):,} findings"
        notices.append(f"{shown}; the JSON report has all of them")
    if notices:
        run["invocations"] = [_invocation(notices)]
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return dump_json({"$schema": schema, "version": "2.1.0", "runs": [run]})


def _gravest(findings: Sequence[Finding]) -> Sequence[Finding]:
    """Return at most `MOST_IN_SARIF` findings, the most severe ones, in their original order."""
    if len(findings) <= MOST_IN_SARIF:
        return findings
    chosen = set(sorted(by_weight(findings), key=by_severity)[:MOST_IN_SARIF])
    return [finding for finding in findings if finding in chosen]


def _invocation(notices: Iterable[str]) -> dict[str, object]:
    notifications = [{"level": "warning", "message": {"text": text}} for text in notices]
    return {"executionSuccessful": True, "toolExecutionNotifications": notifications}


def _rule(code: str) -> dict[str, object]:
    rule = RULES[code]
    return {
        "id": code,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.explanation},
        "help": {"text": rule.explanation},
        "defaultConfiguration": {"level": str(rule.severity)},
    }


def _result(finding: Finding, prefix: str, codes: Sequence[str]) -> dict[str, object]:
    first, *others = (_location(place, prefix) for place in finding.places)
    copies = (FoundAt(path, finding.place) for path in finding.copies)
    others += [_location(copy, prefix) for copy in copies]
    message = valid_text(finding.message + (f"; {finding.hint}" if finding.hint else ""))
    fingerprints = {"skillbuild/v1": finding.fingerprint} if finding.fingerprint else {}
    return {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": str(finding.severity),
        "message": {"text": message},
        "locations": [first],
        **({"relatedLocations": others} if others else {}),
        **({"fingerprints": fingerprints} if fingerprints else {}),
    }


def _location(found: FoundAt, prefix: str) -> dict[str, object]:
    location: dict[str, object] = {
        "artifactLocation": {"uri": quote(prefix + found.path, errors="surrogateescape")}
    }
    if found.place:
        location["region"] = {"startLine": found.place.line, "startColumn": found.place.column}
    return {"physicalLocation": location}

"""Files of scanners in SARIF 2.1.0."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def result(path: str, rule: str = "R1", level: str = "error", line: int = 0) -> dict[str, Any]:
    region = {"region": {"startLine": line}} if line else {}
    place = {"artifactLocation": {"uri": path}, **region}
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": "Something is wrong."},
        "locations": [{"physicalLocation": place}],
    }


def run(
    *results: Any,
    tool: str = "scan",
    version: str = "1.0",
    seen: Mapping[str, bytes] | None = None,
    commit: str = "",
) -> dict[str, Any]:
    """A run of a tool that has seen these bytes, or the files of a commit."""
    artifacts = [
        {"location": {"uri": path}, "hashes": {"sha-256": hashlib.sha256(data).hexdigest()}}
        for path, data in (seen or {}).items()
    ]
    provenance = [{"repositoryUri": "https://example.org/skills", "revisionId": commit}]
    return {
        "tool": {"driver": {"name": tool, "version": version}},
        "results": list(results),
        **({"artifacts": artifacts} if artifacts else {}),
        **({"versionControlProvenance": provenance} if commit else {}),
    }


def log(*runs: Any) -> bytes:
    return json.dumps({"version": "2.1.0", "runs": list(runs)}).encode()

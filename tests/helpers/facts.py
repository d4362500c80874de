"""Entries, resources and changes with a few fields of their own; all others are plain."""

from collections.abc import Sequence
from typing import Any

from skillbuild.diagnostics import Finding
from skillbuild.model import Deprecation, Digest, Entry, Resource, Unlisted
from skillbuild.release.compare import (
    DeprecationChange,
    FileChange,
    SkillChange,
    UnlistedChange,
)
from skillbuild.report import json_reports
from skillbuild.report.run import Report

NOTHING = Digest.of(b"")


def resource(
    skill: str, path: str, digest: Digest = NOTHING, size: int = 0, **more: Any
) -> Resource:
    """A file of the skill at a path; `more` may hold `media_type` and `executable`."""
    kind, executable = more.get("media_type", "text/plain"), more.get("executable", False)
    return Resource(f"skill://{skill}/{path}", path, digest, size, kind, executable)


def entry(path: str = "a", **fields: Any) -> Entry:
    """A skill of one file, unless the fields say otherwise."""
    plain: dict[str, Any] = {
        "flat_name": "x",
        "directory": path,
        "copies": (),
        "frontmatter": {},
        "uri": f"skill://{path}/SKILL.md",
        "resources": (resource(path, "SKILL.md", media_type="text/markdown"),),
        "archives": (),
        "icons": (),
        "skill_digest": NOTHING,
        "tar_digest": None,
        "warnings": (),
        "notes": (),
        "unlisted": {},
    }
    return Entry(path=path, **plain | fields)


def skill_change(
    kind: Any,
    path: str,
    old_path: str | None,
    old_digest: Digest | None,
    new_digest: Digest | None,
    *,
    files: tuple[FileChange, ...] = (),
    signals: tuple[str, ...] = (),
    tokens: int = 0,
    old_unlisted: Unlisted | None = None,
    new_unlisted: Unlisted | None = None,
    old_deprecated: Deprecation | None = None,
    new_deprecated: Deprecation | None = None,
    reason: str = "",
) -> SkillChange:
    """A change of a skill that is listed everywhere, unless the arguments say otherwise."""
    return SkillChange(
        kind=kind,
        path=path,
        old_path=old_path,
        old_digest=old_digest,
        new_digest=new_digest,
        files=files,
        signals=signals,
        tokens=tokens,
        unlisted=UnlistedChange(old_unlisted or {}, new_unlisted or {}),
        deprecated=DeprecationChange(old_deprecated, new_deprecated),
        reason=reason,
    )


def report(findings: Sequence[Finding] = (), **more: Any) -> Report:
    """A report with these findings, about a source without skills."""
    nothing: dict[str, Any] = {"skills": 0, "files": 0, "invalid": (), "ignored": {}}
    return Report(tuple(findings), **nothing | more)


def findings_json(findings: Sequence[Finding], prefix: str = "", **more: Any) -> str:
    """The JSON of such a report."""
    return json_reports.findings_json(report(findings, **more), findings, prefix)

"""What `[[ignore]]` silences: findings that the people of a repository accept, with a reason."""

from __future__ import annotations

from collections.abc import Iterable

from skillbuild.config import Config, Ignore
from skillbuild.diagnostics import Finding
from skillbuild.rules.files import SECRET
from skillbuild.source.globs import matcher


def silenced_by(item: Finding, config: Config) -> Ignore | None:
    """The first entry of `[[ignore]]` that silences a finding.

    Severities are those that rules give: no error is silenced but a secret of known fingerprint.
    """
    if item.is_error and item.rule is not SECRET:
        return None
    return next((entry for entry in config.ignore if covers(entry, item)), None)


def covers(entry: Ignore, item: Finding) -> bool:
    """Whether a finding is of the rule, the paths and the fingerprint of an entry.

    One that tells of several files is covered if all of them are.
    """
    return (
        entry.rule == item.rule.code
        and (not entry.fingerprint or entry.fingerprint == item.fingerprint)
        and (not entry.paths or all(map(matcher(entry.paths), (item.path, *item.others))))
    )


def without_silenced(
    findings: Iterable[Finding], config: Config
) -> tuple[list[Finding], list[Finding]]:
    """The findings that are left, and those that are silenced, both in their order."""
    left: list[Finding] = []
    silenced: list[Finding] = []
    for item in findings:
        (left if silenced_by(item, config) is None else silenced).append(item)
    return left, silenced

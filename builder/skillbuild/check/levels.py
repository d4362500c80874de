"""Decides which findings are reported, and how severe they are.

The decision depends on the settings, on `--strict`, and on the formats that the build writes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from skillbuild.config import Config, Ignore
from skillbuild.diagnostics import Finding, Rule, Severity
from skillbuild.rules.files import SECRET
from skillbuild.rules.registry import RULES
from skillbuild.source.globs import matcher


def apply_levels(
    findings: Iterable[Finding], config: Config, *, strict: bool = False
) -> list[Finding]:
    """Return the findings that a build with these settings reports, with their final severities.

    Findings about formats that the build does not write are dropped. `[rules]` can turn off
    warnings and notes, or make them more severe. With `strict`, every warning becomes an error.
    Errors always remain errors.
    """
    return [
        replace(item, severity=_severity(item, config.rules.get(item.code), strict=strict))
        for item in findings
        if counts(item, config)
    ]


def counts(item: Finding, config: Config) -> bool:
    """Return whether a finding is reported.

    A warning or note is dropped if its rule is turned off. Any finding is dropped if its rule
    concerns only formats that the build does not write.
    """
    is_on = item.is_error or config.rules.get(item.code) != "off"
    return is_on and _is_written(RULES[item.code], config)


def _is_written(rule: Rule, config: Config) -> bool:
    """Return whether the build writes a format that the rule concerns."""
    return not rule.formats or not {*rule.formats}.isdisjoint(config.formats)


def _severity(item: Finding, level: str | None, *, strict: bool) -> Severity:
    severity = Severity(level) if level in ("warning", "error") else item.severity
    if item.is_error or (strict and severity is Severity.WARNING):
        return Severity.ERROR
    return severity


# `[[ignore]]`: findings that the maintainers of a repository accept, with a reason.


def silenced_by(item: Finding, config: Config) -> Ignore | None:
    """Return the first `[[ignore]]` entry that silences a finding; None if there is none.

    Errors cannot be silenced, except for a secret with a matching fingerprint. A warning can be
    silenced even if `[rules]` or `--strict` would turn it into an error.
    """
    if item.is_error and item.code != SECRET.code:
        return None
    return next((entry for entry in config.ignore if covers(entry, item)), None)


def covers(entry: Ignore, item: Finding) -> bool:
    """Return whether the rule, paths and fingerprint of an `[[ignore]]` entry match a finding."""
    return (
        entry.rule == item.code
        and (not entry.fingerprint or entry.fingerprint == item.fingerprint)
        and (not entry.paths or matcher(entry.paths)(item.path))
    )


def without_silenced(
    findings: Iterable[Finding], config: Config
) -> tuple[list[Finding], list[Finding]]:
    """Return two lists: the findings that `[[ignore]]` does not silence, and the silenced
    findings.
    """
    left: list[Finding] = []
    silenced: list[Finding] = []
    for item in findings:
        (left if silenced_by(item, config) is None else silenced).append(item)
    return left, silenced

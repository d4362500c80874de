"""Decides which findings count and how severe they are, from settings, `--strict` and formats."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from skillbuild.config import Config, Ignore
from skillbuild.diagnostics import Finding, Rule, Severity
from skillbuild.rules.files import SECRET
from skillbuild.source.globs import matcher


def apply_levels(
    findings: Iterable[Finding], config: Config, *, strict: bool = False
) -> list[Finding]:
    """Return the findings that count in a build with these settings, with their final severities.

    Findings about formats that are not written are dropped. `[rules]` turns warnings and notes off
    or raises them; with `strict` every warning is an error. Errors stay errors.
    """
    return [
        replace(item, severity=_severity(item, config.rules.get(item.rule.code), strict=strict))
        for item in findings
        if counts(item, config)
    ]


def counts(item: Finding, config: Config) -> bool:
    """Return whether a finding counts: it is not turned off, and its formats are written."""
    is_on = item.is_error or config.rules.get(item.rule.code) != "off"
    return is_on and _is_written(item.rule, config)


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
    """Return the first entry of `[[ignore]]` that silences a finding.

    The severity before `[rules]` and `--strict` counts. No error can be silenced, except a secret
    by its fingerprint.
    """
    if item.is_error and item.rule is not SECRET:
        return None
    return next((entry for entry in config.ignore if covers(entry, item)), None)


def covers(entry: Ignore, item: Finding) -> bool:
    """Return whether rule, paths and fingerprint of an entry match a finding."""
    return (
        entry.rule == item.rule.code
        and (not entry.fingerprint or entry.fingerprint == item.fingerprint)
        and (not entry.paths or matcher(entry.paths)(item.path))
    )


def without_silenced(
    findings: Iterable[Finding], config: Config
) -> tuple[list[Finding], list[Finding]]:
    """Return the findings that remain, and the silenced findings, both in order."""
    left: list[Finding] = []
    silenced: list[Finding] = []
    for item in findings:
        (left if silenced_by(item, config) is None else silenced).append(item)
    return left, silenced

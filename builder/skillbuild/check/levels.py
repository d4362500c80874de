"""Which findings count, and how much: the formats that are written, `[rules]` and `--strict`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from skillbuild.config import Config
from skillbuild.diagnostics import Finding, Rule, Severity


def apply_levels(
    findings: Iterable[Finding], config: Config, *, strict: bool = False
) -> list[Finding]:
    """The findings that matter for a build with these settings, with the severity they have there.

    Findings about formats that are not written are dropped. `[rules]` turns warnings and notes
    off, or raises them; with `strict` every warning is an error. Errors stay errors.
    """
    return [
        replace(item, severity=_severity(item, config.rules.get(item.rule.code), strict=strict))
        for item in findings
        if counts(item, config)
    ]


def counts(item: Finding, config: Config) -> bool:
    """Whether a finding matters: not if it is turned off, or about a format that is not written."""
    is_on = item.is_error or config.rules.get(item.rule.code) != "off"
    return is_on and _is_written(item.rule, config)


def _is_written(rule: Rule, config: Config) -> bool:
    """Whether the build writes a format that the rule is about."""
    return not rule.formats or not {*rule.formats}.isdisjoint(config.formats)


def _severity(item: Finding, level: str | None, *, strict: bool) -> Severity:
    severity = Severity(level) if level in ("warning", "error") else item.severity
    if item.is_error or (strict and severity is Severity.WARNING):
        return Severity.ERROR
    return severity

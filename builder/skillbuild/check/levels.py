"""What the settings make of findings: silenced, raised to errors, or left as they are."""

from __future__ import annotations

from collections.abc import Iterable

from skillbuild import diagnostics
from skillbuild.config import Config
from skillbuild.diagnostics import Finding


def apply_levels(findings: Iterable[Finding], config: Config, *, strict: bool) -> list[Finding]:
    return diagnostics.apply_levels(findings, config.rules, strict=strict)

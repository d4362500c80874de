"""All rules of the project: code, severity, summary, and an explanation with how to fix a finding.

The codes are a public interface: `[rules]`, `explain`, SARIF and users' `[[ignore]]` entries refer
to them.
"""

from __future__ import annotations

from skillbuild.diagnostics import Rule
from skillbuild.rules import fields, files, frontmatter, plugins, source, trust

RULES: dict[str, Rule] = {
    rule.code: rule
    for group in (source, frontmatter, fields, files, plugins, trust)
    for rule in vars(group).values()
    if isinstance(rule, Rule)
}

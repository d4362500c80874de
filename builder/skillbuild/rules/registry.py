"""All rules of the project: code, severity, summary, explanation and remedy.

The codes are a public interface: `[rules]`, `explain`, SARIF and the suppressions of users name
them.
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

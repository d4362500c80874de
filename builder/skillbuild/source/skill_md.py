"""Parses a SKILL.md into frontmatter, body and findings (Agent Skills specification)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from skillbuild.diagnostics import Finding, Rule, finding
from skillbuild.model import Frontmatter, Place
from skillbuild.rules import frontmatter as rules
from skillbuild.text.faults import FaultKind, TextFault, TextFaultError
from skillbuild.text.frontmatter import FRONTMATTER_LINE, decode_utf8, split_frontmatter
from skillbuild.text.yaml.reader import parse_yaml

RULES: Mapping[FaultKind, Rule] = {
    FaultKind.NOT_UTF8: rules.NOT_UTF8,
    FaultKind.NUL_BYTE: rules.NUL_BYTE,
    FaultKind.BYTE_ORDER_MARK: rules.BYTE_ORDER_MARK,
    FaultKind.FENCE_MISSING: rules.FRONTMATTER_MISSING,
    FaultKind.FENCE_UNCLOSED: rules.FRONTMATTER_UNCLOSED,
    FaultKind.FENCE_INEXACT: rules.FRONTMATTER_FENCE,
    FaultKind.SYNTAX: rules.YAML_INVALID,
    FaultKind.UNQUOTED_COLON: rules.YAML_UNQUOTED_COLON,
    FaultKind.BEYOND_DATA: rules.YAML_FEATURE,
    FaultKind.DUPLICATE_KEY: rules.YAML_DUPLICATE_KEY,
    FaultKind.KEY_NOT_TEXT: rules.YAML_KEY_TYPE,
    FaultKind.NOT_FINITE: rules.YAML_NUMBER,
    FaultKind.LINE_BREAK: rules.YAML_LINE_BREAK,
    FaultKind.TOO_LARGE: rules.YAML_TOO_LARGE,
    FaultKind.AMBIGUOUS: rules.YAML_AMBIGUOUS,
    FaultKind.ROUNDED_FLOAT: rules.YAML_FLOAT,
    FaultKind.LARGE_INTEGER: rules.YAML_INTEGER,
    FaultKind.CUT_BY_COMMENT: rules.YAML_COMMENT,
    FaultKind.STYLE: rules.YAML_STYLE,
}
"""The rule for each kind of fault in the text."""


@dataclass(frozen=True, slots=True)
class SkillMd:
    """A parsed SKILL.md. If `frontmatter` is None, the frontmatter could not be read, and
    `findings` says why.

    `body_line` is the line number of the first line of the body.
    """

    frontmatter: Frontmatter | None
    body: str
    body_line: int
    findings: tuple[Finding, ...]


def read_skill_md(data: bytes, path: str) -> SkillMd:
    """Parse the bytes of a SKILL.md; findings refer to it as `path`.

    If the frontmatter cannot be read, there is exactly one finding, an error, and the body is
    empty.
    """
    try:
        parts = split_frontmatter(decode_utf8(data))
        document = parse_yaml(parts.frontmatter, FRONTMATTER_LINE)
    except TextFaultError as error:
        return _unreadable(_finding_for(error.fault, path))
    if not isinstance(document.value, dict):
        return _unreadable(_not_a_mapping(path))
    frontmatter = Frontmatter(document.value, document.places)
    remarks = (*parts.remarks, *document.remarks)
    findings = tuple(_finding_for(remark, path) for remark in remarks)
    return SkillMd(frontmatter, parts.body, parts.body_line, findings)


def _finding_for(fault: TextFault, path: str) -> Finding:
    return finding(RULES[fault.kind], path, fault.place, fault.message, fault.hint)


def _not_a_mapping(path: str) -> Finding:
    place = Place(FRONTMATTER_LINE, 1)
    message = "the frontmatter is not a mapping of keys to values"
    hint = "write `name:` and `description:` lines between the --- lines"
    return finding(rules.FRONTMATTER_NOT_MAPPING, path, place, message, hint)


def _unreadable(fault: Finding) -> SkillMd:
    return SkillMd(None, "", 1, (fault,))

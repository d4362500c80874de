"""Which findings count, and how much: `[rules]`, `--strict` and the formats that are written."""

from collections.abc import Mapping
from itertools import combinations

import pytest

from helpers.support import check, skill_md
from skillbuild.check.levels import apply_levels
from skillbuild.config import FORMATS, Config, Format, Level
from skillbuild.diagnostics import Finding, finding, has_errors
from skillbuild.rules.registry import RULES
from skillbuild.text.markdown.document import Document

ERROR = finding(RULES["name-missing"], "a", None, "m")
WARNING = finding(RULES["body-long"], "a", None, "m")
NOTE = finding(RULES["field-unknown"], "a", None, "m")


def levels(*findings: Finding, strict: bool = False, **rules: Level) -> list[str]:
    config = Config(rules={code.replace("_", "-"): level for code, level in rules.items()})
    levelled = apply_levels(findings, config, strict=strict)
    return [f"{item.severity} {item.code}" for item in levelled]


def test_levels_silence_and_raise_warnings() -> None:
    both = ["error name-missing", "warning body-long"]
    raised = ["error name-missing", "error body-long"]
    assert levels(ERROR, WARNING) == both
    assert levels(ERROR, WARNING, body_long="warning") == both
    assert levels(ERROR, WARNING, body_long="error") == raised
    assert levels(ERROR, WARNING, body_long="off") == ["error name-missing"]
    assert levels(ERROR, WARNING, strict=True) == raised
    assert levels(ERROR, WARNING, strict=True, body_long="warning") == raised
    assert levels(ERROR, WARNING, strict=True, body_long="off") == ["error name-missing"]


def test_notes_are_raised_by_name_alone() -> None:
    assert levels(NOTE) == levels(NOTE, strict=True) == ["note field-unknown"]
    assert levels(NOTE, field_unknown="warning") == ["warning field-unknown"]
    assert levels(NOTE, field_unknown="warning", strict=True) == ["error field-unknown"]
    assert levels(NOTE, field_unknown="error") == ["error field-unknown"]
    assert levels(NOTE, field_unknown="off") == []


def test_a_refused_skill_has_no_notes() -> None:
    files = {"b/SKILL.md": skill_md("b", "tags: x"), "c/SKILL.md": skill_md("1", "tags: x")}
    assert [(item.path, item.code) for item in check(files).findings] == [
        ("b/SKILL.md", "field-unknown"),
        ("c/SKILL.md", "name-type"),
    ]


def test_no_level_lowers_an_error() -> None:
    assert levels(ERROR, name_missing="off") == ["error name-missing"]
    assert levels(ERROR, name_missing="warning") == ["error name-missing"]


def test_raised_warnings_refuse_a_skill_and_silenced_ones_do_not() -> None:
    files = {"b/SKILL.md": skill_md("b", "allowed-tools: 1")}
    plain = check(files)
    strict = check(files, strict=True)
    silent = check(files, Config(rules={"allowed-tools-type": "off"}), strict=True)
    raised = check(files, Config(rules={"allowed-tools-type": "error"}))
    assert [report.invalid for report in (plain, strict, silent, raised)] == [
        (),
        ("b",),
        (),
        ("b",),
    ]
    assert [len(report.findings) for report in (plain, strict, silent, raised)] == [1, 1, 0, 1]
    assert not has_errors(plain.findings)
    assert has_errors(raised.findings)


# Rules about formats. Each skill meets one of them.

SKILLS = {
    "tar/SKILL.md": skill_md("tar"),
    "tar/é.md": b"",
    "web/SKILL.md": skill_md("web"),
    "web/a.svg": b"<svg/>",
    "one/same/SKILL.md": skill_md("same"),
    "two/same/SKILL.md": skill_md("same"),
    "long/SKILL.md": skill_md("long", body="Read `more.md`.\n"),
    "long/more.md": b"x" * 262_145,
}
MET_IN = {
    ("tar/é.md", "tar-omitted"): {"tar.gz"},
    ("tar/é.md", "discovery-omitted"): {"discovery"},
    ("web/a.svg", "discovery-omitted"): {"discovery"},
    ("two/same/SKILL.md", "discovery-omitted"): {"discovery"},
    ("long/more.md", "text-plain"): {"pages"},
}
"""The formats for which a finding matters: one of them is enough."""

CHOICES = [formats for count in range(len(FORMATS) + 1) for formats in combinations(FORMATS, count)]


def met(files: Mapping[str, bytes], config: Config) -> set[tuple[str, str]]:
    return {(item.path, item.code) for item in check(files, config).findings}


@pytest.mark.parametrize("formats", CHOICES, ids=",".join)
def test_findings_about_a_format_are_given_only_where_it_is_written(
    formats: tuple[Format, ...],
) -> None:
    wanted = {key for key, some in MET_IN.items() if not some.isdisjoint(formats)}
    assert met(SKILLS, Config(formats=formats)) == wanted


def test_three_rules_are_about_formats() -> None:
    assert {code: rule.formats for code, rule in RULES.items() if rule.formats} == {
        "tar-omitted": ("tar.gz",),
        "discovery-omitted": ("discovery",),
        "text-plain": ("pages",),
    }


@pytest.mark.parametrize(
    ("code", "formats"),
    [
        ("tar-omitted", ("zip",)),
        ("discovery-omitted", ("marketplace", "zip")),
        ("text-plain", ("zip",)),
    ],
)
def test_a_rule_about_a_format_that_is_not_written_refuses_nothing(
    code: str, formats: tuple[Format, ...]
) -> None:
    raised: dict[str, Level] = {code: "error"}
    assert check(SKILLS, Config(formats=formats, rules=raised)).invalid == ()
    assert check(SKILLS, Config(formats=FORMATS, rules=raised)).invalid != ()


def test_a_refused_skill_has_no_finding_about_a_name_that_it_shares() -> None:
    files = {"a/-/same/SKILL.md": skill_md("same"), "b/same/SKILL.md": skill_md("same")}
    assert met(files, Config()) == {("a/-/same/SKILL.md", "skill-path-segment")}


def test_without_pages_no_text_is_measured_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Document, "is_plain", None)
    monkeypatch.setattr(Document, "tokens", None)
    assert met(SKILLS, Config(formats=("zip",))) == set()

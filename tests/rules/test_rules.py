"""The rules are a public interface: codes, severities and unlisting are frozen in a list."""

import importlib
import pkgutil
import re

import pytest

from helpers import CASES
from skillbuild import rules
from skillbuild.diagnostics import Rule, Severity, escape, finding, in_order
from skillbuild.model import Place
from skillbuild.report.findings import explain_rule
from skillbuild.rules.registry import RULES

FROZEN = CASES / "rules.txt"
SPOILED = "the whole MCP list if one skill has this problem"
FIXED = RULES["name-missing"]
LOOSE = RULES["name-mismatch"]
REMEDY = re.compile(
    r"[.,] (add|change|choose|clone|copy|correct|exclude|give|keep|make|map|fix|move|pass|point|put"
    r"|quote|remove|rename|replace|revoke|run|save|say|set|shorten|sign|split|take|use|write) ",
    re.IGNORECASE,
)


def test_codes_severities_and_unlisting_are_frozen(*, update: bool) -> None:
    lines = [
        f"{rule.code} {rule.severity}{_unlisting(rule)}\n"
        for rule in sorted(RULES.values(), key=lambda rule: rule.code)
    ]
    if update:
        FROZEN.write_text("".join(lines), "utf-8")
    assert FROZEN.read_text("utf-8").splitlines(keepends=True) == lines


def _unlisting(rule: Rule) -> str:
    """` not in mcp index`, with `to protect others` where that is why."""
    listings = f" not in {' '.join(rule.unlists)}" if rule.unlists else ""
    return f"{listings} to protect others" if rule.protects else listings


def test_a_message_about_a_skill_that_spoils_a_listing_says_so() -> None:
    wants = "".join(path.read_text("utf-8") for path in (CASES / "check").glob("*.txt"))
    for rule in RULES.values():
        messages = re.findall(rf"warning\[{rule.code}\]: (.*)", wants)
        assert not rule.protects or messages, rule.code
        for message in messages if rule.protects else ():
            assert SPOILED in message


def test_every_rule_is_registered_under_a_code_of_its_own() -> None:
    """A second rule with the same code, or a module that the registry lacks, would lose one."""
    modules = [
        importlib.import_module(f"skillbuild.rules.{info.name}")
        for info in pkgutil.iter_modules(rules.__path__)
    ]
    defined = [each for module in modules for each in vars(module).values() if type(each) is Rule]
    assert len(defined) == len(RULES)
    assert {*map(id, defined)} == {*map(id, RULES.values())}


@pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))
def test_a_rule_has_a_name_a_reason_and_a_remedy(rule: Rule) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", rule.code)
    assert re.fullmatch(r"[^\s].{10,80}[^.\s]", rule.summary)
    assert rule.explanation.endswith(".")
    assert "  " not in rule.explanation
    assert "\n" not in rule.explanation
    assert REMEDY.search(rule.explanation), "no sentence says what to do (REMEDY)"
    assert not (rule.unlists and rule.severity is Severity.ERROR)
    assert rule.code in explain_rule(rule.code)


def test_a_finding_has_the_severity_of_its_rule() -> None:
    assert [finding(rule, "a", None, "m").severity for rule in RULES.values()] == [
        rule.severity for rule in RULES.values()
    ]


def test_findings_are_sorted_by_place_without_duplicates() -> None:
    findings = [
        finding(LOOSE, "b", Place(1, 1), "m"),
        finding(LOOSE, "a", Place(2, 1), "m"),
        finding(LOOSE, "a", Place(1, 9), "m"),
        finding(FIXED, "a", Place(1, 9), "m"),
        finding(LOOSE, "a", Place(1, 10), "m"),
        finding(LOOSE, "a", Place(1, 9), "l"),
        finding(LOOSE, "a", None, "m"),
        finding(LOOSE, "b", Place(1, 1), "m"),
    ]
    assert [(item.path, item.place, item.code, item.message) for item in in_order(findings)] == [
        ("a", None, "name-mismatch", "m"),
        ("a", Place(1, 9), "name-mismatch", "l"),
        ("a", Place(1, 9), "name-mismatch", "m"),
        ("a", Place(1, 9), "name-missing", "m"),
        ("a", Place(1, 10), "name-mismatch", "m"),
        ("a", Place(2, 1), "name-mismatch", "m"),
        ("b", Place(1, 1), "name-mismatch", "m"),
    ]


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("plain ~text!", "plain ~text!"),
        ("a\nb\tc\rd", r"a\nb\tc\rd"),
        ("\x1b[31m\x00\x7f", r"\x1b[31m\x00\x7f"),
        ("é\u202e", r"\xe9\u202e"),
        ("::error::x", r":\x3aerror:\x3ax"),
        (":::", r":\x3a:"),
        ("##[error]x", r"##\x5berror]x"),
        ("###[x", r"###\x5bx"),
        ("\udcff", r"\udcff"),
        ("x" * 2000, "x" * 2000),
        ("x" * 10_000, "x" * 2000 + "... (8000 more characters)"),
    ],
)
def test_untrusted_text_is_escaped_and_cut(text: str, safe: str) -> None:
    assert escape(text) == safe

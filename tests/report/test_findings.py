"""One list of findings in four formats, none of which an untrusted name can break out of."""

import json
import re
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import facts
from skillbuild import __version__
from skillbuild.diagnostics import Finding, FoundAt, finding
from skillbuild.model import Listing, Place, label
from skillbuild.report.findings import (
    MOST_IN_TEXT,
    explain_rule,
    github_lines,
    grouped_lines,
    text_lines,
)
from skillbuild.report.json_reports import findings_from_json
from skillbuild.report.sarif import MOST_IN_SARIF, findings_sarif
from skillbuild.rules.registry import RULES

PLAIN = finding(
    RULES["name-shared"], "skills/a/SKILL.md", Place(2, 7), "name b is not a", "rename it"
)
BARE = finding(RULES["file-name"], "skills/a/x?", None, "the character ?")
HOSTILE = finding(
    RULES["link-broken"],
    "a,b::%/\udcff\n::error::x",
    Place(1, 2),
    "##[error]x\n::stop-commands::y %0A",
    "\x1b[31m\u202e",
)
HOSTILE_PATH = r"sub/a,b:\x3a%/\udcff\n:\x3aerror:\x3ax"
FINDINGS = [PLAIN, BARE, HOSTILE]


def test_text_is_one_line_a_finding_and_an_indented_hint() -> None:
    assert list(text_lines(FINDINGS, "sub/", color=False)) == [
        "sub/skills/a/SKILL.md:2:7: warning[name-shared]: name b is not a",
        "    hint: rename it",
        "sub/skills/a/x?: error[file-name]: the character ?",
        rf"{HOSTILE_PATH}:1:2: warning[link-broken]: ##\x5berror]x\n:\x3astop-commands:\x3ay %0A",
        r"    hint: \x1b[31m\u202e",
    ]


def test_only_text_of_the_program_itself_is_colored() -> None:
    assert list(text_lines([PLAIN, BARE], "", color=True)) == [
        (
            "\x1b[1mskills/a/SKILL.md:2:7\x1b[0m: \x1b[33mwarning[name-shared]\x1b[0m: "
            "name b is not a"
        ),
        "    \x1b[2mhint: rename it\x1b[0m",
        "\x1b[1mskills/a/x?\x1b[0m: \x1b[31merror[file-name]\x1b[0m: the character ?",
    ]


def place(path: str, line: int | None = None, column: int | None = None) -> dict[str, Any]:
    return {"path": path, "line": line, "column": column, "target": ""}


def test_json_has_the_summary_and_every_field() -> None:
    assert json.loads(facts.findings_json(FINDINGS, "sub/", skills=3)) == {
        "skills": 3,
        "files": 0,
        "errors": 1,
        "warnings": 2,
        "notes": 0,
        "unlisted": {},
        "internal": [],
        "copies": {},
        "invalid": [],
        "ignored": {},
        "excluded": [],
        "silenced": 0,
        "releaseDigest": None,
        "diagnostics": [
            {
                "code": "name-shared",
                "severity": "warning",
                "path": "sub/skills/a/SKILL.md",
                "line": 2,
                "column": 7,
                "message": "name b is not a",
                "hint": "rename it",
                "cause": "",
                "places": [place("sub/skills/a/SKILL.md", 2, 7)],
                "copies": [],
            },
            {
                "code": "file-name",
                "severity": "error",
                "path": "sub/skills/a/x?",
                "line": None,
                "column": None,
                "message": "the character ?",
                "hint": "",
                "cause": "",
                "places": [place("sub/skills/a/x?")],
                "copies": [],
            },
            {
                "code": "link-broken",
                "severity": "warning",
                "path": "sub/a,b::%/\\xff\n::error::x",
                "line": 1,
                "column": 2,
                "message": "##[error]x\n::stop-commands::y %0A",
                "hint": "\x1b[31m\u202e",
                "cause": "",
                "places": [place("sub/a,b::%/\\xff\n::error::x", 1, 2)],
                "copies": [],
            },
        ],
    }


def test_json_and_sarif_are_ascii_so_that_no_log_is_controlled_by_them() -> None:
    for text in (facts.findings_json(FINDINGS), findings_sarif(FINDINGS, "")):
        assert text.isascii()
        assert "\x1b" not in text
        assert "##[" not in text
        assert not any(line.lstrip().startswith("::") for line in text.splitlines())


def test_github_has_one_workflow_command_a_finding_errors_first() -> None:
    assert list(github_lines(FINDINGS, "sub/")) == [
        "::error file=sub/skills/a/x?,title=file-name::the character ?",
        (
            "::warning file=sub/skills/a/SKILL.md,title=name-shared,line=2,col=7::"
            "name b is not a (rename it)"
        ),
        (
            r"::warning file=sub/a%2Cb%3A\x3a%25/\udcff\n%3A\x3aerror%3A\x3ax,title=link-broken,"
            r"line=1,col=2::##\x5berror]x\n:\x3astop-commands:\x3ay %250A (\x1b[31m\u202e)"
        ),
    ]


def test_beyond_what_github_shows_findings_are_text_and_counted() -> None:
    long = [
        finding(RULES["body-long"], f"{name}/SKILL.md", Place(line, 1), "long")
        for name in ("a", "b")
        for line in range(1, 10)
    ]
    unlists = finding(RULES["description-too-long"], "z/SKILL.md", None, "too long")
    lines = list(github_lines([*long, unlists], ""))
    assert [line.partition(" ")[0] for line in lines[:10]] == ["::warning"] * 10
    assert lines[:3] == [
        "::warning file=z/SKILL.md,title=description-too-long::too long",
        "::warning file=a/SKILL.md,title=body-long,line=1,col=1::long",
        "::warning file=b/SKILL.md,title=body-long,line=1,col=1::long",
    ]
    assert lines[10] == "b/SKILL.md:5:1: warning[body-long]: long"
    assert len(lines) == 10 + 9 + 1
    assert lines[-1] == "::notice title=skillbuild::9 more warnings are in the log"


def linked(*places: tuple[str, int]) -> Finding:
    """A finding about links with one cause, at these paths and lines."""
    first, *others = (FoundAt(path, Place(line, 5), f"docs/{line}.md") for path, line in places)
    item = finding(RULES["link-broken"], first.path, first.place, "gone; more", "add the files")
    return replace(item, target=first.target, cause="docs/", others=tuple(others))


def test_text_names_three_places_of_a_finding_and_verbose_text_all() -> None:
    two, many = linked(("a.md", 1), ("b.md", 2)), linked(*((f"{n}.md", n) for n in range(1, 6)))
    assert list(text_lines([two, many], "sub/", color=False)) == [
        "sub/a.md:1:5: warning[link-broken]: gone; more",
        "    hint: add the files",
        "    also at sub/b.md:2:5",
        "sub/1.md:1:5: warning[link-broken]: gone; more",
        "    hint: add the files",
        "    also at sub/2.md:2:5, sub/3.md:3:5 and 2 more places (-v lists all)",
    ]
    assert list(text_lines([two], "", color=False, every_place=True)) == [
        "a.md:1:5: warning[link-broken]: gone; more",
        "    hint: add the files",
        "    also at b.md:2:5 (docs/2.md)",
    ]


def test_whole_files_are_listed_beside_the_message_only_where_every_place_is_wanted() -> None:
    item = replace(BARE, others=(FoundAt("skills/a/y?"),))
    assert len(list(text_lines([item], "", color=False))) == 1
    verbose = list(text_lines([item], "", color=False, every_place=True))
    assert verbose[1:] == ["    also at skills/a/y?"]


def test_one_finding_with_several_places_is_one_everywhere() -> None:
    item = linked(("a.md", 1), ("b.md", 2), ("b.md", 3))
    assert list(github_lines([item], "")) == [
        "::warning file=a.md,title=link-broken,line=1,col=5::gone; more (add the files)"
    ]
    told = json.loads(facts.findings_json([item], "sub/"))
    [diagnostic] = told["diagnostics"]
    assert (told["warnings"], diagnostic["cause"]) == (1, "docs/")
    assert diagnostic["places"] == [
        {"path": f"sub/{path}", "line": line, "column": 5, "target": f"docs/{line}.md"}
        for path, line in (("a.md", 1), ("b.md", 2), ("b.md", 3))
    ]
    assert findings_from_json(facts.findings_json([item])).findings == (item,)
    [result] = json.loads(findings_sarif([item], "sub/"))["runs"][0]["results"]
    [first], others = result["locations"], result["relatedLocations"]
    assert [
        (each["physicalLocation"]["artifactLocation"]["uri"], each["physicalLocation"]["region"])
        for each in (first, *others)
    ] == [
        (f"sub/{path}", {"startLine": line, "startColumn": 5})
        for path, line in (("a.md", 1), ("b.md", 2), ("b.md", 3))
    ]


def test_copies_are_counted_in_text_and_named_where_all_is_wanted() -> None:
    item = replace(PLAIN, hint="", copies=("x/SKILL.md", "y/SKILL.md"))
    [line] = text_lines([item], "sub/", color=False)
    assert line.endswith("warning[name-shared]: name b is not a (and 2 copies)")
    verbose = list(text_lines([item], "sub/", color=False, every_place=True))
    assert verbose == [line, "    copy: sub/x/SKILL.md", "    copy: sub/y/SKILL.md"]
    [annotation] = github_lines([item], "sub/")
    assert annotation.endswith("::name b is not a (and 2 copies)")
    [diagnostic] = json.loads(facts.findings_json([item], "sub/"))["diagnostics"]
    assert diagnostic["copies"] == ["sub/x/SKILL.md", "sub/y/SKILL.md"]
    [result] = json.loads(findings_sarif([item], ""))["runs"][0]["results"]
    related = [each["physicalLocation"] for each in result["relatedLocations"]]
    assert [each["artifactLocation"]["uri"] for each in related] == ["x/SKILL.md", "y/SKILL.md"]


def many(code: str, count: int) -> list[Finding]:
    return [finding(RULES[code], f"{n:05}/SKILL.md", Place(1, 1), f"no {n}") for n in range(count)]


def test_a_short_list_is_printed_whole() -> None:
    findings = many("body-long", MOST_IN_TEXT)
    grouped = list(grouped_lines(findings, "sub/", color=False))
    assert grouped == list(text_lines(findings, "sub/", color=False))


def test_of_a_long_list_each_rule_has_its_first_findings_and_their_number() -> None:
    warnings = [*many("body-long", 20), *many("name-shared", MOST_IN_TEXT)]
    findings = [*warnings, *many("file-name", 2), *many("yaml-invalid", 12)]
    lines = list(grouped_lines(findings, "sub/", color=False))
    assert [line for line in lines if not line.startswith("  sub/")] == [
        f"error[yaml-invalid]: 12 in 12 files: {RULES['yaml-invalid'].summary}",
        "  ... and 2 more",
        f"error[file-name]: 2 in 2 files: {RULES['file-name'].summary}",
        f"warning[name-shared]: 1,000 in 1,000 files: {RULES['name-shared'].summary}",
        "  ... and 990 more",
        f"warning[body-long]: 20 in 20 files: {RULES['body-long'].summary}",
        "  ... and 10 more",
        "1,034 findings by rule; to list each of them, pass --verbose or --report json=FILE",
    ]
    assert lines[1] == "  sub/00000/SKILL.md:1:1: error[yaml-invalid]: no 0"
    assert len(lines) == 8 + 10 + 2 + 10 + 10
    assert "".join(grouped_lines(findings, "", color=True)).count("\x1b[1merror") == 2


def test_of_many_findings_of_a_rule_the_first_are_of_different_files() -> None:
    crowded = [finding(RULES["link-broken"], "a.md", Place(n, 1), "gone") for n in range(1, 1001)]
    lines = grouped_lines([*crowded, *many("link-broken", 9)], "", color=False)
    assert [line.partition(":")[0].strip() for line in lines][1:11] == [
        "a.md",
        *(f"{n:05}/SKILL.md" for n in range(9)),
    ]


def test_sarif_stays_within_what_is_accepted_and_says_what_it_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert MOST_IN_SARIF == 25_000
    monkeypatch.setattr("skillbuild.report.sarif.MOST_IN_SARIF", 1000)
    findings = [*many("body-long", 1000), *many("yaml-invalid", 3)]
    (run,) = json.loads(findings_sarif(findings, ""))["runs"]
    assert len(run["results"]) == 1000
    assert [item["ruleId"] for item in run["results"][-3:]] == ["yaml-invalid"] * 3
    (invocation,) = run["invocations"]
    (notice,) = invocation["toolExecutionNotifications"]
    assert notice["message"]["text"].startswith("1,000 of 1,003 findings")
    assert len(json.loads(facts.findings_json(findings))["diagnostics"]) == len(findings)


def test_sarif_names_the_rules_that_were_met() -> None:
    log = json.loads(findings_sarif(FINDINGS, "sub/"))
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert (log["version"], driver["name"], driver["version"]) == (
        "2.1.0",
        "skillbuild",
        __version__,
    )
    assert [rule["id"] for rule in driver["rules"]] == ["file-name", "link-broken", "name-shared"]
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["results"] == [
        {
            "ruleId": "name-shared",
            "ruleIndex": 2,
            "level": "warning",
            "message": {"text": "name b is not a; rename it"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "sub/skills/a/SKILL.md"},
                        "region": {"startLine": 2, "startColumn": 7},
                    }
                }
            ],
        },
        {
            "ruleId": "file-name",
            "ruleIndex": 0,
            "level": "error",
            "message": {"text": "the character ?"},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": "sub/skills/a/x%3F"}}}],
        },
        {
            "ruleId": "link-broken",
            "ruleIndex": 1,
            "level": "warning",
            "message": {"text": "##[error]x\n::stop-commands::y %0A; \x1b[31m\u202e"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "sub/a%2Cb%3A%3A%25/%FF%0A%3A%3Aerror%3A%3Ax"},
                        "region": {"startLine": 1, "startColumn": 2},
                    }
                }
            ],
        },
    ]


SARIF = {
    "type": "object",
    "required": ["$schema", "version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "required": ["tool", "results"],
                "properties": {
                    "tool": {"required": ["driver"]},
                    "results": {
                        "type": "array",
                        "items": {
                            "required": ["message", "ruleId", "level", "locations"],
                            "properties": {
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "message": {"required": ["text"]},
                            },
                        },
                    },
                },
            },
        },
    },
}
"""The part of the SARIF schema that this log uses."""

TEXTS = st.text(st.characters(codec="utf-8"), max_size=20) | st.sampled_from(
    ["::", "##[", ":", "\n::error::", "##[group]", "%0A", ",", "\udc80", "\r", "a" * 3000]
)
ANY_FINDING = st.builds(
    finding,
    st.sampled_from(list(RULES.values())),
    st.lists(TEXTS, max_size=3).map("".join),
    st.none() | st.builds(Place, st.integers(1, 9), st.integers(1, 9)),
    st.lists(TEXTS, max_size=3).map("".join),
    st.lists(TEXTS, max_size=3).map("".join),
)


@given(st.lists(ANY_FINDING, max_size=4))
def test_no_text_breaks_out_of_its_line_or_its_document(findings: list[Finding]) -> None:
    text = list(text_lines(findings, "", color=False))
    github = list(github_lines(findings, ""))
    assert len(github) == sum(not item.is_note for item in findings)
    assert len(text) == len(findings) + sum(bool(item.hint) for item in findings)
    for line in [*text, *github]:
        assert line.isascii()
        assert line.isprintable()
        assert "##[" not in line
    assert not any(is_command(line) for line in text)
    assert all(re.fullmatch(r"::(error|warning) ((?!::).)+::((?!::).)*", line) for line in github)
    parsed: dict[str, Any] = json.loads(facts.findings_json(findings))
    assert [item["code"] for item in parsed["diagnostics"]] == [item.code for item in findings]
    log = json.loads(findings_sarif(findings, ""))
    jsonschema.validate(log, SARIF)
    json.dumps([parsed, log], ensure_ascii=False).encode()


def is_command(line: str) -> bool:
    """What GitHub's runner takes for a command: `::name …::` at the start of a trimmed line."""
    return line.lstrip().startswith("::") and "::" in line.lstrip()[2:]


@pytest.mark.parametrize("code", list(RULES))
def test_every_rule_is_explained_on_a_page(code: str) -> None:
    rule = RULES[code]
    page = explain_rule(code)
    assert page.startswith(f"{code} ({rule.severity}): {rule.summary}\n")
    assert " ".join(rule.explanation.split()) in " ".join(page.split())
    assert ("\nSkills with this problem are " in page) == bool(rule.unlists)
    unlisting = page.partition("\nSkills with this problem are ")[2]
    assert [listing for listing in Listing if label(listing) in unlisting] == [*rule.unlists]
    assert ('listing = "all"' in unlisting) == rule.protects
    assert page.endswith("\n")
    assert page.isascii()

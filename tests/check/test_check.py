r"""Every rule, by cases: `cases/check/<rule>[-<variant>].txt` holds files and their findings.

A case is a sequence of sections `-- path --`, and last `-- want --` with the lines of the text
format. Flags stand behind the path: `(x)` executable, `(link)`, `(submodule)`, `(special)`,
`(missing)` and `(damaged)` for what git cannot give, `(raw)` for escapes in path and content:
`\xff` is a byte, `\u202e` and `\U000e0041` are characters, `\r`, `\t` and `\s` (a blank) too,
`\` at the end of a line joins it to the next, and `\{1025*x}` repeats a text.
Lines before the first section say what the case is about. `skillbuild.toml` is obeyed. Notes are
wanted only where the case is about their rule. A skill
in a directory `fixed`, or a whole case named `-fixed`, shows the remedy: it has no findings.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

import pytest

from helpers import CASES, case_files
from helpers.case_files import Case
from helpers.support import MemorySource, check, outline_in, skill_md
from skillbuild import build
from skillbuild.check.skill import check_skill
from skillbuild.compile.skills import check_source
from skillbuild.config import Config
from skillbuild.diagnostics import Finding, Severity
from skillbuild.paths import SKILL_FILE
from skillbuild.report.findings import text_lines
from skillbuild.rules.registry import RULES
from skillbuild.source import tree
from skillbuild.source.tree import Kind, Leaf

CHECK_CASES = CASES / "check"
NAMES = sorted(path.stem for path in CHECK_CASES.glob("*.txt"))
ELSEWHERE = {
    *("nested-left-out", "too-many-entries", "version-address"),
    *("skill-large", "skill-very-large", "source-too-large"),  # In `test_sizes.py`.
}
"""Rules without a case file: `check` leaves out nothing and has no versions, and a million entries
do not fit."""


def read(name: str) -> Case:
    return case_files.read(CHECK_CASES / f"{name}.txt")


def findings_of(case: Case) -> tuple[Finding, ...]:
    config = tree.read_config(case.files, case.files.leaves())
    findings = check(case.files, config).findings
    return tuple(item for item in findings if not item.is_note or item.code == rule_of(case.name))


def lines_of(findings: Iterable[Finding]) -> str:
    lines = text_lines(findings, "", color=False, every_place=True)
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("name", NAMES)
def test_a_case_has_the_findings_that_it_wants(name: str, *, update: bool) -> None:
    case = read(name)
    findings = findings_of(case)
    output = lines_of(findings)
    if update and output != case.want:
        case_files.write_want(CHECK_CASES / f"{name}.txt", case, output)
    else:
        assert output == case.want
    assert_at_home(findings, case)


def assert_at_home(findings: Iterable[Finding], case: Case) -> None:
    """Every finding has a place in the source; errors and warnings have a hint."""
    paths = {leaf.path for leaf in case.files.leaves()} | {"."}
    for item in findings:
        assert item.path in paths
        assert item.hint or item.is_note
        assert is_plain_phrase(item.hint), item.hint
        assert is_plain_phrase(item.message), item.message
        assert item.severity in (RULES[item.code].severity, Severity.NOTE)
        if item.place is not None:
            lines = case.files.files[item.path].decode(errors="replace").split("\n")
            assert 1 <= item.place.line <= len(lines)
            assert 1 <= item.place.column <= len(lines[item.place.line - 1]) + 1


def rule_of(name: str) -> str:
    """The rule a case is about: the longest code that its name begins with."""
    return max((code for code in RULES if f"{name}-".startswith(f"{code}-")), key=len)


def test_every_rule_has_a_case_that_meets_it() -> None:
    met = {name for name in NAMES if f"[{rule_of(name)}]:" in read(name).want}
    assert {rule_of(name) for name in met} | ELSEWHERE == set(RULES)
    assert [name for name in NAMES if name not in met and not name.endswith("-fixed")] == []


def fixed(name: str) -> list[str]:
    """The skills of a case that show the remedy."""
    paths = read(name).files.files
    return [path for path in paths if re.search(r"(^|/)fixed/SKILL\.md$", path)]


@pytest.mark.parametrize("code", sorted(set(RULES) - ELSEWHERE))
def test_every_rule_has_a_remedy_that_gives_no_finding(code: str) -> None:
    names = [name for name in NAMES if rule_of(name) == code]
    healed = [name for name in names if name.endswith("-fixed")]
    assert [read(name).want for name in healed] == [""] * len(healed)
    assert healed or any(fixed(name) for name in names)
    for name in names:
        reported = {line.partition(": ")[0] for line in read(name).want.splitlines()}
        for path in fixed(name):
            folder = path.removesuffix("SKILL.md")
            assert [line for line in reported if line.startswith(folder)] == []


PROPER_NAMES = {SKILL_FILE, "Markdown"}


def is_plain_phrase(text: str) -> bool:
    """Whether a text has neither a capital in front nor a full stop behind; three stops may be."""
    words = text.split(maxsplit=1)
    capital = text[:1].isupper() and not (words[0].isupper() or words[0] in PROPER_NAMES)
    return not capital and (not text.endswith(".") or text.endswith("..."))


@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_the_listing_does_not_matter(name: str) -> None:
    case = read(name)
    files = dict(reversed(list(case.files.files.items())))
    findings = findings_of(replace(case, files=replace(case.files, files=files)))
    assert lines_of(findings) == case.want


def reasons(files: MemorySource, listing: str = "mcp") -> dict[str, tuple[str, ...]]:
    """Why the skills that are published cannot be listed among others, by directory."""
    config = tree.read_config(files, files.leaves())
    outline = outline_in(files, config)
    with files.reader() as reader:
        by_directory = {
            tree.directory: check_skill(tree, outline, reader, config) for tree in outline.skills
        }
    return {
        folder: checked.unlisted[listing]
        for folder, checked in by_directory.items()
        if checked.skill and listing in checked.unlisted
    }


def test_unlisted_skills_say_why() -> None:
    assert {
        name: unlisted
        for name in NAMES
        if rule_of(name) == name and (unlisted := reasons(read(name).files))
    } == {
        "allowed-tools-type": {
            "list": ("allowed-tools-type",),
            "map": ("allowed-tools-type",),
            "mixed": ("allowed-tools-type",),
            "nothing": ("allowed-tools-type",),
            "spaced": ("allowed-tools-type",),
            "spaces": ("allowed-tools-type",),
        },
        "compatibility-too-long": {
            "block": ("compatibility-too-long",),
            "long": ("compatibility-too-long",),
        },
        "compatibility-type": {"list": ("compatibility-type",), "nothing": ("compatibility-type",)},
        "description-too-long": {
            "long": ("description-too-long",),
            "wide": ("description-too-long",),
        },
        "name-invalid": dict.fromkeys(
            [
                "accent",
                "both/of/them",
                "digits",
                "dot",
                "first",
                "kanji",
                "last",
                "long",
                "newline",
                "twice",
                "up",
                "upper",
            ],
            ("name-invalid",),
        ),
        "name-shared": dict.fromkeys(["one", "three", "two"], ("name-invalid",)),
        "marketplace-lossy": {"a/skills/own": ("internal",)},
        "metadata-type": {
            "b/fixed": ("internal",),
            "fixed": ("internal",),
            "list": ("metadata-type",),
            "blank": ("metadata-type",),
            "commas": ("metadata-type",),
            "short": ("metadata-type",),
            "signed": ("metadata-type",),
            "two": ("metadata-type",),
            "json": ("metadata-type",),
            "nothing": ("metadata-type",),
            "number": ("metadata-type",),
            "read": ("metadata-type",),
            "private": ("metadata-type",),
            "text": ("metadata-type",),
            "written": ("metadata-type",),
        },
        "skill-path-authority": {
            "@acme/pdf": ("skill-path-authority",),
            "My Skills/pdf": ("skill-path-authority",),
            "Tools/pdf": ("skill-path-authority",),
        },
        "uri-too-long": {"/".join(["a" * 250] * 9) + "/pdf": ("uri-too-long",)},
        "yaml-float": {"version": ("metadata-type",)},
        "yaml-style": {"read": ("metadata-type",)},
    }


@pytest.mark.parametrize(
    ("value", "internal"),
    [
        ("true", True),
        ('"true"', True),
        ("false", False),
        ("1", False),
        ("yes", False),
        ("True", True),
    ],
)
def test_internal_skills_are_unlisted(value: str, *, internal: bool) -> None:
    data = skill_md("a", "metadata:", f"  internal: {value}")
    assert ("internal" in reasons(MemorySource({"a/SKILL.md": data})).get("a", ())) == internal


def test_a_silenced_warning_still_keeps_a_skill_out_of_the_listing() -> None:
    files = {
        "a/SKILL.md": skill_md("a", "allowed-tools:", "- Bash"),
        "skillbuild.toml": b'[rules]\nallowed-tools-type = "off"\n',
    }
    assert reasons(MemorySource(files)) == {"a": ("allowed-tools-type",)}
    assert check(files, Config(rules={"allowed-tools-type": "off"})).findings == ()


def codes(files: MemorySource) -> list[str]:
    return [item.code for item in check(files).findings]


def test_a_source_of_too_many_entries_has_one_finding() -> None:
    leaves = [Leaf("a", Kind.FILE)] * 1_000_001
    report = check_source(build.Request(MemorySource({}), leaves, Config(), build.Options(jobs=1)))
    assert [(item.code, item.path, item.severity) for item in report.findings] == [
        ("too-many-entries", ".", Severity.ERROR)
    ]


def test_a_bad_skill_adds_no_findings_to_other_skills() -> None:
    good = {"b/SKILL.md": skill_md("b"), "c/SKILL.md": skill_md("c")}
    for name in NAMES:
        case = read(name)
        if case.files.files.keys() & {"SKILL.md", "b/SKILL.md", "skillbuild.toml"}:
            continue
        more = replace(case.files, files={**case.files.files, **good})
        findings = [item for item in check(more).findings if item.path[:2] in ("b/", "c/")]
        assert [item for item in findings if not item.is_note] == [], (
            "a shared name is noted at both"
        )


def test_a_report_counts_what_was_found() -> None:
    report = check(
        {
            "a/SKILL.md": skill_md("a"),
            "a/x": b"",
            "b/SKILL.md": b"",
            "c/skill.md": b"",
            ".claude/skills/d/SKILL.md": skill_md("d"),
        }
    )
    assert (report.skills, report.files, report.invalid) == (1, 2, ("b", "c/skill.md"))
    assert dict(report.ignored) == {".claude/skills/d/SKILL.md": "dot-directory"}
    assert (report.release, report.unchanged, report.size) == (None, False, 0)


def test_an_empty_source_may_be_allowed() -> None:
    assert [item.code for item in check({}).findings] == ["no-skills"]
    assert check({}, allow_empty=True).findings == ()


@pytest.mark.parametrize(("owners", "code"), [(3, "path-outside"), (11, "path-missing")])
def test_a_file_that_many_skills_have_is_not_the_one_of_a_skill_that_a_text_names(
    owners: int, code: str
) -> None:
    body = "With `skill-1`.\n\n# Details\n\nIf needed, open `resources/playbook.md`.\n"
    files = {"lone/SKILL.md": skill_md("lone", body=body)}
    for number in range(owners):
        files[f"skill-{number}/SKILL.md"] = skill_md(f"skill-{number}")
        files[f"skill-{number}/resources/playbook.md"] = b"Play %d.\n" % number
    assert codes(MemorySource(files)) == [code]

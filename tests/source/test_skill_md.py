"""SKILL.md taken apart: fences, line numbers, and bytes that are no text at all."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skillbuild.diagnostics import Rule, Severity, has_errors
from skillbuild.model import Place
from skillbuild.source.skill_md import RULES, SkillMd, read_skill_md
from skillbuild.text.faults import FaultKind


def parts(data: bytes) -> tuple[object, str, int]:
    """Value, body, and the line the body begins in."""
    head = read_skill_md(data, "x/SKILL.md")
    assert head.frontmatter is not None
    assert head.findings == ()
    return head.frontmatter.value, head.body, head.body_line


@pytest.mark.parametrize(
    ("data", "value", "body", "line"),
    [
        (b"---\na: b\n---\nbody\n", {"a": "b"}, "body\n", 4),
        (b"---\na: b\n---\n", {"a": "b"}, "", 4),
        (b"---\na: b\n---", {"a": "b"}, "", 4),
        (b"---\r\na: b\r\nc: d\r\n---\r\none\r\ntwo", {"a": "b", "c": "d"}, "one\r\ntwo", 5),
        (b"---\na: b\n---\n---\nrule\n---\n", {"a": "b"}, "---\nrule\n---\n", 4),
        (b"---\n\n# note\n\na: b\n\n---\n\nx", {"a": "b"}, "\nx", 8),
        (b"---\na: |\n  ---\n  b\n---\nx", {"a": "---\nb\n"}, "x", 6),
        ("---\na: é\n---\n\u2028\x0c\x85 x".encode(), {"a": "é"}, "\u2028\x0c\x85 x", 4),
    ],
)
def test_a_skill_is_a_header_between_whole_lines_and_a_body(
    data: bytes, value: object, body: str, line: int
) -> None:
    assert parts(data) == (value, body, line)


def test_places_are_those_of_the_file() -> None:
    head = read_skill_md(b"---\n# note\nname: x\nversion: 1.10\n---\n", "x/SKILL.md")
    assert head.frontmatter is not None
    assert dict(head.frontmatter.places) == {("name",): Place(3, 7), ("version",): Place(4, 10)}
    assert head.frontmatter.place("version") == Place(4, 10)
    assert head.frontmatter.place("none") is None
    assert [(item.code, item.path, item.place) for item in head.findings] == [
        ("yaml-float", "x/SKILL.md", Place(4, 10))
    ]


@pytest.mark.parametrize(
    ("data", "code", "place"),
    [
        (b"", "frontmatter-missing", Place(1, 1)),
        (b"\n---\na: b\n---\n", "frontmatter-missing", Place(1, 1)),
        (b"--\na: b\n--\n", "frontmatter-missing", Place(1, 1)),
        (b" ---\na: b\n---\n", "frontmatter-missing", Place(1, 1)),
        (b"--- a: b\n---\n", "frontmatter-missing", Place(1, 1)),
        (b"---\r", "frontmatter-unclosed", Place(1, 1)),
        (b"---\n", "frontmatter-unclosed", Place(1, 1)),
        (b"---\na: b\n --- \n", "frontmatter-unclosed", Place(1, 1)),
        (b"---\ra: b\r---\r", "yaml-line-break", Place(1, 4)),
        (b"---\na: b\r\rc: d\n---\n", "yaml-line-break", Place(2, 5)),
        (b"---\r\na: b\r\nc:\rd\r\n---\n", "yaml-line-break", Place(3, 3)),
        (b"\xef\xbb\xbf---\na: b\n---\n", "byte-order-mark", Place(1, 1)),
        (b"---\na: \xff\n---\n", "not-utf8", Place(2, 4)),
        ("---\na: é".encode() + b"\xed\xa0\x80", "not-utf8", Place(2, 5)),
        (b"---\na: b\n---\nbody \xc3", "not-utf8", Place(4, 6)),
        (b"---\na\n---\n", "frontmatter-not-mapping", Place(2, 1)),
        (b"---\n- a\n---\n", "frontmatter-not-mapping", Place(2, 1)),
        (b"---\n~\n---\n", "frontmatter-not-mapping", Place(2, 1)),
        (b"---\n---\n", "frontmatter-not-mapping", Place(2, 1)),
        (b"---\na: *x\n---\n", "yaml-feature", Place(2, 4)),
        (b"---\na: b\n---\nbody\n\n\0", "nul-byte", Place(6, 1)),
        ("---\na: b\n---\n".encode("utf-16"), "not-utf8", Place(1, 1)),
        ("---\na: b\n---\n".encode("utf-16-le"), "nul-byte", Place(1, 2)),
    ],
)
def test_a_broken_frontmatter_is_one_error_at_its_place(
    data: bytes, code: str, place: Place
) -> None:
    head = read_skill_md(data, "x/SKILL.md")
    assert [(item.code, item.path, item.place) for item in head.findings] == [
        (code, "x/SKILL.md", place)
    ]
    assert head.frontmatter is None
    assert head.findings[0].hint


def test_blanks_after_a_fence_are_told_and_lose_nothing() -> None:
    head = read_skill_md(b"--- \na: b\n---\t\r\nBody.\n", "x/SKILL.md")
    assert [(item.code, item.place) for item in head.findings] == [
        ("frontmatter-fence", Place(1, 4)),
        ("frontmatter-fence", Place(3, 4)),
    ]
    assert head.frontmatter is not None
    assert (head.frontmatter.value, head.body) == ({"a": "b"}, "Body.\n")


def test_every_kind_of_fault_breaks_a_rule_of_its_own() -> None:
    assert set(RULES) == set(FaultKind)
    assert len({rule.code for rule in RULES.values()}) == len(FaultKind)


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.code)
def test_faults_that_hide_the_frontmatter_are_errors_and_others_are_not(rule: Rule) -> None:
    kind = next(kind for kind, broken in RULES.items() if broken is rule)
    remarks = {FaultKind.AMBIGUOUS, FaultKind.ROUNDED_FLOAT, FaultKind.LARGE_INTEGER}
    remarks |= {FaultKind.CUT_BY_COMMENT, FaultKind.STYLE, FaultKind.FENCE_INEXACT}
    assert (rule.severity is Severity.ERROR) == (kind not in remarks)


LINES = st.sampled_from([b"---", b"\n", b"\r", b"\r\n", b" ", b"\t", b"a: b", b"name: x", b": "])
ODD = st.sampled_from(
    [b"\xff", b"\0", b"\xef\xbb\xbf", b"\xc2\x85", b"\xe2\x80\xa8", b"\xed\xa0\x80"]
)
MARKS = st.sampled_from([b"- ", b"'", b'"', b"[", b"|", b"\x1b"])
PIECES = LINES | LINES | MARKS | ODD
FILES = st.binary(max_size=60) | st.lists(PIECES, max_size=16).map(b"".join)


@settings(max_examples=500)
@given(FILES | FILES.map(b"---\n".__add__) | FILES.map(lambda data: b"---\n" + data + b"\n---\n"))
@example(b"---\n[\n---\n")
@example(b"---\n'\n---")
def test_any_bytes_give_a_frontmatter_or_one_error_at_a_place_inside_them(data: bytes) -> None:
    head = read_skill_md(data, "x/SKILL.md")
    assert has_errors(head.findings) == (head.frontmatter is None)
    lines = data.decode(errors="replace").split("\n")
    for item in head.findings:
        assert item.place is not None
        assert 1 <= item.place.line <= len(lines)
        assert 1 <= item.place.column <= len(lines[item.place.line - 1]) + 1
    if head.frontmatter is not None:
        json.dumps(head.frontmatter.value, allow_nan=False).encode()
        assert rest_of(data, head) == head.body


def rest_of(data: bytes, head: SkillMd) -> str:
    """The text from the reported first line of the body on."""
    return "\n".join(data.decode().split("\n")[head.body_line - 1 :])

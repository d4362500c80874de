"""Paths and file names: which are refused, and which ones file systems treat as equal."""

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skillbuild.paths import (
    base_name,
    collision_key,
    inside,
    is_git_alias,
    is_skill_name,
    parent,
    prefixes,
    segment_fault,
)
from skillbuild.uris import LONGEST_LISTED_URI, archive_uri, skill_uri

GOOD = [
    "a",
    "A",
    "a.b",
    ".hidden",
    ".gitignore",
    ".github",
    "..a",
    "-",
    "--",
    "~",
    "a~1",
    "git~",
    "git~a",
    "con1",
    "console",
    "auxiliary.txt",
    "com",
    "com10",
    "lpt",
    "nul_",
    "a b",
    "#1 100% & {c} (d) [e] 'f' `g` ~!+,;=@^$",
    "ü",
    "日本語.md",
    "é",
    "ﬁle",
    "Ⅻ",
    "ß",
    "a\xa0b",
    "a\u3000b",
    "x́",
]

BAD = {
    "": "the segment ''",
    ".": "the segment '.'",
    "..": "the segment '..'",
    "a.": "a trailing dot or space",
    "a ": "a trailing dot or space",
    "...": "a trailing dot or space",
    "a<b": "the character <",
    "a>b": "the character >",
    "a:b": "the character :",
    'a"b': 'the character "',
    "a|b": "the character |",
    "a?b": "the character ?",
    "a*b": "the character *",
    "a\\b": "the character \\",
    "a\nb": "the control or invisible character U+000A",
    "a\0b": "the control or invisible character U+0000",
    "a\x7fb": "the control or invisible character U+007F",
    "a\x85b": "the control or invisible character U+0085",
    "a\u00adb": "the control or invisible character U+00AD",
    "a\u200bb": "the control or invisible character U+200B",
    "a\u200db": "the control or invisible character U+200D",
    "a\u200eb": "the control or invisible character U+200E",
    "a\u2028b": "the control or invisible character U+2028",
    "a\u2029b": "the control or invisible character U+2029",
    "a\u202eb": "the control or invisible character U+202E",
    "a\ufeffb": "the control or invisible character U+FEFF",
    "a\ue000b": "the control or invisible character U+E000",
    "a\U000e0061b": "the control or invisible character U+E0061",
    "a\u1c89b": "the unassigned character U+1C89",
    "a\U0001f600b": "the unassigned character U+1F600",
    "a\uffffb": "the unassigned character U+FFFF",
    "a\u2066b": "the unassigned character U+2066",
    "a\udcffb": "the byte 0xff, which is not valid UTF-8",
    "e\u0301": "characters that are not in Unicode normal form C",
    "\u212b": "characters that are not in Unicode normal form C",
    "CON": "a Windows device name (CON)",
    "nul.txt": "a Windows device name (nul.txt)",
    "aux .txt": "a Windows device name (aux .txt)",
    "Com1.tar.gz": "a Windows device name (Com1.tar.gz)",
    "LPT³": "a Windows device name (LPT³)",
    "conout$": "a Windows device name (conout$)",
    "x" * 256: "more than 255 bytes in one segment",
    "ü" * 128: "more than 255 bytes in one segment",
}


@pytest.mark.parametrize("name", [*GOOD, "x" * 255, "ü" * 127])
def test_a_name_that_works_everywhere_passes(name: str) -> None:
    assert segment_fault(name) is None


@pytest.mark.parametrize(("name", "fault"), BAD.items())
def test_a_name_that_does_not_is_refused_with_the_reason(name: str, fault: str) -> None:
    assert segment_fault(name) == fault


def test_only_characters_of_unicode_3_2_pass() -> None:
    """For any Unicode version of this Python: later characters were unassigned in 3.2."""
    passed = [
        char
        for char in map(chr, [*range(0x80, 0xD800), *range(0xE000, 0x30000), 0xE0001, 0x10FFFF])
        if segment_fault(f"a{char}b") is None
    ]
    assert {unicodedata.ucd_3_2_0.category(char) for char in passed}.isdisjoint(
        ["Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"]
    )
    assert {unicodedata.category(char) for char in passed}.isdisjoint(
        ["Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"]
    )
    assert len(passed) == 93_901


@pytest.mark.parametrize(
    "name",
    [
        *(".git", ".GIT", ".Git", ".git.", ".git ", ".git. .", ".git::$INDEX_ALLOCATION", ".git:x"),
        *("git~1", "GIT~1", "Git~12", ".g\u200cit", "\ufeff.git", ".gi\u2060t", "gi\u200et~1"),
    ],
)
def test_names_that_some_file_system_takes_for_dot_git_are_refused(name: str) -> None:
    assert is_git_alias(name)


@pytest.mark.parametrize("name", ["git", ".gitx", ".git-", "x.git", ".gitignore", "git~", "git~x"])
def test_names_that_only_resemble_git_are_not(name: str) -> None:
    assert not is_git_alias(name)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        *[("README", "readme"), ("ß", "SS"), ("ﬁ", "FI"), ("\u212b", "å"), ("\u212a", "K")],
        *[("é", "e\u0301"), ("\u017f", "S"), ("½", "1\u20442"), ("ĳ", "IJ"), ("a/B", "A/b")],
        *[("Ⅻ", "xii"), ("\u03b0", "\u1fe3"), ("\u1e9e", "ss")],
    ],
)
def test_paths_that_file_systems_fold_together_have_one_key(first: str, second: str) -> None:
    assert collision_key(first) == collision_key(second)


@pytest.mark.parametrize(
    ("first", "second"), [("a", "b"), ("a", "á"), ("i", "\u0131"), ("a", "a.")]
)
def test_paths_that_file_systems_do_not_fold_have_different_keys(first: str, second: str) -> None:
    assert collision_key(first) != collision_key(second)


def test_prefixes_are_proper_and_shortest_first() -> None:
    assert prefixes("a/b/c") == ["a", "a/b"]
    assert prefixes("a") == []


def test_paths_are_joined_and_split_at_the_root_of_the_source_too() -> None:
    assert [inside("", "a"), inside("a/b", "c")] == ["a", "a/b/c"]
    assert [parent("a"), parent("a/b/c")] == ["", "a/b"]
    assert [base_name("a"), base_name("a/b/c"), base_name("")] == ["a", "c", ""]


@pytest.mark.parametrize("text", ["a", "1", "a-b", "a1-2b-c", "x" * 64])
def test_a_skill_name_consists_of_words_and_single_hyphens(text: str) -> None:
    assert is_skill_name(text)


@pytest.mark.parametrize("text", ["", "A", "-a", "a-", "a--b", "a b", "a.b", "é", "a\n", "x" * 65])
def test_other_texts_are_no_names_of_skills(text: str) -> None:
    assert not is_skill_name(text)


SEGMENTS = st.text(st.characters(exclude_categories=["Cs"])) | st.text(
    " .-_~abgGit:1\u200c", max_size=8
)


@given(SEGMENTS)
@example(".git")
def test_every_file_name_is_accepted_or_refused_with_a_reason(name: str) -> None:
    fault = segment_fault(name)
    assert fault is None or fault.strip() == fault != ""
    if fault is None:
        assert unicodedata.normalize("NFC", name) == name
        assert not re.search(r'[\x00-\x1f<>:"|?*\\]|[. ]$', name)
        assert 1 <= len(name.encode()) <= 255
    key = collision_key(name)
    assert collision_key(key) == key
    assert collision_key(name.upper()) == collision_key(name.upper().lower().upper())


@given(st.binary(max_size=40))
def test_undecodable_names_are_accepted_or_refused_with_a_reason(data: bytes) -> None:
    fault = segment_fault(data.decode(errors="surrogateescape").replace("/", ""))
    assert fault is None or isinstance(fault, str)


@pytest.mark.parametrize(
    ("skill", "path", "uri"),
    [
        ("pdf", "SKILL.md", "skill://pdf/SKILL.md"),
        ("git/commit", "docs/a.md", "skill://git/commit/docs/a.md"),
        ("a", "b c#d%e&f?.md", "skill://a/b%20c%23d%25e%26f%3F.md"),
        ("a", "ü/日.md", "skill://a/%C3%BC/%E6%97%A5.md"),
        ("a", "!()*+,;=:@-._~$'[]{}", "skill://a/!()*+,;=:@-._~%24%27%5B%5D%7B%7D"),
        ("@a:b/x", "c", "skill://%40a%3Ab/x/c"),
        ("a b", "c", "skill://a%20b/c"),
        ("a", "\udcff", "skill://a/%FF"),
    ],
)
def test_uris_encode_every_byte_outside_the_set(skill: str, path: str, uri: str) -> None:
    assert skill_uri(skill, path) == uri


def test_the_uri_of_a_skill_is_that_of_its_skill_md() -> None:
    assert skill_uri("a/b") == "skill://a/b/SKILL.md"
    assert archive_uri("a.zip") == "skill://-/archives/a.zip"
    assert LONGEST_LISTED_URI == 2048

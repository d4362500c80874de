"""The record: encoding and decoding are inverse, and a damaged one is an `OutputError`."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillbuild.errors import OutputError
from skillbuild.model import Archive, Catalog, Digest, Entry, EntryFinding, Icon, Place, Resource
from skillbuild.release import record
from skillbuild.release.entry import encode_entry, findings_in, with_unlisted
from skillbuild.release.layout import blob_path
from skillbuild.release.record import Record, RetainedRelease

A, B, C = (Digest.of(text) for text in (b"a", b"b", b"c"))

ENTRY = Entry(
    path="acme/refunds",
    directory="skills/refunds",
    frontmatter={"name": "refunds", "metadata": {"x": [1, 1.5, None, True, "\u00fc"]}},
    resources=(
        Resource("skill://acme/refunds/SKILL.md", "SKILL.md", "text/markdown", A, 12, False),
        Resource("skill://acme/refunds/run", "run", "application/x-sh", B, 0, True),
    ),
    archives=(Archive(f"refunds-{C.short}.zip", "application/zip", C, 321),),
    icons=(Icon(A, "image/png", "48x48", "dark"),),
    skill_digest=B,
    tar_digest=C,
    flat_name="refunds",
    findings=(
        EntryFinding("file-large", "skills/refunds/run", None, "large", "shorten it"),
        EntryFinding("link-broken", "skills/refunds/SKILL.md", Place(3, 7), "a link", ""),
    ),
)
INTERNAL = {"mcp": ("internal",)}
UNLISTED = Entry("b/x", "b", {}, ENTRY.resources[:1], (), (), A, None, unlisted=INTERNAL)
RECORD = Record(
    catalog=Catalog(
        commit="1" * 40,
        tree="2" * 40,
        title="Skills",
        tagline="All of them",
        base_url="https://example.org/",
        website_url="https://example.org/about",
        icons=(Icon(B, "image/svg+xml", "any"),),
        entries=(ENTRY, UNLISTED),
        skipped=("skills/bad",),
        ignored={".claude/skills/x/SKILL.md": "dot-directory"},
    ),
    version="0.1.0",
    archive_format=1,
    renderers={"jinja2": "3.1.6"},
    config_digest=A,
    index_digest=B,
    releases=(RetainedRelease("3" * 40, C, {blob_path(C): C}, ("gone/skill",)),),
    withdrawn={"gone/skill": A},
)


def test_a_record_is_encoded_and_decoded_unchanged() -> None:
    assert record.decode(record.encode(RECORD)) == RECORD


def test_a_record_is_strict_ascii_json_with_one_final_newline() -> None:
    data = record.encode(RECORD)
    assert data.isascii()
    assert data.endswith(b"}\n")
    assert not data.endswith(b"\n\n")
    assert record.encode(record.decode(data)) == data


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
jsons = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)


@settings(derandomize=True, database=None, deadline=None, max_examples=150)
@given(st.dictionaries(words, jsons, max_size=5), words, words)
def test_any_text_and_any_frontmatter_is_encoded_and_decoded_unchanged(
    frontmatter: dict[str, Any], title: str, path: str
) -> None:
    entry = Entry(path, path, frontmatter, ENTRY.resources[:1], (), (), A, None)
    catalog = Catalog("1" * 40, "2" * 40, title, title, None, None, (), (entry,))
    original = Record(catalog, "0.1.0", 1, {}, A, B)
    assert record.decode(record.encode(original)) == original


def test_the_files_of_a_catalog_are_its_blobs_archives_and_icons() -> None:
    assert {path: digest for path, (digest, _) in record.files_of(RECORD.catalog).items()} == {
        f"blobs/sha256/{A.hex}": A,
        f"blobs/sha256/{B.hex}": B,
        f"archives/refunds-{C.short}.zip": C,
        f"archives/x-{A.short}.md": A,
        f"icons/{A.short}.png": A,
        f"icons/{B.short}.svg": B,
    }


# Damage.

Path = tuple[str | int, ...]
Mutation = Callable[[Any], Any]

OPTIONAL = {"baseUrl", "websiteUrl", "theme", "tarDigest", "flatName", "line"}
"""Fields that may be null or missing; a note without a line needs no column."""
DERIVED = {"url"}
"""Fields that follow from others and are written for foreign readers alone."""
OTHERS: list[Any] = [None, 7, -1, 1.5, True, "text", [], {}, [None], [7], {"a": 7}, [[]], 10**30]


def document() -> Any:
    return json.loads(record.encode(RECORD))


def every_path(value: Any, start: Path = ()) -> Iterator[Path]:
    """Ways to all members and items of a document, without the free values of skills."""
    members: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        derived = DERIVED | ({"path"} if "icons" in start else set())
        members = [(key, inner) for key, inner in value.items() if key not in derived]
    elif isinstance(value, list):
        members = list(enumerate(value))
    for key, inner in members:
        yield (*start, key)
        if key != "frontmatter":
            yield from every_path(inner, (*start, key))


PATHS = list(every_path(document()))


def parent_of(whole: Any, path: Path) -> Any:
    for key in path[:-1]:
        whole = whole[key]
    return whole


def read(whole: Any) -> Record:
    return record.decode(json.dumps(whole).encode())


def refuses(whole: Any) -> bool:
    """True when decoding ends in the one error it may end in; any other escapes."""
    try:
        read(whole)
    except OutputError:
        return True
    return False


def test_entries_on_lines_of_their_own_are_read_like_any_others() -> None:
    assert read(document()) == RECORD
    empty = replace(RECORD, catalog=replace(RECORD.catalog, entries=()))
    assert record.decode(record.encode(empty)) == empty


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'"path":"b/x"', b'"path":7', r"entries\[1\]\.path is not a text"),
        (b'{"path":"b/x"', b'["path":"b/x"', "damaged"),
        (b'"layout":1', b'"layout":"1"', r"catalog\.json\.layout is not a whole number"),
        (b'"layout":1,', b'"layout":1,"entries":[', "damaged"),
        (b"\n]}\n", b"\n]}}\n", "damaged"),
        (b"\n]}\n", b"\n", "damaged"),
        (b'\n{"path":"b/x"', b'\n}{"path":"b/x"', "damaged"),
    ],
)
def test_damage_is_found_on_any_line(old: bytes, new: bytes, message: str) -> None:
    data = record.encode(RECORD)
    assert old in data
    with pytest.raises(OutputError, match=message):
        record.decode(data.replace(old, new))


def test_the_layout_is_read_without_the_entries() -> None:
    data = record.encode(RECORD)
    assert record.read_layout(data) == 1
    assert record.read_layout(data.replace(b'"layout":1', b'"layout":9')) == 9
    assert record.read_layout(b"[]") is record.read_layout(b"no JSON") is None


def test_the_damaged_paths_cover_the_record() -> None:
    assert len(PATHS) > 100
    assert {"layout", "entries", "releases", "withdrawn", "ignored"} <= {path[0] for path in PATHS}


@pytest.mark.parametrize("path", [path for path in PATHS if isinstance(path[-1], str)])
def test_a_missing_field_is_an_error(path: Path) -> None:
    whole = document()
    key = path[-1]
    del parent_of(whole, path)[key]
    free = not {"files", "renderers", "unlisted"}.isdisjoint(path[:-1])
    if key == "column" and parent_of(document(), path)["line"] is None:
        free = True
    assert refuses(whole) is (key not in OPTIONAL and not free)


def is_fine(path: Path, old: object, new: object) -> bool:
    """True when a value of this kind is allowed at that place."""
    key = path[-1]
    if key in OPTIONAL and (new is None or old is None):
        return new is None or isinstance(new, str) or (key == "line" and type(new) is int)
    if key == "column" and old is None:
        return True
    if "renderers" in path[:-1]:
        return True
    if type(old) is not type(new) or (key == "path" and "archives" in path):
        return False
    match old:
        case list():
            return new == []
        case dict():
            return key in ("files", "renderers", "frontmatter", "unlisted")
        case int() if not isinstance(old, bool):
            return isinstance(new, int) and new >= 0
    return True


@pytest.mark.parametrize("path", PATHS)
def test_a_field_of_a_wrong_type_is_an_error(path: Path) -> None:
    for new in OTHERS:
        whole = copy.deepcopy(document())
        place = parent_of(whole, path)
        old, place[path[-1]] = place[path[-1]], new
        if not is_fine(path, old, new):
            assert refuses(whole), new
        else:
            refuses(whole)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "catalog.json is damaged"),
        (b"\xff\xfe", "catalog.json is damaged"),
        (b"null", "catalog.json is not an object"),
        (b"[]", "catalog.json is not an object"),
        (b'{"layout": 1', "catalog.json is damaged"),
        (b'{"layout":1}', "catalog.json.source is not an object"),
        (b"[" * 100_000, "catalog.json is damaged"),
        (b'{"layout":' * 100_000, "catalog.json is damaged"),
        (b'{"layout":' + b"9" * 5000 + b"}", "catalog.json is damaged"),
        (b'{"layout":2}', "catalog.json has layout 2; this skillbuild reads 1"),
        (b'{"layout":0}', "catalog.json has layout 0; this skillbuild reads 1"),
    ],
    ids=range(11),
)
def test_a_file_that_is_no_record_is_an_error(data: bytes, message: str) -> None:
    with pytest.raises(OutputError) as caught:
        record.decode(data)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "archives/../../etc/passwd",
        "archives/..",
        "archives/",
        "archives/a/b.zip",
        "archives/a\0.zip",
        "archives/\ud800.zip",
        "index.json",
        "pages/a.zip",
        "",
    ],
)
def test_a_record_names_no_file_outside_of_the_output(path: str) -> None:
    whole = document()
    whole["entries"][0]["archives"][0]["path"] = path
    assert refuses(whole)
    whole = document()
    whole["releases"][0]["files"] = {path: str(A)}
    assert refuses(whole)


@pytest.mark.parametrize("unlisted", [None, [], "mcp", {"mcp": "internal"}, {"mcp": [1]}])
def test_reasons_not_to_be_listed_are_lists_of_texts(unlisted: object) -> None:
    whole = document()
    whole["entries"][0]["unlisted"] = unlisted
    with pytest.raises(OutputError, match=r"entries\[0\]\.unlisted"):
        read(whole)


def test_the_end_of_a_line_is_replaced_whatever_stands_before_it() -> None:
    decoy = b',"unlisted":{}}'
    tricky = replace(
        ENTRY,
        frontmatter={"unlisted": {"mcp": ["x"]}, "x": decoy.decode()},
        findings=(EntryFinding("a", "b", None, decoy.decode(), '"warnings":['),),
    )
    for was in ({}, {"mcp": ("a", "b"), "index": ("a",)}):
        for now in ({}, {"mcp": ("internal",)}):
            line = encode_entry(replace(tricky, unlisted=was))
            assert with_unlisted(line, now) == encode_entry(replace(tricky, unlisted=now))
            assert tuple(findings_in(line)) == tricky.findings


def test_an_entry_needs_its_skill_md() -> None:
    whole = document()
    whole["entries"][0]["resources"].pop(0)
    with pytest.raises(OutputError, match=r"entry acme/refunds has no SKILL\.md"):
        read(whole)


@pytest.mark.parametrize(
    ("data", "layout"),
    [
        (record.encode(RECORD), 1),
        (b'{"layout": 99, "other": true}', 99),
        (b'{"layout": "1"}', None),
        (b'{"layout": true}', None),
        (b'{"skills": []}', None),
        (b"[1]", None),
        (b"junk", None),
        (b"[" * 100_000, None),
    ],
    ids=range(8),
)
def test_the_layout_is_read_from_records_of_any_version(data: bytes, layout: int | None) -> None:
    assert record.read_layout(data) is layout


@pytest.mark.parametrize("commit", ["--output=x", "HEAD", "a" * 39, "A" * 40, ""])
def test_only_object_ids_are_taken_for_commits(commit: str) -> None:
    value = document()
    value["source"]["commit"] = commit
    with pytest.raises(OutputError, match="not an object id"):
        record.decode(json.dumps(value).encode())

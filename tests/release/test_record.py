"""The record: encoding and decoding are inverse, and a damaged one is an `OutputError`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import facts
from helpers.outputs import MemoryFiles, files_of_record, plain
from skillbuild.errors import OutputError
from skillbuild.model import (
    Archive,
    Catalog,
    Deprecation,
    Digest,
    Entry,
    EntryFinding,
    EntryNote,
    Icon,
    SizedDigest,
    changed,
)
from skillbuild.release import record
from skillbuild.release.entries import EntryLines
from skillbuild.release.entry import (
    REMEDY,
    decode_entry,
    encode_entry,
    summary_of,
    with_unlisted,
)
from skillbuild.release.layout import RECORD_FILE, blob_path, part_path
from skillbuild.release.record import FixedFiles, Record, Removed, RetainedRelease

A, B, C = (Digest.of(text) for text in (b"a", b"b", b"c"))
FIXED = FixedFiles(SizedDigest(B, 5), SizedDigest(C, 6), A)

ENTRY = facts.entry(
    "acme/refunds",
    directory="skills/refunds",
    frontmatter={"name": "refunds", "metadata": {"x": [1, 1.5, None, True, "\u00fc"]}},
    resources=(
        facts.resource("acme/refunds", "SKILL.md", A, 12, media_type="text/markdown"),
        facts.resource("acme/refunds", "run", B, media_type="application/x-sh", executable=True),
    ),
    archives=(Archive.of(f"refunds-{C.short}.zip", "application/zip", C, 321),),
    icons=(Icon.of(b"a", "image/png", "48x48", "dark"),),
    skill_digest=B,
    tar_digest=C,
    flat_name="refunds",
    warnings=(
        EntryFinding("file-large", "skills/refunds/run", None, None, "large", "shorten it"),
        EntryFinding("link-broken", "skills/refunds/SKILL.md", 3, 7, "a link", ""),
    ),
    notes=(EntryNote("field-unknown", "skills/refunds/SKILL.md", 2, 1, "x", "y"),),
)
INTERNAL = {"mcp": ("internal",)}
UNLISTED = facts.entry("b/x", resources=ENTRY.resources[:1], unlisted=INTERNAL)
RECORD = Record(
    catalog=Catalog(
        commit="1" * 40,
        tree="2" * 40,
        title="Skills",
        tagline="All of them",
        base_url="https://example.org/",
        website_url="https://example.org/about",
        icons=(Icon.of(b"b", "image/svg+xml", "any"),),
        entries=(ENTRY, UNLISTED),
        skipped=("skills/bad",),
        ignored={".claude/skills/x/SKILL.md": "dot-directory"},
    ),
    version="0.1.0",
    archive_format=1,
    renderers={"jinja2": "3.1.6"},
    config_digest=A,
    fixed=FIXED,
    releases=(RetainedRelease("3" * 40, C, 7),),
    removed={"gone/skill": Removed(A, "3" * 40)},
    before=C,
)


def decoded(release: Record) -> Record:
    """A record after it was encoded and decoded, with its entries as objects."""
    return plain(read_files(files_of_record(release)))


def read_files(files: Mapping[str, bytes]) -> Record:
    return record.decode(files[RECORD_FILE], MemoryFiles(files))


def test_a_record_is_encoded_and_decoded_unchanged() -> None:
    assert decoded(RECORD) == RECORD


def test_what_is_deprecated_or_yanked_is_in_the_record_and_nothing_where_nothing_is() -> None:
    lines = [encode_entry(ENTRY), *files_of_record(RECORD).values()]
    assert [line for line in lines if b"deprecated" in line or b"yanked" in line] == []
    misleading = {"name": "a", "skillDigest": f"{C}", "x": ',"skillDigest":"'}
    line = encode_entry(changed(ENTRY, frontmatter=misleading))
    assert summary_of(line).skill_digest == ENTRY.skill_digest
    for deprecation in (Deprecation("replaced", "acme/pay"), Deprecation("nobody uses it", None)):
        entry = changed(ENTRY, deprecated=deprecation)
        assert decode_entry(encode_entry(entry)) == entry
        assert summary_of(encode_entry(entry)).findings == ENTRY.findings
    for yanked in ({B: "a name"}, {Digest.of(b"%d" % each): "x" for each in range(500)}):
        release = replace(RECORD, yanked=yanked)
        assert decoded(release) == release
        assert len(record.encode(release)) < 20_000


def test_the_head_of_fifty_thousand_skills_takes_less_than_100_kb() -> None:
    paths = [f"owner-{number:05}/group/a-skill-of-usual-length" for number in range(50_000)]
    lines = [b'{"path":"%b","unlisted":{"mcp":["x"]}}' % path.encode() for path in paths]
    catalog = replace(RECORD.catalog, entries=EntryLines(lines))
    assert len(record.encode(replace(RECORD, catalog=catalog))) < 100_000


def test_a_record_is_strict_ascii_json_with_one_final_newline() -> None:
    for path, data in files_of_record(RECORD).items():
        assert data.isascii()
        if not path.startswith("blobs/") and path != "release.json":
            assert data.endswith(b"}\n")
            assert not data.endswith(b"\n\n")
    assert files_of_record(read_files(files_of_record(RECORD))) == files_of_record(RECORD)


def test_the_head_holds_the_release_object_as_its_digest_is_taken() -> None:
    head, releases = record.encode(RECORD), (RECORD, read_files(files_of_record(RECORD)))
    for release in releases:
        assert b',\n"release":%b,\n' % release.release_object in head
        assert release.release_digest == Digest.of(release.release_object)


def test_what_an_output_knows_of_earlier_releases_is_not_in_the_release_object() -> None:
    alone = replace(RECORD, releases=(), removed={}, before=None)
    assert alone.release_object == RECORD.release_object
    assert record.encode(alone) != record.encode(RECORD)


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
    entry = facts.entry(f"x{path}", frontmatter=frontmatter, uri=ENTRY.uri)
    catalog = Catalog("1" * 40, "2" * 40, title, title, None, None, (), (entry,))
    original = Record(catalog, "0.1.0", 1, {}, A, FIXED)
    assert decoded(original) == original


def test_the_files_of_entries_are_their_blobs_archives_and_icons() -> None:
    assert record.files_of(RECORD.catalog.entries, RECORD.catalog.icons) == {
        f"blobs/sha256/{A.hex}": (A, 12),
        f"blobs/sha256/{B.hex}": (B, 0),
        f"archives/refunds-{C.short}.zip": (C, 321),
        f"archives/x-{A.short}.md": (A, 12),
        f"icons/{A.short}.png": (A, 1),
        f"icons/{B.short}.svg": (B, 1),
    }


def test_the_head_names_its_parts_its_release_object_index_search_and_icons_of_the_catalog() -> (
    None
):
    part = b"".join(encode_entry(entry) + b"\n" for entry in RECORD.catalog.entries)
    digest, release = Digest.of(part), RECORD.release_object
    assert record.named_files(RECORD) == {
        f"record/{digest.hex[:2]}/{digest.hex}.jsonl": (digest, len(part)),
        blob_path(Digest.of(release)): (Digest.of(release), len(release)),
        blob_path(B): (B, 5),
        blob_path(C): (C, 6),
        f"icons/{B.short}.svg": (B, 1),
    }


# Lists that are too long for the head.


LONG = [f"skills/{number:05}" for number in range(2000)]


def with_long_lists() -> Record:
    catalog = replace(
        RECORD.catalog, skipped=tuple(LONG), ignored={f"{path}/x": "junk" for path in LONG}
    )
    removed = {path: Removed(A, "3" * 40) for path in LONG}
    return replace(RECORD, catalog=catalog, removed=removed)


def test_long_lists_stand_in_blobs_that_the_head_names() -> None:
    files = files_of_record(with_long_lists())
    head = json.loads(files[RECORD_FILE])
    assert len(files[RECORD_FILE]) < 4096
    for stored in (head["release"]["skipped"], head["publication"]["removed"]):
        data = files[blob_path(Digest.parse(stored["digest"]))]
        assert (stored["size"], len(json.loads(data))) == (len(data), len(LONG))
    assert plain(read_files(files)) == with_long_lists()
    assert files_of_record(read_files(files)) == files


def test_a_list_of_16_kib_is_the_longest_in_the_head() -> None:
    def skipped(size: int) -> Any:
        catalog = replace(RECORD.catalog, skipped=("x" * (size - len('[""]')),))
        return json.loads(record.encode(replace(RECORD, catalog=catalog)))["release"]["skipped"]

    assert isinstance(skipped(16 * 1024), list)
    assert skipped(16 * 1024 + 1).keys() == {"digest", "size"}


@pytest.mark.parametrize("name", ["skipped", "ignored", "removed"])
@pytest.mark.parametrize("data", [None, b"", b"[]", b"junk"], ids=["missing", "cut", "[]", "junk"])
def test_a_lost_or_changed_list_is_an_error(name: str, data: bytes | None) -> None:
    files = files_of_record(with_long_lists())
    head = json.loads(files[RECORD_FILE])
    stored = {**head["release"], **head["publication"]}[name]
    path = blob_path(Digest.parse(stored["digest"]))
    del files[path]
    if data is not None:
        files[path] = data
    with pytest.raises(OutputError, match=f"{name} is in {path}, which is missing or damaged"):
        read_files(files)


@pytest.mark.parametrize("data", [b"junk", b"{}", b"[7]", b"[" * 100_000, b"7"])
@pytest.mark.parametrize("name", ["skipped", "ignored", "removed"])
def test_a_list_with_the_right_digest_and_no_right_content_is_an_error(
    name: str, data: bytes
) -> None:
    files, head = files_of_record(RECORD), document()
    half = head["publication" if name == "removed" else "release"]
    half[name] = {"digest": str(Digest.of(data)), "size": len(data)}
    files |= {RECORD_FILE: json.dumps(head).encode(), blob_path(Digest.of(data)): data}
    with pytest.raises(OutputError, match=r"catalog\.json is damaged: "):
        read_files(files)


# Damage.

Path = tuple[str | int, ...]
Mutation = Callable[[Any], Any]

NULLABLE = {"baseUrl", "websiteUrl", "theme", "tarDigest", "line", "before"}
"""Fields that may be null."""
DERIVED = {"url"}
"""Fields that follow from others and are written for foreign readers alone."""
OTHERS: list[Any] = [None, 7, -1, 1.5, True, "text", [], {}, [None], [7], {"a": 7}, [[]], 10**30]


def document() -> Any:
    """The head as plain values."""
    return json.loads(record.encode(RECORD))


def entry_document() -> Any:
    return json.loads(encode_entry(ENTRY))


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
ENTRY_PATHS = list(every_path(entry_document()))


def parent_of(whole: Any, path: Path) -> Any:
    for key in path[:-1]:
        whole = whole[key]
    return whole


def read(whole: Any) -> Record:
    return read_files({**files_of_record(RECORD), RECORD_FILE: json.dumps(whole).encode()})


def read_entry(whole: Any) -> Entry:
    return decode_entry(json.dumps(whole).encode())


def refuses(whole: Any) -> bool:
    """True when decoding a head, or else an entry, ends in the one error it may end in."""
    try:
        read(whole) if "layout" in whole or "release" in whole else read_entry(whole)
    except OutputError:
        return True
    return False


def test_a_head_of_other_spaces_is_read_the_same_and_an_empty_catalog_has_no_part() -> None:
    assert plain(read(document())) == RECORD
    assert read_entry(entry_document()) == ENTRY
    empty = replace(RECORD, catalog=replace(RECORD.catalog, entries=()))
    assert decoded(empty) == empty
    assert json.loads(record.encode(empty))["release"]["parts"] == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'"layout":3', b'"layout":"2"', r"Expected `int`, got `str` - at `\$\.layout`"),
        (b'"layout":3,', b'"layout":3,"parts":[', "damaged"),
        (b"}\n", b"}}\n", "damaged"),
        (b"}\n", b"\n", "damaged"),
        (b'\n"release"', b'\n}"release"', "damaged"),
        (
            b'"first":"acme/refunds"',
            b'"first":7',
            r"Expected `str`, got `int` - at `\$\.release\.parts\[0\]\.first`",
        ),
        (b'"skills":2', b'"skills":3', "counts does not match the parts"),
        (b'"count":2', b'"count":1', "counts does not match the parts"),
        (b'"count":2', b'"count":%d' % 10**30, "damaged"),
        (b'"unlisted":{"mcp":1', b'"unlisted":{"mcp":2', "counts does not match the parts"),
    ],
)
def test_damage_of_the_head_is_found(old: bytes, new: bytes, message: str) -> None:
    files = files_of_record(RECORD)
    assert old in files[RECORD_FILE]
    files[RECORD_FILE] = files[RECORD_FILE].replace(old, new, 1)
    with pytest.raises(OutputError, match=message):
        read_files(files)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'"path":"b/x"', b'"path":7', r"Expected `str`, got `int` - at `\$\.path`"),
        (b'{"path":"b/x"', b'["path":"b/x"', "damaged"),
        (b'{"path":"b/x"', b'}{"path":"b/x"', "damaged"),
        (b'{"path":"b/x"', b"7", "damaged"),
        (b"}\n", b"}}\n", "damaged"),
    ],
)
def test_damage_of_an_entry_in_a_part_with_the_right_digest_is_found(
    old: bytes, new: bytes, message: str
) -> None:
    files, head = files_of_record(RECORD), document()
    [path] = [path for path in files if path.startswith("record/")]
    assert old in files[path]
    data = files[path].replace(old, new)
    digest = Digest.of(data)
    head["release"]["parts"][0] |= {"digest": str(digest), "size": len(data)}
    files |= {RECORD_FILE: json.dumps(head).encode(), part_path(digest): data}
    with pytest.raises(OutputError, match=message):
        plain(read_files(files))


@pytest.mark.parametrize("data", [None, b"", b"other"], ids=["missing", "empty", "damaged"])
def test_a_lost_or_changed_part_is_an_error_when_it_is_read(data: bytes | None) -> None:
    files = files_of_record(RECORD)
    [path] = [path for path in files if path.startswith("record/")]
    del files[path]
    if data is not None:
        files[path] = data
    state = "missing" if data is None else "damaged"
    release = read_files(files)
    with pytest.raises(OutputError) as caught:
        plain(release)
    remedy = "remove the output and build again"
    assert str(caught.value) == f"{path}, a part of catalog.json, is {state}; {remedy}"


def test_the_layout_is_read_without_the_rest() -> None:
    data = record.encode(RECORD)
    assert record.read_layout(data) == 3
    assert record.read_layout(data.replace(b'"layout":3', b'"layout":9')) == 9
    assert record.read_layout(b"[]") is record.read_layout(b"no JSON") is None


def test_the_damaged_paths_cover_the_record() -> None:
    assert len(PATHS) + len(ENTRY_PATHS) > 90
    wanted = {"layout", "release", "publication", "parts", "counts", "ignored", "skipped"}
    keys = {key for path in PATHS for key in path}
    assert wanted | {"releases", "removed", "before", "lastCommit", "unlisted"} <= keys


@pytest.mark.parametrize("path", [path for path in PATHS if isinstance(path[-1], str)])
def test_a_missing_field_of_the_head_is_an_error(path: Path) -> None:
    whole = document()
    del parent_of(whole, path)[path[-1]]
    free = "renderers" in path[:-1]
    assert refuses(whole) is not free


@pytest.mark.parametrize("path", [path for path in ENTRY_PATHS if isinstance(path[-1], str)])
def test_a_missing_field_of_an_entry_is_an_error(path: Path) -> None:
    whole = entry_document()
    key = path[-1]
    del parent_of(whole, path)[key]
    free = "unlisted" in path[:-1]
    assert refuses(whole) is not free


def is_fine(path: Path, old: object, new: object) -> bool:
    """True when a value of this kind is allowed at that place."""
    key = path[-1]
    if key in NULLABLE and (new is None or old is None):
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
            return key in ("renderers", "frontmatter", "unlisted")
        case int() if not isinstance(old, bool):
            return isinstance(new, int) and new >= 0
    return True


@pytest.mark.parametrize(
    ("document_of", "path"),
    [*((document, path) for path in PATHS), *((entry_document, path) for path in ENTRY_PATHS)],
)
def test_a_field_of_a_wrong_type_is_an_error(document_of: Callable[[], Any], path: Path) -> None:
    for new in OTHERS:
        whole = document_of()
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
        (b"null", "Expected `object`, got `null`"),
        (b"[]", "Expected `object`, got `array`"),
        (b'{"layout": 3', "catalog.json is damaged"),
        (b'{"layout":3}', "missing required field `release`"),
        (b'{"layout":3,"release":{}}', "missing required field `archiveFormat` - at `$.release`"),
        (b"[" * 100_000, "catalog.json is damaged"),
        (b'{"layout":' * 100_000, "catalog.json is damaged"),
        (b'{"layout":' + b"9" * 5000 + b"}", "catalog.json is damaged"),
        (b'{"layout":4}', "catalog.json has layout 4; this skillbuild reads 3"),
        (b'{"layout":2}', f"catalog.json has layout 2, which is no longer supported; {REMEDY}"),
        (b'{"layout":1}', f"catalog.json has layout 1, which is no longer supported; {REMEDY}"),
        (b'{"layout":0}', f"catalog.json has layout 0, which is no longer supported; {REMEDY}"),
    ],
    ids=range(14),
)
def test_a_file_that_is_no_record_is_an_error(data: bytes, message: str) -> None:
    with pytest.raises(OutputError) as caught:
        read_files({RECORD_FILE: data})
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
    whole = entry_document()
    whole["archives"][0]["path"] = path
    assert refuses(whole)
    for name in ("parts", "releases"):  # Their digests are their paths.
        whole = document()
        whole["release" if name == "parts" else "publication"][name][0]["digest"] = path
        assert refuses(whole)


@pytest.mark.parametrize("unlisted", [None, [], "mcp", {"mcp": "internal"}, {"mcp": [1]}])
def test_reasons_not_to_be_listed_are_lists_of_texts(unlisted: object) -> None:
    whole = entry_document()
    whole["unlisted"] = unlisted
    with pytest.raises(OutputError, match=r"at `\$\.unlisted"):
        read_entry(whole)


def test_the_end_of_a_line_is_replaced_whatever_stands_before_it() -> None:
    decoy = b',"unlisted":{}}'
    tricky = changed(
        ENTRY,
        frontmatter={"unlisted": {"mcp": ["x"]}, "x": decoy.decode()},
        warnings=(EntryFinding("a", "b", None, None, decoy.decode(), '"warnings":['),),
    )
    for was in ({}, {"mcp": ("a", "b"), "index": ("a",)}):
        for now in ({}, {"mcp": ("internal",)}):
            line = encode_entry(changed(tricky, unlisted=was))
            assert with_unlisted(line, now) == encode_entry(changed(tricky, unlisted=now))
            assert summary_of(line).findings == tricky.findings


def test_an_entry_needs_its_skill_md() -> None:
    whole = entry_document()
    whole["resources"].pop(0)
    with pytest.raises(OutputError, match=r"acme/refunds has no SKILL\.md"):
        read_entry(whole)


@pytest.mark.parametrize(
    ("data", "layout"),
    [
        (record.encode(RECORD), 3),
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
    places: list[Path] = [
        ("release", "source", "commit"),
        ("publication", "releases", 0, "commit"),
        ("publication", "removed", 0, "lastCommit"),
    ]
    for path in places:
        value = document()
        parent_of(value, path)[path[-1]] = commit
        with pytest.raises(OutputError, match=r"(?i)commit`"):
            read(value)

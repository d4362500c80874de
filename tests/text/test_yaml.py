"""YAML as strict JSON values: any text gives a value or one fault, never another exception."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skillbuild.model import Json, Place
from skillbuild.text.faults import FaultKind, TextFault, TextFaultError
from skillbuild.text.yaml.reader import KeyPath, YamlDocument, parse_yaml

RICH = """\
name: pdf
description: >-
  Reads and
  writes.
metadata:
  team: "docs"
  nested:
    deep: [1, 'two']
list:
- a
- k: v
  l: |
    text
"empty":
"""


def read(text: str) -> YamlDocument | TextFault:
    """The document between the --- lines of a file, or why it cannot be read."""
    try:
        return parse_yaml(text, 2)
    except TextFaultError as error:
        return error.fault


def test_values_come_verbatim_and_in_order() -> None:
    value = parse_yaml(RICH, 2).value
    assert json.dumps(value) == json.dumps(
        {
            "name": "pdf",
            "description": "Reads and writes.",
            "metadata": {"team": "docs", "nested": {"deep": [1, "two"]}},
            "list": ["a", {"k": "v", "l": "text\n"}],
            "empty": None,
        }
    )


def test_every_value_has_a_line_and_a_column() -> None:
    assert dict(parse_yaml(RICH, 2).places) == {
        ("name",): Place(2, 7),
        ("description",): Place(3, 14),
        ("metadata",): Place(7, 3),
        ("metadata", "team"): Place(7, 9),
        ("metadata", "nested"): Place(9, 5),
        ("metadata", "nested", "deep"): Place(9, 11),
        ("metadata", "nested", "deep", 0): Place(9, 12),
        ("metadata", "nested", "deep", 1): Place(9, 15),
        ("list",): Place(11, 1),
        ("list", 0): Place(11, 3),
        ("list", 1): Place(12, 3),
        ("list", 1, "k"): Place(12, 6),
        ("list", 1, "l"): Place(13, 6),
        ("empty",): Place(15, 9),
    }


def test_columns_count_code_points() -> None:
    assert parse_yaml('"\U0001f600é": x', 2).places == {("\U0001f600é",): Place(2, 7)}


def test_unknown_fields_pass() -> None:
    text = 'version: "1"\nx-y.z/w: {}\nmodel: sonnet\nhooks:\n- on: "x"\nNAME: a\n'
    assert parse_yaml(text).value == {
        "version": "1",
        "x-y.z/w": {},
        "model": "sonnet",
        "hooks": [{"on": "x"}],
        "NAME": "a",
    }


def test_quoted_scalars_are_text() -> None:
    text = "a: '1'\nb: \"yes\"\nc: '~'\nd: \"\"\ne: |-\n  12:30\nf: >-\n  .nan\n"
    document = parse_yaml(text)
    assert document.value == {"a": "1", "b": "yes", "c": "~", "d": "", "e": "12:30", "f": ".nan"}
    assert document.remarks == ()


@pytest.mark.parametrize(("text", "value"), [("a", "a"), ("- a", ["a"]), ("~", None), ("", None)])
def test_a_document_need_not_be_a_mapping(text: str, value: Json) -> None:
    assert parse_yaml(text).value == value


@pytest.mark.parametrize(
    ("text", "kind", "place"),
    [
        ("a: b: c", FaultKind.UNQUOTED_COLON, Place(2, 5)),
        ("a: *x", FaultKind.BEYOND_DATA, Place(2, 4)),
        ("a: &x b", FaultKind.BEYOND_DATA, Place(2, 4)),
        ("a: &x [b]", FaultKind.BEYOND_DATA, Place(2, 4)),
        ("a: !!int 1", FaultKind.BEYOND_DATA, Place(2, 4)),
        ("a: b\n--- x", FaultKind.BEYOND_DATA, Place(3, 1)),
        ("<<: b", FaultKind.BEYOND_DATA, Place(2, 1)),
        ("a: 1\na: 2", FaultKind.DUPLICATE_KEY, Place(3, 1)),
        ("1: a", FaultKind.KEY_NOT_TEXT, Place(2, 1)),
        ("? {a: b}\n: c", FaultKind.KEY_NOT_TEXT, Place(2, 3)),
        ("a: [b", FaultKind.SYNTAX, Place(3, 1)),
        ("a: 'b", FaultKind.SYNTAX, Place(2, 4)),
        ("a: }", FaultKind.SYNTAX, Place(2, 4)),
        ("a: \x07", FaultKind.SYNTAX, Place(2, 4)),
        ("é: \x07", FaultKind.SYNTAX, Place(2, 4)),
        ("a: \U0001f600\x07", FaultKind.SYNTAX, Place(2, 5)),
        ("a: .nan", FaultKind.NOT_FINITE, Place(2, 4)),
        ("a: b\x85c", FaultKind.LINE_BREAK, Place(2, 5)),
        ("[" * 900, FaultKind.TOO_LARGE, Place(2, 33)),
        ("{" * 900, FaultKind.KEY_NOT_TEXT, Place(2, 2)),
        ("- " * 900, FaultKind.TOO_LARGE, Place(2, 65)),
        ("? " * 900, FaultKind.KEY_NOT_TEXT, Place(2, 3)),
        ("a: x\n" * 13_107, FaultKind.DUPLICATE_KEY, Place(3, 1)),
        ("#" * 65_536, FaultKind.TOO_LARGE, Place(2, 1)),
    ],
)
def test_a_document_that_cannot_be_read_has_one_fault_at_its_place(
    text: str, kind: FaultKind, place: Place
) -> None:
    fault = read(f"{text}\n")
    assert isinstance(fault, TextFault)
    assert (fault.kind, fault.place) == (kind, place)
    assert fault.message
    assert fault.hint


@pytest.mark.parametrize("begin", ["[", "{", "- ", "? "])
def test_levels_beyond_those_that_libyaml_reads_are_too_many(begin: str) -> None:
    fault = read(f"{begin * 30_000}\n")
    assert isinstance(fault, TextFault)
    assert fault.place.line == 2
    assert fault.kind in {FaultKind.TOO_LARGE, FaultKind.KEY_NOT_TEXT}  # Since 0.2.6; before it.


HEAVY = {
    "keys": "".join(f"k{n}: v\n" for n in range(6_000)),
    "a flow list": "a: [" + "1," * 19_000 + "1]",
    "ambiguous values": "a:\n" + "- no\n" * 12_000,
    "one long scalar": "a: " + "x" * 65_000,
    "an escaped scalar": 'a: "' + "\\u0041" * 10_000 + '"',
    "a long integer": "a: " + "1" * 65_000,
    "long fractions": "a: 0." + "1" * 65_000,
    "brackets": "a: " + "[]" * 32_000,
    "colons": "a" + ": a" * 21_000,
    "questions": "? a\n" * 16_000,
    "quotes": "a: '" + "''" * 32_000,
    "indents": "".join(" " * n + "a:\n" for n in range(300)),
    "blank lines": "a: b\n" + "\n" * 65_000,
    "a long key": "k" * 65_000 + ": b",
    "blanks": "a: b" + " " * 65_000 + "c: d",
    "blanks in quotes": "a: 'b" + " " * 65_000 + "c'd",
    "steps": "".join(" " * n + f"k{n}: v: w\n" for n in range(330, 0, -1)) + "x: y: z",
    "lines of words": "a: b\n" + " c\n" * 21_000 + " d: e\n",
}


@pytest.mark.parametrize("text", HEAVY.values(), ids=list(HEAVY))
@pytest.mark.nightly
def test_a_header_at_the_limits_is_read_at_once(text: str) -> None:
    assert read(f"{text}\n") is not None


MARKS = st.sampled_from(
    [": ", "- ", "\n", "\n  ", "\n- ", "[", "]", "{", "}", ",", '"', "'", "|", ">"]
)
NODES = st.sampled_from(["#", "&x ", "*x", "!t ", "? ", "---\n", "...\n", "%YAML 1.2\n", "<<", "~"])
WORDS = st.sampled_from(
    ["a", "b:", "yes", "0o7", "1e3", ".inf", "=", "1_0", "12:30", "9" * 20, "@"]
)
ODD = st.sampled_from(
    ["é", "\U0001f600", "\\", '"\\ud800"', "\x00", "\x1b", "\u2028", "\ufeff", "\t"]
)
LONG = st.sampled_from(["0x" + "f" * 400, "\ud7ff", "\uffff", " "])
YAMLISH = st.lists(MARKS | NODES | WORDS | ODD | LONG, max_size=25).map("".join)
PLAIN = st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"]))


@settings(max_examples=400)
@given(YAMLISH | PLAIN)
@example("a: \n\tb: c\n")
@example("a: |\n  b\n c: d\n")
@example("%TAG ! x\n---\na")
@example("a: 'b\n\n\n")
def test_any_text_gives_strict_json_or_one_fault_at_a_place_inside_it(text: str) -> None:
    result = read(f"{text}\n")
    lines = f"{text}\n".split("\n")
    if isinstance(result, TextFault):
        places = [result.place]
    else:
        places = [remark.place for remark in result.remarks] + [*result.places.values()]
        json.dumps(result.value, allow_nan=False).encode()
        assert list(faults(result.value)) == []
        assert set(result.places) == set(key_paths(result.value))
    for place in places:
        assert 2 <= place.line < 2 + len(lines)
        assert 1 <= place.column <= len(lines[place.line - 2]) + 1


def faults(value: Json) -> Iterator[str]:
    """Values in a document that strict JSON does not have."""
    match value:
        case float() if not math.isfinite(value):
            yield repr(value)
        case str() if any("\ud800" <= char <= "\udfff" for char in value):
            yield repr(value)
        case dict():
            yield from (repr(key) for key in value if not isinstance(key, str))
            for key, inner in value.items():
                yield from [*faults(key), *faults(inner)]
        case list():
            for inner in value:
                yield from faults(inner)
        case None | bool() | int() | float() | str():
            pass
        case _:
            yield repr(type(value))


def key_paths(value: Json, path: KeyPath = ()) -> Iterator[KeyPath]:
    """The keys that lead to every value but the whole."""
    if path:
        yield path
    items: Sequence[tuple[str | int, Json]] = []
    if isinstance(value, Mapping):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    for key, inner in items:
        yield from key_paths(inner, (*path, key))

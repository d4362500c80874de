"""Where values stand in a YAML text: at the places that the reader gives, up to their last char."""

from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from skillbuild.model import Place
from skillbuild.text.faults import TextFaultError
from skillbuild.text.yaml.reader import parse_yaml
from skillbuild.text.yaml.written import Style, read_written

BLOCK = """\
# first
name: a  # one
"two" : 'x
  y'
list:
- 1

- - "b"
  - {c: d, e: [f]}
# between
text: |-
  g

  h

after:
last: i
  j
"""


def shown(text: str) -> dict[str, tuple[str, str]]:
    """By its first place, the style of each value and how it is written."""
    lines = text.split("\n")
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines) + 1)]

    def index(place: Place) -> int:
        return starts[place.line - 1] + place.column - 1

    return {
        f"{place.line}:{place.column}": (
            value.style.value,
            text[index(value.start) : index(value.end)].rstrip(),
        )
        for place, value in read_written(text).values.items()
    }


def test_every_value_is_given_as_it_is_written() -> None:
    assert shown(BLOCK) == {
        "2:7": ("plain", "a"),
        "3:9": ("'", "'x\n  y'"),
        "6:3": ("plain", "1"),
        "8:5": ('"', '"b"'),
        "9:9": ("plain", "d"),
        "9:16": ("plain", "f"),
        "9:15": ("list", "[f]"),
        "9:5": ("mapping", "{c: d, e: [f]}"),
        "8:3": ("list", '- "b"\n  - {c: d, e: [f]}'),
        "6:1": ("list", '- 1\n\n- - "b"\n  - {c: d, e: [f]}'),
        "11:7": ("|", "|-\n  g\n\n  h"),
        "17:7": ("plain", "i\n  j"),
    }
    keys = read_written(BLOCK).keys
    assert [key.text for key in keys.values()] == [
        *("name", "two", "list", "c", "e", "text", "after", "last"),
    ]
    assert keys[Place(3, 1)].style is Style.DOUBLE


def test_what_follows_an_error_is_left_out() -> None:
    assert list(shown("a: b\nc: d: e\n")) == ["1:4", "2:4"]


_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(0, 99), st.text("aé #:'\"\n-", max_size=9)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text("ab", min_size=1), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text("xyz", min_size=1), _JSON, max_size=4), st.sampled_from("jbf"))
def test_values_stand_where_the_reader_says(value: object, form: str) -> None:
    text = (
        json.dumps(value) if form == "j" else yaml.safe_dump(value, default_flow_style=form == "f")
    )
    try:
        places = parse_yaml(text).places
    except TextFaultError:
        return
    values = read_written(text).values
    assert values.keys() <= set(places.values())
    assert all(item.start < item.end for item in values.values())


@pytest.mark.parametrize("text", ["", "x", "[", "- a: [b", "? a\n: b\n", "*a", "--- a\n--- b\n"])
def test_any_text_gives_what_can_be_parsed(text: str) -> None:
    read_written(text)

"""Plain scalars: the value by YAML 1.2, and what readers of YAML 1.1 would make of them.

The judge of YAML 1.1 is the loader that such hosts use, on each of the scalars.
"""

import datetime
import json
from collections.abc import Sequence

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from skillbuild.model import Json
from skillbuild.text import yaml_scalars
from skillbuild.text.yaml import parse_yaml

SAME: list[tuple[str, Json]] = [
    ("", None),
    ("~", None),
    ("null", None),
    ("Null", None),
    ("NULL", None),
    ("nULL", "nULL"),
    ("true", True),
    ("True", True),
    ("FALSE", False),
    ("tRUE", "tRUE"),
    ("y", "y"),
    ("n", "n"),
    ("Y", "Y"),
    ("0", 0),
    ("-0", 0),
    ("+7", 7),
    ("123", 123),
    ("-123", -123),
    ("9007199254740992", 2**53),
    ("0x1F", 31),
    ("0xff", 255),
    ("1.5", 1.5),
    ("-0.25", -0.25),
    ("+1.5", 1.5),
    ("0.0", 0.0),
    ("1.5e+300", 1.5e300),
    ("1.10.0", "1.10.0"),
    ("v1.10", "v1.10"),
    ("12:60", "12:60"),
    ("a:b", "a:b"),
    ("0x", "0x"),
    ("0b2", "0b2"),
    ("1,000", "1,000"),
    ("1 000", "1 000"),
    (".", "."),
    ("..", ".."),
    ("+", "+"),
    ("e3", "e3"),
    ("nan", "nan"),
    ("inf", "inf"),
    ("Infinity", "Infinity"),
    ("None", "None"),
    ("on the way", "on the way"),
    ("2026-01-31", "2026-01-31"),
    ("2026-13-45", "2026-13-45"),
    ("26-01-31", "26-01-31"),
    ("\u0661\u0662", "\u0661\u0662"),
]
"""Scalars that all readers agree on; a date counts as its text, as the hosts compare it."""

DIFFERENT: list[tuple[str, Json, list[str]]] = [
    ("yes", "yes", ["yaml-ambiguous"]),
    ("Yes", "Yes", ["yaml-ambiguous"]),
    ("YES", "YES", ["yaml-ambiguous"]),
    ("no", "no", ["yaml-ambiguous"]),
    ("NO", "NO", ["yaml-ambiguous"]),
    ("on", "on", ["yaml-ambiguous"]),
    ("On", "On", ["yaml-ambiguous"]),
    ("off", "off", ["yaml-ambiguous"]),
    ("OFF", "OFF", ["yaml-ambiguous"]),
    ("010", 10, ["yaml-ambiguous"]),
    ("0755", 755, ["yaml-ambiguous"]),
    ("-010", -10, ["yaml-ambiguous"]),
    ("00", 0, ["yaml-ambiguous"]),
    ("08", 8, ["yaml-ambiguous"]),
    ("0o7", 7, ["yaml-ambiguous"]),
    ("0o17", 15, ["yaml-ambiguous"]),
    ("0b101", "0b101", ["yaml-ambiguous"]),
    ("0x_1F", "0x_1F", ["yaml-ambiguous"]),
    ("-0x1F", "-0x1F", ["yaml-ambiguous"]),
    ("1_000", "1_000", ["yaml-ambiguous"]),
    ("1_000.5", "1_000.5", ["yaml-ambiguous"]),
    ("12:30", "12:30", ["yaml-ambiguous"]),
    ("12:30:45", "12:30:45", ["yaml-ambiguous"]),
    ("1:30.5", "1:30.5", ["yaml-ambiguous"]),
    ("=", "=", ["yaml-ambiguous"]),
    ("<<", "<<", ["yaml-ambiguous"]),
    ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z", ["yaml-ambiguous"]),
    ("2026-01-31 12:00:00", "2026-01-31 12:00:00", ["yaml-ambiguous"]),
    ("1e3", 1000.0, ["yaml-ambiguous", "yaml-float"]),
    ("1E3", 1000.0, ["yaml-ambiguous", "yaml-float"]),
    ("1.5e3", 1500.0, ["yaml-ambiguous", "yaml-float"]),
    ("+.5", 0.5, ["yaml-ambiguous", "yaml-float"]),
    (".5", 0.5, ["yaml-float"]),
    ("5.", 5.0, ["yaml-float"]),
    ("1.10", 1.1, ["yaml-float"]),
    ("1.0000000000000001", 1.0, ["yaml-float"]),
    ("9007199254740993", 2**53 + 1, ["yaml-integer"]),
    ("-9007199254740993", -(2**53) - 1, ["yaml-integer"]),
    ("0x20000000000001", 2**53 + 1, ["yaml-integer"]),
]

NOT_JSON = [".inf", "-.inf", "+.Inf", ".INF", ".nan", ".NaN", ".NAN", "1e999", "-1e999"]
NOT_JSON += ["9" * 401, "0x" + "f" * 5000, "0o" + "7" * 9000]


def read(text: str) -> tuple[Json, list[str]]:
    """The value of a plain scalar in a header, and the rules it meets."""
    frontmatter, found = parse_yaml(f"a: {text}\n", "x", 2)
    assert frontmatter is not None
    return frontmatter.value["a"], [item.rule.code for item in found]


def same(first: object, second: object) -> bool:
    return type(first) is type(second) and first == second


def read_1_1(text: str) -> object:
    """What PyYAML makes of it; a date is compared as its text, a failure is a difference."""
    try:
        value = yaml.load(f"a: {text}\n", yaml.SafeLoader)["a"]
    except (yaml.YAMLError, ValueError) as error:
        return error
    is_date = isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)
    return value.isoformat() if is_date else value


@pytest.mark.parametrize(("text", "value"), SAME)
def test_a_scalar_that_all_read_alike_passes_without_a_word(text: str, value: Json) -> None:
    got, codes = read(text)
    assert same(got, value)
    assert codes == []


@pytest.mark.parametrize(("text", "value", "codes"), DIFFERENT)
def test_a_scalar_that_some_read_otherwise_is_named(
    text: str, value: Json, codes: Sequence[str]
) -> None:
    got, found = read(text)
    assert same(got, value)
    assert found == codes


@pytest.mark.parametrize("text", [text for text, _ in SAME if text != "2026-13-45"])
def test_the_loader_of_yaml_1_1_agrees(text: str) -> None:
    assert same(read_1_1(text), read(text)[0])


@pytest.mark.parametrize(
    "text", [text for text, _, codes in DIFFERENT if "yaml-ambiguous" in codes and text != "00"]
)
def test_the_loader_of_yaml_1_1_does_not_agree(text: str) -> None:
    assert not same(read_1_1(text), read(text)[0])


@pytest.mark.parametrize("text", NOT_JSON)
def test_a_number_that_json_has_not_is_refused(text: str) -> None:
    frontmatter, found = parse_yaml(f"a: {text}\n", "x", 2)
    assert frontmatter is None
    assert [item.rule.code for item in found] == ["yaml-number"]
    with pytest.raises(ValueError, match="has no form in JSON"):
        yaml_scalars.resolve(text)


NUMBERISH = st.text("0123456789+-._eExXoObBaAfF:", min_size=1, max_size=12)


@given(NUMBERISH)
@example("1__0")
@example("0.")
def test_whatever_is_not_remarked_on_is_read_alike_by_yaml_1_1(text: str) -> None:
    frontmatter, found = parse_yaml(f"a: {text}\n", "x", 2)
    if frontmatter is None or found or frontmatter.value["a"] == {}:
        return
    value = frontmatter.value["a"]
    json.dumps(value, allow_nan=False)
    other = read_1_1(text)
    assert same(other, value) or (isinstance(other, ValueError) and value == text)

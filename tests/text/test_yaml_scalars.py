"""Plain scalars: the value by YAML 1.2, and the value for readers of YAML 1.1.

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
from skillbuild.text.faults import FaultKind, TextFaultError
from skillbuild.text.yaml.reader import parse_yaml, resolve

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

DIFFERENT: list[tuple[str, Json, list[FaultKind]]] = [
    ("yes", "yes", [FaultKind.AMBIGUOUS]),
    ("Yes", "Yes", [FaultKind.AMBIGUOUS]),
    ("YES", "YES", [FaultKind.AMBIGUOUS]),
    ("no", "no", [FaultKind.AMBIGUOUS]),
    ("NO", "NO", [FaultKind.AMBIGUOUS]),
    ("on", "on", [FaultKind.AMBIGUOUS]),
    ("On", "On", [FaultKind.AMBIGUOUS]),
    ("off", "off", [FaultKind.AMBIGUOUS]),
    ("OFF", "OFF", [FaultKind.AMBIGUOUS]),
    ("010", 10, [FaultKind.AMBIGUOUS]),
    ("0755", 755, [FaultKind.AMBIGUOUS]),
    ("-010", -10, [FaultKind.AMBIGUOUS]),
    ("00", 0, [FaultKind.AMBIGUOUS]),
    ("08", 8, [FaultKind.AMBIGUOUS]),
    ("0o7", 7, [FaultKind.AMBIGUOUS]),
    ("0o17", 15, [FaultKind.AMBIGUOUS]),
    ("0b101", "0b101", [FaultKind.AMBIGUOUS]),
    ("0x_1F", "0x_1F", [FaultKind.AMBIGUOUS]),
    ("-0x1F", "-0x1F", [FaultKind.AMBIGUOUS]),
    ("1_000", "1_000", [FaultKind.AMBIGUOUS]),
    ("1_000.5", "1_000.5", [FaultKind.AMBIGUOUS]),
    ("12:30", "12:30", [FaultKind.AMBIGUOUS]),
    ("12:30:45", "12:30:45", [FaultKind.AMBIGUOUS]),
    ("1:30.5", "1:30.5", [FaultKind.AMBIGUOUS]),
    ("=", "=", [FaultKind.AMBIGUOUS]),
    ("<<", "<<", [FaultKind.AMBIGUOUS]),
    ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z", [FaultKind.AMBIGUOUS]),
    ("2026-01-31 12:00:00", "2026-01-31 12:00:00", [FaultKind.AMBIGUOUS]),
    ("1e3", 1000.0, [FaultKind.AMBIGUOUS, FaultKind.ROUNDED_FLOAT]),
    ("1E3", 1000.0, [FaultKind.AMBIGUOUS, FaultKind.ROUNDED_FLOAT]),
    ("1.5e3", 1500.0, [FaultKind.AMBIGUOUS, FaultKind.ROUNDED_FLOAT]),
    ("+.5", 0.5, [FaultKind.AMBIGUOUS, FaultKind.ROUNDED_FLOAT]),
    (".5", 0.5, [FaultKind.ROUNDED_FLOAT]),
    ("5.", 5.0, [FaultKind.ROUNDED_FLOAT]),
    ("1.10", 1.1, [FaultKind.ROUNDED_FLOAT]),
    ("1.0000000000000001", 1.0, [FaultKind.ROUNDED_FLOAT]),
    ("9007199254740993", 2**53 + 1, [FaultKind.LARGE_INTEGER]),
    ("-9007199254740993", -(2**53) - 1, [FaultKind.LARGE_INTEGER]),
    ("0x20000000000001", 2**53 + 1, [FaultKind.LARGE_INTEGER]),
]

NOT_JSON = [".inf", "-.inf", "+.Inf", ".INF", ".nan", ".NaN", ".NAN", "1e999", "-1e999"]
NOT_JSON += ["9" * 401, "0x" + "f" * 5000, "0o" + "7" * 9000]


def read(text: str) -> tuple[Json, list[FaultKind]]:
    """The value of a plain scalar in a mapping, and the kinds of the remarks on it."""
    document = parse_yaml(f"a: {text}\n")
    assert isinstance(document.value, dict)
    return document.value["a"], [remark.kind for remark in document.remarks]


def same(first: object, second: object) -> bool:
    return type(first) is type(second) and first == second


def read_1_1(text: str) -> object:
    """The value by PyYAML; a date is compared as its text, an error counts as a difference."""
    try:
        value = yaml.load(f"a: {text}\n", yaml.SafeLoader)["a"]
    except (yaml.YAMLError, ValueError) as error:
        return error
    is_date = isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)
    return value.isoformat() if is_date else value


@pytest.mark.parametrize(("text", "value"), SAME)
def test_a_scalar_that_all_versions_read_alike_has_no_remark(text: str, value: Json) -> None:
    got, kinds = read(text)
    assert same(got, value)
    assert kinds == []


@pytest.mark.parametrize(("text", "value", "kinds"), DIFFERENT)
def test_a_scalar_that_some_versions_read_otherwise_has_a_remark(
    text: str, value: Json, kinds: Sequence[FaultKind]
) -> None:
    got, remarked = read(text)
    assert same(got, value)
    assert remarked == kinds


@pytest.mark.parametrize("text", [text for text, _ in SAME if text != "2026-13-45"])
def test_the_loader_of_yaml_1_1_agrees(text: str) -> None:
    assert same(read_1_1(text), read(text)[0])


@pytest.mark.parametrize(
    "text", [text for text, _, kinds in DIFFERENT if FaultKind.AMBIGUOUS in kinds and text != "00"]
)
def test_the_loader_of_yaml_1_1_does_not_agree(text: str) -> None:
    assert not same(read_1_1(text), read(text)[0])


@pytest.mark.parametrize("text", NOT_JSON)
def test_a_number_that_json_has_not_is_refused(text: str) -> None:
    with pytest.raises(TextFaultError) as caught:
        parse_yaml(f"a: {text}\n")
    assert caught.value.fault.kind is FaultKind.NOT_FINITE
    with pytest.raises(ValueError, match="cannot be written in JSON"):
        resolve(text)


NUMBERISH = st.text("0123456789+-._eExXoObBaAfF:", min_size=1, max_size=12)


@given(NUMBERISH)
@example("1__0")
@example("0.")
def test_a_scalar_without_a_remark_is_read_alike_by_yaml_1_1(text: str) -> None:
    try:
        value, kinds = read(text)
    except TextFaultError:
        return
    if kinds or value == {}:
        return
    json.dumps(value, allow_nan=False)
    other = read_1_1(text)
    assert same(other, value) or (isinstance(other, ValueError) and value == text)

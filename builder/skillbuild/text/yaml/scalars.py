"""Values of plain scalars by the core schema of YAML 1.2 (10.3.2), and where readers differ."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from skillbuild.model import Json
from skillbuild.text.faults import FaultKind

SAFE_INTEGER = 2**53
"""JavaScript rounds integers beyond it."""
_LONGEST_INTEGER = 400
"""Characters; a longer one is beyond every float too, and costs quadratic time to write."""

_LONGEST_SHOWN = 40
"""Characters of a scalar that a message repeats."""

_NULL = frozenset(["", "~", "null", "Null", "NULL"])
_BOOL = {
    **dict.fromkeys(["true", "True", "TRUE"], True),
    **dict.fromkeys(["false", "False", "FALSE"], False),
}
_NOT_FINITE = re.compile(r"[-+]?(\.inf|\.Inf|\.INF)|\.nan|\.NaN|\.NAN")
_NUMBERS: list[tuple[re.Pattern[str], Callable[[str], int | float]]] = [
    (re.compile(r"[-+]?[0-9]+"), lambda text: _integer(text, 10)),
    (re.compile(r"0o[0-7]+"), lambda text: _integer(text, 8)),
    (re.compile(r"0x[0-9a-fA-F]+"), lambda text: _integer(text, 16)),
    (re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"), float),
]
_TYPES = {
    "null": "nothing",
    "bool": "a boolean",
    "int": "an integer",
    "float": "a number",
    "str": "a text",
    "timestamp": "a date",
    "value": "a default value",
    "merge": "a merge key",
}
"""What messages call a type of YAML 1.1, by the last part of its tag."""


def resolve(text: str) -> Json:
    """The value of a plain scalar; dates stay text. `ValueError` for infinity and NaN."""
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    number = _number(text)
    if _NOT_FINITE.fullmatch(text) or (isinstance(number, float) and not math.isfinite(number)):
        raise ValueError(f"{text[:_LONGEST_SHOWN]} has no form in JSON")
    return text if number is None else number


def _integer(text: str, base: int) -> int | float:
    return int(text, base) if len(text) <= _LONGEST_INTEGER else math.inf


def _number(text: str) -> int | float | None:
    if text[0] not in "+-.0123456789":
        return None
    return next((read(text) for pattern, read in _NUMBERS if pattern.fullmatch(text)), None)


@dataclass(frozen=True, slots=True)
class Doubt:
    """A way in which some reader takes a scalar for another value."""

    kind: FaultKind
    message: str


def doubts(text: str, value: Json, type_1_1: str) -> Iterator[Doubt]:
    """Every way in which readers will take a plain scalar for something else than `value`.

    `type_1_1` is the type that a YAML 1.1 parser gives it: the last part of the tag, as `int`.
    """
    shown = text[:_LONGEST_SHOWN]
    if type_1_1 != _type(value):
        ours, theirs = _TYPES[_type(value)], _TYPES.get(type_1_1, type_1_1)
        message = f"{shown} is {ours} in YAML 1.2 and {theirs} in YAML 1.1"
        yield Doubt(FaultKind.AMBIGUOUS, message)
    elif type_1_1 == "int" and _is_octal_1_1(text):
        message = f"{shown} is decimal in YAML 1.2 and octal in YAML 1.1"
        yield Doubt(FaultKind.AMBIGUOUS, message)
    if isinstance(value, float) and repr(value) != text.lstrip("+"):
        yield Doubt(FaultKind.ROUNDED_FLOAT, f"{shown} is the number {value!r}")
    if isinstance(value, int) and abs(value) > SAFE_INTEGER:
        message = f"{shown} is beyond 2^53 and is rounded by some clients"
        yield Doubt(FaultKind.LARGE_INTEGER, message)


def _is_octal_1_1(text: str) -> bool:
    digits = text.lstrip("+-")
    return len(digits) > 1 and digits[0] == "0" and digits.isdecimal()


def _type(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "bool"
        case int():
            return "int"
        case float():
            return "float"
        case _:
            return "str"

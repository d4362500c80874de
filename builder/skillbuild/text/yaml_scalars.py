"""Plain scalars by the core schema of YAML 1.2 (section 10.3.2), and where readers will differ."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator

from skillbuild.diagnostics import Rule
from skillbuild.model import Json
from skillbuild.rules import frontmatter as rules

SAFE_INTEGER = 2**53
"""Beyond it, JavaScript rounds."""
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
_KINDS = {
    "null": "nothing",
    "bool": "a boolean",
    "int": "an integer",
    "float": "a number",
    "str": "a text",
    "timestamp": "a date",
    "value": "a default value",
    "merge": "a merge key",
}


def resolve(text: str) -> Json:
    """The value of a plain scalar; dates stay text. Raises `ValueError` for what JSON has not."""
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


def doubts(text: str, value: Json, kind_1_1: str) -> Iterator[tuple[Rule, str]]:
    """What some readers will make of a plain scalar, other than `value`.

    `kind_1_1` is the type a YAML 1.1 parser gives it, by the last word of the tag.
    """
    shown = text[:_LONGEST_SHOWN]
    if kind_1_1 != _kind(value):
        ours, theirs = _KINDS[_kind(value)], _KINDS.get(kind_1_1, kind_1_1)
        yield rules.YAML_AMBIGUOUS, f"{shown} is {ours} in YAML 1.2 and {theirs} in YAML 1.1"
    elif kind_1_1 == "int" and _is_octal_1_1(text):
        yield rules.YAML_AMBIGUOUS, f"{shown} is decimal in YAML 1.2 and octal in YAML 1.1"
    if isinstance(value, float) and repr(value) != text.lstrip("+"):
        yield rules.YAML_FLOAT, f"{shown} is the number {value!r}"
    if isinstance(value, int) and abs(value) > SAFE_INTEGER:
        yield rules.YAML_INTEGER, f"{shown} is beyond 2^53 and is rounded by some clients"


def _is_octal_1_1(text: str) -> bool:
    digits = text.lstrip("+-")
    return len(digits) > 1 and digits[0] == "0" and digits.isdecimal()


def _kind(value: Json) -> str:
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

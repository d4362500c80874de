"""Problems in a text file: the kind of problem, its position, a message and a hint."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from skillbuild.model import Place


class FaultKind(StrEnum):
    """The kinds of problems in a file that begins with YAML between `---` lines."""

    NOT_UTF8 = "not UTF-8"
    NUL_BYTE = "a NUL byte"
    BYTE_ORDER_MARK = "a byte order mark"
    FENCE_MISSING = "no opening `---` line"
    FENCE_UNCLOSED = "no closing `---` line"
    FENCE_INEXACT = "a `---` line that some clients do not recognize"
    SYNTAX = "not YAML"
    UNQUOTED_COLON = "a colon and a space in a plain scalar"
    BEYOND_DATA = "an anchor, alias, tag, directive, merge key or second document"
    DUPLICATE_KEY = "a duplicate key"
    KEY_NOT_TEXT = "a key that is not a string"
    NOT_FINITE = "a number that JSON cannot represent"
    LINE_BREAK = "a line break that some clients do not recognize"
    TOO_LARGE = "too large or too deep"
    AMBIGUOUS = "a plain scalar that YAML 1.1 reads as a different value"
    ROUNDED_FLOAT = "a float that loses digits when parsed"
    LARGE_INTEGER = "an integer beyond 2^53"
    CUT_BY_COMMENT = "a plain scalar that ends at a comment"
    STYLE = "a flow collection, or a quoted scalar over several lines"


@dataclass(frozen=True, slots=True)
class TextFault:
    """A problem in a text; `hint` says in the imperative how to fix it."""

    kind: FaultKind
    place: Place
    message: str
    hint: str


class TextFaultError(ValueError):
    """Raised if a text cannot be read; `fault` says why."""

    def __init__(self, kind: FaultKind, place: Place, message: str, hint: str) -> None:
        super().__init__(message)
        self.fault = TextFault(kind, place, message, hint)

"""Reads YAML as strict JSON values with their positions, and notes what other parsers may read
differently.

The types of scalars follow the core schema of YAML 1.2 (section 10.3.2); dates stay text.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import yaml
from yaml.resolver import Resolver

from skillbuild.model import Json, Place
from skillbuild.text.faults import FaultKind, TextFault, TextFaultError
from skillbuild.text.positions import place_at
from skillbuild.text.wording import plural
from skillbuild.text.yaml.syntax import (
    DEEPEST_NESTING,
    MOVE,
    Mark,
    events,
    place_of,
    syntax_fault,
    too_deep,
    working_remedy,
)

# Plain scalars: their values in the core schema of YAML 1.2 (10.3.2), and where parsers differ.

SAFE_INTEGER = 2**53
"""The limit up to which JavaScript represents every integer exactly."""
_LONGEST_INTEGER = 400
"""Maximum characters of an integer. A longer one exceeds every float and takes quadratic time to
print."""

_LONGEST_NUMBER_SHOWN = 40
"""Maximum characters of a scalar that a message repeats."""

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
"""What messages call a type of YAML 1.1; the key is the last part of its tag."""


def resolve(text: str) -> Json:
    """Return the value of a plain scalar; dates stay text. Raises `ValueError` for infinity and
    NaN.
    """
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    number = _number(text)
    if _NOT_FINITE.fullmatch(text) or (isinstance(number, float) and not math.isfinite(number)):
        raise ValueError(f"{text[:_LONGEST_NUMBER_SHOWN]} cannot be written in JSON")
    return text if number is None else number


def _integer(text: str, base: int) -> int | float:
    return int(text, base) if len(text) <= _LONGEST_INTEGER else math.inf


def _number(text: str) -> int | float | None:
    if text[0] not in "+-.0123456789":
        return None
    return next((read(text) for pattern, read in _NUMBERS if pattern.fullmatch(text)), None)


@dataclass(frozen=True, slots=True)
class Doubt:
    """How another parser may read a scalar differently."""

    kind: FaultKind
    message: str


def doubts(text: str, value: Json, type_1_1: str) -> Iterator[Doubt]:
    """Yield every way in which a parser may read a plain scalar as something other than `value`.

    `type_1_1` is the type that a YAML 1.1 parser gives to the scalar: the last part of the tag,
    such as `int`.
    """
    shown = text[:_LONGEST_NUMBER_SHOWN]
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
        message = f"{shown} is above 2^53, so some clients round it"
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


LONGEST_TEXT = 64 * 1024
"""Maximum size in bytes of UTF-8; the largest of `118,665` real frontmatters has 14 KiB."""
MOST_NODES = 20_000
_LONGEST_SHOWN = 80
"""Maximum characters of a key or value in a message, because there can be thousands of messages."""

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_COMMENT = re.compile(r"[ \t]+(#.*)")
_UNSAFE_BREAK = re.compile("[\x85\u2028\u2029]|^\ufeff", re.MULTILINE)
"""Characters that parsers treat differently; a byte order mark only at the start of a line."""
_SCHEMA_1_1 = Resolver()

_WRITE_OUT = "write the value in full"

KeyPath = tuple[str | int, ...]
"""The keys and list indices that lead to a value: `("metadata", "tags", 0)`."""


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """The value of a document, the position of each value in it, and remarks that may become
    warnings.
    """

    value: Json
    places: Mapping[KeyPath, Place]
    remarks: tuple[TextFault, ...]


def parse_yaml(text: str, first_line: int = 1) -> YamlDocument:
    """Read one document of plain data; an empty text is null.

    `first_line` is the line number in the file of the first line of `text`. Raises `TextFaultError`
    for a syntax error; for anything that is not plain data (anchors, aliases, tags, directives,
    merge keys, several documents); for keys that are duplicates or not strings; for numbers that
    JSON cannot hold; and for a text that exceeds the limits of this module.
    """
    collector = _Collector(text.split("\n"), first_line)
    size = len(text.encode(errors="replace"))
    if size > LONGEST_TEXT:
        message = f"the frontmatter is {size:,} bytes long; the limit is {LONGEST_TEXT:,}"
        raise TextFaultError(FaultKind.TOO_LARGE, Place(first_line, 1), message, MOVE)
    if match := _UNSAFE_BREAK.search(text):
        place = place_at(text, match.start(), first_line)
        message = f"U+{ord(match[0]):04X} in the frontmatter"
        raise TextFaultError(FaultKind.LINE_BREAK, place, message, "remove the character")
    try:
        for event in events(text):
            _take(event, collector)
    except yaml.YAMLError as error:
        raise syntax_fault(error, text, first_line) from error
    return YamlDocument(collector.root, collector.places, tuple(collector.remarks))


def _take(event: yaml.Event, collector: _Collector) -> None:
    place = place_of(event.start_mark, collector.first_line)
    match event:
        case yaml.AliasEvent():
            raise _beyond_data(place, f"alias *{event.anchor}", _WRITE_OUT)
        case yaml.NodeEvent():
            _refuse_anchors_and_tags(event, place)
            if isinstance(event, yaml.ScalarEvent):
                collector.scalar(event, place)
            elif isinstance(event, yaml.CollectionStartEvent):
                collector.open(event, place)
        case yaml.CollectionEndEvent():
            collector.close()
        case yaml.DocumentStartEvent():
            _refuse_directives_and_documents(event, place)


def _refuse_anchors_and_tags(event: yaml.NodeEvent, place: Place) -> None:
    if event.anchor is not None:
        raise _beyond_data(place, f"anchor &{event.anchor}", _WRITE_OUT)
    tag = getattr(event, "tag", None)
    if tag is not None:
        raise _beyond_data(place, f"tag {tag}", "remove the tag")


def _refuse_directives_and_documents(event: yaml.DocumentStartEvent, place: Place) -> None:
    if event.version is not None or event.tags:
        raise _beyond_data(place, "YAML directive", "remove the line")
    if event.explicit:
        hint = "keep one document between the --- lines"
        raise _beyond_data(place, "a second YAML document", hint)


def _beyond_data(place: Place, message: str, hint: str) -> TextFaultError:
    return TextFaultError(FaultKind.BEYOND_DATA, place, message, hint)


@dataclass(slots=True)
class _Collection:
    """A list or mapping that is still open; a mapping without a `key` expects one next."""

    value: dict[str, Json] | list[Json]
    keys: KeyPath
    flow: Place | None = None
    """The place of `[` or `{`, for the outermost flow collection."""
    key: str | None = None

    def next_keys(self) -> KeyPath:
        if isinstance(self.value, list):
            return (*self.keys, len(self.value))
        return (*self.keys, self.key or "")

    def add(self, value: Json) -> None:
        if isinstance(self.value, list):
            self.value.append(value)
        elif self.key is not None:
            self.value[self.key] = value
            self.key = None


@dataclass(slots=True)
class _Collector:
    """Collects values, places and remarks from the events of one document."""

    lines: list[str]
    first_line: int
    root: Json = None
    places: dict[KeyPath, Place] = field(default_factory=dict)
    remarks: list[TextFault] = field(default_factory=list)
    stack: list[_Collection] = field(default_factory=list)
    nodes: int = 0

    def open(self, event: yaml.CollectionStartEvent, place: Place) -> None:
        self._count(place)
        if len(self.stack) == DEEPEST_NESTING:
            raise too_deep(place)
        keys = self._begin_value(place)
        empty: dict[str, Json] | list[Json]
        empty = {} if isinstance(event, yaml.MappingStartEvent) else []
        outermost = event.flow_style and not any(outer.flow for outer in self.stack)
        self.stack.append(_Collection(empty, keys, place if outermost else None))

    def close(self) -> None:
        closed = self.stack.pop()
        value = closed.value
        if closed.flow is not None:
            kind = "mapping" if isinstance(value, dict) else "list"
            label = _label(closed.keys)
            message = f"{label} is a flow {kind}, which the reference validator rejects"
            hint = f"write it as a block {kind}, one item per line" if value else "remove the field"
            self._remark(FaultKind.STYLE, closed.flow, message, hint)
        if self.stack:
            self.stack[-1].add(value)
        else:
            self.root = value

    def scalar(self, event: yaml.ScalarEvent, place: Place) -> None:
        self._count(place)
        outer = self.stack[-1] if self.stack else None
        if outer is not None and isinstance(outer.value, dict) and outer.key is None:
            outer.key = self._key(outer.value, event, place)
            return
        keys = self._begin_value(place)
        value = self._typed(event, place, _label(keys))
        if outer is None:
            self.root = value
        else:
            outer.add(value)

    def _count(self, place: Place) -> None:
        self.nodes += 1
        if self.nodes > MOST_NODES:
            message = f"over {MOST_NODES:,} values"
            raise TextFaultError(FaultKind.TOO_LARGE, place, message, MOVE)

    def _begin_value(self, place: Place) -> KeyPath:
        """Note the place of the value that begins here, and return the keys that lead to it."""
        if not self.stack:
            return ()
        outer = self.stack[-1]
        if isinstance(outer.value, dict) and outer.key is None:
            message, hint = "a list or mapping is used as a key", "write a string as the key"
            raise TextFaultError(FaultKind.KEY_NOT_TEXT, place, message, hint)
        keys = outer.next_keys()
        self.places[keys] = place
        return keys

    def _key(self, mapping: Mapping[str, Json], event: yaml.ScalarEvent, place: Place) -> str:
        key: str = event.value
        if event.implicit[0] and key == "<<":
            raise _beyond_data(place, "merge key <<", "write the keys in full")
        if not isinstance(self._typed(event, place, f"key {key}"), str):
            message, hint = f"key {key} is not a string", f"write {json.dumps(key)}:"
            raise TextFaultError(FaultKind.KEY_NOT_TEXT, place, message, hint)
        if key in mapping:
            message, hint = f"{key} is given twice", "keep only one of them"
            raise TextFaultError(FaultKind.DUPLICATE_KEY, place, message, hint)
        return key

    def _typed(self, event: yaml.ScalarEvent, place: Place, label: str) -> Json:
        text: str = event.value
        if not event.implicit[0]:
            end = place_of(event.end_mark, self.first_line)
            if event.style in ("'", '"') and end.line != place.line:
                message = (
                    f"{label} is a quoted string spanning several lines, which some clients reject"
                )
                hint = "write it on one line, or as a block with >-"
                self._remark(FaultKind.STYLE, place, message, hint)
            return text
        hint = f"quote it: {json.dumps(text)}" if len(text) <= _LONGEST_SHOWN else "quote it"
        try:
            value = resolve(text)
        except ValueError as error:
            message = f"{label}: {error}"
            raise TextFaultError(FaultKind.NOT_FINITE, place, message, hint) from error
        for doubt in doubts(text, value, _type_1_1(text)):
            self._remark(doubt.kind, place, f"{label}: {doubt.message}", hint)
        if " " in text:
            self._mind_comment(event.end_mark, label)
        return value

    def _mind_comment(self, end: Mark | None, label: str) -> None:
        """Add a remark if a sentence is cut off by ` #`, which authors rarely mean as a comment."""
        comment = _COMMENT.match(self.lines[end.line], end.column) if end else None
        if end is None or comment is None:
            return
        lost = plural(len(comment[0].strip()), "character")
        message = f"{label} ends here: # begins a comment, which cuts off {lost}"
        remedy = working_remedy(self.lines, end.line, is_comment_text=True)
        hint = f"write {remedy.line}" if remedy else "quote the value, or remove the comment"
        place = Place(end.line + self.first_line, comment.start(1) + 1)
        self._remark(FaultKind.CUT_BY_COMMENT, place, message, hint)

    def _remark(self, kind: FaultKind, place: Place, message: str, hint: str) -> None:
        self.remarks.append(TextFault(kind, place, message, hint))


def _type_1_1(text: str) -> str:
    """Return the type that a YAML 1.1 parser gives; a plain date counts as text, because hosts
    compare it as text.
    """
    tag: str = _SCHEMA_1_1.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    name = tag.rpartition(":")[2]
    return "str" if name == "timestamp" and _DATE.fullmatch(text) else name


def _label(keys: KeyPath) -> str:
    """Return the keys with dots between them, and the index of each item of a list: `a.b[0]`."""
    parts = (f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)
    return "".join(parts).removeprefix(".")[:_LONGEST_SHOWN] or "the frontmatter"

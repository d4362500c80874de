"""The door to YAML: frontmatter as strict JSON values, from parser events alone.

No loader of PyYAML is used: they build aliases, guess types by YAML 1.1 and raise more than
`YAMLError`. Events keep the place of every value, and a stack bounds depth and size.
Scalars are typed by the core schema of YAML 1.2 (section 10.3.2), dates stay text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

import yaml
from yaml._yaml import Mark as CMark
from yaml.resolver import Resolver

from skillbuild.diagnostics import Finding, Rule, finding
from skillbuild.errors import SkillbuildError
from skillbuild.model import Frontmatter, Json, Place
from skillbuild.rules import frontmatter as rules
from skillbuild.text import yaml_scalars
from skillbuild.text.yaml_hints import Remedy, general, remedies

LONGEST_HEADER = 64 * 1024
"""Bytes of a header; the largest of 118,665 real ones has 14 KiB."""
MOST_NODES = 20_000
DEEPEST_NESTING = 32
_LONGEST_SHOWN = 80
"""Characters of a key or value that a message repeats: there can be thousands of messages."""

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_COMMENT = re.compile(r"[ \t]+(#.*)")
_UNSAFE_BREAK = re.compile("[\x85\u2028\u2029\ufeff]")

_Key = tuple[str | int, ...]
_SCHEMA_1_1 = Resolver()


class _FaultError(Exception):
    """The header cannot be read; carries the diagnostic."""

    def __init__(self, rule: Rule, place: Place | None, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.rule, self.place, self.message, self.hint = rule, place, message, hint


@dataclass(slots=True)
class _Level:
    """One open collection of the document: a mapping waits for a key or for its value."""

    value: dict[str, Json] | list[Json]
    way: _Key
    flow: Place | None = None
    """Where `[` or `{` stands, for the outermost of a flow."""
    key: str | None = None

    def next_way(self) -> _Key:
        if isinstance(self.value, list):
            return (*self.way, len(self.value))
        return (*self.way, self.key or "")

    def add(self, value: Json) -> None:
        if isinstance(self.value, list):
            self.value.append(value)
        elif self.key is not None:
            self.value[self.key] = value
            self.key = None


@dataclass(slots=True)
class _Builder:
    """Collects values, places and remarks while the events of one header go by."""

    lines: list[str]
    first_line: int
    root: Json = None
    places: dict[_Key, Place] = field(default_factory=dict)
    remarks: list[_FaultError] = field(default_factory=list)
    stack: list[_Level] = field(default_factory=list)
    nodes: int = 0

    def place(self, mark: yaml.Mark | CMark | None) -> Place:
        if mark is None:
            return Place(self.first_line, 1)
        return Place(mark.line + self.first_line, mark.column + 1)

    def remark(self, rule: Rule, place: Place, message: str, hint: str) -> None:
        self.remarks.append(_FaultError(rule, place, message, hint))

    def count(self, place: Place) -> None:
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise _FaultError(rules.YAML_TOO_LARGE, place, f"over {MOST_NODES:,} values", _MOVE)

    def open(self, event: yaml.CollectionStartEvent) -> None:
        place = self.place(event.start_mark)
        self.count(place)
        if len(self.stack) == DEEPEST_NESTING:
            message = f"over {DEEPEST_NESTING} levels"
            raise _FaultError(rules.YAML_TOO_LARGE, place, message, _MOVE)
        way = self._value_way(place)
        empty: dict[str, Json] | list[Json]
        empty = {} if isinstance(event, yaml.MappingStartEvent) else []
        outermost = event.flow_style and not any(level.flow for level in self.stack)
        self.stack.append(_Level(empty, way, place if outermost else None))

    def close(self) -> None:
        level = self.stack.pop()
        value = level.value
        if level.flow is not None:
            kind = "mapping" if isinstance(value, dict) else "list"
            message = f"{_label(level.way)} is a flow {kind}, which the reference validator refuses"
            hint = f"write it as a block {kind}, one item a line" if value else "remove the field"
            self.remark(rules.YAML_STYLE, level.flow, message, hint)
        if self.stack:
            self.stack[-1].add(value)
        else:
            self.root = value

    def scalar(self, event: yaml.ScalarEvent) -> None:
        place = self.place(event.start_mark)
        self.count(place)
        level = self.stack[-1] if self.stack else None
        if level is not None and isinstance(level.value, dict) and level.key is None:
            self._take_key(level, level.value, event, place)
            return
        way = self._value_way(place)
        value = self._typed(event, place, _label(way))
        if level is None:
            self.root = value
        else:
            level.add(value)

    def _value_way(self, place: Place) -> _Key:
        if not self.stack:
            return ()
        level = self.stack[-1]
        if isinstance(level.value, dict) and level.key is None:
            message = "a list or mapping is used as a key"
            raise _FaultError(rules.YAML_KEY_TYPE, place, message, "write a text as the key")
        way = level.next_way()
        self.places[way] = place
        return way

    def _take_key(
        self, level: _Level, mapping: dict[str, Json], event: yaml.ScalarEvent, place: Place
    ) -> None:
        key = event.value
        if event.implicit[0] and key == "<<":
            raise _FaultError(rules.YAML_FEATURE, place, "merge key <<", "write the keys out")
        if not isinstance(self._typed(event, place, f"key {key}"), str):
            hint = f"write {json.dumps(key)}:"
            raise _FaultError(rules.YAML_KEY_TYPE, place, f"key {key} is not a string", hint)
        if key in mapping:
            hint = "keep one of the two"
            raise _FaultError(rules.YAML_DUPLICATE_KEY, place, f"{key} is given twice", hint)
        level.key = key

    def _typed(self, event: yaml.ScalarEvent, place: Place, label: str) -> Json:
        text: str = event.value
        if not event.implicit[0]:
            if event.style in ("'", '"') and self.place(event.end_mark).line != place.line:
                self.remark(
                    rules.YAML_STYLE,
                    place,
                    f"{label} is a quoted text over several lines, which a strict parser refuses",
                    "write it in one line, or as a block text with >-",
                )
            return text
        hint = f"quote it: {json.dumps(text)}" if len(text) <= _LONGEST_SHOWN else "quote it"
        try:
            value = yaml_scalars.resolve(text)
        except ValueError as error:
            raise _FaultError(rules.YAML_NUMBER, place, f"{label}: {error}", hint) from error
        for rule, message in yaml_scalars.doubts(text, value, _kind_1_1(text)):
            self.remark(rule, place, f"{label}: {message}", hint)
        if " " in text:
            self._mind_comment(event.end_mark, label)
        return value

    def _mind_comment(self, end: yaml.Mark | CMark | None, label: str) -> None:
        """Remark on a sentence that ends at ` #`: few who write one mean a comment."""
        comment = _COMMENT.match(self.lines[end.line], end.column) if end else None
        if end is None or comment is None:
            return
        lost = len(comment[0].strip())
        message = f"{label} ends here: # begins a comment, so {lost} characters are lost"
        remedy = _remedy(end.line, self)
        hint = f"write {remedy.line}" if remedy else "quote the text, or remove the comment"
        place = Place(end.line + self.first_line, comment.start(1) + 1)
        self.remark(rules.YAML_COMMENT, place, message, hint)


def parse_yaml(text: str, path: str, first_line: int) -> tuple[Frontmatter | None, list[Finding]]:
    """Read the header between the fences of one SKILL.md.

    `first_line` is the line number of the first header line in the file. Without a frontmatter,
    the diagnostics hold the error that made it unreadable.
    """
    builder = _Builder(text.split("\n"), first_line)
    try:
        _read(text, builder)
    except _FaultError as fault:
        return None, [_finding_in(fault, path)]
    if not isinstance(builder.root, dict):
        found = finding(
            rules.FRONTMATTER_NOT_MAPPING,
            path,
            Place(first_line, 1),
            "the frontmatter is not a mapping of keys to values",
            "write `name:` and `description:` lines between the fences",
        )
        return None, [found]
    frontmatter = Frontmatter(builder.root, builder.places)
    return frontmatter, [_finding_in(remark, path) for remark in builder.remarks]


def _finding_in(fault: _FaultError, path: str) -> Finding:
    return finding(fault.rule, path, fault.place, fault.message, fault.hint)


def _read(text: str, builder: _Builder) -> None:
    size = len(text.encode(errors="replace"))
    if size > LONGEST_HEADER:
        message = f"the frontmatter has {size:,} bytes; the limit is {LONGEST_HEADER:,}"
        raise _FaultError(rules.YAML_TOO_LARGE, Place(builder.first_line, 1), message, _MOVE)
    if match := _UNSAFE_BREAK.search(text):
        raise _FaultError(
            rules.YAML_LINE_BREAK,
            _place_at(text, match.start(), builder.first_line),
            f"U+{ord(match[0]):04X} in the frontmatter",
            "remove the character",
        )
    try:
        for event in _events(text):
            _take(event, builder)
    except yaml.YAMLError as error:
        raise _syntax_fault(error, text, builder) from error


def _events(text: str) -> Iterator[yaml.Event]:
    if not yaml.__with_libyaml__:
        raise SkillbuildError(
            "PyYAML has no C parser here; install the PyYAML wheel, or libyaml before building it"
        )
    events: Iterator[yaml.Event] = yaml.parse(text, Loader=yaml.CSafeLoader)
    return events


def _take(event: yaml.Event, builder: _Builder) -> None:
    match event:
        case yaml.AliasEvent():
            place = builder.place(event.start_mark)
            raise _FaultError(rules.YAML_FEATURE, place, f"alias *{event.anchor}", _WRITE_OUT)
        case yaml.NodeEvent():
            _refuse_features(event, builder)
            if isinstance(event, yaml.ScalarEvent):
                builder.scalar(event)
            elif isinstance(event, yaml.CollectionStartEvent):
                builder.open(event)
        case yaml.CollectionEndEvent():
            builder.close()
        case yaml.DocumentStartEvent():
            _refuse_document(event, builder)


_WRITE_OUT = "write the value out"
_MOVE = "move the data to a file of the skill"


def _refuse_features(event: yaml.NodeEvent, builder: _Builder) -> None:
    place = builder.place(event.start_mark)
    if event.anchor is not None:
        raise _FaultError(rules.YAML_FEATURE, place, f"anchor &{event.anchor}", _WRITE_OUT)
    tag = getattr(event, "tag", None)
    if tag is not None:
        raise _FaultError(rules.YAML_FEATURE, place, f"tag {tag}", "remove the tag")


def _refuse_document(event: yaml.DocumentStartEvent, builder: _Builder) -> None:
    place = builder.place(event.start_mark)
    if event.version is not None or event.tags:
        raise _FaultError(rules.YAML_FEATURE, place, "YAML directive", "remove the line")
    if event.explicit:
        hint = "keep one document between the fences"
        raise _FaultError(rules.YAML_FEATURE, place, "a second YAML document", hint)


def _kind_1_1(text: str) -> str:
    """The type a YAML 1.1 parser gives; a plain date counts as text, as the hosts compare it."""
    tag: str = _SCHEMA_1_1.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    kind = tag.rpartition(":")[2]
    return "str" if kind == "timestamp" and _DATE.fullmatch(text) else kind


def _label(way: _Key) -> str:
    return ".".join(map(str, way))[:_LONGEST_SHOWN] or "the frontmatter"


def _place_at(text: str, index: int, first_line: int) -> Place:
    line_start = text.rfind("\n", 0, index) + 1
    return Place(first_line + text.count("\n", 0, index), index - line_start + 1)


def _syntax_fault(error: yaml.YAMLError, text: str, builder: _Builder) -> _FaultError:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
    if mark is None:
        position = getattr(error, "position", None)
        before = text.encode()[: position if isinstance(position, int) else 0]
        place = _place_at(text, len(before.decode(errors="ignore")), builder.first_line)
        hint = "remove the character"
        return _FaultError(rules.YAML_INVALID, place, f"invalid YAML: {problem}", hint)
    place = builder.place(mark)
    remedy = _remedy(mark.line, builder)
    if problem != "mapping values are not allowed in this context":
        context = getattr(error, "context", None)
        message = f"invalid YAML: {problem}" + (f" {context}" if context else "")
        hint = f"write {remedy.line}" if remedy else general(problem, builder.lines, mark.line)
        return _FaultError(rules.YAML_INVALID, place, message, hint)
    if remedy is None:
        message = "invalid YAML: a key is not allowed here"
        hint = "indent the line like its neighbours, or quote the value above it"
        return _FaultError(rules.YAML_INVALID, place, message, hint)
    message = f"the value of {remedy.key} contains a colon and a blank, so it must be quoted"
    return _FaultError(rules.YAML_UNQUOTED_COLON, place, message, f"write {remedy.line}")


def _remedy(line: int, builder: _Builder) -> Remedy | None:
    tried = islice(remedies(builder.lines, line), _MOST_REMEDIES)
    return next((one for one in tried if _helps(one, builder)), None)


_MOST_REMEDIES = 4
"""Each one costs another look at the whole header."""


def _helps(remedy: Remedy, builder: _Builder) -> bool:
    """True when the header parses with the remedy in it, at least beyond the line it mends."""
    lines = builder.lines
    try:
        for _ in _events("\n".join([*lines[: remedy.start], remedy.line, *lines[remedy.end :]])):
            pass
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        return mark is not None and mark.line > remedy.start
    return True

"""Finds where and how each value of a YAML text is written, so that it can be replaced."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum

import yaml

from skillbuild.model import Place
from skillbuild.text.yaml.syntax import events, place_of


class Style(StrEnum):
    """A way to write a value (YAML 1.2, chapters 7 and 8)."""

    PLAIN = "plain"
    SINGLE = "'"
    DOUBLE = '"'
    LITERAL = "|"
    FOLDED = ">"
    LIST = "list"
    MAPPING = "mapping"


@dataclass(frozen=True, slots=True)
class Written:
    """One scalar, list or mapping, from its first character to the position after its last one."""

    style: Style
    start: Place
    end: Place
    """The end; for a list or mapping without brackets, the end of its last item."""
    text: str = ""
    """The value of a scalar as a string, without quotes and escapes."""
    items: tuple[Written, ...] = ()
    """The items of a list."""
    key_end: Place | None = None
    """Where the key of a value in a mapping ends."""


@dataclass(frozen=True, slots=True)
class WrittenText:
    """The keys and the values of a YAML text, by the position of their first character."""

    keys: Mapping[Place, Written]
    values: Mapping[Place, Written]


def read_written(text: str, first_line: int = 1) -> WrittenText:
    """Find all keys and values up to the first syntax error; empty values are left out.

    `first_line` is the number of the first line of the text in its file.
    """
    collector = _Builder(first_line)
    with suppress(yaml.YAMLError):
        for event in events(text):
            collector.take(event)
    return WrittenText(collector.keys, collector.values)


@dataclass(slots=True)
class _OpenNode:
    """A list or mapping that has not ended yet."""

    style: Style
    start: Place
    is_flow: bool
    key_end: Place | None
    items: list[Written] = field(default_factory=list)
    last_key: Place | None = None
    """In a mapping, the end of the key whose value comes next."""


@dataclass(slots=True)
class _Builder:
    first_line: int
    keys: dict[Place, Written] = field(default_factory=dict)
    values: dict[Place, Written] = field(default_factory=dict)
    stack: list[_OpenNode] = field(default_factory=list)

    def take(self, event: yaml.Event) -> None:
        start = place_of(event.start_mark, self.first_line)
        end = place_of(event.end_mark, self.first_line)
        match event:
            case yaml.ScalarEvent():
                style = Style(event.style) if event.style else Style.PLAIN
                self._add(Written(style, start, end, event.value, (), self._key_end()))
            case yaml.AliasEvent():
                self._add(Written(Style.PLAIN, start, end, event.anchor or "", (), self._key_end()))
            case yaml.CollectionStartEvent():
                is_list = isinstance(event, yaml.SequenceStartEvent)
                style = Style.LIST if is_list else Style.MAPPING
                node = _OpenNode(style, start, bool(event.flow_style), self._key_end())
                self.stack.append(node)
            case yaml.CollectionEndEvent():
                node = self.stack.pop()
                last = node.items[-1].end if node.items else node.start
                items = tuple(node.items) if node.style is Style.LIST else ()
                ended = end if node.is_flow else last
                self._add(Written(node.style, node.start, ended, "", items, node.key_end))

    def _key_end(self) -> Place | None:
        return self.stack[-1].last_key if self.stack else None

    def _add(self, written: Written) -> None:
        """Add a complete key or value to its list or mapping."""
        outer = self.stack[-1] if self.stack else None
        if outer is None:
            return
        outer.items.append(written)
        is_key = outer.style is Style.MAPPING and outer.last_key is None
        if outer.style is Style.MAPPING:
            outer.last_key = written.end if is_key else None
        if written.start != written.end:
            (self.keys if is_key else self.values)[written.start] = written

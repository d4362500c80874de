"""Rules over the frontmatter fields (Agent Skills specification, Frontmatter)."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator

from skillbuild.config import Config
from skillbuild.diagnostics import Finding, Rule, finding
from skillbuild.model import Frontmatter, Json
from skillbuild.release.frontmatter import SPECIFIED_FIELDS
from skillbuild.rules import fields as rules
from skillbuild.rules.source import SKILL_PATH_NAME
from skillbuild.source.discovery import parent
from skillbuild.source.outline import SkillTree, is_name

LONGEST_DESCRIPTION = 1024
LONGEST_COMPATIBILITY = 500
RESERVED_PREFIX = "io.modelcontextprotocol/"

_MOST_NAMED = 5
_RESERVED_WORD = re.compile("claude|anthropic")
_MARKUP = re.compile("[<>]")
_BLANK = re.compile(
    r"[\s\x00-\x20\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2000-\u200f"
    r"\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*"
)
"""White space and what Unicode calls default ignorable, spelled out: the same on any Python."""


def utf16_length(text: str) -> int:
    """The length JavaScript sees: code points beyond the first plane count twice."""
    return len(text) + sum(char > "\uffff" for char in text)


def check_fields(placed: SkillTree, frontmatter: Frontmatter, config: Config) -> Iterator[Finding]:
    """Every finding about the values of one header."""
    asks = _Fields(placed, frontmatter, config)
    yield from asks.name()
    yield from asks.description()
    yield from asks.metadata()
    yield from asks.texts()
    yield from asks.types()
    yield from asks.names()


class _Fields:
    """The header under examination, so that each rule reads as one sentence."""

    def __init__(self, placed: SkillTree, frontmatter: Frontmatter, config: Config) -> None:
        self.placed, self.frontmatter, self.config = placed, frontmatter, config

    def say(self, rule: Rule, message: str, hint: str, *keys: str | int) -> Finding:
        place = self.frontmatter.place(*keys)
        return finding(rule, self.placed.skill_file, place, message, hint)

    def name(self) -> Iterator[Finding]:
        value = self.frontmatter.value
        folder = self.placed.directory.rpartition("/")[2]
        name = value.get("name")
        example = f"name: {folder if is_name(folder) else 'my-skill'}"
        match name:
            case None if "name" not in value:
                yield self.say(rules.NAME_MISSING, "there is no name", f"add {example}")
            case str() if is_name(name):
                yield from self._name_in_place(name, folder)
            case str():
                hint = f"rename it, for example to {_suggest_name(name) or 'my-skill'}"
                message = f"name {name[:80]!r} is not 1-64 characters of a-z, 0-9 and single -"
                yield self.say(rules.NAME_INVALID, message, hint, "name")
            case _:
                message = f"name is {_named(name)}, not a text"
                plain = isinstance(name, bool | int | float)
                hint = "put it in double quotes" if plain else f"write one word, as in {example}"
                yield self.say(rules.NAME_TYPE, message, hint, "name")

    def _name_in_place(self, name: str, folder: str) -> Iterator[Finding]:
        path = self.placed.path or name
        if path.rpartition("/")[2] != name and self.placed.directory in self.config.paths:
            message = f"[paths] maps {self.placed.directory} to {path}, but the name is {name}"
            hint = f'map it to "{parent(path) + "/" if parent(path) else ""}{name}"'
            yield self.say(SKILL_PATH_NAME, message, hint, "name")
        elif self.placed.directory and name != folder:
            nested = path.rpartition("/")[2] != name
            rule = rules.NAME_MISMATCH_NESTED if nested else rules.NAME_MISMATCH
            message = f"name {name} is not the name of the directory, {folder}"
            hint = f"rename the directory to {name}"
            hint += f", or the skill to {folder}" if is_name(folder) else ""
            yield self.say(rule, message, hint, "name")
        if word := _RESERVED_WORD.search(name):
            message = f"name contains {word[0]}, which one host reserves for itself"
            yield self.say(rules.NAME_RESERVED, message, "choose another name", "name")

    def description(self) -> Iterator[Finding]:
        value = self.frontmatter.value
        text = value.get("description")
        if "description" not in value:
            hint = "add description: what the skill does and when to use it"
            yield self.say(rules.DESCRIPTION_MISSING, "there is no description", hint)
        elif not isinstance(text, str):
            message = f"description is {_named(text)}, not a text"
            yield self.say(rules.DESCRIPTION_TYPE, message, "write a text", "description")
        elif _BLANK.fullmatch(text):
            hint = "say what the skill does and when to use it"
            yield self.say(rules.DESCRIPTION_BLANK, "description is blank", hint, "description")
        else:
            yield from self._description_text(text)

    def _description_text(self, text: str) -> Iterator[Finding]:
        length = utf16_length(text)
        if length > LONGEST_DESCRIPTION:
            message = (
                f"description has {length:,} characters; strict clients refuse every skill of a"
                f" listing with one over {LONGEST_DESCRIPTION:,}, so it is not listed"
            )
            hint = f"shorten it by {length - LONGEST_DESCRIPTION:,}; move details to the body"
            yield self.say(rules.DESCRIPTION_TOO_LONG, message, hint, "description")
        if match := _MARKUP.search(text):
            message = f"description contains {match[0]}, which one host refuses"
            hint = "write it without angle brackets"
            yield self.say(rules.DESCRIPTION_MARKUP, message, hint, "description")

    def metadata(self) -> Iterator[Finding]:
        metadata = self.frontmatter.value.get("metadata")
        if "metadata" not in self.frontmatter.value:
            return
        if not isinstance(metadata, dict):
            message = f"metadata is {_named(metadata)}, not a mapping; typed clients refuse it"
            yield self.say(rules.METADATA_TYPE, message, "write key: value lines", "metadata")
            return
        for key, value in metadata.items():
            if not isinstance(value, str) and not (key == "internal" and value is True):
                message = f"metadata.{key} is {_named(value)}, not a text; typed clients refuse it"
                hint = _text_hint(key, value)
                yield self.say(rules.METADATA_TYPE, message, hint, "metadata", key)
            if key.startswith(RESERVED_PREFIX):
                message = f"metadata.{key}: the prefix {RESERVED_PREFIX} is reserved for MCP"
                hint = "use a prefix of your own"
                yield self.say(rules.METADATA_RESERVED, message, hint, "metadata", key)

    def texts(self) -> Iterator[Finding]:
        value = self.frontmatter.value
        tools = value.get("allowed-tools", "")
        if not isinstance(tools, str):
            message = f"allowed-tools is {_named(tools)}, not a text; typed clients refuse it"
            one_line = _joined(tools, " ") or '"..."'
            hint = f"write it in one line: allowed-tools: {one_line}"
            yield self.say(rules.ALLOWED_TOOLS_TYPE, message, hint, "allowed-tools")
        compatibility = value.get("compatibility", "")
        if not isinstance(compatibility, str):
            message = (
                f"compatibility is {_named(compatibility)}, not a text; typed clients refuse it"
            )
            hint = "write one text"
            yield self.say(rules.COMPATIBILITY_TYPE, message, hint, "compatibility")
        elif (length := utf16_length(compatibility)) > LONGEST_COMPATIBILITY:
            message = f"compatibility has {length:,} characters; strict clients refuse over 500"
            hint = f"shorten it by {length - LONGEST_COMPATIBILITY:,}"
            yield self.say(rules.COMPATIBILITY_TOO_LONG, message, hint, "compatibility")

    def types(self) -> Iterator[Finding]:
        given = self.frontmatter.value
        hint = given.get("argument-hint")
        if not isinstance(hint, str | None):
            message = f"argument-hint is {_named(hint)}, not a text: Copilot CLI refuses the skill"
            remedy = "put it in double quotes"
            yield self.say(rules.FIELD_TYPE, message, remedy, "argument-hint")
        for key in ("user-invocable", "disable-model-invocation"):
            value = given.get(key, False)
            if not isinstance(value, bool):
                message = f"{key} is {_named(value)}, not a boolean: Copilot CLI refuses the skill"
                yield self.say(rules.FIELD_TYPE, message, "write true or false", key)

    def names(self) -> Iterator[Finding]:
        odd = [key for key in self.frontmatter.value if key not in SPECIFIED_FIELDS]
        if not odd:
            return
        named = ", ".join(key[:80] for key in odd[:_MOST_NAMED])
        more = f" and {len(odd) - _MOST_NAMED} more" if len(odd) > _MOST_NAMED else ""
        verb = "is no field" if len(odd) == 1 else "are no fields"
        message = (
            f"{named}{more} {verb} of the specification: the reference validator refuses the skill"
        )
        hint = "move what no client reads below metadata, as text"
        yield self.say(rules.FIELD_UNKNOWN, message, hint, odd[0])


def _named(value: Json) -> str:
    match value:
        case None:
            return "empty"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case dict():
            return "a mapping"
        case _:
            return "a list"


def _text_hint(key: str, value: Json) -> str:
    """How to write a value of `metadata` as text; the digits of a number are only in the source."""
    match value:
        case bool():
            return f"put it in double quotes: {key}: {json.dumps(str(value).lower())}"
        case int() | float():
            return f'put it in double quotes: {key}: "..."'
        case None:
            return f'remove it, or write {key}: ""'
        case _ if joined := _joined(value, ", "):
            return f"write one text: {key}: {joined}"
        case _:
            return "write one text, or move it out of metadata"


def _joined(value: Json, between: str) -> str:
    """A list of plain values as one text in double quotes; empty for anything else."""
    items = value if isinstance(value, list) else []
    if not items or any(isinstance(item, list | dict | None) for item in items):
        return ""
    return json.dumps(between.join(map(str, items)), ensure_ascii=False)


def _suggest_name(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub("[^a-z0-9]+", "-", folded).strip("-")[:64].strip("-")

"""Checks the frontmatter fields against the Agent Skills specification and what clients accept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace

from skillbuild.config import Config
from skillbuild.diagnostics import Finding, FoundAt, Rule, Severity, finding, in_command
from skillbuild.model import Frontmatter, Json, Place
from skillbuild.paths import LONGEST_NAME, SKILL_FILE, base_name, inside, is_skill_name, parent
from skillbuild.release.frontmatter import LONGEST_DESCRIPTION, SPECIFIED_FIELDS
from skillbuild.rules import fields as rules
from skillbuild.rules.define import (
    SPOILS,
    SPOILS_BY_TOOL_LIST,
    SPOILS_BY_TOOLS,
    SPOILS_BY_VALUE,
)
from skillbuild.rules.frontmatter import YAML_STYLE
from skillbuild.rules.source import SKILL_PATH_NAME
from skillbuild.source.names import RESERVED_WORD
from skillbuild.source.skill_tree import SkillTree
from skillbuild.text.positions import utf16_length
from skillbuild.text.wording import plural, some

# Descriptions of field values, and how to write a value as a string.

_IN_PARENTHESES = re.compile(r"\([^()]*\)")
_PATTERN = re.compile(r"[*\\^$]|(?<! )[(\[{]|/.*/")
"""Part of a glob or a regular expression; a bracket after a space is taken for prose."""
_IF_READ = (
    'change the value to a string; if a client needs the current type, set listing = "all" instead'
)
_IF_READ_ALL = (
    'change the values to strings; if a client needs the current types, set listing = "all" instead'
)
_OPENCLAW = frozenset(["openclaw", "clawdbot", "moltbot"])
"""Keys of `metadata` that OpenClaw, by its current and former names, documents as a mapping."""


def type_of(value: Json) -> str:
    """Return the type of a YAML value in words, such as `a list`, or `null`."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case dict():
            return "a mapping"
        case _:
            return "a list"


def text_hint(key: str, value: Json, quoted: str, *, is_read: bool) -> str:
    """Return a hint that tells how to write a value of `metadata` as a string.

    `quoted` is the value in quotes if YAML would drop digits of the value, as in 1.10; otherwise
    `quoted` is empty. `is_read` says whether a client seems to read `metadata`. If `is_read` is
    true, most hints are general and suggest a setting for the whole skill as an alternative.
    """
    quotes = f"put the value in double quotes: {key}: {quoted or json.dumps(_scalar_text(value))}"
    match value:
        case bool() if key == "internal":
            return quotes
        case int() | float() if "version" in key.lower():
            return quotes
        case dict() if key in _OPENCLAW and value:
            return (
                'if OpenClaw reads this value, set listing = "all" to list the skill over MCP too;'
                " otherwise, change the value to a string"
            )
        case _ if is_read:
            return _IF_READ
        case int() | float():
            return quotes + _unless(value)
        case None:
            return f'remove the field, or write {key}: ""'
        case list() | dict() if not value:
            return "remove the field"
    one_text = _in_one_text(value)
    return f"write a string: {key}: {one_text}" if one_text else _IF_READ


def hint_for_texts(values: Mapping[str, Json], quoted: Mapping[str, str]) -> str:
    """Return a hint for several values of `metadata` that should be strings.

    `quoted` maps a key to its value in quotes if YAML would drop digits of the value.
    """
    for key, value in values.items():
        is_scalar = isinstance(value, bool | int | float)
        text = json.dumps(_scalar_text(value)) if is_scalar else _in_one_text(value)
        text = quoted.get(key) or text
        if text:
            return f"change the values to strings, such as {key}: {text}"
    return "change the values to strings, or remove the fields"


def _is_json_object(text: str) -> bool:
    """Return whether a text is a JSON object, which some client reads from a string."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _scalar_text(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _unless(value: Json) -> str:
    return f'; if a client needs {type_of(value)}, keep the value and set listing = "all"'


def holds_patterns(items: Sequence[Json]) -> bool:
    """Return whether a list contains globs or regular expressions.

    Such a list cannot be joined into one string.
    """
    return any(isinstance(item, str) and _PATTERN.search(item) for item in items)


def any_patterns(metadata: Mapping[str, Json]) -> bool:
    """Return whether a list in `metadata` contains globs or regular expressions.

    If so, a client probably reads all lists in `metadata`.
    """
    return any(isinstance(each, list) and holds_patterns(each) for each in metadata.values())


def seems_read(metadata: Mapping[str, Json]) -> bool:
    """Return whether a client seems to read `metadata`.

    The signs are globs, regular expressions and nested values.
    """
    return any_patterns(metadata) or any(
        bool(each) and not joined(each, " ")
        for each in metadata.values()
        if isinstance(each, dict | list)
    )


def has_blank_outside(tool: Json) -> bool:
    """Return whether a tool name contains a space outside of parentheses.

    Clients would split the name at this space.
    """
    return " " in _IN_PARENTHESES.sub("", str(tool))


def separator(items: Iterable[Json]) -> str:
    """Return the separator that joins the items of a list into one string.

    It is a comma, or a semicolon if an item contains a comma.
    """
    return "; " if any("," in str(item) for item in items) else ", "


def _in_one_text(value: Json) -> str:
    """Return a list of scalars as one string in double quotes; empty for any other value."""
    return joined(value, separator(value)) if isinstance(value, list) else ""


def joined(value: Json, between: str) -> str:
    """Return the items of a list, joined by `between`, as one string in double quotes.

    Returns an empty string unless the value is a list of scalars.
    """
    items = value if isinstance(value, list) else []
    if not items or any(isinstance(item, list | dict | None) for item in items):
        return ""
    return json.dumps(between.join(map(str, items)), ensure_ascii=False)


LONGEST_COMPATIBILITY = 500
"""Maximum length in UTF-16 code units (Agent Skills specification, Frontmatter)."""
RESERVED_PREFIX = "io.modelcontextprotocol/"
"""The prefix of `metadata` keys that only MCP may define (SEP-2640)."""

_ABOUT_TYPES = (
    rules.NAME_TYPE.code,
    rules.DESCRIPTION_TYPE.code,
    rules.METADATA_TYPE.code,
    rules.ALLOWED_TOOLS_TYPE.code,
    rules.COMPATIBILITY_TYPE.code,
    rules.FIELD_TYPE.code,
)
_MOST_NAMED = 5
"""Maximum number of unknown fields that one finding names."""
_READ_BY_CLIENTS = frozenset(
    [
        *("agent", "argument-hint", "context", "disable-model-invocation", "effort", "hooks"),
        *("homepage", "model", "triggers", "user-invocable", "when_to_use"),
    ]
)
"""Fields outside of the specification that Claude Code, OpenClaw or OpenHands document."""
_REFUSED_BY_COPILOT = (
    r"[/&\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f"
    r"\uff00-\uffef\U00020000-\U0003ffff]"
)
"""Characters in a title that make Copilot CLI reject the skill: East Asian scripts, `/`, `&`."""
_TAG = re.compile(r"</?[^\W\d][^<>]*>|<[!?][^<>]*>")
"""Text that Claude takes for an XML tag: `<name>`, but neither `a -> b` nor `<100 ms`."""
_BLOCK = re.compile(r"examples?|commentary", re.IGNORECASE)
"""Tags around examples, which the descriptions of Claude Code agents contain."""
_TYPE = re.compile(r"\b[^\W\d]\w*\Z")
"""The name of a type directly before its parameters, as in `Map<Key>`."""
_PLAIN_TAG = re.compile(r"[\w-]{1,60}")
"""The name of an element, or of a placeholder, without attributes."""
_LONGEST_TAG = 60
"""Maximum characters of a tag in a message."""
_BLANK = (
    r"[\s\x00-\x20\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2000-\u200f"
    r"\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*"
)
"""White space and default-ignorable characters of Unicode, listed so that every Python agrees."""


def check_frontmatter(
    tree: SkillTree, frontmatter: Frontmatter, remarks: Sequence[Finding], config: Config
) -> list[Finding]:
    """Return all findings about the frontmatter; `remarks` are the findings about its YAML.

    A value of the wrong type is reported only once. Other remarks about this value are dropped, and
    so are style remarks about values inside or around it.

    All other style remarks become one finding. This finding is dropped if a field is not defined by
    the specification, because the reference validator rejects such a skill anyway.
    """
    about_fields = list(_Fields(tree, frontmatter, config, _quoted(remarks)).check())
    types = (item for item in about_fields if item.code in _ABOUT_TYPES)
    wrong = {each.place for item in types for each in item.places}
    left = [item for item in remarks if item.place not in wrong]
    keys = {place: keys for keys, place in frontmatter.places.items()}
    styles = [
        item
        for item in left
        if item.code == YAML_STYLE.code and item.place is not None
        if _is_styled(keys.get(item.place, ()), wrong, frontmatter)
    ]
    if any(item.code == rules.FIELD_UNKNOWN.code for item in about_fields):
        styles = []
    others = [item for item in left if item.code != YAML_STYLE.code]
    return [*others, *_in_one(styles), *about_fields]


def _is_styled(
    keys: tuple[str | int, ...], wrong: Set[Place | None], frontmatter: Frontmatter
) -> bool:
    """Return whether the style of a value matters.

    It does if the value's field is in the specification, and nothing inside or around the value has
    a wrong type.
    """
    if not keys:
        return True
    around = (frontmatter.place(*keys[:count]) for count in range(1, len(keys)))
    inner = (place for path, place in frontmatter.places.items() if path[: len(keys)] == keys)
    return keys[0] in SPECIFIED_FIELDS and wrong.isdisjoint([*around, *inner])


def _in_one(styles: Sequence[Finding]) -> list[Finding]:
    """Return the first finding, extended by the number of the others."""
    if len(styles) < 2:
        return list(styles)
    first, more = styles[0], len(styles) - 1
    values = "1 more value is" if more == 1 else f"{more} more values are"
    return [replace(first, message=f"{first.message}; {values} written like this")]


def _quoted(remarks: Sequence[Finding]) -> dict[Place | None, str]:
    """Return the quoted values that hints about the YAML suggest, by position."""
    start = "quote it: "
    hints = ((item.place, item.hint) for item in remarks)
    return {place: hint.removeprefix(start) for place, hint in hints if hint.startswith(start)}


class _Fields:
    """The frontmatter of one skill; each method yields findings about some of its fields."""

    def __init__(
        self,
        tree: SkillTree,
        frontmatter: Frontmatter,
        config: Config,
        quoted: Mapping[Place | None, str],
    ) -> None:
        """Check one frontmatter; `quoted` has the numbers that would lose digits, as written and
        quoted.
        """
        self.tree, self.frontmatter, self.config = tree, frontmatter, config
        self.quoted = quoted

    def check(self) -> Iterator[Finding]:
        """Yield all findings about the fields of the frontmatter."""
        yield from self.check_name()
        yield from self.check_description()
        yield from self.check_metadata()
        yield from self.check_texts()
        yield from self.check_client_fields()
        yield from self.check_keys()

    def finding_at(self, rule: Rule, message: str, hint: str, *keys: str | int) -> Finding:
        """Return a finding at the position of the value with this key path.

        Without keys, the finding has no position.
        """
        place = self.frontmatter.place(*keys)
        return finding(rule, self.tree.skill_file, place, message, hint)

    def check_name(self) -> Iterator[Finding]:
        value = self.frontmatter.value
        folder = base_name(self.tree.directory)
        name = value.get("name")
        example = f"name: {self._place_name if is_skill_name(self._place_name) else 'my-skill'}"
        match name:
            case None if "name" not in value:
                yield self.finding_at(rules.NAME_MISSING, "there is no name", f"add {example}")
            case str() if is_skill_name(name):
                yield from self._check_good_name(name, folder)
            case str() if _is_blank(name):
                yield self.finding_at(
                    rules.NAME_MISSING, "name is blank", f"write {example}", "name"
                )
            case str():
                yield self._check_title(name)
            case _:
                message = f"name must be a string, not {type_of(name)}"
                scalar = isinstance(name, bool | int | float)
                hint = (
                    "put the value in double quotes"
                    if scalar
                    else f"write a one-word name, as in {example}"
                )
                yield self.finding_at(rules.NAME_TYPE, message, hint, "name")

    def _check_title(self, name: str) -> Finding:
        """Return the finding about a name that the specification does not allow."""
        hint = self._name_hint()
        message = f"name {name[:80]!r} must be 1-64 characters: only a-z, 0-9 and single hyphens"
        if self.tree.path is None:
            return self.finding_at(rules.NAME_WITHOUT_PLACE, message, hint, "name")
        clients = "FastMCP and the TypeScript SDK"
        if len(name) > LONGEST_NAME:
            clients = "FastMCP, the TypeScript SDK, Codex and Copilot CLI"
        elif re.search(_REFUSED_BY_COPILOT, name):
            clients = "FastMCP, the TypeScript SDK and Copilot CLI"
        message += f"; {clients} refuse it"
        return self.finding_at(rules.NAME_INVALID, message, hint, "name")

    @property
    def _place_name(self) -> str:
        """The last segment of the path in `[paths]`, or of the directory."""
        return base_name(self.config.paths.get(self.tree.directory, self.tree.directory))

    def _name_hint(self) -> str:
        """Return a hint with a valid name to replace a title."""
        place, free = self.tree.directory, self.tree.free_name
        is_mapped = place in self.config.paths
        if free is not None and free.of_place is not None:
            both = f", or rename both to {free.for_both}" if free.for_both else ""
            why = "the last segment of its path in [paths]" if is_mapped else "its directory name"
            return f"rename the skill to {free.of_place} ({why}){both}"
        what = "the skill and its directory" if place else "the skill"
        if is_mapped:
            what = "the skill, its directory and its path in [paths]"
        hint = f"rename {what}"
        if free is not None and free.for_both is not None:
            hint += f", for example to {free.for_both}"
        elif free is not None and free.taken is not None:
            hint += ", or exclude the copy"
        if free is not None and free.taken is not None:
            other = inside(free.taken.by, SKILL_FILE)
            hint += f"; {free.taken.name} is already the name of {other}"
        return hint

    def _check_good_name(self, name: str, folder: str) -> Iterator[Finding]:
        """Yield findings about a valid name that is reserved, or differs from its path."""
        path = self.tree.path or name
        if base_name(path) != name and self.tree.directory in self.config.paths:
            message = f"[paths] maps {self.tree.directory} to {path}, but the name is {name}"
            hint = f'map the directory to "{parent(path) + "/" if parent(path) else ""}{name}"'
            yield self.finding_at(SKILL_PATH_NAME, message, hint, "name")
        elif self.tree.directory and name != folder:
            message = f"name {name} differs from the directory name, {folder}"
            hint = f"rename the directory to {name}"
            if self.tree.directory in self.config.paths:
                hint += " and change [paths]"
            elif is_skill_name(folder):
                hint += f", or the skill to {folder}"
            else:
                directory = self.tree.directory
                paths = in_command([directory, inside(parent(directory), name)])
                hint = f"git mv {paths} || mv {paths}"
            yield self.finding_at(rules.NAME_MISMATCH, message, hint, "name")
        if word := RESERVED_WORD.search(name):
            message = f"name contains {word[0]}: Claude refuses to upload the skill"
            hint = "to upload the skill to Claude, choose another name for it and its directory"
            yield self.finding_at(rules.NAME_RESERVED, message, hint, "name")

    def check_description(self) -> Iterator[Finding]:
        value = self.frontmatter.value
        text = value.get("description")
        if "description" not in value:
            hint = "add a description field that says what the skill does and when to use it"
            yield self.finding_at(rules.DESCRIPTION_MISSING, "there is no description", hint)
        elif not isinstance(text, str):
            message = f"description must be a string, not {type_of(text)}"
            yield self.finding_at(rules.DESCRIPTION_TYPE, message, "write a string", "description")
        elif _is_blank(text):
            hint = "say what the skill does and when to use it"
            yield self.finding_at(
                rules.DESCRIPTION_BLANK, "description is blank", hint, "description"
            )
        else:
            yield from self._check_description_text(text)

    def _check_description_text(self, text: str) -> Iterator[Finding]:
        length = utf16_length(text)
        if length > LONGEST_DESCRIPTION:
            most = f"more than {LONGEST_DESCRIPTION:,}"
            is_refused = utf16_length(text.strip()) > LONGEST_DESCRIPTION
            copilot = "Copilot CLI refuses the skill, and " if is_refused else ""
            message = f"description has {length:,} characters, {most}: {copilot}{SPOILS}"
            hint = _shorter(text, LONGEST_DESCRIPTION, "; move details to the body")
            yield self.finding_at(rules.DESCRIPTION_TOO_LONG, message, hint, "description")
        if tags := list(_TAG.finditer(text)):
            what = _tag_names(tags)
            message = f"description contains {what}; Claude refuses to upload a skill with XML tags"
            hint = _without_tag(text, tags[0])
            if len({_element(match) for match in tags}) > 1:
                hint += "; do the same for the other tags"
            yield self.finding_at(rules.DESCRIPTION_MARKUP, message, hint, "description")

    def check_metadata(self) -> Iterator[Finding]:
        metadata = self.frontmatter.value.get("metadata")
        if "metadata" not in self.frontmatter.value:
            return
        if not isinstance(metadata, dict):
            codex = "" if metadata is None else "Codex refuses the skill, and "
            message = f"metadata must be a mapping, not {type_of(metadata)}: {codex}{SPOILS}"
            hint = (
                "write metadata as lines of the form key: value"
                if metadata
                else "remove metadata, or write it as lines of the form key: value"
            )
            by_client = isinstance(metadata, str) and _is_json_object(metadata)
            if by_client:
                hint = _IF_READ.replace("a string", "a mapping")
            item = self.finding_at(rules.METADATA_TYPE, message, hint, "metadata")
            yield replace(item, severity=Severity.NOTE) if by_client else item
            return
        yield from self._check_values(metadata)
        for key in metadata:
            if key.startswith(RESERVED_PREFIX):
                message = f"metadata.{key}: the prefix {RESERVED_PREFIX} is reserved for MCP"
                hint = "use a prefix of your own"
                yield self.finding_at(rules.METADATA_RESERVED, message, hint, "metadata", key)

    def _check_values(self, metadata: Mapping[str, Json]) -> Iterator[Finding]:
        """Yield one finding about all values of `metadata` that must be strings.

        If a client seems to read `metadata`, this finding is a note, and values that Codex refuses
        have their own finding.
        """
        wrong = {
            key: value
            for key, value in metadata.items()
            if not isinstance(value, str) and not (key == "internal" and value is True)
        }
        refused = {
            key: value
            for key, value in wrong.items()
            if key == "short-description" and isinstance(value, dict | list)
        }
        is_read = seems_read(metadata)
        if not is_read:
            yield from self._wrong_values(wrong, is_refused=bool(refused), is_read=False)
            return
        yield from self._wrong_values(refused, is_refused=True, is_read=True)
        others = {key: value for key, value in wrong.items() if key not in refused}
        for item in self._wrong_values(others, is_refused=False, is_read=True):
            yield replace(item, severity=Severity.NOTE)

    def _wrong_values(
        self, wrong: Mapping[str, Json], *, is_refused: bool, is_read: bool
    ) -> Iterator[Finding]:
        """Yield the finding about these values of `metadata`, if there are any."""
        if not wrong:
            return
        places = [self.frontmatter.place("metadata", key) for key in wrong]
        quotes = (self.quoted.get(place, "") for place in places)
        quoted = dict(zip(wrong, quotes, strict=True))
        names = [f"metadata.{key}" for key in wrong]
        key, value = next(iter(wrong.items()))
        if len(wrong) == 1:
            what = f"{names[0]} must be a string, not {type_of(value)}"
            hint = text_hint(key, value, quoted[key], is_read=is_read)
        else:
            what = f"{some(names)} must be strings"
            hint = _IF_READ_ALL if is_read else hint_for_texts(wrong, quoted)
        codex = "Codex refuses the skill, and " if is_refused else ""
        message = f"{what}: {codex}{SPOILS_BY_VALUE}"
        path = self.tree.skill_file
        first, *others = (
            FoundAt(path, place, name) for place, name in zip(places, names, strict=True)
        )
        item = finding(rules.METADATA_TYPE, path, first.place, message, hint)
        yield replace(item, target=first.target, others=tuple(others))

    def check_texts(self) -> Iterator[Finding]:
        """Yield findings about `allowed-tools` and `compatibility`."""
        value = self.frontmatter.value
        tools = value.get("allowed-tools", "")
        if not isinstance(tools, str):
            are_texts = isinstance(tools, list) and all(isinstance(each, str) for each in tools)
            spoils = SPOILS_BY_TOOL_LIST if are_texts else SPOILS_BY_TOOLS
            message = f"allowed-tools must be a string, not {type_of(tools)}: {spoils}"
            one_line = joined(tools, " ") or '"..."'
            hint = f"write the tools on one line: allowed-tools: {one_line}"
            split = [has_blank_outside(each) for each in tools] if isinstance(tools, list) else []
            if any(split):
                hint = "write the tools on one line, without any tool whose name contains a space"
                if all(split):
                    hint = (
                        "remove the field, because a string cannot list tools with a space in their"
                        " names"
                    )
            yield self.finding_at(rules.ALLOWED_TOOLS_TYPE, message, hint, "allowed-tools")
        compatibility = value.get("compatibility", "")
        if not isinstance(compatibility, str):
            message = f"compatibility must be a string, not {type_of(compatibility)}: {SPOILS}"
            hint = "write a string"
            yield self.finding_at(rules.COMPATIBILITY_TYPE, message, hint, "compatibility")
        elif (length := utf16_length(compatibility)) > LONGEST_COMPATIBILITY:
            most = f"more than {LONGEST_COMPATIBILITY}"
            message = f"compatibility has {length:,} characters, {most}: {SPOILS}"
            hint = _shorter(compatibility, LONGEST_COMPATIBILITY)
            yield self.finding_at(rules.COMPATIBILITY_TOO_LONG, message, hint, "compatibility")

    def check_client_fields(self) -> Iterator[Finding]:
        """Yield findings about fields that clients read but the specification does not define."""
        fields = self.frontmatter.value
        hint = fields.get("argument-hint")
        if not isinstance(hint, str | None):
            message = f"argument-hint must be a string, not {type_of(hint)}"
            message += ": Copilot CLI refuses the skill"
            remedy = "put the value in double quotes"
            yield self.finding_at(rules.FIELD_TYPE, message, remedy, "argument-hint")
        for key in ("user-invocable", "disable-model-invocation"):
            value = fields.get(key, False)
            if not isinstance(value, bool):
                message = (
                    f"{key} must be a boolean, not {type_of(value)}: Copilot CLI refuses the skill"
                )
                yield self.finding_at(rules.FIELD_TYPE, message, "write true or false", key)

    def check_keys(self) -> Iterator[Finding]:
        """Yield one finding that names every field outside the specification."""
        unknown = [key for key in self.frontmatter.value if key not in SPECIFIED_FIELDS]
        if not unknown:
            return
        named = some([key[:80] for key in unknown], _MOST_NAMED)
        verb = "is not a field" if len(unknown) == 1 else "are not fields"
        message = f"{named} {verb} in the specification: the reference validator refuses the skill"
        hint = "if no client reads a field, move it to metadata as a string"
        if _READ_BY_CLIENTS.issuperset(unknown):
            hint = ""
        yield self.finding_at(rules.FIELD_UNKNOWN, message, hint, unknown[0])


def _shorter(text: str, most: int, how: str = "") -> str:
    """Return the hint for a text with more than `most` characters.

    If only the line break at the end of a YAML block is too much, the hint changes the block's
    indicator. `how` follows the number of characters.
    """
    if utf16_length(text.rstrip("\n")) <= most:
        return "write >- instead of >, or |- instead of |, to drop the line break at the end"
    return f"shorten the text by {plural(utf16_length(text) - most, 'character')}{how}"


def _element(tag: re.Match[str]) -> str:
    """Return the name of the element that a tag starts or ends."""
    return tag[0].strip("</>").partition(" ")[0]


def _tag_names(tags: Sequence[re.Match[str]]) -> str:
    """Return the tags in a description, each once, and their number if there are several.

    The end of an element is left out if its start is there, too.
    """
    starts = {_element(match) for match in tags if not match[0].startswith("</")}
    counted = [
        " ".join(match[0][:_LONGEST_TAG].split())
        for match in tags
        if not (match[0].startswith("</") and _element(match) in starts)
    ]
    if len(counted) == 1:
        return counted[0]
    return f"{len(counted):,} tags ({some(list(dict.fromkeys(counted)))})"


def _without_tag(text: str, tag: re.Match[str]) -> str:
    """Return the hint that removes a tag from a description: a block, a type, an element of HTML,
    or a placeholder.
    """
    if tag[0].startswith("<!"):
        return "remove the comment"
    inner = tag[0].strip("</>")
    if _BLOCK.fullmatch(inner):
        return f"move the <{inner}> block to the instructions below the frontmatter"
    generic = _TYPE.search(text[max(0, tag.start() - _LONGEST_TAG) : tag.start()])
    if generic and not tag[0].startswith("</"):
        name = generic[0]
        return f"write {name}[{inner[:_LONGEST_TAG]}] with square brackets, or {name} alone"
    if not _PLAIN_TAG.fullmatch(inner):
        return "remove the angle brackets"
    return f"write {inner}, or {{{inner}}} if it is a placeholder"


def _is_blank(text: str) -> bool:
    """Return whether a text is invisible; the slow pattern is compiled only if needed."""
    return not "!" <= text[:1] <= "~" and re.fullmatch(_BLANK, text) is not None

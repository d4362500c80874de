"""`--tools`: four read-only tools, for clients whose models do not read resources.

Files are returned as text, because every client passes text to the model. The URL of a skill's page
is text too, so the model can pass it on to its user.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from io import StringIO

from mcp_types import CallToolRequestParams, PaginatedRequestParams

from skillbuild.release.sorted_lines import path_in
from skillbuild.serve.methods import errors
from skillbuild.serve.methods.describe import PAGE, about_skills, pages_template, skill_meta
from skillbuild.serve.methods.pagination import PagedList, page
from skillbuild.serve.methods.reading import read_text, text_block
from skillbuild.serve.methods.search import MOST_RESULTS, Result, SkillQuery, search, snippet
from skillbuild.serve.state.content import successor_at
from skillbuild.serve.state.entries import JsonObject, ServedEntry
from skillbuild.serve.state.release import PUBLIC, ServedRelease
from skillbuild.serve.state.watch import OtherReleaseError
from skillbuild.text.json import compact_json
from skillbuild.text.wording import plural

Arguments = Mapping[str, object]

SEARCH = "search_skills"
"""The name of the tool that searches; only one search runs at a time."""
DEFAULT_RESULTS = 20
"""Number of results of `search_skills` without `limit`."""
_MOST_QUOTED = 10
"""Number of top results that may get a quote; each quote requires reading the text of a skill."""
PAGE_SKILLS = 50
"""Skills on a page of `list_skills`; the page remains in the context of a model."""
LONG_ANSWER = 10_000
"""Bytes above which a host may cut an answer, as Codex does."""

_OPTIONAL = frozenset(["cursor", "limit", "group", "tag", "offset"])


def _tool(name: str, title: str, description: str, **arguments: str | JsonObject) -> JsonObject:
    """Define a tool; each argument is a schema, or the description of a string."""
    required = [key for key in arguments if key not in _OPTIONAL]
    properties = {
        key: _string(schema) if isinstance(schema, str) else schema
        for key, schema in arguments.items()
    }
    schema = {"type": "object", "properties": properties, "required": required}
    hints = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}
    tool: JsonObject = {"name": name, "title": title, "description": description}
    return {**tool, "inputSchema": schema, "annotations": {"title": title, **hints}}


def _string(description: str) -> JsonObject:
    return {"type": "string", "description": description}


def _integer(description: str, most: int | None = None) -> JsonObject:
    bounds = {"minimum": 1} if most is None else {"minimum": 1, "maximum": most}
    return {"type": "integer", **bounds, "description": description}


_AT_HAND: JsonObject = {"_meta": {"anthropic/alwaysLoad": True}}
"""A field without which Claude Code shows its model only the name of a tool until the model
asks.
"""
_SKILL = "path of the skill as list_skills returns it, or its name"
_SKILL_FIELDS = {
    "name": _string("name of the skill"),
    "path": _string("unique path of the skill, to pass to read_skill"),
    "uri": _string("URI of the skill's SKILL.md, for hosts that read resources"),
    "description": _string(
        "what the skill does and when to use it, on one line; long descriptions are cut"
    ),
}
_PAGES = "URL template for the web page of a skill; replace {+path} with the path of the skill"
_FACTS = _string(
    "what the skill runs, which hosts it contacts, what it installs, and its license, if known"
)
_DEPRECATED = _string(
    "why the skill is deprecated, and which skill to use instead; absent if it is not deprecated"
)
_TOKENS: JsonObject = {
    "type": "integer",
    "description": "estimated number of tokens in the skill's SKILL.md",
}


_FOUND: JsonObject = {
    "tokens": _TOKENS,
    "fields": {
        "type": "array",
        "description": "fields with words from the query, such as name, description or body",
        "items": {"type": "string"},
    },
    "quote": _string(
        "a matching line of the skill's SKILL.md; present only if no other field matches"
    ),
}


def _skills_schema(
    description: str, fields: JsonObject | None = None, **more: JsonObject
) -> JsonObject:
    """Return the schema of a result with skills.

    `fields` are additional fields of each skill, `more` of the result itself.
    """
    fields = {**_SKILL_FIELDS, "facts": _FACTS, "deprecated": _DEPRECATED, **(fields or {})}
    item = {"type": "object", "properties": fields, "required": list(_SKILL_FIELDS)}
    skills = {"type": "array", "description": description, "items": item}
    properties = {"skills": skills, "pages": _string(_PAGES), **more}
    return {"type": "object", "properties": properties, "required": ["skills"]}


DEFINITIONS = [
    _tool(
        "list_skills",
        "List skills",
        f"List all skills of this server, sorted by path, {PAGE_SKILLS} at a time. Each has one"
        " line that says what it is for. To find a skill for a task, call search_skills instead:"
        " its answer is shorter.",
        cursor="nextCursor of the previous answer; omit it to get the first page",
    )
    | {
        "outputSchema": _skills_schema(
            "skills, sorted by path",
            nextCursor=_string("cursor for the next page; absent on the last page"),
        )
    },
    _tool(
        SEARCH,
        "Search skills",
        "Find skills for a task. Call this at the start of a task. Returns the skills whose name,"
        " description, headings, file names or text contain words from the query, best match first."
        " Plurals, typos and common synonyms match too.",
        query="words from the task, for example: fill a pdf form",
        limit=_integer(f"maximum number of skills (default: {DEFAULT_RESULTS})", MOST_RESULTS),
        cursor="nextCursor of the previous answer; omit it to get the best matches",
        group="name of a group in the catalog; returns only skills of this group",
        tag="a tag; returns only skills with this tag",
    )
    | _AT_HAND
    | {
        "outputSchema": _skills_schema(
            "skills, best match first; skills that match at most half of the words come last",
            _FOUND,
            total={"type": "integer", "description": "number of skills found, at most 1,000"},
            also={
                "type": "array",
                "description": "synonyms that were also searched for",
                "items": {"type": "string"},
            },
            ignored=_string("which part of the query was ignored because the query is too long"),
            nextCursor=_string("cursor for the next page; absent on the last page"),
        )
    },
    _tool(
        "read_skill",
        "Read a skill",
        "Return the instructions of a skill (its SKILL.md) and the names of its other files. Call"
        " this before you start a task that the skill covers, and follow the instructions.",
        skill=_SKILL,
    )
    | _AT_HAND,
    _tool(
        "read_skill_file",
        "Read a file of a skill",
        "Return one supporting file of a skill, for example references/forms.md or"
        " scripts/extract.py. To read a long file in pieces, pass offset and limit.",
        skill=_SKILL,
        file="path of the file in the skill, as listed by read_skill",
        offset=_integer("first line to read, counted from 1 (default: 1)"),
        limit=_integer("maximum number of lines (default: all lines from offset on)"),
    ),
]


class ToolError(Exception):
    """A tool call that cannot be answered. The model reads the reason and may try again."""


def list_tools(release: ServedRelease, params: PaginatedRequestParams) -> JsonObject:
    return _on_one_page(params, DEFINITIONS)


def list_no_tools(release: ServedRelease, params: PaginatedRequestParams) -> JsonObject:
    """Return an empty list, for a server without `--tools`. If the method did not exist, some
    clients would treat the server as dead.
    """
    return _on_one_page(params, [])


def _on_one_page(params: PaginatedRequestParams, tools: list[JsonObject]) -> JsonObject:
    if params.cursor is not None:
        raise OtherReleaseError
    return {"tools": tools}


def call_tool(release: ServedRelease, params: CallToolRequestParams) -> JsonObject:
    tool = _TOOLS.get(params.name)
    if tool is None:
        raise errors.invalid(f"there is no tool {errors.escaped(params.name)}")
    try:
        return tool(release, params.arguments or {})
    except ToolError as error:
        return {"content": [text_block(str(error))], "isError": True}


def _list_skills(release: ServedRelease, arguments: Arguments) -> JsonObject:
    cursor = arguments.get("cursor")
    if cursor is not None and not isinstance(cursor, str):
        raise ToolError("cursor must be a string from an earlier answer")
    count = release.skill_count
    try:
        part = page(PagedList(release.digest, "list_skills"), count, cursor, most=PAGE_SKILLS)
    except OtherReleaseError:
        raise ToolError(
            "this cursor belongs to another release; start again without a cursor"
        ) from None
    skills = release.skills(PUBLIC, part.start, part.stop - part.start)
    described = [_fields(skill, snippet(skill.description)) for skill in skills]
    return _result(release, described, {"nextCursor": part.next_cursor})


def _search_skills(release: ServedRelease, arguments: Arguments) -> JsonObject:
    """Return a page of skills by rank, or of all skills by path if the query has no words."""
    query = SkillQuery(*(_text(arguments, key) for key in ("query", "group", "tag")))
    cursor = _text(arguments, "cursor") or None
    limit = arguments.get("limit", DEFAULT_RESULTS)
    if type(limit) is not int or not 1 <= limit <= MOST_RESULTS:
        raise ToolError(f"limit must be a number from 1 to {MOST_RESULTS}")
    listing = PagedList(release.digest, SEARCH, (query.text, query.group, query.tag))
    try:
        start = 0 if cursor is None else listing.offset(cursor)
    except OtherReleaseError:
        raise ToolError(
            "this cursor belongs to another search or release; start again without a cursor"
        ) from None
    results = search(release, query, start, limit, quoted=_MOST_QUOTED)
    stop = start + len(results.skills)
    follows = listing.cursor(stop) if stop < results.total and results.skills else None
    skills = list(map(_found, results.skills))
    more = {"total": results.total, **results.remarks, "nextCursor": follows}
    return _result(release, skills, more)


def _found(result: Result) -> JsonObject:
    found: JsonObject = {**_fields(result.entry, result.line), "tokens": result.tokens}
    if result.fields:
        found["fields"] = result.fields
    return found | ({"quote": result.quote} if result.quote else {})


def _read_skill(release: ServedRelease, arguments: Arguments) -> JsonObject:
    skill = _skill(release, _argument(arguments, "skill"))
    others = [file.path for file in skill.files if file.path != "SKILL.md"]
    content = _file(release, "SKILL.md", skill.uri)
    if others:
        names = "\n".join(others)
        content.append(
            text_block(f"Other files of this skill, to read with read_skill_file:\n{names}")
        )
    meta = skill_meta(release, skill)
    if page := meta.get(PAGE):
        content.append(text_block(f"The page of this skill, for people: {page}"))
    return {"content": content, **({"_meta": meta} if meta else {})}


def _read_skill_file(release: ServedRelease, arguments: Arguments) -> JsonObject:
    wanted, path = _argument(arguments, "skill"), _argument(arguments, "file")
    skill = _skill(release, wanted)
    uri = next((file.uri for file in skill.files if file.path == path), None)
    if uri is None:
        reason = f"{errors.escaped(wanted)} has no file {errors.escaped(path)}"
        raise ToolError(f"{reason}; read_skill lists its files")
    first, count = _line_number(arguments, "offset"), _line_number(arguments, "limit")
    if first is None and count is None:
        content = _file(release, path, uri)
    else:
        content = _lines(release, path, uri, first or 1, count)
    meta = skill_meta(release, skill)
    return {"content": content, **({"_meta": meta} if meta else {})}


_STARTS = ("{", "[", '"')
_LONGEST_NUMBER = 64


def file_block(path: str, text: str) -> JsonObject:
    """Return the text of a file, with its path in front if clients would parse the text as JSON.

    Some clients parse every text that is valid JSON, and then refuse an array or pass their own
    serialization of the value to the model.
    """
    return text_block(f"{path}:\n{text}" if _may_be_json(text) else text)


def _may_be_json(text: str) -> bool:
    """Return whether a text starts like an object, an array or a string, or is a number."""
    if text.lstrip().startswith(_STARTS):
        return True
    with suppress(ValueError):
        json.loads(text[: _LONGEST_NUMBER + 1])
        return len(text) <= _LONGEST_NUMBER
    return False


def _file(release: ServedRelease, path: str, uri: str) -> list[JsonObject]:
    """Return the text of a file, or a note that says where to read its bytes.

    A long text also gets a note about reading it in pieces.
    """
    text = read_text(release, uri)
    if text is None:
        return [text_block(f"This is not a text file. Read its bytes from the resource {uri}")]
    if len(text.encode()) <= LONG_ANSWER:
        return [file_block(path, text)]
    count = len(_split(text))
    how = f"{path} has {plural(count, 'line')}. If this answer was cut off, read the rest with"
    return [file_block(path, text), text_block(f"{how} read_skill_file, using offset and limit.")]


def _lines(
    release: ServedRelease, path: str, uri: str, first: int, count: int | None
) -> list[JsonObject]:
    """Return `count` lines of a file from `first` on (None: all), and how to continue."""
    text = read_text(release, uri)
    if text is None:
        raise ToolError(f"{path} is not a text file; read its bytes from the resource {uri}")
    lines = _split(text)
    last = len(lines) if count is None else min(first - 1 + count, len(lines))
    if first > len(lines):
        raise ToolError(f"offset {first} is too large: {path} has {plural(len(lines), 'line')}")
    which = f"Lines {first} to {last} of {len(lines)} of {path}."
    more = f" To read on, pass offset {last + 1}." if last < len(lines) else ""
    part = "".join(lines[first - 1 : last])
    return [file_block(path, part), text_block(f"{which}{more}")]


def _split(text: str) -> list[str]:
    """Split a text into lines as editors and hosts count them, with line endings."""
    return list(StringIO(text, newline="\n"))


def _paths_named(release: ServedRelease, name: str) -> list[str]:
    paths = map(path_in, release.parts.listed(PUBLIC))
    return [path for path in paths if path.rpartition("/")[2] == name]


def _skill(release: ServedRelease, wanted: str) -> ServedEntry:
    """Return the skill with this path or URI, or else the only skill with this name.

    A former path of a skill is never treated as the name of another skill.
    """
    uri = wanted if wanted.startswith("skill://") else f"skill://{wanted}/SKILL.md"
    if (skill := release.skill_at(uri)) is not None:
        return skill
    successor = successor_at(release, uri)
    named = _paths_named(release, wanted)
    if len(named) == 1 and (successor is None or successor.path == named[0]):
        skill = release.entry_of(named[0])
        if skill is not None:
            return skill
    if successor is not None:
        raise ToolError(f"{errors.escaped(wanted)} has moved; ask for {successor.path}")
    if named:
        paths = ", ".join(named)
        raise ToolError(f"{len(named)} skills have this name; ask for one of {paths}")
    raise ToolError(f"there is no skill {errors.escaped(wanted)}; list_skills lists all skills")


def _argument(arguments: Arguments, key: str) -> str:
    """Return the value of a required argument."""
    value = arguments.get(key)
    if not isinstance(value, str) or not value:
        raise ToolError(f"the argument {key} is missing")
    return value


def _text(arguments: Arguments, key: str) -> str:
    """Return the value of an optional argument; empty if it is missing."""
    value = arguments.get(key, "")
    if not isinstance(value, str):
        raise ToolError(f"{key} must be a string")
    return value


def _line_number(arguments: Arguments, key: str) -> int | None:
    """Return the value of an argument that counts lines; None if it is missing."""
    value = arguments.get(key)
    if value is not None and (type(value) is not int or value < 1):
        raise ToolError(f"{key} must be a number of lines, at least 1")
    return value if isinstance(value, int) else None


def _result(
    release: ServedRelease, skills: Sequence[JsonObject], more: Mapping[str, object]
) -> JsonObject:
    """Return skills as structured content, and as text for hosts that ignore it."""
    result: JsonObject = {"skills": skills}
    every = {"pages": pages_template(release), **more}
    result |= {key: value for key, value in every.items() if value is not None}
    answer = {"content": [text_block(compact_json(result))], "structuredContent": result}
    return {**answer, **about_skills(release)}


def _fields(skill: ServedEntry, line: str) -> JsonObject:
    """Return the fields that a model needs to choose a skill."""
    fields: JsonObject = {"name": skill.name, "path": skill.path, "uri": skill.uri}
    fields["description"] = line
    if skill.facts.sentence:
        fields["facts"] = skill.facts.sentence
    return fields | ({"deprecated": skill.deprecated.words} if skill.deprecated else {})


_TOOLS: Mapping[str, Callable[[ServedRelease, Arguments], JsonObject]] = {
    "list_skills": _list_skills,
    SEARCH: _search_skills,
    "read_skill": _read_skill,
    "read_skill_file": _read_skill_file,
}

"""`--tools`: the skills as tools as well, for hosts whose models read no resources.

Files come as text, which every host gives to the model.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from io import StringIO

from mcp_types import CallToolRequestParams, PaginatedRequestParams

from skillbuild.release.sorted_lines import path_in
from skillbuild.serve.methods import errors
from skillbuild.serve.methods.content_blocks import file_block, text_block
from skillbuild.serve.methods.context import Context
from skillbuild.serve.methods.pagination import PagedList, StaleCursorError, page
from skillbuild.serve.methods.reading import read_text
from skillbuild.serve.methods.search import MOST_RESULTS, SkillQuery, search, snippet
from skillbuild.serve.methods.tool_definitions import (
    DEFAULT_RESULTS,
    DEFINITIONS,
    LONG_ANSWER,
    PAGE_SKILLS,
)
from skillbuild.serve.methods.work import in_thread, in_turn, over_catalog
from skillbuild.serve.state.entries import ServedEntry
from skillbuild.serve.state.moves import successor_at
from skillbuild.serve.state.raw_json import JsonObject
from skillbuild.serve.state.release import PUBLIC, ServedRelease
from skillbuild.text.json import compact_json
from skillbuild.text.wording import plural
from skillbuild.uris import skill_uri

Arguments = Mapping[str, object]


class ToolError(Exception):
    """A call that cannot be answered; the model reads the reason and may try again."""


async def list_tools(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
    return _on_one_page(params, DEFINITIONS)


async def list_no_tools(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
    """Without `--tools`: some clients take an unknown method for a dead server."""
    return _on_one_page(params, [])


def _on_one_page(params: PaginatedRequestParams, tools: list[JsonObject]) -> JsonObject:
    if params.cursor is not None:
        raise errors.stale_cursor()
    return {"tools": tools}


async def call_tool(ctx: Context, params: CallToolRequestParams) -> JsonObject:
    tool = _TOOLS.get(params.name)
    if tool is None:
        raise errors.invalid(f"there is no tool {errors.escaped(params.name)}")
    try:
        return await tool(ctx.lifespan_context, params.arguments or {})
    except ToolError as error:
        return {"content": [text_block(str(error))], "isError": True}


async def _list_skills(release: ServedRelease, arguments: Arguments) -> JsonObject:
    cursor = arguments.get("cursor")
    if cursor is not None and not isinstance(cursor, str):
        raise ToolError("cursor is a text from an earlier answer")
    count = release.skill_count
    try:
        part = page(PagedList(release.digest, "list_skills"), count, cursor, most=PAGE_SKILLS)
    except StaleCursorError:
        raise ToolError("this cursor is of another release; start without one") from None
    skills = await in_thread(release.skills, PUBLIC, part.start, part.stop - part.start)
    described = [_fields(skill, snippet(skill.description)) for skill in skills]
    return _result(described, {"nextCursor": part.next_cursor})


async def _search_skills(release: ServedRelease, arguments: Arguments) -> JsonObject:
    """Skills by rank, a page at a time; all skills by path for a query without a word."""
    query = SkillQuery(*(_text(arguments, key) for key in ("query", "group", "tag")))
    cursor = _text(arguments, "cursor") or None
    limit = arguments.get("limit", DEFAULT_RESULTS)
    if type(limit) is not int or not 1 <= limit <= MOST_RESULTS:
        raise ToolError(f"limit is a number from 1 to {MOST_RESULTS}")
    listing = PagedList(release.digest, "search_skills", (query.text, query.group, query.tag))
    try:
        start = 0 if cursor is None else listing.offset(cursor)
    except StaleCursorError:
        raise ToolError("this cursor is of another search or release; start without") from None
    results = await in_turn(search, release, query, start, limit)
    stop = start + len(results.skills)
    follows = listing.cursor(stop) if stop < results.total and results.skills else None
    skills = [{**_fields(each, line), "tokens": tokens} for each, line, tokens in results.skills]
    return _result(skills, {"total": results.total, **results.remarks, "nextCursor": follows})


async def _read_skill(release: ServedRelease, arguments: Arguments) -> JsonObject:
    uri = await _skill_uri(release, _argument(arguments, "skill"))
    others = [path for path in _files_by_path(release, uri) if path != "SKILL.md"]
    content = await _file(release, "SKILL.md", uri)
    if others:
        names = "\n".join(others)
        content.append(text_block(f"Other files of this skill, for read_skill_file:\n{names}"))
    return {"content": content}


async def _read_skill_file(release: ServedRelease, arguments: Arguments) -> JsonObject:
    skill, path = _argument(arguments, "skill"), _argument(arguments, "file")
    uri = _files_by_path(release, await _skill_uri(release, skill)).get(path)
    if uri is None:
        reason = f"{errors.escaped(skill)} has no file {errors.escaped(path)}; see read_skill"
        raise ToolError(reason)
    first, count = _line_number(arguments, "offset"), _line_number(arguments, "limit")
    if first is None and count is None:
        return {"content": await _file(release, path, uri)}
    return {"content": await _lines(release, path, uri, first or 1, count)}


async def _file(release: ServedRelease, path: str, uri: str) -> list[JsonObject]:
    """The text of a file, or else where its bytes are; of a long one, how to read a part."""
    text = await read_text(release, uri)
    if text is None:
        return [text_block(f"This file is no text. Its bytes are the resource {uri}")]
    if len(text.encode()) <= LONG_ANSWER:
        return [file_block(path, text)]
    count = len(_split(text))
    how = f"{path} has {plural(count, 'line')}. If some are missing here, get them by"
    return [file_block(path, text), text_block(f"{how} read_skill_file with offset and limit.")]


async def _lines(
    release: ServedRelease, path: str, uri: str, first: int, count: int | None
) -> list[JsonObject]:
    """Some lines of a file from the first one on, and how to go on; all that follow for None."""
    text = await read_text(release, uri)
    if text is None:
        raise ToolError(f"{path} is no text and has no lines; its bytes are the resource {uri}")
    lines = _split(text)
    last = len(lines) if count is None else min(first - 1 + count, len(lines))
    if first > len(lines):
        raise ToolError(f"{path} has {plural(len(lines), 'line')}, so none at offset {first}")
    which = f"Lines {first} to {last} of {len(lines)} of {path}."
    more = f" The next ones are at offset {last + 1}." if last < len(lines) else ""
    part = "".join(lines[first - 1 : last])
    return [file_block(path, part), text_block(f"{which}{more}")]


def _split(text: str) -> list[str]:
    """Lines as editors and hosts count them, with their ends."""
    return list(StringIO(text, newline="\n"))


def _files_by_path(release: ServedRelease, uri: str) -> dict[str, str]:
    """URIs of the files of a skill by their paths, in the order of the record."""
    entry = release.skill_at(uri)
    return {file.path: file.uri for file in entry.files} if entry is not None else {}


def _paths_named(release: ServedRelease, name: str) -> list[str]:
    paths = map(path_in, release.parts.listed(PUBLIC))
    return [path for path in paths if path.rpartition("/")[2] == name]


async def _skill_uri(release: ServedRelease, wanted: str) -> str:
    """The SKILL.md of the skill with this path or URI, else of the one skill so named.

    A path that a skill had before is no name of another one.
    """
    uri = wanted if wanted.startswith("skill://") else f"skill://{wanted}/SKILL.md"
    if release.skill_at(uri) is not None:
        return uri
    successor = successor_at(release, uri)
    named = await over_catalog(_paths_named, release, wanted)
    if len(named) == 1 and (successor is None or successor.path == named[0]):
        return skill_uri(named[0])
    if successor is not None:
        raise ToolError(f"{errors.escaped(wanted)} has moved; ask for {successor.path}")
    if named:
        paths = ", ".join(named)
        raise ToolError(f"{len(named)} skills have this name; ask for one of {paths}")
    raise ToolError(f"there is no skill {errors.escaped(wanted)}; see list_skills")


def _argument(arguments: Arguments, key: str) -> str:
    """The value of a required argument."""
    value = arguments.get(key)
    if not isinstance(value, str) or not value:
        raise ToolError(f"the argument {key} is missing")
    return value


def _text(arguments: Arguments, key: str) -> str:
    """The value of an argument that may be left out."""
    value = arguments.get(key, "")
    if not isinstance(value, str):
        raise ToolError(f"{key} is a text")
    return value


def _line_number(arguments: Arguments, key: str) -> int | None:
    """The value of an argument that counts lines; None if it was left out."""
    value = arguments.get(key)
    if value is not None and (type(value) is not int or value < 1):
        raise ToolError(f"{key} is a number of lines, from 1 on")
    return value if isinstance(value, int) else None


def _result(skills: Sequence[JsonObject], more: Mapping[str, object]) -> JsonObject:
    """Skills as structured content, and as text for hosts that ignore it."""
    result: JsonObject = {"skills": skills}
    result |= {key: value for key, value in more.items() if value is not None}
    return {"content": [text_block(compact_json(result))], "structuredContent": result}


def _fields(skill: ServedEntry, line: str) -> JsonObject:
    """What a model needs to choose a skill."""
    fields: JsonObject = {"name": skill.name, "path": skill.path, "uri": skill.uri}
    fields["description"] = line
    return fields | ({"deprecated": skill.deprecated.words} if skill.deprecated else {})


_TOOLS: Mapping[str, Callable[[ServedRelease, Arguments], Awaitable[JsonObject]]] = {
    "list_skills": _list_skills,
    "search_skills": _search_skills,
    "read_skill": _read_skill,
    "read_skill_file": _read_skill_file,
}

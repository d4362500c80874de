"""`--tools`: the skills once more as tools, for hosts whose models read no resources.

Results are embedded resources; their annotations sit inside the resource (SEP-2093, 6).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from mcp.server.context import ServerRequestContext
from mcp_types import CallToolRequestParams, PaginatedRequestParams

from skillbuild.serve.methods import errors, pagination, resource, resources_and_skills
from skillbuild.serve.methods.pagination import Listing
from skillbuild.serve.methods.resource import JsonObject
from skillbuild.serve.state.entries import parsed
from skillbuild.serve.state.release import Release
from skillbuild.text.json import compact_json

Context = ServerRequestContext[Release]
MOST_FOUND = 20


class ToolError(Exception):
    """A call that cannot be answered; the model reads the reason and may try again."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A listed skill as a model chooses by it."""

    path: str
    uri: str
    description: str

    def as_json(self) -> JsonObject:
        return {"skill": self.path, "uri": self.uri, "description": self.description}


async def list_tools(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
    return _definitions(params, _DEFINITIONS)


async def list_no_tools(ctx: Context, params: PaginatedRequestParams) -> JsonObject:
    """Without `--tools` the list is empty, but there: some clients take its absence for death."""
    return _definitions(params, [])


def _definitions(params: PaginatedRequestParams, found: list[JsonObject]) -> JsonObject:
    if params.cursor is not None:
        raise errors.stale_cursor()
    return {"tools": found}


async def call_tool(ctx: Context, params: CallToolRequestParams) -> JsonObject:
    tool = _TOOLS.get(params.name)
    if tool is None:
        raise errors.invalid(f"there is no tool {errors.shown(params.name)}")
    try:
        return await tool(ctx.lifespan_context, params.arguments or {})
    except ToolError as error:
        return {"content": [_text(str(error))], "isError": True}


async def _list_skills(release: Release, given: Mapping[str, object]) -> JsonObject:
    found = _summaries(release)
    cursor = given.get("cursor")
    if cursor is not None and not isinstance(cursor, str):
        raise ToolError("cursor is a text from an earlier answer")
    try:
        part = pagination.page(Listing(release.digest, "list_skills"), len(found), cursor)
    except pagination.StaleCursorError:
        raise ToolError("this cursor is of another release; start without one") from None
    return _answer(found[part.start : part.stop], part.next_cursor)


async def _search_skills(release: Release, given: Mapping[str, object]) -> JsonObject:
    words = _argument(given, "query").lower().split()
    ranked = sorted(
        ((-_score(summary, words), summary.path, summary) for summary in _summaries(release)),
        key=lambda item: item[:2],
    )
    return _answer(tuple(item for score, _, item in ranked if score)[:MOST_FOUND], None)


def _score(summary: Summary, words: list[str]) -> int:
    path, description = summary.path.lower(), summary.description.lower()
    return sum(3 * (word in path) + (word in description) for word in words)


async def _read_skill(release: Release, given: Mapping[str, object]) -> JsonObject:
    uri = _skill_uri(release, _argument(given, "skill"))
    opened = release.open(uri)
    files = [item.path for item in opened.files] if opened is not None else []
    more = "\n".join(path for path in files if path != "SKILL.md")
    content = [await _embedded(release, uri)]
    if more:
        content.append(_text(f"Other files of this skill, for read_skill_file:\n{more}"))
    return {"content": content}


async def _read_skill_file(release: Release, given: Mapping[str, object]) -> JsonObject:
    skill, path = _argument(given, "skill"), _argument(given, "file")
    opened = release.open(_skill_uri(release, skill))
    for item in opened.files if opened is not None else ():
        if item.path == path:
            return {"content": [await _embedded(release, item.uri)]}
    raise ToolError(f"{errors.shown(skill)} has no file {errors.shown(path)}; see read_skill")


async def _embedded(release: Release, uri: str) -> JsonObject:
    described = resource.resource(release, uri) or {}
    return {
        "type": "resource",
        "resource": await resources_and_skills.document(release, uri, described),
    }


def _skill_uri(release: Release, wanted: str) -> str:
    """By path or URI, else by a name that one listed skill has."""
    uri = wanted if wanted.startswith("skill://") else f"skill://{wanted}/SKILL.md"
    if release.skill(uri) is not None:
        return uri
    named = [item for item in _summaries(release) if item.path.rpartition("/")[2] == wanted]
    if len(named) == 1:
        return named[0].uri
    if named:
        paths = ", ".join(item.path for item in named)
        raise ToolError(f"{len(named)} skills have this name; ask for one of {paths}")
    raise ToolError(f"there is no skill {errors.shown(wanted)}; see list_skills")


@lru_cache(maxsize=1)
def _summaries(release: Release) -> tuple[Summary, ...]:
    found = []
    for number in release.listed:
        value = parsed(release.lines[number])
        about = value["frontmatter"]["description"]
        found.append(Summary(value["path"], value["url"], about))
    return tuple(found)


def _argument(given: Mapping[str, object], key: str) -> str:
    value = given.get(key)
    if not isinstance(value, str) or not value:
        raise ToolError(f"the argument {key} is missing")
    return value


def _answer(found: tuple[Summary, ...], cursor: str | None) -> JsonObject:
    said: JsonObject = {"skills": [item.as_json() for item in found]}
    if cursor is not None:
        said["nextCursor"] = cursor
    return {"content": [_text(compact_json(said))], "structuredContent": said}


def _text(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def _tool(name: str, title: str, description: str, **arguments: str) -> JsonObject:
    required = [key for key in arguments if key != "cursor"]
    properties = {key: {"type": "string", "description": arguments[key]} for key in arguments}
    schema = {"type": "object", "properties": properties, "required": required}
    hints = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}
    said: JsonObject = {"name": name, "title": title, "description": description}
    return {**said, "inputSchema": schema, "annotations": {"title": title, **hints}}


_SKILL = "path of the skill as list_skills has it, or its name"
_OUTPUT = {
    "type": "object",
    "properties": {
        "skills": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {key: {"type": "string"} for key in ("skill", "uri", "description")},
                "required": ["skill", "uri", "description"],
            },
        },
        "nextCursor": {"type": "string"},
    },
    "required": ["skills"],
}
_DEFINITIONS = [
    _tool(
        "list_skills",
        "List skills",
        "Skills of this server with their descriptions, a hundred at a time.",
        cursor="nextCursor of the answer before",
    )
    | {"outputSchema": _OUTPUT},
    _tool(
        "search_skills",
        "Search skills",
        f"Skills whose path or description has words of the query, the best {MOST_FOUND}.",
        query="words, for example: pdf form",
    )
    | {"outputSchema": _OUTPUT},
    _tool(
        "read_skill",
        "Read a skill",
        "Instructions of a skill (its SKILL.md) and the names of its other files.",
        skill=_SKILL,
    ),
    _tool(
        "read_skill_file",
        "Read a file of a skill",
        "One supporting file, for example references/forms.md or scripts/extract.py.",
        skill=_SKILL,
        file="path of the file inside the skill",
    ),
]
_TOOLS: Mapping[str, Callable[[Release, Mapping[str, object]], Awaitable[JsonObject]]] = {
    "list_skills": _list_skills,
    "search_skills": _search_skills,
    "read_skill": _read_skill,
    "read_skill_file": _read_skill_file,
}

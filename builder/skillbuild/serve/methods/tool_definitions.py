"""The tools of `--tools` as `tools/list` describes them: four, all read-only."""

from __future__ import annotations

from skillbuild.serve.methods.search import MOST_RESULTS
from skillbuild.serve.state.raw_json import JsonObject

DEFAULT_RESULTS = 20
"""Of `search_skills`, if the caller does not say how many."""
PAGE_SKILLS = 50
"""Of `list_skills`: what it says stands in the context of a model."""
LONG_ANSWER = 10_000
"""Bytes of an answer beyond which a host may leave out some, as Codex does."""

_OPTIONAL = frozenset(["cursor", "limit", "group", "tag", "offset"])


def _tool(name: str, title: str, description: str, **arguments: str | JsonObject) -> JsonObject:
    """A tool; `arguments` are schemas, or what texts are described by."""
    required = [key for key in arguments if key not in _OPTIONAL]
    properties = {
        key: _text(schema) if isinstance(schema, str) else schema
        for key, schema in arguments.items()
    }
    schema = {"type": "object", "properties": properties, "required": required}
    hints = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}
    tool: JsonObject = {"name": name, "title": title, "description": description}
    return {**tool, "inputSchema": schema, "annotations": {"title": title, **hints}}


def _text(description: str) -> JsonObject:
    return {"type": "string", "description": description}


def _number(description: str, most: int | None = None) -> JsonObject:
    bounds = {"minimum": 1} if most is None else {"minimum": 1, "maximum": most}
    return {"type": "integer", **bounds, "description": description}


_AT_HAND: JsonObject = {"_meta": {"anthropic/alwaysLoad": True}}
"""Claude Code gives its model the names of other tools alone, until it asks for more."""
_SKILL = "path of the skill as list_skills has it, or its name"
_SKILL_FIELDS = {
    "name": _text("name of the skill"),
    "path": _text("path of the skill, which no other skill has: for read_skill"),
    "uri": _text("URI of its SKILL.md, for hosts that read resources"),
    "description": _text("what the skill does and when to use it, on one line, long ones cut"),
}
_DEPRECATED = _text("why not to use the skill any more, and which one to use, where that is so")
_TOKENS: JsonObject = {
    "type": "integer",
    "description": "about how many tokens its SKILL.md takes, where that is told",
}


def _skills_schema(description: str, **more: JsonObject) -> JsonObject:
    """The schema of a result that has skills, and more that may be left out."""
    fields = {**_SKILL_FIELDS, "deprecated": _DEPRECATED, "tokens": _TOKENS}
    item = {"type": "object", "properties": fields, "required": list(_SKILL_FIELDS)}
    skills = {"type": "array", "description": description, "items": item}
    return {"type": "object", "properties": {"skills": skills, **more}, "required": ["skills"]}


DEFINITIONS = [
    _tool(
        "list_skills",
        "List skills",
        f"All skills of this server by path, {PAGE_SKILLS} at a time, each with one line that says"
        " what it is for. To find the skill for a task, search_skills is shorter.",
        cursor="nextCursor of the answer before; none for the first skills",
    )
    | {
        "outputSchema": _skills_schema(
            "skills, sorted by path",
            nextCursor=_text(
                "cursor of the call that continues the list; there is none at its end"
            ),
        )
    },
    _tool(
        "search_skills",
        "Search skills",
        "Call this at the start of a task: the skills that have words of the query in their name,"
        " description, headings, files or text, the best one first. Plurals, slips of a letter and"
        " common synonyms match too.",
        query="words of the task, for example: fill a pdf form",
        limit=_number(f"how many skills, {DEFAULT_RESULTS} unless told", MOST_RESULTS),
        cursor="nextCursor of the answer before; none for the best skills",
        group="only skills below this path, as path has it without the name",
        tag="only skills with this tag",
    )
    | _AT_HAND
    | {
        "outputSchema": _skills_schema(
            "skills, the best one first; those with half of the words or fewer come last",
            total={"type": "integer", "description": "skills found, at most 1,000"},
            also={
                "type": "array",
                "description": "synonyms that were searched for, too",
                "items": {"type": "string"},
            },
            ignored=_text("what of the query was not searched for, as there was too much"),
            nextCursor=_text("cursor of the call that continues the list; none at its end"),
        )
    },
    _tool(
        "read_skill",
        "Read a skill",
        "The instructions of a skill (its SKILL.md) and the names of its other files. Call it"
        " before you do what the skill is for, and follow it.",
        skill=_SKILL,
    )
    | _AT_HAND,
    _tool(
        "read_skill_file",
        "Read a file of a skill",
        "One supporting file, for example references/forms.md or scripts/extract.py. Of a file that"
        " is too long for one answer, ask for some lines at a time.",
        skill=_SKILL,
        file="path of the file inside the skill, as read_skill names it",
        offset=_number("the first line to read, counted from 1; from the beginning unless told"),
        limit=_number("how many lines; all that follow unless told"),
    ),
]

"""The tools of `--tools` as `tools/list` describes them: four, all read-only."""

from __future__ import annotations

from skillbuild.serve.state.raw_json import JsonObject

MOST_RESULTS = 20
"""Of `search_skills`."""
PAGE_SKILLS = 50
"""Of `list_skills`: what it says stands in the context of a model."""


def _tool(name: str, title: str, description: str, **arguments: str) -> JsonObject:
    """A tool whose arguments are texts, all required but `cursor`; `arguments` describe them."""
    required = [key for key in arguments if key != "cursor"]
    properties = {key: _text(arguments[key]) for key in arguments}
    schema = {"type": "object", "properties": properties, "required": required}
    hints = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}
    tool: JsonObject = {"name": name, "title": title, "description": description}
    return {**tool, "inputSchema": schema, "annotations": {"title": title, **hints}}


def _text(description: str) -> JsonObject:
    return {"type": "string", "description": description}


_AT_HAND: JsonObject = {"_meta": {"anthropic/alwaysLoad": True}}
"""Claude Code gives its model the names of other tools alone, until it asks for more."""
_SKILL = "path of the skill as list_skills has it, or its name"
_SKILL_FIELDS = {
    "name": _text("name of the skill"),
    "path": _text("path of the skill, which no other skill has: for read_skill"),
    "uri": _text("URI of its SKILL.md, for hosts that read resources"),
    "description": _text("what the skill does and when to use it, on one line, long ones cut"),
}


def _skills_schema(description: str, **more: JsonObject) -> JsonObject:
    """The schema of a result that has skills, and more that may be left out."""
    item = {"type": "object", "properties": _SKILL_FIELDS, "required": list(_SKILL_FIELDS)}
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
        "Call this at the start of a task: the skills whose path or description has words of the"
        f" query, the best {MOST_RESULTS}, the best one first.",
        query="words of the task, for example: pdf form",
    )
    | _AT_HAND
    | {
        "outputSchema": _skills_schema(
            "skills, the best one first",
            ignored=_text("what of the query was too long to be searched for"),
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
        "One supporting file, for example references/forms.md or scripts/extract.py.",
        skill=_SKILL,
        file="path of the file inside the skill, as read_skill names it",
    ),
]

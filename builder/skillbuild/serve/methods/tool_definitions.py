"""The tools of `--tools` as `tools/list` describes them: four, all read-only."""

from __future__ import annotations

from skillbuild.serve.state.raw_json import JsonObject

MOST_RESULTS = 20
"""Of `search_skills`."""


def _tool(name: str, title: str, description: str, **arguments: str) -> JsonObject:
    """A tool whose arguments are texts, all required but `cursor`; `arguments` describe them."""
    required = [key for key in arguments if key != "cursor"]
    properties = {key: {"type": "string", "description": arguments[key]} for key in arguments}
    schema = {"type": "object", "properties": properties, "required": required}
    hints = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}
    tool: JsonObject = {"name": name, "title": title, "description": description}
    return {**tool, "inputSchema": schema, "annotations": {"title": title, **hints}}


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
DEFINITIONS = [
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
        f"Skills whose path or description has words of the query, the best {MOST_RESULTS}.",
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

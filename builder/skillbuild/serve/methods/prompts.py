"""`prompts/list` and `prompts/get`: with `--prompts`, each skill is a prompt.

Several clients offer prompts as slash commands. The name of a prompt is the flat name of its skill:
a unique name without slashes. Without `--prompts`, `prompts/list` returns an empty list, because
some clients would treat the server as dead if the method did not exist.
"""

from __future__ import annotations

from functools import partial

from mcp_types import GetPromptRequestParams, PaginatedRequestParams

from skillbuild.release.entry import unlisted_in
from skillbuild.serve.methods import errors
from skillbuild.serve.methods.describe import deprecation_meta
from skillbuild.serve.methods.pagination import page_of, with_next
from skillbuild.serve.methods.reading import read_text, text_block
from skillbuild.serve.state.entries import JsonObject, ServedEntry, read_entry
from skillbuild.serve.state.release import LONGEST_ASKED_URI, PUBLIC, ServedRelease

_HINT = "argument-hint"
"""Frontmatter field in which Claude Code describes the arguments of a slash command."""
_ARGUMENT = "arguments"
_PLACE = "$ARGUMENTS"
"""Placeholder for the arguments in a SKILL.md."""


def list_no_prompts(release: ServedRelease, params: PaginatedRequestParams) -> JsonObject:
    return with_next({"prompts": []}, page_of(release, "prompts/list", 0, params.cursor))


def list_prompts(release: ServedRelease, params: PaginatedRequestParams) -> JsonObject:
    """Return a page of the prompts for all skills that are not internal, sorted by path."""
    part = page_of(release, "prompts/list", release.skill_count, params.cursor)
    skills = release.skills(PUBLIC, part.start, part.stop - part.start)
    return with_next({"prompts": list(map(_prompt, skills))}, part)


def _prompt(skill: ServedEntry) -> JsonObject:
    prompt: JsonObject = {"name": skill.flat_name}
    if skill.path != skill.flat_name:
        prompt["title"] = skill.path
    prompt["description"] = skill.description
    hint = skill.frontmatter.get(_HINT)
    if isinstance(hint, str):
        prompt["arguments"] = [{"name": _ARGUMENT, "description": hint, "required": False}]
    meta = deprecation_meta(skill)
    return prompt | ({"_meta": meta} if meta else {})


def get_prompt(release: ServedRelease, params: GetPromptRequestParams) -> JsonObject:
    """Return the SKILL.md as a user message; if the skill has other files, a second message says
    where they are.
    """
    name, skill = params.name, None
    if len(name) <= LONGEST_ASKED_URI:  # Longer names do not exist, and would fill the cache.
        skill = release.caches.prompts.get(name, partial(_skill_named, release, name))
    if skill is None:
        raise errors.invalid(f"there is no prompt {errors.escaped(params.name)}")
    text = read_text(release, skill.uri) or ""
    given = (params.arguments or {}).get(_ARGUMENT)
    texts = [_with_argument(text, given) if given else text]
    if len(list(skill.files)) > 1:
        directory = skill.uri.removesuffix("SKILL.md")
        texts.append(f"The other files of this skill are resources below {directory}")
    messages = [{"role": "user", "content": text_block(each)} for each in texts]
    return {"description": skill.description, "messages": messages}


def _with_argument(text: str, given: str) -> str:
    if _PLACE in text:
        return text.replace(_PLACE, given)
    return f"{text.rstrip()}\n\nARGUMENTS: {given}\n"


def _skill_named(release: ServedRelease, name: str) -> ServedEntry | None:
    """Return the skill with this flat name; None if it is internal or missing.

    The flat name of a skill is often its path, so that skill is tried first.
    """
    at_path = release.parts.find(name)
    if at_path is not None and PUBLIC not in unlisted_in(at_path):
        skill = read_entry(at_path)
        if skill.flat_name == name:
            return skill
    field = b'"flatName":"%b"' % name.encode(errors="replace")
    lines = (line for line in release.parts.listed(PUBLIC) if field in line)
    return next((skill for skill in map(read_entry, lines) if skill.flat_name == name), None)

"""`completion/complete`: the path in the one resource template."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from mcp_types import CompleteRequestParams, ResourceTemplateReference

from skillbuild.paths import parent
from skillbuild.serve.methods import errors
from skillbuild.serve.methods.context import Context
from skillbuild.serve.methods.resources import TEMPLATE
from skillbuild.serve.methods.search import SkillQuery, search
from skillbuild.serve.methods.work import in_thread
from skillbuild.serve.state.entries import ServedEntry, read_entry
from skillbuild.serve.state.raw_json import JsonObject
from skillbuild.serve.state.release import PUBLIC, ServedRelease

MOST_VALUES = 100
"""The protocol's limit (2025-11-25, Completion)."""
_MOST_NAMED = 20
"""Skills that a search adds."""
_MOST_SKILLS = 500
"""Skills that are read to answer one request."""


async def complete(ctx: Context, params: CompleteRequestParams) -> JsonObject:
    """Files of skills, internal ones aside, whose path starts with the value, sorted.

    Where no path starts with a word, the best skills of a search for it, by their rank. Not all
    that there are if `hasMore`; `total` is only there if it is not.
    """
    is_template = isinstance(params.ref, ResourceTemplateReference) and params.ref.uri == TEMPLATE
    if not is_template or params.argument.name != "path":
        raise errors.invalid(f"the path of {TEMPLATE} can be completed, and nothing else")
    return await in_thread(_completed, ctx.lifespan_context, params.argument.value)


def _completed(release: ServedRelease, start: str) -> JsonObject:
    skills = list(islice(_skills(release, start), _MOST_SKILLS))
    uris = {file.uri for skill in skills if PUBLIC not in skill.unlisted for file in skill.files}
    paths = sorted(uri.removeprefix("skill://") for uri in uris)
    values = [path for path in paths if path.startswith(start)]
    if not values and "/" not in start:
        values = _named(release, start)
    if len(values) > MOST_VALUES or len(skills) == _MOST_SKILLS:
        return {"completion": {"values": values[:MOST_VALUES], "hasMore": True}}
    return {"completion": {"values": values, "total": len(values), "hasMore": False}}


def _named(release: ServedRelease, words: str) -> list[str]:
    """The SKILL.md files of the skills that a search for these words puts first, in its order."""
    results = search(release, SkillQuery(words), 0, _MOST_NAMED)
    return [skill.uri.removeprefix("skill://") for skill, _, _ in results.skills]


def _skills(release: ServedRelease, start: str) -> Iterator[ServedEntry]:
    """The skills that may have files whose percent-encoded path begins with `start`."""
    plain = start.partition("%")[0]
    yield from map(read_entry, release.parts.above(parent(plain)))
    for line in release.parts.following(plain):
        entry = read_entry(line)
        if not entry.path.startswith(plain):
            return
        yield entry

"""Lists resources, directories and the URI template, and completes paths.

Implements `resources/list`, `resources/directory/read` (SEP-2640, Reading Directories),
`resources/templates/list` and `completion/complete`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from mcp_types import CompleteRequestParams, PaginatedRequestParams, ResourceTemplateReference

from skillbuild.paths import parent
from skillbuild.serve.methods import errors
from skillbuild.serve.methods.describe import about_skills
from skillbuild.serve.methods.generic import (
    ListParams,
    brief_skill,
    list_briefly,
    matching_uris,
)
from skillbuild.serve.methods.pagination import page_of, with_next
from skillbuild.serve.methods.search import SkillQuery, search
from skillbuild.serve.state.content import children, successor_uri
from skillbuild.serve.state.entries import JsonObject, ServedEntry, read_entry
from skillbuild.serve.state.release import PUBLIC, ServedRelease
from skillbuild.uris import INDEX_URI

TEMPLATE = "skill://{+path}"
MOST_VALUES = 100
"""Maximum number of values in a completion, set by the protocol (2025-11-25, Completion)."""
_MOST_NAMED = 20
"""Number of skills that a search adds to a completion."""
_MOST_SKILLS = 500
"""Number of skills that are read to complete one value."""


class DirectoryParams(PaginatedRequestParams):
    """Parameters of `resources/directory/read`."""

    uri: str


def list_resources(release: ServedRelease, params: ListParams) -> JsonObject:
    """Return a page of the list of all skills that are not internal, sorted by path. The index is
    the last item of the list.

    With `uri`, list the direct children of this directory instead (SEP-2093). With `filter`, list
    only the resources that match it (generic resources document, Request Messages).
    """
    if (directory := params.directory) is not None:
        return _list_children(release, "resources/list", directory, params.cursor)
    if wanted := params.wanted:
        return _list_filtered(release, params.cursor, wanted)
    count = release.skill_count
    every = count if release.index is None else count + 1
    part = page_of(release, "resources/list", every, params.cursor)
    skills = release.skills(PUBLIC, part.start, min(part.stop, count) - part.start)
    resources = [brief_skill(release, skill) for skill in skills]
    if part.stop > count:
        resources += list_briefly(release, [INDEX_URI])
    return with_next({"resources": resources, **about_skills(release)}, part)


def read_directory(release: ServedRelease, params: DirectoryParams) -> JsonObject:
    return _list_children(release, "resources/directory/read", params.uri, params.cursor)


def _list_children(release: ServedRelease, method: str, uri: str, cursor: str | None) -> JsonObject:
    """Return a page of the files and subdirectories directly in a directory, as Resources."""
    if not release.is_directory(uri):
        raise errors.no_directory(uri, successor_uri(release, uri))
    members = children(release, uri)
    part = page_of(release, method, len(members), cursor, (uri,))
    uris = [child.uri for child in members[part.start : part.stop]]
    return with_next({"resources": list_briefly(release, uris)}, part)


def _list_filtered(
    release: ServedRelease, cursor: str | None, wanted: Mapping[str, str]
) -> JsonObject:
    uris = matching_uris(release, wanted)
    part = page_of(release, "resources/list", len(uris), cursor, (sorted(wanted.items()),))
    resources = list_briefly(release, uris[part.start : part.stop])
    return with_next({"resources": resources, **about_skills(release)}, part)


def list_templates(release: ServedRelease, params: PaginatedRequestParams) -> JsonObject:
    part = page_of(release, "resources/templates/list", 1, params.cursor)
    template = {
        "uriTemplate": TEMPLATE,
        "name": "skill-file",
        "title": "A file of a skill",
        "description": "path is <skill-path>/<file>, for example pdf/SKILL.md; it can be completed",
        "capabilities": {"list": True, "subscribe": True},
    }
    return with_next({"resourceTemplates": [template]}, part)


def complete(release: ServedRelease, params: CompleteRequestParams) -> JsonObject:
    """Complete the path in a resource URI: return the paths of files that start with the given
    value.

    Files of internal skills are omitted. If no path matches and the value contains no slash, the
    value is used as a search query, and the SKILL.md files of the best results are returned.
    `total` is present only if the list is complete; otherwise `hasMore` is true.
    """
    is_template = isinstance(params.ref, ResourceTemplateReference) and params.ref.uri == TEMPLATE
    if not is_template or params.argument.name != "path":
        raise errors.invalid(f"only the variable `path` of {TEMPLATE} can be completed")
    start = params.argument.value
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
    """Return the SKILL.md files of the best search results, best first."""
    results = search(release, SkillQuery(words), 0, _MOST_NAMED)
    return [each.entry.uri.removeprefix("skill://") for each in results.skills]


def _skills(release: ServedRelease, start: str) -> Iterator[ServedEntry]:
    """Yield the skills that may have files whose percent-encoded path starts with `start`."""
    plain = start.partition("%")[0]
    yield from map(read_entry, release.parts.above(parent(plain)))
    for line in release.parts.following(plain):
        entry = read_entry(line)
        if not entry.path.startswith(plain):
            return
        yield entry

"""What the server says about itself: `serverInfo`, and `instructions` for the model."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import islice

from skillbuild import __version__
from skillbuild.release.sorted_lines import path_in
from skillbuild.serve.methods.context import Offer
from skillbuild.serve.methods.icons import describe_icons, linked_icons
from skillbuild.serve.state.faults import UnreadableError
from skillbuild.serve.state.raw_json import JsonObject
from skillbuild.serve.state.release import PUBLIC, ServedRelease, directory_uri
from skillbuild.text.wording import plural

LONGEST_INSTRUCTIONS = 2000
"""Characters: they stand in the model's context for as long as the server is connected."""


def server_info(release: ServedRelease) -> JsonObject:
    """An Implementation with the fields of SEP-973."""
    catalog = release.record.catalog
    return _implementation(release, describe_icons(release, catalog.icons, catalog.title))


def server_stamp(release: ServedRelease) -> JsonObject:
    """The same as part of every result since 2026-07-28, so without icons that are no links."""
    catalog = release.record.catalog
    return _implementation(release, linked_icons(release, catalog.icons, catalog.title))


def _implementation(release: ServedRelease, icons: Sequence[JsonObject]) -> JsonObject:
    catalog = release.record.catalog
    fields: JsonObject = {
        "name": "skillbuild",
        "title": catalog.title,
        "version": __version__,
        "description": catalog.tagline,
        "websiteUrl": catalog.website_url or catalog.base_url,
        "icons": icons,
    }
    return {key: value for key, value in fields.items() if value}


def instructions(release: ServedRelease, offer: Offer) -> str:
    """What this server is, how to read a skill, how many there are, and as many paths as fit."""
    count = release.skill_count
    how = f"{_BY_TOOLS} {_BY_RESOURCES}" if offer.tools else f"{_WHEN} {_BY_RESOURCES}"
    title = release.title[: LONGEST_INSTRUCTIONS // 4]
    text = f"{title}: {plural(count, 'Agent Skill')}. {_WHAT} {how}"
    paths = _paths_within(release, LONGEST_INSTRUCTIONS - len(text) - len(_LONGEST_FRAME))
    more = f", and {count - len(paths)} more" if len(paths) < count else ""
    return f"{text} Paths: {', '.join(paths)}{more}." if paths else text


_WHAT = "Each is a SKILL.md with instructions and its supporting files."
_WHEN = "Before a task that a skill covers, read skill://<path>/SKILL.md."
_BY_TOOLS = (
    "At the start of a task, call search_skills with words of the task, or list_skills to see all;"
    " if a skill covers the task, call read_skill and follow it before you do anything else."
    " read_skill_file reads a file that it refers to."
)
_BY_RESOURCES = (
    "All are readable as resources; relative links in skill://<path>/SKILL.md resolve against"
    " skill://<path>/. skills/list has skills with their digests, resources/directory/read has the"
    " files of a directory."
)
_LONGEST_FRAME = " Paths: , and 999999 more."


def _paths_within(release: ServedRelease, length: int) -> list[str]:
    """The first skill paths that take up to `length` characters with the commas between them.

    They end before a part of the record that cannot be read, so that clients can connect.
    """
    paths: list[str] = []
    with suppress(UnreadableError):
        for line in islice(release.parts.listed(PUBLIC), release.parts.first(PUBLIC)):
            path = directory_uri(path_in(line)).removeprefix("skill://")
            length -= len(path) + 2
            if length < 0:
                break
            paths.append(path)
    return paths

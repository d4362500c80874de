"""What the server says about itself: name, icons and a short instruction for the model."""

from __future__ import annotations

from skillbuild import __version__
from skillbuild.serve.methods import icons
from skillbuild.serve.state.release import Release

LONGEST_INSTRUCTIONS = 2000
"""Characters: they stand in the model's context for as long as the server is connected."""


def server_info(release: Release) -> dict[str, object]:
    """An Implementation with the fields of SEP-973; it rides on every modern result."""
    catalog = release.head.catalog
    said: dict[str, object] = {
        "name": "skillbuild",
        "title": catalog.title,
        "version": __version__,
        "description": catalog.tagline,
        "websiteUrl": catalog.website_url,
        "icons": icons.described(release, catalog.icons),
    }
    return {key: value for key, value in said.items() if value}


def instructions(release: Release) -> str:
    """What this is, how to read a skill, how many there are, and as many names as fit."""
    count = len(release.listed)
    text = (
        f"{release.title}: {count} Agent Skills. Each is a SKILL.md with instructions and its"
        " supporting files, all readable as resources. Before a task that a skill covers, read"
        " skill://<path>/SKILL.md; relative links in it resolve against skill://<path>/."
        " skills/list has every skill with description and digests, resources/directory/read"
        " has the files of a directory."
    )[: LONGEST_INSTRUCTIONS // 2]
    names: list[str] = []
    left = LONGEST_INSTRUCTIONS - len(text) - len(" Paths: , and 999999 more.")
    for row in release.skills:
        path = row.uri.removeprefix("skill://").removesuffix("/SKILL.md")
        left -= len(path) + 2
        if left < 0:
            break
        names.append(path)
    more = f", and {count - len(names)} more" if len(names) < count else ""
    return f"{text} Paths: {', '.join(names)}{more}." if names else text

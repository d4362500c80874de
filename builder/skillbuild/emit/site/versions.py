"""The page of one version of a skill, which never changes.

So it does not say whether newer versions exist: the list of all versions, to which it leads, does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from skillbuild.emit.site.addresses import between, skill_page, version_page, versions_page
from skillbuild.emit.site.links import Links
from skillbuild.emit.site.skills import Changed, read_values, source_link
from skillbuild.emit.site.theme import Theme, render
from skillbuild.emit.versions import Difference, EmittedVersion, in_one_line
from skillbuild.media.archive import ZIP_TYPE
from skillbuild.model import Entry, Listing, OutputFile
from skillbuild.release.record import markdown_path
from skillbuild.source.outline import Outline
from skillbuild.text.line_diff import DiffLine, Hunk, LineDifference

_MOST_LINES = 300
_LONGEST_LINE = 1000
_MOST_CHARACTERS = 30_000
"""Of all lines of a difference that a page shows."""


@dataclass(frozen=True, slots=True)
class ChangedNames:
    """What came, went or changed of one kind of things; the names of files lead to their rows."""

    title: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...] = ()

    @property
    def are_files(self) -> bool:
        return self.title == "Files"


@dataclass(frozen=True, slots=True)
class ShownDiff:
    """As much of a difference as a page shows."""

    hunks: tuple[Hunk, ...]
    is_whole: bool

    @property
    def lines(self) -> int:
        return sum(len(hunk.lines) for hunk in self.hunks)


def emit(theme: Theme, emitted: EmittedVersion) -> OutputFile:
    """The page; its links lead to its own files and to the web, not to other skills."""
    content = emitted.content
    entry, version = content.entry, content.version
    page = version_page(version.digest)
    links = Links(content.skill, entry, Outline({}), has_file_pages=False, other_page=page)
    return render(
        theme,
        "version.html",
        page,
        **read_values(theme, links, content.facts),
        **_changes(emitted),
        version=version,
        path=content.path,
        skill_page=between(page, skill_page(content.path)),
        all_versions=between(page, versions_page(content.path)),
        source=source_link(theme, entry, version.change),
        has_discovery=is_installable(theme, entry),
    )


def is_installable(theme: Theme, entry: Entry) -> bool:
    """Whether installers that read discovery files can install the skill, at any version."""
    has_file = markdown_path(entry) or any(item.media_type == ZIP_TYPE for item in entry.archives)
    return bool(has_file) and theme.discovery and entry.is_listed(Listing.DISCOVERY_02)


def _changes(emitted: EmittedVersion) -> Mapping[str, object]:
    """The values of the page that tell what is different from the older version."""
    different, lines = emitted.difference, emitted.lines
    if emitted.older is None or different is None or lines is None:
        return {"older": None, "difference": None, "changes": (), "diff": None, "changed": None}
    return {
        "older": emitted.older.version,
        "difference": different,
        "changes": [*_rows(different)],
        "diff": shown_diff(lines),
        "changed": Changed(in_one_line(different), "#changes"),
    }


def _rows(different: Difference) -> Iterator[ChangedNames]:
    for row in (
        ChangedNames("Tools", different.tools_added, different.tools_removed),
        ChangedNames("Hosts", different.hosts_added, different.hosts_removed),
        ChangedNames("Programs", different.programs_added, different.programs_removed),
        ChangedNames("Files", different.added, different.removed, different.changed),
    ):
        if row.added or row.removed or row.changed:
            yield row


def shown_diff(lines: LineDifference) -> ShownDiff:
    """The first lines of a difference, each cut where it is very long."""
    hunks = []
    room, budget, is_whole = _MOST_LINES, _MOST_CHARACTERS, lines.hunks is not None
    for hunk in lines.hunks or ():
        kept: list[DiffLine] = []
        for line in hunk.lines:
            text = line.text
            if len(text) > _LONGEST_LINE:
                text, is_whole = f"{text[:_LONGEST_LINE]}…", False
            room, budget = room - 1, budget - len(text)
            if room < 0 or budget < 0:
                is_whole = False
                break
            kept.append(DiffLine(line.mark, text))
        if kept:
            hunks.append(Hunk(hunk.heading, tuple(kept)))
        if len(kept) < len(hunk.lines):
            break
    return ShownDiff(tuple(hunks), is_whole)

"""The page that shows what changed in a version: facts, frontmatter, and lines of each file.

Both the number of compared lines and the number of shown lines are limited.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from skillbuild.emit.site.addresses import between, difference_page
from skillbuild.emit.site.links import is_image
from skillbuild.emit.site.skill_pages import commit_link, field_row
from skillbuild.emit.site.theme import Theme, render
from skillbuild.emit.site.version_pages import icons_of
from skillbuild.emit.versions import Comparison, VersionContent
from skillbuild.media.types import decode
from skillbuild.model import File, Json, OutputFile, Resource
from skillbuild.paths import SKILL_FILE
from skillbuild.release.facts import phrase
from skillbuild.release.layout import blob_path
from skillbuild.text.line_diff import DiffLine, Hunk, compare_lines
from skillbuild.text.wording import human_size

_MOST_COMPARED = 50_000
"""Maximum total lines of the changed files that are compared. At the limit, files made to be slow
take twenty seconds, and other files barely one.
"""
_MOST_LINES, _LONGEST_LINE, _MOST_CHARACTERS = 300, 1000, 30_000
"""Limits for what a page shows of one file."""
_MOST_ON_PAGE, _MOST_CHARACTERS_ON_PAGE = 1_500, 120_000
"""Limits for what a page shows of all files."""
_MOST_OPEN, _MOST_OPEN_ON_PAGE = 120, 600
"""Maximum visible lines of one file, and of all files; readers unfold the others."""
_MOST_FILES = 500
_MOST_FIELDS, _LONGEST_FIELD = 50, 600


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field of the frontmatter with its values in both versions. The value is empty for a version
    without the field.
    """

    key: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A changed file, and the part of its changes that the page shows."""

    path: str
    kind: str
    """`added`, `removed` or `changed`."""
    notes: Sequence[str]
    """Sentences about changes that lines do not show."""
    added: int = 0
    removed: int = 0
    """Number of lines removed and added; 0 for a file that is not compared."""
    hunks: Sequence[Hunk] = ()
    is_open: bool = False
    before: str = ""
    after: str = ""
    """Addresses of the file in both versions; empty if a version lacks the file."""
    is_image: bool = False
    """Whether a page may show the file as a picture, in each version that has it."""


def emit_comparison(theme: Theme, path: str, comparison: Comparison) -> OutputFile:
    """Return the page that compares a version of a skill with the version before it.

    `path` is the skill path.
    """
    version = comparison.version
    page = difference_page(path, version.digest)
    difference = comparison.difference
    files = _file_changes(comparison, page)
    return render(
        theme,
        "difference.html",
        page,
        path=path,
        title=comparison.content.entry.title,
        **icons_of(comparison.content),
        version=version,
        older=comparison.older,
        source=commit_link(theme, version.change),
        difference=difference,
        fields=_field_changes(comparison)[:_MOST_FIELDS],
        files=files,
        proofs=_proofs(comparison, files),
        more=sum(map(len, (difference.files.added, difference.files.removed)))
        + len(difference.files.changed)
        - len(files),
        added=sum(file.added for file in files),
        removed=sum(file.removed for file in files),
    )


def _proofs(comparison: Comparison, files: Sequence[ShownFile]) -> Mapping[str, str]:
    """Map what the version newly does to the id of the row with the new line that says so."""
    new = {
        (file.path, line): f"change-{place}-{line}"
        for place, file in enumerate(files, 1)
        for hunk in file.hunks
        for old, line, _ in hunk.numbered()
        if line and not old
    }
    found = [
        (phrase(fact), new[fact.path, fact.line])
        for fact in comparison.content.entry.facts.runs
        if (fact.path, fact.line) in new
    ]
    # The first line counts.
    added = comparison.difference.does.added
    return {words: place for words, place in reversed(found) if words in added}


# Fields of the frontmatter.


def _field_changes(comparison: Comparison) -> list[FieldChange]:
    """Return the fields that differ, in the order of the newer version."""
    older = _fields(comparison.older_content.entry.frontmatter)
    newer = _fields(comparison.content.entry.frontmatter)
    return [
        FieldChange(key, older.get(key, ""), newer.get(key, ""))
        for key in {**newer, **older}
        if older.get(key) != newer.get(key)
    ]


def _fields(frontmatter: Mapping[str, Json]) -> dict[str, str]:
    """Return each field as a string; members of a mapping are separate fields, such as
    `metadata.version`.
    """
    fields = {}
    for key, value in frontmatter.items():
        members = value if isinstance(value, Mapping) and value else {"": value}
        for name, member in members.items():
            text = field_row(key, member).text
            cut = f"{text[:_LONGEST_FIELD]}…" if len(text) > _LONGEST_FIELD else text
            fields[f"{key}.{name}" if name else key] = cut
    return fields


# Files.


@dataclass(slots=True)
class _Room:
    """The lines and characters that still fit on the page."""

    compared: int = _MOST_COMPARED
    lines: int = _MOST_ON_PAGE
    characters: int = _MOST_CHARACTERS_ON_PAGE
    open: int = _MOST_OPEN_ON_PAGE


def _file_changes(comparison: Comparison, page: str) -> list[ShownFile]:
    """Return the files that differ, SKILL.md first."""
    named = comparison.difference.files
    kinds = dict.fromkeys(named.added, "added")
    kinds |= dict.fromkeys(named.removed, "removed")
    kinds |= dict.fromkeys(named.changed, "changed")
    ordered = sorted(kinds, key=lambda path: (path != SKILL_FILE, path))[:_MOST_FILES]
    older, newer = _VersionFiles(comparison.older_content), _VersionFiles(comparison.content)
    room = _Room()
    return [_file_change(path, kinds[path], older, newer, page, room) for path in ordered]


class _VersionFiles:
    """The files of a version by path."""

    def __init__(self, content: VersionContent) -> None:
        self.files: Mapping[str, File] = {file.path: file for file in content.skill.files}
        self.resources: Mapping[str, Resource] = {
            each.path: each for each in content.entry.resources
        }

    def address(self, path: str, page: str) -> str:
        """Return the address of a file's content, for a link on `page`. The result is empty if the
        version does not have the file.
        """
        item = self.resources.get(path)
        return between(page, blob_path(item.digest)) if item else ""


def _file_change(
    path: str, kind: str, older: _VersionFiles, newer: _VersionFiles, page: str, room: _Room
) -> ShownFile:
    before, after = older.files.get(path), newer.files.get(path)
    there = [file for file in (before, after) if file is not None]
    change = ShownFile(
        path,
        kind,
        [*_mode_notes(before, after)],
        before=older.address(path, page),
        after=newer.address(path, page),
        is_image=all(is_image(file.data) for file in there),
    )
    if before and after and before.data == after.data:
        return change
    texts = [decode(file.data) if file else "" for file in (before, after)]
    old, new = texts
    if old is None or new is None:
        sizes = " → ".join(human_size(len(file.data)) for file in there)
        return _with_note(change, f"Not a text file ({sizes})")
    if before and after:
        room.compared -= sum(text.count("\n") + 1 for text in (old, new))
    if room.compared < 0:
        return _with_note(change, "Not compared, because the changed files have too many lines")
    return _with_lines(change, old, new, room)


def _mode_notes(before: File | None, after: File | None) -> Iterator[str]:
    if before and after and before.executable != after.executable:
        yield "Now executable" if after.executable else "No longer executable"
    elif after and not before and after.executable:
        yield "Executable"


def _with_note(change: ShownFile, note: str) -> ShownFile:
    return replace(change, notes=[*change.notes, note])


def _with_lines(change: ShownFile, old: str, new: str, room: _Room) -> ShownFile:
    lines = compare_lines(old, new)
    hunks, is_whole = _shown(lines.hunks or (), room)
    count = sum(len(hunk.lines) for hunk in hunks)
    is_open = count <= min(_MOST_OPEN, room.open)
    if is_open:
        room.open -= count
    shown = replace(change, added=lines.added, removed=lines.removed, hunks=hunks, is_open=is_open)
    if lines.hunks is None:
        same = "" if lines.added or lines.removed else "The same lines in a different order. "
        return _with_note(shown, f"{same}Too many changed lines to show")
    if not lines.hunks:
        is_empty = not (old or new)
        what = "The file is empty" if is_empty else "Only the line break at the end changed"
        return _with_note(shown, what)
    return shown if is_whole else _with_note(shown, "The rest is too long to show")


def _shown(hunks: Sequence[Hunk], room: _Room) -> tuple[Sequence[Hunk], bool]:
    """Return the first lines of a difference, with very long ones cut, and whether that is all."""
    shown: list[Hunk] = []
    is_whole = True
    most, characters = min(_MOST_LINES, room.lines), min(_MOST_CHARACTERS, room.characters)
    for hunk in hunks:
        kept: list[DiffLine] = []
        for line in hunk.lines:
            text = line.text
            if len(text) > _LONGEST_LINE:
                text, is_whole = f"{text[:_LONGEST_LINE]}…", False
            if most < 1 or characters < len(text):
                break
            most, characters = most - 1, characters - len(text)
            room.lines, room.characters = room.lines - 1, room.characters - len(text)
            kept.append(DiffLine(line.mark, text))
        if kept:
            shown.append(replace(hunk, lines=tuple(kept)))
        if len(kept) < len(hunk.lines):
            return shown, False
    return shown, is_whole

"""What is remembered of the skills of a release, so that what did not change is not made again.

The key of a skill covers all that shapes what is published of it. The rest of what is remembered
stands in the output itself, whose record and SHA256SUMS must be the very ones that were written.
"""

from __future__ import annotations

import hashlib
import json
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields, replace
from pathlib import Path

from skillbuild import __version__, assets, cache, jsontext
from skillbuild.archive import ARCHIVE_FORMAT
from skillbuild.diagnostics import Diagnostic, Severity, finding
from skillbuild.discover import inside
from skillbuild.emit import site
from skillbuild.model import Digest, Entry, Note, Place, Summary
from skillbuild.outline import Named, Outline, Placed
from skillbuild.press import Press
from skillbuild.publish import Landed, Standing
from skillbuild.rules import RULES
from skillbuild.work import Result, Work

KIND = "skills"
_MOST_ASKED = 1000
"""Paths outside of it that one skill may lead to and still be remembered."""


@dataclass(frozen=True, slots=True)
class Memo:
    """One published skill: its key, and what neither the record nor the sums tell of it."""

    path: str
    directory: str
    key: str
    head: str
    """Object id of its SKILL.md."""
    place: tuple[int, int] | None
    """Where its name stands."""
    linked: tuple[str, ...]
    asked: tuple[str, ...]
    summary: tuple[int, int, int, int, bool, bool, bool, str] | None
    paths: tuple[str, ...]


_FIELDS = tuple(item.name for item in fields(Memo))


@dataclass(frozen=True, slots=True)
class Recall:
    """A release that stands in an output, skill by skill; memos are by directory."""

    memos: Mapping[str, Memo] = field(default_factory=dict)
    lines: Mapping[str, bytes] = field(default_factory=dict)
    """The same memos as they are kept."""
    entries: Mapping[str, Entry] = field(default_factory=dict)
    sums: Mapping[str, Digest] = field(default_factory=dict)
    pages: Mapping[str, str] = field(default_factory=dict)
    """Digests of what the pages about many skills were made of."""
    size: int = 0
    """Bytes of the whole output."""

    def keys(self) -> dict[str, str]:
        """Keys by the path of the skill."""
        return {memo.path: memo.key for memo in self.memos.values()}

    def names(self) -> dict[str, Named]:
        """Names by the object id of the SKILL.md that they stand in."""
        return {
            memo.head: (self.entries[memo.path].text("name"), _place(memo.place))
            for memo in self.memos.values()
        }

    def find(self, work: Work, placed: Placed) -> Result | None:
        """What looking at a skill would give, if nothing that it depends on has changed."""
        memo = self.memos.get(placed.directory)
        if memo is None or memo.key != key_of(work, placed, memo.asked):
            return None
        entry = self.entries[memo.path]
        return Result(
            placed.directory,
            tuple(map(diagnostic_of, entry.notes)),
            len(entry.resources),
            entry.listed,
            entry=entry,
            sums={path: self.sums[path] for path in memo.paths},
            summary=_summary(memo.summary),
            linked=tuple(memo.linked),
            asked=tuple(memo.asked),
            recalled=True,
        )


NOTHING = Recall()


def diagnostic_of(note: Note) -> Diagnostic:
    """What a published skill carries, as it was found."""
    said = finding(RULES[note.code], note.path, note.place, note.message, note.hint)
    return replace(said, severity=Severity.WARNING if note.warns else Severity.NOTE)


def context_of(press: Press, *, strict: bool) -> str:
    """All that every skill depends on: settings, brand, and the programs that do the work."""
    theme = press.theme
    parts = (
        theme.config.as_json(),
        [astuple(icon) for icon in theme.icons],
        dict(theme.templates),
        theme.prefix,
        strict,
        __version__,
        ARCHIVE_FORMAT,
        site.renderers(),
        sys.version,
        unicodedata.unidata_version,
        assets.fingerprint(),
    )
    return hashlib.blake2b(jsontext.compact(parts).encode(), digest_size=16).hexdigest()


def key_of(work: Work, placed: Placed, asked: Sequence[str]) -> str:
    """All that one skill depends on beyond the context; `asked` are the paths it leads to."""
    change = work.press.changes.get(placed.directory) if work.press else None
    parts = (
        placed.directory,
        placed.path,
        placed.name_place,
        placed.outer,
        work.flat.get(placed.path or ""),
        change,
        [(leaf.path, leaf.kind, leaf.object_id) for leaf in placed.leaves],
        work.outline.found.get(placed.directory, ()),
        [_answer(work.outline, path) for path in asked],
    )
    return hashlib.blake2b(repr(parts).encode(errors="surrogatepass"), digest_size=16).hexdigest()


def _answer(outline: Outline, path: str) -> tuple[object, ...]:
    """What a skill can learn by asking for a path outside of it."""
    other = outline.skill_at(path)
    if other is None:
        return (path,)
    is_file = any(leaf.path == path for leaf in other.leaves)
    is_folder = any(leaf.path.startswith(f"{path}/") for leaf in other.leaves)
    return path, other.directory, other.path, is_file, is_folder


def of(work: Work, results: Sequence[Result], known: Recall) -> Recall:
    """What is to be remembered of a release that is about to be published."""
    memos, lines = {}, {}
    for result in results:
        directory = result.directory
        if result.recalled:
            memos[directory], lines[directory] = known.memos[directory], known.lines[directory]
        elif memo := _memo(work, work.outline.by_directory[directory], result):
            values = [getattr(memo, name) for name in _FIELDS]
            memos[directory], lines[directory] = memo, jsontext.compact(values).encode()
    return Recall(memos, lines)


def load(out: Path, context: str, standing: Standing) -> Recall:
    """What was remembered of the release that stands there; nothing when it was another one."""
    data = cache.read(out, KIND)
    if data is None:
        return NOTHING
    head, *lines = data.split(b"\n")
    try:
        bound, pages, size = json.loads(head)
        if bound != [context, standing.record.hex, standing.listed.hex]:
            return NOTHING
        memos = [Memo(*json.loads(line)) for line in lines]
    except (ValueError, TypeError):  # It is ours, but of another version.
        return NOTHING
    kept = dict(zip((memo.directory for memo in memos), lines, strict=True))
    entries = {entry.path: entry for entry in standing.release.catalog.entries}
    by_directory = {memo.directory: memo for memo in memos}
    return Recall(by_directory, kept, entries, standing.sums, pages, size)


def save(out: Path, context: str, landed: Landed, now: Recall) -> None:
    """Remember the skills of a release that was just published."""
    bound = [context, landed.record.hex, landed.listed.hex]
    head = jsontext.compact([bound, now.pages, now.size]).encode()
    cache.write(out, KIND, [head, *(b"\n" + line for line in now.lines.values())])


def _memo(work: Work, placed: Placed, result: Result) -> Memo | None:
    """None for what was not published, or is not told whole by the record."""
    entry = result.entry
    if entry is None or len(result.asked) > _MOST_ASKED or not _is_whole(entry, placed):
        return None
    head = next(leaf for leaf in placed.leaves if leaf.path == placed.skill_file)
    return Memo(
        entry.path,
        placed.directory,
        key_of(work, placed, result.asked),
        head.object_id,
        (placed.name_place.line, placed.name_place.column) if placed.name_place else None,
        result.linked,
        result.asked,
        astuple(result.summary) if result.summary else None,
        tuple(result.sums),
    )


def _is_whole(entry: Entry, placed: Placed) -> bool:
    """False for names that are not UTF-8: the record escapes them, so they cannot be read back."""
    told = [
        inside(placed.directory, ""),
        *(note.path + note.message + note.hint for note in entry.notes),
    ]
    return all(jsontext.valid_text(text) == text for text in told)


def _place(place: tuple[int, int] | None) -> Place | None:
    return Place(*place) if place else None


def _summary(
    values: tuple[int, int, int, int, bool, bool, bool, str] | None,
) -> Summary | None:
    return Summary(*values) if values is not None else None

"""What is remembered of the skills of a release, so that what did not change is not made again.

The key of a skill covers all that shapes what is published of it. The rest of what is remembered
stands in the output itself, whose record and SHA256SUMS must be the very ones that were written.
"""

from __future__ import annotations

import hashlib
import json
import sys
import unicodedata
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields
from pathlib import Path

from skillbuild import __version__, assets
from skillbuild.cache import sealed_files
from skillbuild.compile.press import Press
from skillbuild.compile.work import Result, Told, Work
from skillbuild.diagnostics import Finding, Severity
from skillbuild.emit.site import emitter
from skillbuild.media.archive import ARCHIVE_FORMAT
from skillbuild.model import EntryFinding, Place
from skillbuild.output import publish
from skillbuild.output.publish import Landed, Standing
from skillbuild.paths import inside
from skillbuild.release import record
from skillbuild.release.entry import notes_in
from skillbuild.release.record import RECORD_FILE
from skillbuild.rules.registry import RULES
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.survey import DeclaredName
from skillbuild.text.json import compact_json, json_line, valid_text

KIND = "skills"
_MOST_ASKED = 1000
"""Paths outside of it that one skill may lead to and still be remembered."""


@dataclass(frozen=True, slots=True)
class Memo:
    """One published skill: its key, and what the record and the checksums do not tell of it."""

    path: str
    name: str
    flat_name: str | None
    directory: str
    key: str
    head: str
    """Object id of its SKILL.md."""
    place: tuple[int, int] | None
    """Where its name stands."""
    linked: tuple[str, ...]
    asked: tuple[str, ...]
    files: int
    staged: int
    """Files of the output that are its own."""
    listed: bool
    lengths: Mapping[str, int]
    """Of the lines that stand behind it, by the path of the file that each is a part of."""


_FIELDS = tuple(item.name for item in fields(Memo))


@dataclass(frozen=True, slots=True)
class _Kept:
    """A memo as it is kept: a row of JSON, what is behind it, and the lines of its checksums."""

    row: bytes
    behind: Sequence[bytes | memoryview]
    checksums: tuple[bytes, ...]

    def lines(self, memo: Memo) -> dict[str, bytes]:
        """What stands behind the memo, by its names in `lengths`."""
        found, start, data = {}, 0, b"".join(self.behind)
        for name, length in memo.lengths.items():
            found[name] = data[start : start + length]
            start += length
        return found


@dataclass(frozen=True, slots=True)
class Recall:
    """A release that stands in an output, skill by skill; memos are by directory."""

    memos: Mapping[str, Memo] = field(default_factory=dict)
    kept: Mapping[str, _Kept] = field(default_factory=dict)
    entries: Mapping[str, bytes] = field(default_factory=dict)
    """Lines of the record."""
    pages: Mapping[str, str] = field(default_factory=dict)
    """Digests of what the pages about many skills were made of."""
    size: int = 0
    """Bytes of the whole output."""

    def keys(self) -> dict[str, str]:
        """Keys by the path of the skill."""
        return {memo.path: memo.key for memo in self.memos.values()}

    def names(self) -> dict[str, DeclaredName]:
        """Names by the object id of the SKILL.md that they stand in."""
        return {
            memo.head: DeclaredName(memo.name, _place(memo.place)) for memo in self.memos.values()
        }

    def find(self, work: Work, placed: SkillTree) -> Result | None:
        """What looking at a skill would give, if nothing that it depends on has changed."""
        memo = self.memos.get(placed.directory)
        if memo is None or memo.key != key_of(work, placed, memo.asked):
            return None
        entry = self.entries[memo.path]
        kept = self.kept[placed.directory]
        lines = {**kept.lines(memo), RECORD_FILE: entry}
        return Result(
            placed.directory,
            tuple(map(finding_of, notes_in(entry))),
            memo.files,
            memo.listed,
            told=Told(memo.path, memo.name, memo.flat_name, lines),
            checksums=kept.checksums,
            linked=tuple(memo.linked),
            asked=tuple(memo.asked),
            recalled=True,
        )


NOTHING = Recall()


def finding_of(note: EntryFinding) -> Finding:
    """What a published skill carries, as it was found."""
    severity = Severity.WARNING if note.warns else Severity.NOTE
    return Finding(RULES[note.code], note.path, note.place, note.message, note.hint, severity)


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
        emitter.renderers(),
        sys.version,
        unicodedata.unidata_version,
        assets.fingerprint(),
    )
    return hashlib.blake2b(compact_json(parts).encode(), digest_size=16).hexdigest()


def key_of(work: Work, placed: SkillTree, asked: Sequence[str]) -> str:
    """All that one skill depends on beyond the context; `asked` are the paths it leads to."""
    change = work.press.changes.get(placed.directory) if work.press else None
    parts = (
        placed.directory,
        placed.path,
        placed.name_place,
        work.outline.flat.get(placed.path or ""),
        change,
        "\0".join([f"{leaf.kind} {leaf.object_id} {leaf.path}" for leaf in placed.leaves]),
        work.outline.findings.get(placed.directory, ()),
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
    memos, kept = {}, {}
    for result in results:
        directory = result.directory
        if result.recalled:
            memos[directory], kept[directory] = known.memos[directory], known.kept[directory]
        elif made := _memo(work, work.outline.by_directory[directory], result):
            memos[directory], kept[directory] = made
    return Recall(memos, kept)


def load(out: Path, context: str, standing: Standing) -> Recall:
    """What was remembered of the release that stands there; nothing when it was another one."""
    data = sealed_files.read(out, KIND)
    if data is None:
        return NOTHING
    try:
        end = data.index(b"\n") + 1
        *bound, seen, pages, size, lengths = json.loads(data[:end])
        if bound != [context, standing.record.hex, standing.listed.hex]:
            return NOTHING
        if seen != standing.signature and not publish.is_whole(out, standing.checksums):
            return NOTHING
        rows = data[end : end + lengths[0]]
        memos = [Memo(*row) for row in json.loads(b"[%b]" % rows)]
    except (ValueError, TypeError):  # It is ours, but of another version.
        return NOTHING
    view = memoryview(data)[end + lengths[0] :]
    places, view = view[: lengths[1]].cast("I"), view[lengths[1] :]
    kept, place, start = {}, 0, 0
    for memo, row in zip(memos, rows.split(_BETWEEN), strict=False):
        own = tuple(
            standing.checksums.lines[number] for number in places[place : place + memo.staged]
        )
        stop = start + sum(memo.lengths.values())
        kept[memo.directory] = _Kept(row, [view[start:stop]], own)
        place, start = place + memo.staged, stop
    entries = record.lines_of(standing.release.catalog.entries).by_path()
    return Recall({memo.directory: memo for memo in memos}, kept, entries, pages, size)


_BETWEEN = b",\n"
"""Between two rows; no JSON of one line holds the end of a line."""


def save(out: Path, context: str, landed: Landed, now: Recall) -> None:
    """Remember the skills of a release that was just published.

    Their checksums are kept as numbers of lines in SHA256SUMS.
    """
    rows = _BETWEEN.join(one.row for one in now.kept.values())
    number = {line: number for number, line in enumerate(landed.checksums.lines)}
    places = array(
        "I", (number[line] for one in now.kept.values() for line in one.checksums)
    ).tobytes()
    bound = [context, landed.record.hex, landed.listed.hex, sealed_files.signature(out)]
    head = json_line([*bound, now.pages, now.size, [len(rows), len(places)]])
    behind = (part for one in now.kept.values() for part in one.behind)
    sealed_files.write(out, KIND, [head, b"\n", rows, places, *behind])


def _memo(work: Work, placed: SkillTree, result: Result) -> tuple[Memo, _Kept] | None:
    """None for what was not published, or is not told whole by the record."""
    told = result.told
    if told is None or len(result.asked) > _MOST_ASKED or not _is_whole(result, placed):
        return None
    head = next(leaf for leaf in placed.leaves if leaf.path == placed.skill_file)
    behind = {path: line for path, line in told.lines.items() if path != RECORD_FILE}
    memo = Memo(
        told.path,
        told.name,
        told.flat_name,
        placed.directory,
        key_of(work, placed, result.asked),
        head.object_id,
        (placed.name_place.line, placed.name_place.column) if placed.name_place else None,
        result.linked,
        result.asked,
        result.files,
        len(result.checksums),
        result.listed,
        {name: len(part) for name, part in behind.items()},
    )
    row = json_line([getattr(memo, name) for name in _FIELDS])
    return memo, _Kept(row, list(behind.values()), result.checksums)


def _is_whole(result: Result, placed: SkillTree) -> bool:
    """False for names that are not UTF-8: the record escapes them, so they cannot be read back."""
    told = [
        inside(placed.directory, ""),
        *(item.path + item.message + item.hint for item in result.findings),
    ]
    return all(valid_text(text) == text for text in told)


def _place(place: tuple[int, int] | None) -> Place | None:
    return Place(*place) if place else None

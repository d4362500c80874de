"""What is remembered of the skills of a release, so that what did not change is not made again.

The key of a skill covers all that shapes what is published of it. The rest of what is remembered
stands in the output itself, whose record and SHA256SUMS must be the very ones that were written.
"""

from __future__ import annotations

import hashlib
import json
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields
from pathlib import Path

from skillbuild import __version__, assets, cache, entryline, jsontext, record
from skillbuild.archive import ARCHIVE_FORMAT
from skillbuild.diagnostics import Diagnostic, Severity
from skillbuild.discover import inside
from skillbuild.emit import site
from skillbuild.model import Digest, Note, Place
from skillbuild.outline import Named, Outline, Placed
from skillbuild.press import Press
from skillbuild.publish import Landed, Standing
from skillbuild.record import RECORD_FILE
from skillbuild.rules import RULES
from skillbuild.work import Result, Told, Work

KIND = "skills"
_MOST_ASKED = 1000
"""Paths outside of it that one skill may lead to and still be remembered."""


@dataclass(frozen=True, slots=True)
class Memo:
    """One published skill: its key, and what the record and the sums do not tell of it."""

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
    listed: bool
    lengths: Mapping[str, int]
    """Of what stands behind it: each of its lines, and the paths of its files."""


_FIELDS = tuple(item.name for item in fields(Memo))
_PATHS = "\0"
"""Among the lengths; no file of a release is called so."""


@dataclass(frozen=True, slots=True)
class Recall:
    """A release that stands in an output, skill by skill; memos are by directory."""

    memos: Mapping[str, Memo] = field(default_factory=dict)
    kept: Mapping[str, bytes] = field(default_factory=dict)
    """The same memos as they are kept, with what stands behind each."""
    entries: Mapping[str, bytes] = field(default_factory=dict)
    """Lines of the record."""
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
        return {memo.head: (memo.name, _place(memo.place)) for memo in self.memos.values()}

    def find(self, work: Work, placed: Placed) -> Result | None:
        """What looking at a skill would give, if nothing that it depends on has changed."""
        memo = self.memos.get(placed.directory)
        if memo is None or memo.key != key_of(work, placed, memo.asked):
            return None
        entry = self.entries[memo.path]
        parts = _behind(memo, self.kept[placed.directory])
        paths = parts.pop(_PATHS).decode(errors="surrogateescape").split("\0")
        return Result(
            placed.directory,
            tuple(map(diagnostic_of, entryline.notes_in(entry))),
            memo.files,
            memo.listed,
            told=Told(memo.path, memo.name, memo.flat_name, {**parts, RECORD_FILE: entry}),
            sums={path: self.sums[path] for path in paths},
            linked=tuple(memo.linked),
            asked=tuple(memo.asked),
            recalled=True,
        )


NOTHING = Recall()


def diagnostic_of(note: Note) -> Diagnostic:
    """What a published skill carries, as it was found."""
    severity = Severity.WARNING if note.warns else Severity.NOTE
    return Diagnostic(RULES[note.code], note.path, note.place, note.message, note.hint, severity)


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
    data = cache.read(out, KIND)
    if data is None:
        return NOTHING
    try:
        bound, pages, size = json.loads(data[: data.index(b"\n")])
        if bound != [context, standing.record.hex, standing.listed.hex]:
            return NOTHING
        kept = {memo.directory: (memo, raw) for memo, raw in _each(data)}
    except (ValueError, TypeError):  # It is ours, but of another version.
        return NOTHING
    entries = record.lines_of(standing.release.catalog.entries).by_path()
    memos = {directory: memo for directory, (memo, _) in kept.items()}
    raws = {directory: raw for directory, (_, raw) in kept.items()}
    return Recall(memos, raws, entries, standing.sums, pages, size)


def _each(data: bytes) -> Iterator[tuple[Memo, bytes]]:
    """What is remembered of each skill: one line of JSON, and as many bytes as that says."""
    start = data.index(b"\n") + 1
    while start < len(data):
        body = data.index(b"\n", start) + 1
        memo = Memo(*json.loads(data[start:body]))
        end = body + sum(memo.lengths.values())
        yield memo, data[start:end]
        start = end


def _behind(memo: Memo, kept: bytes) -> dict[str, bytes]:
    """What stands behind a memo, by its names in `lengths`."""
    found, start = {}, len(kept) - sum(memo.lengths.values())
    for name, length in memo.lengths.items():
        found[name] = kept[start : start + length]
        start += length
    return found


def save(out: Path, context: str, landed: Landed, now: Recall) -> None:
    """Remember the skills of a release that was just published."""
    bound = [context, landed.record.hex, landed.listed.hex]
    head = jsontext.line([bound, now.pages, now.size])
    cache.write(out, KIND, [head, b"\n", *now.kept.values()])


def _memo(work: Work, placed: Placed, result: Result) -> tuple[Memo, bytes] | None:
    """None for what was not published, or is not told whole by the record."""
    told = result.told
    if told is None or len(result.asked) > _MOST_ASKED or not _is_whole(result, placed):
        return None
    head = next(leaf for leaf in placed.leaves if leaf.path == placed.skill_file)
    paths = "\0".join(result.sums).encode(errors="surrogateescape")
    behind = {path: line for path, line in told.lines.items() if path != RECORD_FILE}
    behind[_PATHS] = paths
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
        result.listed,
        {name: len(part) for name, part in behind.items()},
    )
    line = jsontext.line([getattr(memo, name) for name in _FIELDS])
    return memo, b"".join([line, b"\n", *behind.values()])


def _is_whole(result: Result, placed: Placed) -> bool:
    """False for names that are not UTF-8: the record escapes them, so they cannot be read back."""
    told = [
        inside(placed.directory, ""),
        *(item.path + item.message + item.hint for item in result.found),
    ]
    return all(jsontext.valid_text(text) == text for text in told)


def _place(place: tuple[int, int] | None) -> Place | None:
    return Place(*place) if place else None

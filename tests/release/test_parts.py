"""Parts of a record: where they are cut, and that a change of one entry leaves the others alone."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillbuild.model import Digest
from skillbuild.release import parts
from skillbuild.release.layout import part_path
from skillbuild.release.parts import Part
from skillbuild.release.sorted_lines import path_in
from skillbuild.text.json import json_line

# Limits that some dozens of entries reach.
ONE_OF = 8
ENTRIES = 6
BYTES = 600


@contextmanager
def small_parts() -> Iterator[None]:
    """Let parts be so small that few entries make many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "_FIRST_BELOW", 2**32 // ONE_OF)
        patch.setattr(parts, "MOST_ENTRIES", ENTRIES)
        patch.setattr(parts, "MOST_BYTES", BYTES)
        yield


def line(path: str, padding: int = 0) -> bytes:
    return json_line({"path": path, "x": "x" * padding, "unlisted": {}})


def hash_of(path: str) -> int:
    return int(hashlib.sha256(path.encode()).hexdigest()[:8], 16)


def naive(paths: Sequence[str], lines: Sequence[bytes], one_of: int, most: tuple[int, int]) -> Cut:
    """The rule in the words of its description: fixed cuts first, then the smallest hash."""
    starts = [0, *(i for i in range(1, len(paths)) if hash_of(paths[i]) < 2**32 // one_of)]
    ends = [*starts[1:], len(paths)]
    pieces = [
        p for pair in zip(starts, ends, strict=True) for p in halves(*pair, paths, lines, most)
    ]
    return [lines[start:stop] for start, stop in pieces if start < stop]


def halves(
    start: int, stop: int, paths: Sequence[str], lines: Sequence[bytes], most: tuple[int, int]
) -> list[tuple[int, int]]:
    size = sum(len(own) + 1 for own in lines[start:stop])
    if stop - start < 2 or (stop - start <= most[0] and size <= most[1]):
        return [(start, stop)]
    middle = min(range(start + 1, stop), key=lambda i: hash_of(paths[i]))
    return [
        *halves(start, middle, paths, lines, most),
        *halves(middle, stop, paths, lines, most),
    ]


Cut = list[Sequence[bytes]]
"""The lines of each part."""


def cut(lines: Sequence[bytes]) -> Cut:
    return [lines[numbers.start : numbers.stop] for _, numbers in parts.cut(lines)]


def cut_small(lines: Sequence[bytes]) -> Cut:
    with small_parts():
        return cut(lines)


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
catalogs = st.dictionaries(texts, st.sampled_from([0, 0, 0, 30, 150, 900]), max_size=60)
"""Skill paths, each with so many bytes more than it needs."""
quick = settings(derandomize=True, database=None, deadline=None, max_examples=200)


def lines_of(catalog: dict[str, int]) -> list[bytes]:
    return [line(path, catalog[path]) for path in sorted(catalog)]


@quick
@given(catalogs)
def test_parts_are_cut_as_the_rule_says(catalog: dict[str, int]) -> None:
    lines = lines_of(catalog)
    assert cut_small(lines) == naive(sorted(catalog), lines, ONE_OF, (ENTRIES, BYTES))


def test_many_entries_are_cut_as_the_rule_says() -> None:
    chance = random.Random(1)
    catalog = {f"team-{n % 40}/skill-{n}": chance.choice([0, 100, 20_000]) for n in range(6000)}
    lines = lines_of(catalog)
    pieces = cut(lines)
    assert pieces == naive(sorted(catalog), lines, 128, (512, 1 << 20))
    assert len(pieces) > 60


@quick
@given(catalogs)
def test_parts_hold_each_entry_once_in_order_and_within_the_limits(
    catalog: dict[str, int],
) -> None:
    lines = lines_of(catalog)
    pieces = cut_small(lines)
    assert [own for piece in pieces for own in piece] == lines
    assert all(pieces)
    for piece in pieces:
        size = sum(len(own) + 1 for own in piece)
        assert len(piece) == 1 or (len(piece) <= ENTRIES and size <= BYTES)


PLAIN = [path for path in (f"s{n:04}" for n in range(600)) if hash_of(path) >= 2**32 // 128]
"""Paths that begin no part by themselves."""


HALF = 2**19 - len(line(PLAIN[0])) - len("\n")
"""Padding of a line that takes half a mebibyte with its line feed."""


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        ([line(path) for path in PLAIN[:512]], 1),
        ([line(path) for path in PLAIN[:513]], 2),
        ([line(PLAIN[0], HALF), line(PLAIN[1], HALF)], 1),
        ([line(PLAIN[0], HALF), line(PLAIN[1], HALF + 1)], 2),
        ([line(PLAIN[0], 2**21)], 1),
        ([], 0),
    ],
    ids=["512", "513", "1 MiB", "1 MiB and a byte", "a large one", "none"],
)
def test_a_part_has_512_entries_and_a_mebibyte_at_most(lines: list[bytes], count: int) -> None:
    assert len(cut(lines)) == count


@quick
@given(catalogs)
def test_each_part_is_described_as_it_is(catalog: dict[str, int]) -> None:
    lines, paths = lines_of(catalog), sorted(catalog)
    with small_parts():
        described = list(parts.cut(lines))
    for part, numbers in described:
        own = lines[numbers.start : numbers.stop]
        data = b"".join(each + b"\n" for each in own)
        assert parts.content(own) == data
        digest = Digest.of(data)
        assert part == Part(paths[numbers.start], digest, len(data), len(own))
        assert part.path == part_path(digest) == f"record/{digest.hex[:2]}/{digest.hex}.jsonl"


@quick
@given(catalogs, st.data())
def test_a_changed_entry_of_the_same_size_changes_one_part(
    catalog: dict[str, int], data: st.DataObject
) -> None:
    lines = lines_of(catalog)
    if not lines:
        return
    number = data.draw(st.integers(0, len(lines) - 1))
    changed = [*lines]
    changed[number] = lines[number].replace(b'"x":', b'"y":')
    before, after = cut_small(lines), cut_small(changed)
    assert list(map(len, before)) == list(map(len, after))
    assert sum(old != new for old, new in zip(before, after, strict=True)) == 1


def neighbors(paths: Sequence[str], path: str) -> list[str]:
    """The paths between the two fixed cuts around a path."""
    starts = [other for other in paths if hash_of(other) < 2**32 // ONE_OF]
    low = max((start for start in starts if start < path), default="")
    high = min((start for start in starts if start > path), default=None)
    return [other for other in paths if low <= other and (high is None or other < high)]


@quick
@given(catalogs, texts, st.sampled_from([0, 30, 900]))
def test_an_entry_that_comes_goes_or_grows_leaves_all_beyond_the_next_fixed_cuts(
    catalog: dict[str, int], path: str, size: int
) -> None:
    """Adding is removing the other way round, so both are proved at once."""
    with_it = cut_small(lines_of({**catalog, path: size}))
    others = {name: padding for name, padding in catalog.items() if name != path}
    near = {line(name, others[name]) for name in neighbors(sorted(others), path)}
    for before in (cut_small(lines_of(catalog)), cut_small(lines_of(others))):
        own = {line(path, size), line(path, catalog.get(path, 0)), *near}
        far = [piece for piece in before if not own.intersection(piece)]
        assert [piece for piece in with_it if not own.intersection(piece)] == far


@quick
@given(st.sets(texts, max_size=60), texts)
def test_a_new_path_changes_one_part_or_splits_one(paths: set[str], path: str) -> None:
    """While no limit is reached, which is so of nearly all parts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "_FIRST_BELOW", 2**32 // ONE_OF)
        before = cut(lines_of(dict.fromkeys(paths - {path}, 0)))
        after = cut(lines_of(dict.fromkeys(paths | {path}, 0)))
    gone = [piece for piece in before if piece not in after]
    new = [piece for piece in after if piece not in before]
    assert len(gone) <= 1
    assert len(new) in (1, 2)
    assert sorted([*(own for piece in gone for own in piece), line(path)], key=path_in) == [
        own for piece in new for own in piece
    ]


def test_one_added_skill_of_many_changes_few_parts() -> None:
    catalog = dict.fromkeys((f"team-{n % 40}/skill-{n}" for n in range(5000)), 200)
    before = {part.digest for part, _ in parts.cut(lines_of(catalog))}
    for number in range(20):
        added = lines_of({**catalog, f"team-{number}/new-{number}": 200})
        after = {part.digest for part, _ in parts.cut(added)}
        assert len(before - after) <= 2
        assert len(after - before) <= 2
    assert len(before) > 30


@pytest.mark.parametrize(
    ("listings", "unlisted"),
    [
        ([["mcp", "index", "site"], ["mcp", "index"], []], {"index": 2, "mcp": 2, "site": 1}),
        ([[], [], []], {}),
        ([["discovery-0.1"]], {"discovery-0.1": 1}),
    ],
)
def test_a_part_tells_how_many_skills_each_listing_leaves_out(
    listings: list[list[str]], unlisted: dict[str, int]
) -> None:
    lines = [
        json_line({"path": f"s{number}", "notes": [], "unlisted": {key: ["x"] for key in each}})
        for number, each in enumerate(listings)
    ]
    [(part, _)] = parts.cut(lines)
    assert part.unlisted == unlisted
    assert part.listed("mcp") == len(lines) - unlisted.get("mcp", 0)
    assert part.listed("marketplace") == len(lines)

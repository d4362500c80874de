"""Entries of releases: what differs between two is had from the parts that differ."""

from __future__ import annotations

import gc
import weakref

import pytest

from helpers import facts
from helpers.outputs import MemoryFiles
from skillbuild.model import Entry, changed
from skillbuild.release import parts
from skillbuild.release.entries import Entries, EntryLines, StoredEntries
from skillbuild.release.entry import encode_entry
from skillbuild.release.layout import part_path

COUNT = 1000
MANY = [f"team-{number % 9}/skill-{number}" for number in range(COUNT)]


def entry(path: str, text: str = "") -> Entry:
    return facts.entry(path, frontmatter={"x": text})


def entries_of(texts: dict[str, str]) -> EntryLines:
    return EntryLines([encode_entry(entry(path, texts[path])) for path in sorted(texts)])


class Store(MemoryFiles):
    """Files by path, of which it is counted how often each is read."""

    def __init__(self, *releases: Entries) -> None:
        files = {
            part.path: parts.content(entries.lines_of(number))
            for entries in releases
            for number, part in enumerate(entries.parts)
        }
        super().__init__(files)
        self.asked: list[str] = []

    def read(self, path: str, most: int) -> bytes:
        self.asked.append(path)
        data = super().read(path, most)
        assert len(data) == most
        return data


BEFORE = entries_of(dict.fromkeys(MANY, ""))


def paths_of(entries: Entries) -> list[str]:
    return [each.path for each in entries]


def parts_beside(entries: Entries, other: Entries) -> set[str]:
    """The parts of one release that the other one has not."""
    return {part_path(part.digest) for part in entries.parts} - {
        part_path(part.digest) for part in other.parts
    }


@pytest.mark.parametrize(
    ("change", "old", "new"),
    [
        ({}, [], []),
        ({MANY[3]: "changed"}, [MANY[3]], [MANY[3]]),
        ({"a-new/skill": ""}, [], ["a-new/skill"]),
        ({"z-new/skill": "", MANY[500]: "x"}, [MANY[500]], [MANY[500], "z-new/skill"]),
    ],
    ids=["nothing", "changed", "added", "both"],
)
def test_only_parts_that_differ_are_read(
    change: dict[str, str], old: list[str], new: list[str]
) -> None:
    after = entries_of({**dict.fromkeys(MANY, ""), **change})
    store = Store(BEFORE, after)
    former = StoredEntries(BEFORE.parts, store)
    latter = StoredEntries(after.parts, store)
    assert paths_of(former.without(latter)) == old
    differing = parts_beside(BEFORE, after) | parts_beside(after, BEFORE)
    assert sorted(store.asked) == sorted(differing)
    assert len(differing) <= 3 * len(change)
    assert len(BEFORE.parts) > 5
    assert paths_of(latter.without(former)) == new


def test_lines_of_several_others_are_left_out() -> None:
    first, second = entries_of({"a": "", "b": ""}), entries_of({"b": "x", "c": ""})
    every = entries_of({"a": "", "b": "", "c": "", "d": ""})
    assert paths_of(every.without(first, second)) == ["d"]
    assert paths_of(every.without()) == ["a", "b", "c", "d"]
    assert paths_of(entries_of({}).without(first)) == []


def test_stored_entries_are_those_that_were_stored() -> None:
    stored = StoredEntries(BEFORE.parts, Store(BEFORE))
    assert stored == BEFORE
    assert hash(stored) == hash(BEFORE)
    assert (len(stored), list(stored.lines)) == (COUNT, list(BEFORE.lines))
    assert list(stored) == list(BEFORE)
    assert stored.by_path() == BEFORE.by_path()
    assert entry(MANY[7]) in stored
    assert changed(entry(MANY[7]), flat_name="other") not in stored
    assert stored != entries_of({"a": ""})


def test_to_count_or_compare_entries_reads_no_part() -> None:
    store = Store(BEFORE)
    stored = StoredEntries(BEFORE.parts, store)
    assert (len(stored), stored == BEFORE, store.asked) == (COUNT, True, [])


def test_stored_entries_go_with_the_last_reference() -> None:
    """A server drops a release at each publish, and need not wait for the garbage collector."""
    gc.disable()
    try:
        stored = StoredEntries(BEFORE.parts, Store(BEFORE))
        assert stored.lines_of(0)
        left = weakref.ref(stored)
        del stored
        assert left() is None
    finally:
        gc.enable()

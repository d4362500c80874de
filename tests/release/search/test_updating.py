"""An index that is made from the last one is that of a build without it, byte for byte."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from helpers import searching
from helpers.searching import Files, small_files
from skillbuild.model import OutputFile
from skillbuild.release.search import files, postings, updating
from skillbuild.release.search import lines as skill_lines
from skillbuild.release.search.numbers import BODY, Field

LETTERS = "abcdefghijklmnopqrstuvwxyz0\u6570"


def words(chosen: random.Random, count: int) -> list[str]:
    return ["".join(chosen.choices(LETTERS, k=chosen.choice([1, 2, 3]))) for _ in range(count)]


def skill(chosen: random.Random, number: int) -> bytes:
    fields = {
        Field.NAME: words(chosen, 2),
        Field.DESCRIPTION: words(chosen, 6),
        Field.BODY: words(chosen, 12),
    }
    tags = words(chosen, 2) if chosen.random() < 0.5 else ["always"]
    return searching.line(number, fields, [tags, ["g"], ["MIT"], []])


def common_in(skills: Sequence[bytes]) -> set[tuple[int, str]]:
    """Words of files, with the position of a weight, that too many skills have."""
    uses = Counter(
        (position, word)
        for line in skills
        for kind, position, word in skill_lines.places_in(line)
        if kind == BODY
    )
    return {place for place, size in uses.items() if postings.is_common(BODY, size)}


def updated(
    last: Files, before: Sequence[bytes], now: Sequence[bytes]
) -> tuple[Files, set[str]] | None:
    """All files after an update, and the paths of those that were not written again."""
    changed = [
        (number, *pair)
        for number, pair in enumerate(zip(before, now, strict=True))
        if pair[0] != pair[1]
    ]
    every = updating.update(changed, now, (), last.get)
    if every is None:
        return None
    own = {each.path: each.data for each in every if isinstance(each, OutputFile)}
    same = {each.path for each in every} - own.keys()
    assert len(every) == len(own) + len(same)
    return {**own, **{path: last[path] for path in same}}, same


@pytest.mark.parametrize("seed", range(40))
def test_an_updated_index_is_that_of_all_skills(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_STRETCH_BELOW", 2**32 // 12)
    monkeypatch.setattr(postings, "MOST_IN_BODY", 9)
    chosen = random.Random(seed)
    lines = [skill(chosen, number) for number in range(chosen.choice([1, 5, 80]))]
    with small_files():
        last = searching.files_of(lines)
        for _ in range(6):
            now = [*lines]
            for number in chosen.sample(range(len(now)), min(len(now), chosen.choice([1, 1, 3]))):
                now[number] = skill(chosen, number)
            outcome = updated(last, lines, now)
            wanted = searching.files_of(now)
            # Which skills have a word is not known if they were too many, and are no longer.
            assert outcome is not None or common_in(lines) - common_in(now)
            assert outcome is None or outcome[0] == wanted
            lines, last = now, wanted


def test_one_new_word_writes_one_shard_and_what_leads_to_it() -> None:
    chosen = random.Random(1)
    every = [words(chosen, 12) for _ in range(400)]
    lines = [searching.line(number, {Field.BODY: own}) for number, own in enumerate(every)]
    with small_files():
        last = searching.files_of(lines)
        now = [*lines]
        now[200] = searching.line(200, {Field.BODY: [*every[200], "qqqq"]})
        outcome = updated(last, lines, now)
        assert outcome is not None
        assert outcome[0] == searching.files_of(now)
    other = {path for path in outcome[0] if last.get(path) != outcome[0][path]}
    depth = searching.opened(last).manifest.words[BODY].depth
    assert "search/manifest.js" in other
    assert len(other) == 1 + depth + 1


def test_without_the_last_index_nothing_is_updated() -> None:
    chosen = random.Random(2)
    lines = [skill(chosen, number) for number in range(20)]
    last = searching.files_of(lines)
    now = [skill(chosen, 0), *lines[1:]]
    assert updated(last, lines, now) is not None
    assert updated({}, lines, now) is None
    for path in last:
        damaged = {**last, path: b"skillbuild.part=0\n"}
        outcome = updated(damaged, lines, now)
        assert outcome is None or outcome[0].keys() == searching.files_of(now).keys()

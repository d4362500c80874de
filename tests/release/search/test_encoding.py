"""Words and sets as text: decoding gives what was encoded, in both languages."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import scripts, searching
from skillbuild.release.search import encoding

SETS = st.integers(1, 3000).flatmap(
    lambda count: st.tuples(st.just(count), st.sets(st.integers(0, count - 1), min_size=1))
)


def encoded(numbers: set[int], count: int) -> str:
    return encoding.encode_set(sorted(numbers), count)


@given(SETS)
def test_a_set_is_the_same_after_it_was_encoded(drawn: tuple[int, set[int]]) -> None:
    count, numbers = drawn
    code = encoded(numbers, count)
    assert encoding.members(code) == sorted(numbers)


def test_sets_are_written_as_this_for_ever() -> None:
    """Readers are older or newer than the index that they read."""
    wanted = {
        (0,): "#",
        (0, 1, 74, 149, 150): "##ln#",
        (75,): "o#",
        (1_000_000,): "|{ysqo<",
    }
    assert {numbers: encoding.encode_set(numbers, 10**9) for numbers in wanted} == wanted
    assert encoding.encode_set((0, 2, 9), 16) == "~BQI"


@given(st.integers(1, 200_000))
def test_a_size_alone_has_no_members(size: int) -> None:
    assert encoding.members(encoding.encode_size(size)) == []


@pytest.mark.nightly
def test_both_languages_read_a_set_alike() -> None:
    chosen = random.Random(2)
    counts = [chosen.choice([1, 9, 100, 5000, 400_000]) for _ in range(300)]
    sets = [
        sorted(chosen.sample(range(n), min(n, chosen.choice([1, 2, 50, n // 4 + 1]))))
        for n in counts
    ]
    texts = [
        encoding.encode_set(numbers, count) for numbers, count in zip(sets, counts, strict=True)
    ]
    texts += map(encoding.encode_size, counts)
    sets += [[] for _ in counts]
    code = "return given.map(skillbuild.shards.numbers)"
    assert scripts.run(searching.SCRIPTS, code, texts) == sets


WORDS = st.sets(st.text("abcé数\U00020000\U00010430\uffee", min_size=1, max_size=40))


@given(WORDS)
def test_words_are_the_same_after_they_were_encoded(words: set[str]) -> None:
    assert encoding.decode_words(encoding.encode_words(sorted(words))) == sorted(words)


def test_both_languages_read_words_alike() -> None:
    chosen = random.Random(3)
    lists = [
        sorted(
            {
                "".join(chosen.choices("ab数\U00020000\uffee", k=chosen.randrange(1, 40)))
                for _ in range(50)
            }
        )
        for _ in range(50)
    ]
    code = "return given.map((text) => [...skillbuild.shards.shard([text, '']).keys()])"
    assert scripts.run(searching.SCRIPTS, code, list(map(encoding.encode_words, lists))) == lists

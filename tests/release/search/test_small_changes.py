"""The files of an index: a small change of a catalog changes few of them."""

from __future__ import annotations

import random

from helpers import searching
from skillbuild.release.search.numbers import BODY, Field

LETTERS = "abcdefghijklmnopqrstuvwxyz0\u6570"


def test_one_new_word_changes_one_shard_and_what_leads_to_it() -> None:
    chosen = random.Random(1)
    every = [
        ["".join(chosen.choices(LETTERS, k=chosen.choice([1, 2, 3]))) for _ in range(12)]
        for _ in range(400)
    ]
    with searching.small_files():
        last = searching.written([{Field.BODY: own} for own in every])
        every[200].append("qqqq")
        now = searching.written([{Field.BODY: own} for own in every])
    changed = {path for path in now if last.get(path) != now[path]}
    depth = searching.opened(last).manifest.words[BODY].depth
    assert depth > 0
    assert "search/manifest.js" in changed
    assert len(changed) == 1 + depth + 1

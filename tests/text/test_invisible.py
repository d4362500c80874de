"""Hidden characters: which ones a reader should see, and which ones belong to the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbuild.text.invisible import count_runs, hidden, invisible, may_hide


def test_flags_and_emoji_are_no_hidden_text() -> None:
    scotland = "\U0001f3f4" + "".join(chr(0xE0000 + ord(c)) for c in "gbsct") + "\U000e007f"
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert list(invisible(f"{scotland} {family} \u0645\u06cc\u200c\u062e\u0648")) == []


TAGS = "".join(chr(0xE0000 + ord(char)) for char in "ignore all")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("- `U+200B` splits words, as in (ig\u200bnore) here", 0),
        ("### Zero-width characters\n```\nbob\u200b@\u200bevil.com\n```", 0),
        ("Using \u202e(U+202E) to turn text", 0),
        ("the Trojan Source attack puts \u202e\u2066 here", 0),
        ("if name == 'de\u200blete':  # \\u200b is in it", 0),
        ("ig\u200bnore", 1),
        ("ig\u200bnore" + " far" * 50 + " from `U+200B`", 1),
        ("the width is zero: ig\u200bnore", 1),
        (f"zero-width: {TAGS}", 1),
        ("zero-width: " + "\u200b\u200c" * 4, 1),
        ("zero-width: " + "\U000e0100\U000e0101" * 4, 1),
    ],
)
def test_a_few_characters_beside_their_name_are_an_example(text: str, count: int) -> None:
    assert len(list(hidden(text))) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("plain", 0),
        ("\u200b\u200ba", 1),
        ("a\u200bb and \u200b\u200b here", 2),
        ("a\u200b\u200b\u200b\u200bb", 1),
        ("a\u202eb\u202c", 2),
    ],
)
def test_characters_in_a_row_are_one_run(text: str, count: int) -> None:
    assert count_runs(text) == count


@given(st.text(alphabet="a\n\u00e9\u2014\u2026\u200b\u202e\ufeff\U0001f600\U000e0041\ud800"))
def test_texts_that_may_hide_something_have_such_a_character(text: str) -> None:
    """A lone surrogate, which is in names of files that are not UTF-8, is none of them."""
    suspects = {"\u200b", "\u202e", "\ufeff", "\U000e0041"}
    assert may_hide(text) == (not suspects.isdisjoint(text))

"""Lengths in UTF-16 units, as JavaScript has them."""

from hypothesis import given
from hypothesis import strategies as st

from skillbuild.text.positions import utf16_length, utf16_start

TEXTS = st.text(st.characters(codec="utf-8"))


@given(TEXTS, st.integers(0, 30))
def test_a_start_is_as_long_as_fits_and_cuts_no_character(text: str, most: int) -> None:
    start = utf16_start(text, most)
    assert text.startswith(start)
    assert utf16_length(start) <= most
    assert start == text or utf16_length(text[: len(start) + 1]) > most


def test_characters_beyond_the_first_plane_count_twice() -> None:
    assert utf16_length("a\uffff\U0001f600") == 4
    assert utf16_start("a\U0001f600", 2) == "a"

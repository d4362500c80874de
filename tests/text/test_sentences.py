"""Where the first sentences of a description end."""

import pytest

from skillbuild.text.sentences import opening


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Reads PDFs. Fills forms! Merges? Splits.", "Reads PDFs. Fills forms!"),
        ("Reads files, e.g. PDFs. Fills forms. Merges.", "Reads files, e.g. PDFs. Fills forms."),
        ("Uses v2.1.3 of it. Asks J. Smith. Then more.", "Uses v2.1.3 of it. Asks J. Smith."),
        ("Steps: 1. read, 2. write. Done. More.", "Steps: 1. read, 2. write. Done."),
        ("管理日历。创建日程\uff01查询忙闲。", "管理日历。创建日程\uff01"),
        ('Says "stop." Then goes on. And on.', 'Says "stop." Then goes on.'),
        ("A title\n\nA text. More.", "A title\n\nA text."),
        ("One sentence without an end", "One sentence without an end"),
        ("  Blanks around.  ", "Blanks around."),
        ("", ""),
    ],
)
def test_two_sentences_stand_at_the_start(text: str, first: str) -> None:
    assert opening(text, 2, 200) == first


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Short. " + "x" * 30, "Short."),
        ("No sentence of this text fits in there at all", "No sentence of this"),
        ("x" * 30, "x" * 20),
        ("Twenty characters!!! More.", "Twenty characters!!!"),
    ],
)
def test_what_does_not_fit_is_left_out(text: str, first: str) -> None:
    assert opening(text, 2, 20) == first


def test_many_dots_take_no_time() -> None:
    assert opening("." * 100_000, 2, 200) == "." * 200

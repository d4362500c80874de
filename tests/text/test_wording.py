"""Numbers with their nouns and verbs."""

from skillbuild.text.wording import are, plural


def test_one_is_singular_and_every_other_number_plural() -> None:
    assert [plural(number, "file") for number in (0, 1, 2, 1200)] == [
        "0 files",
        "1 file",
        "2 files",
        "1,200 files",
    ]
    assert [plural(number, "copy", "copies") for number in (0, 1, 2)] == [
        "0 copies",
        "1 copy",
        "2 copies",
    ]


def test_the_verb_follows_the_number() -> None:
    assert [are(0), are(1), are(1200)] == ["0 are", "1 is", "1,200 are"]
    assert [are(1, "more"), are(2, "more")] == ["1 more is", "2 more are"]

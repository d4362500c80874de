"""Hidden characters: which ones a reader should see, and which ones belong to the text."""

from skillbuild.text.invisible import invisible


def test_flags_and_emoji_are_no_hidden_text() -> None:
    scotland = "\U0001f3f4" + "".join(chr(0xE0000 + ord(c)) for c in "gbsct") + "\U000e007f"
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert list(invisible(f"{scotland} {family} \u0645\u06cc\u200c\u062e\u0648")) == []

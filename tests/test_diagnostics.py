"""What untrusted text may show on a terminal that takes UTF-8, and on one that does not."""

import io
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skillbuild.diagnostics import LONGEST_MESSAGE, escape, takes_utf8

SEEN = "é 中文 ключ עברית 🧪 ☀️ naïve ½"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (SEEN, SEEN),
        ("a\nb\x1b[31m\x85", r"a\nb\x1b[31m\x85"),
        ("\u202e\u2066\u200f\u200b\u200d\ufeff\u00ad", r"\u202e\u2066\u200f\u200b\u200d\ufeff\xad"),
        ("\U000e0041\u2028\u2029\u00a0\u3000", r"\U000e0041\u2028\u2029\xa0\u3000"),
        ("\ue000\U0010ffff\u0378\udcff", r"\ue000\U0010ffff\u0378\udcff"),
        ("\u3164\ufe00\U000e0100\u034f\u2800", r"\u3164\ufe00\U000e0100\u034f\u2800"),
        ("::é ##[é", r":\x3aé ##\x5bé"),
        ("é" * 2001, "é" * 2000 + "... (1 more character)"),
    ],
)
def test_where_a_stream_takes_utf8_what_can_be_seen_is_shown(text: str, shown: str) -> None:
    assert escape(text, utf8=True) == shown


BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI", "BN", "B"}
HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


@given(st.text(st.characters(), max_size=40), st.booleans())
@example("a\u061c\u2067b", True)
def test_nothing_printed_is_a_control_a_format_or_a_bidi_character(text: str, utf8: bool) -> None:
    shown = escape(text, utf8=utf8)
    assert {unicodedata.category(char) for char in shown} & HIDDEN == set()
    assert {unicodedata.bidirectional(char) for char in shown} & BIDI == set()
    assert {char for char in shown if unicodedata.category(char) == "Zs"} <= {" "}
    assert "::" not in shown
    assert "##[" not in shown
    assert utf8 or shown.isascii()
    shown.encode()


@given(st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=LONGEST_MESSAGE))
def test_ascii_is_shown_alike_on_every_stream(text: str) -> None:
    plain = text.encode("ascii", "ignore").decode()
    assert escape(plain, utf8=True) == escape(plain)


@pytest.mark.parametrize(
    ("encoding", "takes"),
    [("utf-8", True), ("UTF8", True), ("ascii", False), ("latin-1", False), ("utf-16", False)],
)
def test_a_stream_says_by_its_encoding_what_it_takes(encoding: str, takes: bool) -> None:
    assert takes_utf8(io.TextIOWrapper(io.BytesIO(), encoding)) is takes
    assert not takes_utf8(io.StringIO())

"""What a plain text costs an agent, and what in it no reader can see."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

_TOKENS_PER_WORD = 0.97
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")

_INVISIBLE = re.compile(
    "[\U000e0001\U000e0020-\U000e007f]+"
    "|[\u202a-\u202e\u2066-\u2069]"
    "|[\u200b\u2060-\u2064\u180e]"
    "|(?<!^)\ufeff"
    "|(?<=[!-~])[\u200c\u200d](?=[!-~])"
    "|[\U000e0100-\U000e01ef]{2,}"
)
_SUSPECT = re.compile("[\u180e\u200b-\u200d\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e01ef]")
_FLAG = re.compile("[\U000e0030-\U000e0039\U000e0061-\U000e007a]+\U000e007f")
_BLACK_FLAG = "\U0001f3f4"


def estimate_tokens(text: str) -> int:
    """Roughly what a text costs an agent: words and marks, 3.4 % median error when measured."""
    return round(_words_and_marks(text) * _TOKENS_PER_WORD)


def _words_and_marks(text: str) -> int:
    """Counted by tables of bytes, in a seventh of the time that a pattern for both would take."""
    plain = (text if text.isascii() else _BEYOND_ASCII.sub(_folded, text)).encode()
    marks = len(plain) - len(plain.translate(None, _MARKS))
    words = plain.translate(_WORDS_AND_GAPS)
    return marks + words.count(b" a") + words.startswith(b"a")


def _folded(match: re.Match[str]) -> str:
    return "".join(map(_kind, match[0]))


@functools.cache
def _kind(char: str) -> str:
    """An ASCII character of the same kind: a letter, a blank or a mark."""
    if char.isalnum() or char == "_":
        return "a"
    return " " if char.isspace() else "."


_KINDS = [_kind(chr(code)) for code in range(128)]
_MARKS = bytes(code for code, kind in enumerate(_KINDS) if kind == ".")
_WORDS_AND_GAPS = "".join(kind if kind == "a" else " " for kind in _KINDS).encode() + bytes(128)


def invisible(text: str) -> Iterator[re.Match[str]]:
    """Runs of characters that hide text from a human; joiners in emoji and flags are none."""
    if not may_hide(text):
        return
    for match in _INVISIBLE.finditer(text):
        if not _is_flag(text, match):
            yield match


def may_hide(text: str) -> bool:
    """False for a text in which no part can be invisible, however it is cut."""
    return not text.isascii() and _SUSPECT.search(text) is not None


def _is_flag(text: str, match: re.Match[str]) -> bool:
    before = text[match.start() - 1 : match.start()]
    return before == _BLACK_FLAG and _FLAG.fullmatch(match[0]) is not None


def code_points(text: str) -> str:
    """`U+202E U+2066`, how hidden characters are shown; the text of tags is spelled out."""
    shown = " ".join(f"U+{ord(char):04X}" for char in text[:8])
    more = f" and {len(text) - 8} more" if len(text) > 8 else ""
    spelled = "".join(chr(ord(char) - 0xE0000) for char in text if 0xE0020 <= ord(char) <= 0xE007E)
    return shown + more + (f" \u201c{spelled}\u201d" if spelled else "")


class LineCounter:
    """Line numbers, from 1, of positions that are asked for in rising order."""

    def __init__(self, text: str) -> None:
        self._text, self._position, self._line = text, 0, 1

    def at(self, position: int) -> int:
        self._line += self._text.count("\n", self._position, position)
        self._position = position
        return self._line

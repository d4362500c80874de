"""Finds characters that people cannot see but agents read, and makes them visible."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import accumulate

_INVISIBLE = re.compile(
    "[\U000e0001\U000e0020-\U000e007f]+"
    "|[\u202a-\u202e\u2066-\u2069]"
    "|[\u200b\u2060-\u2064\u180e]"
    "|(?<!^)\ufeff"
    "|(?<=[!-~])[\u200c\u200d](?=[!-~])"
    "|[\U000e0100-\U000e01ef]{2,}"
)
"""Matches tag characters, bidirectional controls, zero-width characters, joiners between ASCII
characters, and runs of variation selectors."""
_ZERO_WIDTH = "[\u180e\u200b-\u200d\u2060-\u2064\ufeff]"
_HIDDEN = re.compile(
    "[\U000e0001\U000e0020-\U000e007f]+"
    "|[\u202a-\u202e\u2066-\u2069]+"
    "|[\U000e0100-\U000e01ef]{2,}"
    rf"|{_ZERO_WIDTH}{{3,}}"
    rf"|(?<=[A-Za-z0-9]){_ZERO_WIDTH}+(?=[.@/:_-]*{_ZERO_WIDTH}*[A-Za-z0-9])"
    rf"|(?<=[.@/:_-]){_ZERO_WIDTH}+(?=[A-Za-z0-9]|//)"
    rf"|{_ZERO_WIDTH}+(?=[A-Za-z][A-Za-z0-9+.-]*:{_ZERO_WIDTH}?/{_ZERO_WIDTH}?/)"
)
"""Characters that can hide text or split a word: tag characters, bidirectional controls, runs of
zero-width characters, and single ones inside words, addresses and host names.
"""
_AS_LITERAL = re.compile(
    "[-|, \xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e01ef]{0,32}"
)
_MOST_AROUND = 32
"""Maximum characters between a run and its quote; a longer sequence is not a literal."""
_NAME = re.compile(
    r"U\+(?:180E|20[0-6][0-9A-F]|FEFF)|\\[ux]\{?(?:200[b-f]|202[a-e]|206[0-9]|feff)"
    r"|zero[- ]?width|homoglyph|trojan[- ]source|(?:rtl|right-to-left)[- ]override"
    r"|\bbidi(?:rectional)?[- ](?:control|override|char|mark|isolate|embed|format)",
    re.IGNORECASE,
)
"""Matches names such as `U+200B`, with which a text can explain these characters."""
_NEAR, _LONGEST_SHOWN = 200, 7
"""Maximum distance between a run and its name; maximum length of a run that can be an example."""
_SUSPECT = re.compile("[\u180e\u200b-\u200d\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e01ef]")
_ASCII = bytes(range(128))
_FLAG = re.compile("[\U000e0030-\U000e0039\U000e0061-\U000e007a]+\U000e007f")
_BLACK_FLAG = "\U0001f3f4"
_TAG_OR_TEXT = re.compile(r"<[^>]*>|[^<]+")


def invisible(text: str) -> Iterator[re.Match[str]]:
    """Yield runs of characters that people cannot see. Characters that form an emoji or a flag are
    not included.
    """
    if not may_hide(text):
        return
    for match in _INVISIBLE.finditer(text):
        if not _is_flag(text, match):
            yield match


def hidden(text: str) -> Iterator[re.Match[str]]:
    """Yield runs of characters that can deceive a reader.

    Unlike `invisible`, this leaves out a single character that does not split a word, a character
    next to its own name (as in an explanation), and a character alone in quotes (as in code that
    searches for it). Characters that spell out words are always included.
    """
    if not may_hide(text):
        return
    is_about = _NAME.search(text) is not None
    for match in _HIDDEN.finditer(text):
        is_example = is_about and _is_named(text, match)
        if not is_example and not _is_flag(text, match) and not _is_literal(text, match):
            yield match


def count_runs(text: str) -> int:
    """Return the number of runs of invisible characters in a text, whether deceptive or not."""
    spans = sorted({match.span() for match in (*invisible(text), *hidden(text))})
    ends = [0, *accumulate((end for _, end in spans), max)]
    return sum(start > end or not end for (start, _), end in zip(spans, ends, strict=False))


def _is_named(text: str, match: re.Match[str]) -> bool:
    """Whether a short run is near its name, as in an explanation. Tag characters never count as
    named.
    """
    if len(match[0]) > _LONGEST_SHOWN or match[0] >= "\U000e0000":
        return False
    start = max(0, match.start() - _NEAR)
    return _NAME.search(text, start, match.end() + _NEAR) is not None


def _is_literal(text: str, match: re.Match[str]) -> bool:
    """Whether only this run is between quotes or brackets, as in code that detects it."""
    end = _AS_LITERAL.match(text, match.start())
    start = match.start()
    first = max(0, start - _MOST_AROUND)
    while start > first and _AS_LITERAL.fullmatch(text[start - 1]):
        start -= 1
    before, after = text[start - 1 : start], text[end.end() : end.end() + 1] if end else ""
    return bool(before and after) and before in "\"'`[(/" and after in "\"'`])/"


def may_hide(text: str) -> bool:
    """Return whether a text may contain invisible characters.

    This check is fast. Only the answer False is certain.
    """
    if text.isascii():
        return False
    beyond = text.encode(errors="ignore").translate(None, _ASCII)  # Leaves less to search.
    return _SUSPECT.search(beyond.decode()) is not None


def _is_flag(text: str, match: re.Match[str]) -> bool:
    before = text[match.start() - 1 : match.start()]
    return before == _BLACK_FLAG and _FLAG.fullmatch(match[0]) is not None


def code_points(text: str) -> str:
    """Return the code points of hidden characters, as in `U+202E U+2066`.

    At most eight code points are listed, followed by the number of the others. If the characters
    include tag characters, the text that these encode is appended in quotes.
    """
    shown = " ".join(f"U+{ord(char):04X}" for char in text[:8])
    more = f" and {len(text) - 8} more" if len(text) > 8 else ""
    spelled = "".join(chr(ord(char) - 0xE0000) for char in text if 0xE0020 <= ord(char) <= 0xE007E)
    return shown + more + (f" \u201c{spelled}\u201d" if spelled else "")


def visible_text(text: str) -> str:
    """Return the text with hidden characters replaced by their code points in brackets."""
    parts, end = [], 0
    for match in invisible(text):
        parts += [text[end : match.start()], f"[{code_points(match[0])}]"]
        end = match.end()
    return "".join([*parts, text[end:]])


def visible_html(text: str) -> str:
    """Return the text escaped for HTML; each run of hidden characters becomes a `<span>` with its
    code points.
    """
    return _spelled_out(html.escape(text))


def visible_in_page(page: str) -> str:
    """Return an HTML page with hidden characters outside tags replaced by their code points."""
    if not may_hide(page):
        return page
    parts = (
        part if part.startswith("<") else _spelled_out(part) for part in _TAG_OR_TEXT.findall(page)
    )
    return "".join(parts)


def _spelled_out(escaped: str) -> str:
    parts, end = [], 0
    for match in invisible(escaped):
        ghost = f'<span class="ghost">{html.escape(code_points(match[0]))}</span>'
        parts += [escaped[end : match.start()], ghost]
        end = match.end()
    return "".join([*parts, escaped[end:]]) if parts else escaped

"""Characters that no reader can see but an agent reads: where they are, and how they are shown."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

_INVISIBLE = re.compile(
    "[\U000e0001\U000e0020-\U000e007f]+"
    "|[\u202a-\u202e\u2066-\u2069]"
    "|[\u200b\u2060-\u2064\u180e]"
    "|(?<!^)\ufeff"
    "|(?<=[!-~])[\u200c\u200d](?=[!-~])"
    "|[\U000e0100-\U000e01ef]{2,}"
)
"""Tags, bidirectional controls, zero widths, joiners between ASCII, runs of variation selectors."""
_SUSPECT = re.compile("[\u180e\u200b-\u200d\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e01ef]")
_FLAG = re.compile("[\U000e0030-\U000e0039\U000e0061-\U000e007a]+\U000e007f")
_BLACK_FLAG = "\U0001f3f4"
_TAG_OR_TEXT = re.compile(r"<[^>]*>|[^<]+")


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
    """`U+202E U+2066` for hidden characters, at most eight; the text of tags is spelled out."""
    shown = " ".join(f"U+{ord(char):04X}" for char in text[:8])
    more = f" and {len(text) - 8} more" if len(text) > 8 else ""
    spelled = "".join(chr(ord(char) - 0xE0000) for char in text if 0xE0020 <= ord(char) <= 0xE007E)
    return shown + more + (f" \u201c{spelled}\u201d" if spelled else "")


def visible_html(text: str) -> str:
    """The text escaped for HTML, with its hidden characters as code points in `<span>`s."""
    return _spelled_out(html.escape(text))


def visible_in_page(page: str) -> str:
    """The same for HTML: hidden characters outside of its tags are shown as code points."""
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

"""The picture of a skill in lists: its own icons, or an identicon drawn from its name."""

from __future__ import annotations

import base64
import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skillbuild.media import icons
from skillbuild.model import Digest, Entry, Icon

MOST_INLINED = 1024
"""Bytes of a skill's icons, all together, that a page may hold itself."""
_PATH = re.compile(r'fill="#([0-9a-f]{6})".*? d="([^"]*)"')
_CELL = re.compile(r"M(\d) (\d)h")


@dataclass(frozen=True, slots=True)
class Picture:
    """Either `icons`, or the `color` and `path` of an identicon that a page draws as SVG."""

    color: str
    """Six hex digits."""
    path: str
    """The attribute `d` of the SVG path: one square of size 1 for each cell of a 5 x 5 grid."""
    icons: tuple[tuple[str, str], ...]
    """File name and theme (`light`, `dark` or empty) of one icon, or of one for each theme."""

    @property
    def code(self) -> str:
        """The same for the search: `<name>:<theme>|...`, or the color and the cells as hex.

        Bit 5 y + x of the cells stands for the one in row y and column x, both from 0.
        """
        if self.icons:
            return "|".join(f"{name}:{theme}" for name, theme in self.icons)
        return f"{self.color}{sum(1 << (row * 5 + column) for row, column in self.cells):x}"

    @property
    def cells(self) -> Sequence[tuple[int, int]]:
        """The filled cells of an identicon, by row and column, from 0."""
        return [(int(y) - 1, int(x) - 1) for x, y in _CELL.findall(self.path)]


def picture(entry: Entry) -> Picture:
    """The icons that a skill declares; without any, the identicon of its name."""
    identicon = icons.identicon(entry.name).data
    if any(icon.digest != Digest.of(identicon) for icon in entry.icons):
        shown = ((icon.file_name, icon.theme or "") for icon in shown_icons(entry.icons))
        return Picture("", "", tuple(shown))
    return drawing(entry.name)


@functools.lru_cache(maxsize=64)
def drawing(name: str) -> Picture:
    """The identicon of a name."""
    match = _PATH.search(icons.identicon(name).data.decode())
    return Picture(match[1], match[2], ()) if match else Picture("", "", ())


def shown_icons(declared: Sequence[Icon]) -> tuple[Icon, ...]:
    """The icons to show: one for each theme if there are both, else the first that is declared.

    Of several sizes the small one is declared first.
    """
    themed = {icon.theme: icon for icon in reversed(declared)}
    if {"light", "dark"} <= themed.keys():
        return (themed["light"], themed["dark"])
    return tuple(declared[:1])


def inlined(entry: Entry, data: Mapping[str, bytes]) -> str:
    """The shown icons as `data:` URIs with spaces between them, in the order of `Picture.icons`.

    Empty for an identicon, and for icons that are too large. `data` are the skill's icons by
    file name.
    """
    shown = [name for name, _ in picture(entry).icons]
    if not shown or sum(len(data[name]) for name in shown) > MOST_INLINED:
        return ""
    types = {icon.file_name: icon.media_type for icon in entry.icons}
    return " ".join(
        f"data:{types[name]};base64,{base64.b64encode(data[name]).decode()}" for name in shown
    )

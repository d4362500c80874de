"""The picture that stands for a catalog without an icon where its address is shared: `og:image`."""

from __future__ import annotations

import functools

from skillbuild.emit.site.pictures import drawing
from skillbuild.media.drawn_png import draw_cells
from skillbuild.model import Digest, OutputFile


def picture(title: str) -> OutputFile:
    """The drawing of the title, as a file that hosts show beside an address."""
    data = _draw(title)
    return OutputFile(_path(data), data)


def path(title: str) -> str:
    """The path of that file in the output."""
    return _path(_draw(title))


def _path(data: bytes) -> str:
    return f"assets/share.{Digest.of(data).short[:8]}.png"


@functools.lru_cache(maxsize=4)
def _draw(title: str) -> bytes:
    drawn = drawing(title)
    return draw_cells(drawn.cells, bytes.fromhex(drawn.color))

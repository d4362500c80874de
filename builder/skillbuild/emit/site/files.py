"""The page of one file: what it is, and its content in a form that runs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from skillbuild.emit.site.addresses import Links, between, is_image, skill_page
from skillbuild.emit.site.environment import Theme, render
from skillbuild.media.types import decode
from skillbuild.model import File, OutputFile, Resource
from skillbuild.text.highlighting import highlight_file
from skillbuild.text.markdown.render import render_markdown

_MOST_SHOWN = 512 * 1024
"""Characters of a text that a page shows; the raw file has the rest."""
_HEX_BYTES = 512
_MARKDOWN = (".md", ".markdown")
_WHOLE_TREE = 40
"""Files of a skill up to which every page shows the whole tree, not only the near part."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A line of the file tree; a folder has no address."""

    depth: int
    name: str
    address: str | None = None
    current: bool = False


def emit(theme: Theme, links: Links) -> Iterator[OutputFile]:
    """One page a file."""
    for file, item in zip(links.skill.files, links.entry.resources, strict=True):
        yield _page(theme, links, file, item)


def _page(theme: Theme, links: Links, file: File, item: Resource) -> OutputFile:
    page = links.pages[file.path]
    text = decode(file.data)
    shown = text[:_MOST_SHOWN] if text is not None else None
    rendered = None
    if shown is not None and file.path != "SKILL.md" and file.path.endswith(_MARKDOWN):
        rendered = render_markdown(shown, links.resolver(page, file.path))
    source = None
    if shown is not None:
        lines = numbered(shown, "" if rendered else file.path) if shown else ""
        source = Markup(lines)  # noqa: S704
    return render(
        theme,
        "file.html",
        page,
        entry=links.entry,
        item=item,
        # The renderers escape all text of the file.
        body=Markup(rendered.html) if rendered and not rendered.plain else None,  # noqa: S704
        plain=rendered is not None and rendered.plain,
        source=source,
        lines=shown.count("\n") + (not shown.endswith("\n")) if shown else 0,
        cut=text is not None and len(text) > _MOST_SHOWN,
        image=is_image(file.data),
        blob=between(page, links.blobs[file.path]),
        skill_page=between(page, skill_page(links.entry.path)),
        tree=list(_tree(links, file.path, page)),
        hexdump=None if text is not None else hexdump(file.data[:_HEX_BYTES]),
    )


def numbered(text: str, path: str) -> str:
    """Source, highlighted by its name, one element a line with the id `L1` and so on."""
    lines = highlight_file(text.removesuffix("\n"), path).split("\n")
    return "\n".join(f'<a id="L{number}">{line}</a>' for number, line in enumerate(lines, 1))


def hexdump(data: bytes) -> str:
    """Offset, sixteen bytes, and what of them is ASCII, a line each."""
    lines = []
    for start in range(0, len(data), 16):
        row = data[start : start + 16]
        shown = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in row)
        lines.append(f"{start:04x}  {row.hex(' '):<47}  {shown}")
    return "\n".join(lines)


def _tree(links: Links, current: str, page: str) -> Iterator[Leaf]:
    """The files in reading order, each folder once before its files."""
    paths = sorted(links.pages, key=_reading_order)
    if len(paths) > _WHOLE_TREE:
        paths = _near(paths, current)
    shown: list[str] = []
    for path in paths:
        *folders, name = path.split("/")
        common = 0
        while common < min(len(folders), len(shown)) and folders[common] == shown[common]:
            common += 1
        for depth in range(common, len(folders)):
            yield Leaf(depth, f"{folders[depth]}/")
        shown = folders
        address = between(page, links.pages[path])
        yield Leaf(len(folders), name, address, current=path == current)


def _reading_order(path: str) -> tuple[bool, list[tuple[bool, str]]]:
    """SKILL.md first, then in every folder its files before its folders."""
    parts = path.split("/")
    last = len(parts) - 1
    return path != "SKILL.md", [(index < last, part) for index, part in enumerate(parts)]


def _near(paths: Sequence[str], current: str) -> list[str]:
    folder = current.rpartition("/")[0]
    return [path for path in paths if path.rpartition("/")[0] == folder or path == "SKILL.md"][:200]

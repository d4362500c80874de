"""The page of one file of a skill: its size, mode and digest, and its content as escaped text."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from skillbuild.emit.emitter import EmittedSkill
from skillbuild.emit.site.addresses import between, skill_page
from skillbuild.emit.site.links import Links, is_image, is_markdown
from skillbuild.emit.site.skill_pages import file_link
from skillbuild.emit.site.sources import numbered, source_of
from skillbuild.emit.site.theme import Theme, render
from skillbuild.media.types import decode
from skillbuild.model import File, OutputFile, Resource
from skillbuild.paths import SKILL_FILE
from skillbuild.release.frontmatter import language_of
from skillbuild.text.markdown.render import Rendered, render_markdown

_HEX_BYTES = 512
_WHOLE_TREE = 40
"""Maximum number of files in a skill whose pages show the whole file tree. For larger skills, they
show only the part near the file.
"""
_MOST_NEAR = 200


@dataclass(frozen=True, slots=True)
class TreeLine:
    """A line of the file tree beside a file's content. `depth` is counted from 0. A folder has no
    address.
    """

    depth: int
    name: str
    address: str | None = None
    current: bool = False
    is_page: bool = True
    """False if the address is the raw file instead of a page."""


_KINDS = {
    "text/markdown": "Markdown",
    "text/plain": "text",
    "text/html": "HTML",
    "text/css": "CSS",
    "text/csv": "CSV",
    "application/xml": "XML",
    "application/json": "JSON",
    "application/yaml": "YAML",
    "application/toml": "TOML",
    "text/x-python": "Python",
    "application/x-sh": "shell",
    "text/javascript": "JavaScript",
    "text/x-typescript": "TypeScript",
    "application/sql": "SQL",
    "image/svg+xml": "SVG",
}
"""Common names of media types."""


def emit(theme: Theme, links: Links, emitted: EmittedSkill) -> Iterator[OutputFile]:
    """Yield the page of each file that has one, in the order of the files."""
    ordered = sorted(links.blobs, key=_reading_order)
    folders: dict[str, list[str]] = defaultdict(list)
    for path in ordered:
        folders[posixpath.dirname(path)].append(path)
    for file, resource in zip(links.skill.files, links.entry.resources, strict=True):
        if file.path in links.pages:
            near = [path for path in folders[posixpath.dirname(file.path)] if path != SKILL_FILE]
            shown = ordered if len(ordered) <= _WHOLE_TREE else [SKILL_FILE, *near[:_MOST_NEAR]]
            yield _page(theme, links, emitted, file, resource, shown)


def _page(
    theme: Theme,
    links: Links,
    emitted: EmittedSkill,
    file: File,
    resource: Resource,
    beside: Sequence[str],
) -> OutputFile:
    """Return the page of one file; `beside` are the paths in its file tree."""
    page = links.pages[file.path]
    text = decode(file.data)
    source = source_of(text) if text is not None else None
    rendered = _rendered(links, file.path)
    has_lines = rendered is None or rendered.plain or links.has_lines(file.path)
    link, host = file_link(theme, links.entry, file.path, emitted.change)
    lines = numbered(source, "" if rendered else file.path) if source and has_lines else ""
    return render(
        theme,
        "file.html",
        page,
        entry=links.entry,
        lang=language_of(links.entry.frontmatter) or theme.config.lang,
        item=resource,
        kind=_KINDS.get(resource.media_type, resource.media_type),
        picture=emitted.card.picture,
        inlined=emitted.card.inlined,
        change=emitted.change,
        versions=len(emitted.history.versions),
        # The renderers escape all text of the file.
        body=Markup(rendered.html) if rendered and not rendered.plain else None,  # noqa: S704
        plain=rendered is not None and rendered.plain,
        source=Markup(lines) if source and has_lines else None,  # noqa: S704
        lines=source.all_lines if source is not None else 0,
        shown=source.lines if source is not None else 0,
        cut=source is not None and has_lines and source.cut,
        image=is_image(file.data),
        group_title=emitted.outline.grouped.title(links.entry.group),
        source_file=link,
        source_host=host,
        blob=between(page, links.blobs[file.path]),
        skill_page=between(page, skill_page(links.entry.path)),
        tree=list(_tree(links, beside, file.path, page)),
        hexdump=None if text is not None else hexdump(file.data[:_HEX_BYTES]),
    )


def _rendered(links: Links, path: str) -> Rendered | None:
    """Return the rendered text of a Markdown file; None if its page shows the source instead.

    SKILL.md is rendered on the skill's page, so the result is None.
    """
    if path == SKILL_FILE or not is_markdown(path):
        return None
    document = links.documents.of(path)
    if document is None:
        return None
    return render_markdown(document, links.resolver(links.pages[path], path))


def hexdump(data: bytes) -> str:
    """Return a hex dump. Each line has an offset, sixteen bytes in hex, and the same bytes as ASCII
    or dots.
    """
    lines = []
    for start in range(0, len(data), 16):
        part = data[start : start + 16]
        text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in part)
        lines.append(f"{start:04x}  {part.hex(' '):<47}  {text}")
    return "\n".join(lines)


def _tree(links: Links, paths: Sequence[str], current: str, page: str) -> Iterator[TreeLine]:
    """Yield a line for each file, and one for each folder before its files.

    `current` is the path of the file that the page is about.
    """
    opened: list[str] = []
    for path in paths:
        *folders, name = path.split("/")
        common = 0
        while common < min(len(folders), len(opened)) and folders[common] == opened[common]:
            common += 1
        for depth in range(common, len(folders)):
            yield TreeLine(depth, f"{folders[depth]}/")
        opened = folders
        address = between(page, links.pages.get(path, links.blobs[path]))
        yield TreeLine(len(folders), name, address, path == current, path in links.pages)


def _reading_order(path: str) -> tuple[bool, list[tuple[bool, str]]]:
    """Return a sort key: SKILL.md first; in each folder, files before folders."""
    parts = path.split("/")
    last = len(parts) - 1
    return path != "SKILL.md", [(index < last, part) for index, part in enumerate(parts)]

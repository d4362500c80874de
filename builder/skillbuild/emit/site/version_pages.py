"""Pages of versions, and pages for skills and versions that were removed, moved or withdrawn.

The page of a version depends only on its files and never changes. Dates and changes belong to a
skill, so they are on the pages of the skill.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from skillbuild.emit.emitter import EmittedSkill
from skillbuild.emit.site.addresses import (
    between,
    difference_page,
    skill_page,
    version_page,
    versions_page,
)
from skillbuild.emit.site.cards import drawing, inlined, picture
from skillbuild.emit.site.links import Links
from skillbuild.emit.site.skill_pages import Changed, read_values
from skillbuild.emit.site.theme import Theme, render
from skillbuild.emit.versions import (
    MISSING,
    YANKED,
    VersionContent,
)
from skillbuild.media.archive import ZIP_TYPE
from skillbuild.model import (
    INTERNAL,
    Entry,
    Gone,
    Listing,
    OutputFile,
    changed,
)
from skillbuild.paths import collision_key, is_skill_path
from skillbuild.release.frontmatter import language_of
from skillbuild.release.record import Record, markdown_path
from skillbuild.rules.registry import RULES
from skillbuild.source.outline import Outline

_MOST_INLINED = 16 * 1024
"""Maximum total bytes of a version's icons; larger icons are not shown."""


def emit_version(theme: Theme, content: VersionContent) -> OutputFile:
    """Return the page of a version.

    The page links only to the version's own files and to pages that every catalog has. The icon is
    embedded in the page, because icon files are not published for a version.
    """
    links = _links(content)
    return render(
        theme,
        "version.html",
        version_page(content.digest),
        **read_values(theme, links, content.facts),
        digest=content.digest,
        label=content.label,
        **icons_of(content),
        address=content.address,
        has_discovery=is_installable(theme, content.entry),
    )


def icons_of(content: VersionContent) -> Mapping[str, object]:
    """Return the icons of a version, for pages that embed them."""
    pictured = changed(content.entry, icons=tuple(content.icons))
    data = {icon.file_name: each for icon, each in content.icons.items()}
    embedded = inlined(pictured, data, _MOST_INLINED)
    shown = picture(pictured, data) if embedded else drawing(content.entry.name)
    return {"shown": shown, "inlined": embedded}


def _links(content: VersionContent) -> Links:
    return Links(
        content.skill,
        content.entry,
        content.documents,
        Outline({}),
        has_file_pages=False,
        other_page=version_page(content.digest),
    )


def is_installable(theme: Theme, entry: Entry) -> bool:
    """Return whether installers that read discovery files can install this skill or version."""
    has_file = markdown_path(entry) or any(item.media_type == ZIP_TYPE for item in entry.archives)
    is_listed = entry.is_listed(Listing.DISCOVERY_02) and entry.fits_discovery
    return bool(has_file) and theme.discovery and is_listed


# All versions of a skill, and the newest change for its page.


MOST_SHOWN = 100
"""Number of versions that are visible before the reader expands the list."""
_REASONS = {
    INTERNAL: "internal at that time",
    MISSING: "some of its files are not in the repository",
    YANKED: "withdrawn in the settings",
}


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A reason why versions are not published, and the number of these versions. `summary` may be
    empty.
    """

    code: str
    count: int
    summary: str


def emit_version_list(theme: Theme, emitted: EmittedSkill) -> OutputFile:
    """Return the page that lists the versions of a skill."""
    entry, rows = emitted.entry, emitted.history.versions
    return render(
        theme,
        "versions.html",
        versions_page(entry.path),
        entry=entry,
        lang=language_of(entry.frontmatter) or theme.config.lang,
        shown=emitted.card.picture,
        inlined=emitted.card.inlined,
        group_title=emitted.outline.grouped.title(entry.group),
        rows=rows,
        most=MOST_SHOWN,
        left_out=_left_out(emitted.history.left_out),
        has_discovery=is_installable(theme, entry),
        has_unnumbered=any(each.version.digest.short[:8] in each.version.label for each in rows),
    )


def newest_change(emitted: EmittedSkill) -> Changed | None:
    """Return what changed in the current version. Returns None if the current version is the first
    one, or if it is an older version that became current again.
    """
    for each in emitted.history.versions:
        if each.version.digest == emitted.entry.skill_digest:
            if each.difference is None or each.again is not None:
                return None
            page = difference_page(emitted.entry.path, each.version.digest)
            address = between(skill_page(emitted.entry.path), page)
            return Changed(each.difference.in_one_line, address)
    return None


def _left_out(counts: Mapping[str, int]) -> list[LeftOut]:
    """Return the reasons why versions are not published, most frequent first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [LeftOut(code, count, _summary(code)) for code, count in ordered]


def _summary(code: str) -> str:
    return RULES[code].summary if code in RULES else _REASONS.get(code, "")


# Skills that were removed or moved.


def emit_removed(theme: Theme, release: Record, present: Iterable[str]) -> Iterator[OutputFile]:
    """Yield a page for every removed or moved skill, and another page that replaces the skill's
    list of versions.

    `release` is the published record, and `present` are the paths of all other files. No page is
    made if another page has the same path apart from case. There are no other clashes, because `-`,
    `.well-known` and `index.html` cannot be segments of a skill path.
    """
    catalog = release.catalog
    if not (release.removed or catalog.gone or catalog.moved):
        return
    taken = {collision_key(path) for path in present if path.endswith("/index.html")}
    for path, pages in sorted(_pages(theme, release).items()):
        key = collision_key(skill_page(path))
        if is_skill_path(path) and key not in taken:
            taken.add(key)
            yield from pages()


def _pages(theme: Theme, release: Record) -> dict[str, Callable[[], Iterator[OutputFile]]]:
    """Map each path that no longer has a skill to a function that makes its pages."""
    catalog = release.catalog
    pages: dict[str, Callable[[], Iterator[OutputFile]]] = {}
    for path in release.removed:
        pages[path] = partial(_removed, theme, release, path)
    for path, to in catalog.moved.items():
        pages[path] = partial(_moved, theme, path, to, None)
    for gone in catalog.gone:
        pages[gone.path] = partial(_gone, theme, gone)
    return pages


def _removed(theme: Theme, release: Record, path: str) -> Iterator[OutputFile]:
    """Yield the page of a skill that earlier releases had; only its last digest is known."""
    last = release.removed[path]
    is_retained = last.commit in {retained.commit for retained in release.releases}
    page = skill_page(path)
    yield render(theme, "removed.html", page, path=path, last=last, is_retained=is_retained)


def _gone(theme: Theme, gone: Gone) -> Iterator[OutputFile]:
    """Yield the pages of a skill that is no longer in the source, with its versions."""
    if gone.successor:
        yield from _moved(theme, gone.path, gone.successor, gone)
        return
    for page in (skill_page(gone.path), versions_page(gone.path)):
        yield render(theme, "gone.html", page, path=gone.path, gone=gone)


def _moved(theme: Theme, path: str, to: str, gone: Gone | None) -> Iterator[OutputFile]:
    """Yield the pages at the old path of a moved skill; `gone` has versions that only that path
    has.
    """
    targets = {skill_page(path): skill_page(to), versions_page(path): versions_page(to)}
    for page, target in targets.items():
        address = between(page, target)
        forwards = gone is None or page == skill_page(path)
        yield render(
            theme, "moved.html", page, path=path, to=to, target=address, gone=gone,
            forwards=forwards,
        )  # fmt: skip


# Versions that must not be used.


def emit_yanked(theme: Theme, release: Record, present: Iterable[str]) -> Iterator[OutputFile]:
    """Yield a page for every withdrawn version; `present` are the paths of all other files."""
    pages = {version_page(digest): digest for digest in release.yanked}
    if not pages:
        return
    taken = pages.keys() & set(present)
    for page, digest in sorted(pages.items()):
        if page not in taken:
            reason = release.yanked[digest]
            yield render(theme, "yanked.html", page, digest=digest, reason=reason)

"""The page of one skill: what to know before installing it, how to install it, and its text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, urlsplit

from markupsafe import Markup

from skillbuild.emit.emitter import EmittedSkill
from skillbuild.emit.site import install, licenses, questions, references
from skillbuild.emit.site.addresses import skill_page
from skillbuild.emit.site.facts import Facts
from skillbuild.emit.site.frontmatter_table import field_row
from skillbuild.emit.site.links import Links
from skillbuild.emit.site.notices import deprecation, notices
from skillbuild.emit.site.theme import Theme, render
from skillbuild.model import Change, Entry, OutputFile
from skillbuild.release.frontmatter import author_of, declared_version, language_of, tags_of
from skillbuild.text.markdown.render import render_markdown
from skillbuild.text.markdown.rewrite import Heading

_FEWEST_HEADINGS = 4
_FORGES = {
    "github.com": ("tree/{commit}", "commit/{commit}"),
    "gitlab.com": ("-/tree/{commit}", "-/commit/{commit}"),
    "codeberg.org": ("src/commit/{commit}", "commit/{commit}"),
}
"""By host, the ways from a repository to its files at a commit, and to what a commit changed."""


@dataclass(frozen=True, slots=True)
class Changed:
    """What the newest version changed, in one line, and where to read more."""

    text: str
    address: str


def emit(theme: Theme, links: Links, emitted: EmittedSkill, changed: Changed | None) -> OutputFile:
    """The page; `changed` is what the published version changed, if there are versions."""
    entry, change = emitted.entry, emitted.change
    return render(
        theme,
        "skill.html",
        skill_page(entry.path),
        **read_values(theme, links, emitted.facts),
        inlined=emitted.card.inlined,
        notices=[*deprecation(entry, links.outline), *notices(entry, theme.config)],
        # An internal skill is in no list, so there may be no page of its tags.
        tags=[] if entry.is_internal else tags_of(entry.frontmatter),
        version=declared_version(entry.frontmatter),
        change=change,
        versions=len(emitted.versions),
        changed=changed,
        source=source_link(theme, entry, change),
        commit=commit_link(theme, change),
        offers=install.offers(theme, entry),
        unreached=references.unreached(links.skill),
        sizes=emitted.facts.file_tokens,
        limits=theme.config.limits,
    )


def read_values(theme: Theme, links: Links, facts: Facts) -> Mapping[str, object]:
    """What the pages of a skill and of a version show alike: what is read from the files."""
    entry, page = links.entry, links.own_page
    body = render_markdown(links.skill.body, links.resolver(page, "SKILL.md"))
    return {
        "entry": entry,
        "lang": language_of(entry.frontmatter) or theme.config.lang,
        "facts": facts,
        "groups": questions.groups(entry, facts),
        "summary": questions.summary(facts),
        "alarming": questions.is_alarming(facts),
        "findings": questions.for_authors(entry),
        # The renderer has escaped all text and raw HTML of the skill.
        "body": Markup(body.html),  # noqa: S704
        "plain": body.plain,
        "raw": links.blobs["SKILL.md"],
        "headings": contents(body.headings),
        "fields": [field_row(key, value) for key, value in entry.frontmatter.items()],
        "pages": {path: _address(links, page, path, 0) for path in links.pages},
        "blobs": None if links.has_file_pages else links.blobs,
        "lines": links.row_ids,
        "at": lambda path, line: _address(links, page, path, line),
        "author": author_of(entry.frontmatter),
        "license": licenses.label(entry),
        "license_file": licenses.file_of(entry),
    }


def _address(links: Links, page: str, path: str, line: int) -> str:
    """The address on `page` of a line of a file; line 0 stands for the whole file."""
    place = links.line_place(path, line)
    within = place.fragment if place.page == page else ""
    return within or place.address(page)


def contents(headings: Sequence[Heading]) -> list[Heading]:
    """The table of contents: headings of levels 2 and 3, or none if there are fewer than four.

    A single heading of level 2 at the start is the title: it is left out, and the others move up
    to level 2.
    """
    upper = [heading for heading in headings if heading.level <= 3]
    if len(upper) < _FEWEST_HEADINGS:
        return []
    top = [heading for heading in upper if heading.level == 2]
    if top != upper[:1]:
        return upper
    return [replace(heading, level=2) for heading in upper[1:]]


def source_link(theme: Theme, entry: Entry, change: Change | None) -> str | None:
    """The skill's directory on the forge of `repository`, `links.source` or `website_url`.

    It is pinned to the commit that last changed the skill; without history it follows `HEAD`.
    """
    if (forge := _forge(theme)) is None:
        return None
    repository, files, _ = forge
    where = files.format(commit=change.commit if change else "HEAD")
    return f"{repository}/{where}/{quote(theme.prefix + entry.directory)}".rstrip("/")


def commit_link(theme: Theme, change: Change | None) -> str | None:
    """What the commit that last changed the skill changed, on the forge of `source_link`."""
    forge = _forge(theme)
    if forge is None or change is None:
        return None
    repository, _, commit = forge
    return f"{repository}/{commit.format(commit=change.commit)}"


def _forge(theme: Theme) -> tuple[str, str, str] | None:
    """The address of the repository, and its ways to files and to what a commit changed."""
    config = theme.config
    given = [config.links[key] for key in config.links if key.lower() == "source"]
    for address in (config.repository, *given, config.website_url or ""):
        parts = urlsplit(address)
        ways = _FORGES.get(parts.hostname or "")
        if ways and parts.path.strip("/").count("/") >= 1:
            return address.rstrip("/").removesuffix(".git"), *ways
    return None

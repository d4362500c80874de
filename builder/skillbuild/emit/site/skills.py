"""The page of one skill: what to know before installing it, how to get it, what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, urlsplit

from markupsafe import Markup

from skillbuild.emit.site import licences
from skillbuild.emit.site.addresses import Links, between, skill_page
from skillbuild.emit.site.environment import Theme, render
from skillbuild.emit.site.facts import Fact, Facts, Spot
from skillbuild.model import Archive, Change, Entry, Json, OutputFile
from skillbuild.release.frontmatter import SPECIFIED_FIELDS, tags_of
from skillbuild.rules.registry import RULES
from skillbuild.text.json import compact_json
from skillbuild.text.markdown.render import render_markdown
from skillbuild.text.markdown.rewrite import Heading

_PLAIN = (str, int, float, bool)
_FORGES = {
    "github.com": "tree/{commit}",
    "gitlab.com": "-/tree/{commit}",
    "codeberg.org": "src/commit/{commit}",
}


@dataclass(frozen=True, slots=True)
class Field:
    """One row of the frontmatter: the value as text, and whether the specification has it."""

    key: str
    text: str
    known: bool
    is_text: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One line of *Before you install*: a question, and what was found."""

    title: str
    facts: tuple[Fact, ...]
    none: str
    alarming: bool = False


def emit(
    theme: Theme, links: Links, facts: Facts, change: Change | None, inlined: str
) -> OutputFile:
    """`inlined` are the icons as `data:` URIs between spaces; without them they are files."""
    entry = links.entry
    page = skill_page(entry.path)
    body = render_markdown(links.skill.body, links.resolver(page, "SKILL.md"))
    return render(
        theme,
        "skill.html",
        page,
        entry=entry,
        inlined=inlined,
        facts=facts,
        rows=[row for row in rows(facts) if row.facts],
        absent=[row.none for row in rows(facts) if not row.facts],
        reasons=[_reason(code) for code in entry.reasons],
        # The renderer has escaped all text and raw HTML of the skill.
        body=Markup(body.html),  # noqa: S704
        plain=body.plain,
        headings=contents(body.headings),
        fields=[field(key, value) for key, value in entry.frontmatter.items()],
        pages={path: _address(links, page, Spot(path)) for path in links.pages},
        blobs=None if links.has_file_pages else links.blobs,
        lines=links.lines,
        at=lambda path, line: _address(links, page, Spot(path, line)),
        licence=licences.label(entry),
        licence_file=licences.file_of(entry),
        # An internal skill is in no list, so there may be no page of its tags.
        tags=[] if "internal" in entry.reasons else tags_of(entry.frontmatter),
        version=_version(entry),
        change=change,
        source=source_link(theme, entry, change),
        install=_Install(theme, entry),
        limits=theme.config.limits,
    )


def rows(facts: Facts) -> Sequence[Row]:
    """The questions of *Before you install* below the tools, each with its answer."""
    return (
        Row("Runs when loaded", facts.expansions, "commands that run when loaded", alarming=True),
        Row("Hooks", facts.hooks, "hooks", alarming=True),
        Row("Invisible text", facts.invisible, "invisible text", alarming=True),
        Row("Scripts and executables", facts.programs, "scripts or executables"),
        Row("Hosts named in code", facts.hosts_in_code, "hosts named in code"),
        Row("Hosts named in text", facts.hosts_in_text, "hosts named in text"),
        Row("Binary files", facts.binaries, "binary files"),
    )


def _address(links: Links, page: str, spot: Spot) -> str:
    target, place = links.file(spot.path, f"#L{spot.line}" if spot.line else "")
    return place if target == page and place else between(page, target) + place


def _reason(code: str) -> str:
    """Why a skill is in no listing, in words."""
    return RULES[code].summary if code in RULES else "it is marked as internal"


def contents(headings: Sequence[Heading]) -> list[Heading]:
    """A table of contents from four headings of the two upper levels on; a title is not in it."""
    upper = [one for one in headings if one.level <= 3]
    if len(upper) < 4:
        return []
    top = [one for one in upper if one.level == 2]
    if top != upper[:1]:
        return upper
    return [replace(one, level=2) for one in upper[1:]]


def field(key: str, value: Json) -> Field:
    text = value if isinstance(value, str) else _lines(value)
    return Field(key, text, key in SPECIFIED_FIELDS, isinstance(value, str))


def _lines(value: Json) -> str:
    """A mapping of plain values and lists as lines, a plain list in one, anything else as JSON."""
    if isinstance(value, Mapping) and all(map(_is_short, value.values())):
        return "\n".join(f"{name}: {_short(item)}" for name, item in value.items())
    if isinstance(value, list) and all(isinstance(item, _PLAIN) for item in value):
        return ", ".join(map(_short, value))
    return _short(value)


def _is_short(value: Json) -> bool:
    items = value if isinstance(value, list) else [value]
    return all(isinstance(item, _PLAIN) for item in items)


def _short(value: Json) -> str:
    if isinstance(value, list) and _is_short(value):
        return f"[{', '.join(map(_short, value))}]"
    return value if isinstance(value, str) else compact_json(value)


def _version(entry: Entry) -> str:
    metadata = entry.frontmatter.get("metadata")
    inner = metadata.get("version") if isinstance(metadata, Mapping) else None
    declared = entry.frontmatter.get("version", inner)
    return str(declared) if isinstance(declared, str | int | float) else ""


def source_link(theme: Theme, entry: Entry, change: Change | None) -> str | None:
    """The skill's directory on the forge that `links.source` or `website_url` names.

    It is pinned to the commit that last changed the skill; without history it follows `HEAD`.
    """
    config = theme.config
    given = [config.links[key] for key in config.links if key.lower() == "source"]
    for address in (*given, config.website_url or ""):
        parts = urlsplit(address)
        form = _FORGES.get(parts.hostname or "")
        if form and parts.path.strip("/").count("/") >= 1:
            where = form.format(commit=change.commit if change else "HEAD")
            folder = quote(theme.prefix + entry.directory)
            return f"{address.rstrip('/').removesuffix('.git')}/{where}/{folder}".rstrip("/")
    return None


@dataclass(frozen=True, slots=True)
class _Install:
    """Commands that fetch one skill; `base` is None when the site's address is not known."""

    theme: Theme
    entry: Entry

    @property
    def base(self) -> str | None:
        return self.theme.config.base_url

    @property
    def archives(self) -> tuple[Archive, ...]:
        return self.entry.archives

    @property
    def has_discovery(self) -> bool:
        """Whether installers find it: listed, a flat name free, and a zip."""
        found = self.entry.listed and self.entry.flat_name is not None and bool(self.archives)
        return self.theme.discovery and found

    @property
    def marketplace(self) -> str | None:
        """The name of the plugin marketplace that has the skill."""
        found = self.entry.listed and self.entry.flat_name is not None and bool(self.archives)
        return self.theme.marketplace if found else None

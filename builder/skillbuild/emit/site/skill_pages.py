"""The page of one skill: what to know before installing it, how to install it, and its SKILL.md."""

from __future__ import annotations

import re
import weakref
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, urlsplit

from markupsafe import Markup

from skillbuild.config import Config
from skillbuild.emit.emitter import EmittedSkill
from skillbuild.emit.site import install
from skillbuild.emit.site.addresses import between, skill_page
from skillbuild.emit.site.facts import PageFacts, declared, for_authors, is_alarming, rows, summary
from skillbuild.emit.site.links import Links, unreached
from skillbuild.emit.site.skill_card import card_html, evals_of
from skillbuild.emit.site.theme import Theme, render
from skillbuild.emit.site.trust import trust_rows
from skillbuild.emit.site.upload import upload_remarks
from skillbuild.model import Change, Entry, Json, LicenseKind, Listing, OutputFile, label
from skillbuild.paths import SKILL_FILE
from skillbuild.release.facts import license_labels, license_words
from skillbuild.release.frontmatter import (
    SPECIFIED_FIELDS,
    author_of,
    declared_version,
    language_of,
    tags_of,
)
from skillbuild.rules.registry import RULES, protects, without_protection
from skillbuild.source.outline import Outline
from skillbuild.text.json import compact_json
from skillbuild.text.markdown.document import Document, Heading
from skillbuild.text.markdown.render import render_markdown
from skillbuild.text.sentences import opening
from skillbuild.text.wording import joined

_FEWEST_HEADINGS = 4
_FORGES = {
    "github.com": ("tree/{commit}", "commit/{commit}", "issues/new?title={title}"),
    "gitlab.com": ("-/tree/{commit}", "-/commit/{commit}", "-/issues/new?issue[title]={title}"),
    "codeberg.org": ("src/commit/{commit}", "commit/{commit}", "issues/new?title={title}"),
}
"""For each code host: the URL paths of the files at a commit, of a commit, and of a new issue,
relative to the repository.
"""
_SENTENCES = 2
_LONGEST_OPENING = 280
_NEWEST = 10
"""Maximum number of versions that the page of a skill names."""
_SHOWN_ABOVE = frozenset(("name", "description", "compatibility", "version", "author"))
"""Fields of the frontmatter that the page shows above the table of the other fields."""
_LONGEST_TITLE = 200
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Changed:
    """A summary of the changes in the newest version, and the address of the details."""

    text: str
    address: str


@dataclass(frozen=True, slots=True)
class Description:
    """A description, split into its first sentences and the rest."""

    first: str
    rest: str


def emit(theme: Theme, links: Links, emitted: EmittedSkill, changed: Changed | None) -> OutputFile:
    """Return the page of a skill. `changed` says what changed in the current version; it is None if
    the changes are not known.
    """
    entry, change = emitted.entry, emitted.change
    return render(
        theme,
        "skill.html",
        skill_page(entry.path),
        **read_values(theme, links, emitted.facts),
        shown=emitted.card.picture,
        inlined=emitted.card.inlined,
        notices=[*internal(entry), *deprecation(entry, links.outline)],
        unlisted=unlisted(entry, theme.config),
        # An internal skill is in no list, so there may be no page of its tags.
        tags=[] if entry.is_internal else tags_of(entry.frontmatter),
        version=declared_version(entry.frontmatter),
        change=change,
        versions=len(emitted.history.versions),
        newest=emitted.history.versions[:_NEWEST],
        changed=changed,
        source=source_link(theme, entry, change),
        source_label=source_label(theme, change),
        group_title=emitted.outline.grouped.title(entry.group),
        report=report_link(theme, entry),
        commit=commit_link(theme, change),
        offers=install.offers(theme, entry),
        unreached=unreached(links.skill),
        limits=theme.config.limits,
        trust=trust_rows(entry),
        card=card_html(links),
        evals=evals_of(emitted),
        upload_remarks=upload_remarks(entry) if entry.upload else [],
    )


def read_values(theme: Theme, links: Links, facts: PageFacts) -> Mapping[str, object]:
    """Return template values for the pages of skills and of versions. These values are read from
    the files of the skill.

    They are valid as long as `links` exists.
    """
    entry, page = links.entry, links.own_page
    document = links.documents.of("SKILL.md") or Document("")
    body = render_markdown(document, links.resolver(page, "SKILL.md"))
    # A template with macros keeps these values until the garbage collector runs, and the links hold
    # all bytes of the skill.
    borrowed = weakref.proxy(links)
    return {
        "entry": entry,
        "lang": language_of(entry.frontmatter) or theme.config.lang,
        "about": about(entry.text("description")),
        "facts": facts,
        "rows": rows(entry, facts),
        "summary": summary(entry, facts),
        "tools": [declared(label) for label in facts.tools or ()],
        "alarming": is_alarming(entry, facts),
        "findings": for_authors(entry),
        # The renderer has escaped all text and raw HTML of the skill.
        "body": Markup(body.html),  # noqa: S704
        "plain": body.plain,
        "raw": links.blobs["SKILL.md"],
        "headings": contents(body.headings),
        "fields": [
            field_row(key, value)
            for key, value in entry.frontmatter.items()
            if key not in _SHOWN_ABOVE or not isinstance(value, str)
        ],
        "pages": {path: _address(links, page, path, 0) for path in links.pages},
        "blobs": links.blobs,
        "lines": links.row_ids,
        "at": lambda path, line: _address(borrowed, page, path, line),
        "author": author_of(entry.frontmatter),
        "license": shown_license(theme, links),
    }


@dataclass(frozen=True, slots=True)
class ShownLicense:
    """What is known about the license of a skill, and the file that names it."""

    words: str
    """The name of the license, or what kind of terms these are."""
    quote: str
    """The terms in the words of the skill, if they have no known name."""
    path: str
    """The path of the file, in the skill or else in the source; empty without a license."""
    address: str
    """The address of the file's page, or of the file on the forge; empty if neither is known."""
    is_unclear: bool
    """Whether somebody has to read the terms, or to ask for them: no license with a name."""


def shown_license(theme: Theme, links: Links) -> ShownLicense:
    """Return what the page of a skill shows about the skill's license."""
    terms, directory = links.entry.facts.license, links.entry.directory
    words, own = license_words(terms), ""
    is_unclear = any(label[:1].islower() for label in license_labels(terms))
    if terms.kind not in (LicenseKind.SPDX, LicenseKind.SEVERAL, LicenseKind.NONE):
        [shown] = license_labels(terms)
        origin = f" (of the {terms.origin})"
        quoted = words.removesuffix(origin)
        words = shown.capitalize() + (origin if words.endswith(origin) else "")
        own = "" if quoted.lower() == shown else quoted
    if terms.origin != "skill":
        forge = _forge(theme) if terms.path else None
        where = f"{forge[0]}/{forge[1].format(commit='HEAD')}" if forge else ""
        path = quote(theme.prefix + terms.path)
        address = f"{where}/{path}" if where else ""
        return ShownLicense(words, own, terms.path, address, is_unclear)
    path = terms.path.removeprefix(f"{directory}/" if directory else "")
    place = links.skill.frontmatter.place("license") if path == SKILL_FILE else None
    address = _address(links, links.own_page, path, place.line if place else 0)
    return ShownLicense(words, own, path, address, is_unclear)


def _address(links: Links, page: str, path: str, line: int) -> str:
    """Return the address on `page` of a line of a file; line 0 stands for the whole file."""
    place = links.line_place(path, line)
    within = place.fragment if place.page == page else ""
    return within or place.address(page)


def about(description: str) -> Description:
    first = opening(description, _SENTENCES, _LONGEST_OPENING)
    return Description(first, description.strip()[len(first) :].strip())


def contents(headings: Sequence[Heading]) -> list[Heading]:
    """Return the table of contents: the headings of levels 2 and 3, or nothing if there are fewer
    than four.

    If the first heading is the only one of level 2, it is treated as the title. The title is left
    out, and the other headings move up to level 2.
    """
    upper = [heading for heading in headings if heading.level <= 3]
    if len(upper) < _FEWEST_HEADINGS:
        return []
    top = [heading for heading in upper if heading.level == 2]
    if top != upper[:1]:
        return upper
    return [replace(heading, level=2) for heading in upper[1:]]


def source_link(theme: Theme, entry: Entry, change: Change | None) -> str | None:
    """Return the URL of the skill's directory on the code host that `repository`, `links.source` or
    `website_url` names.

    The URL contains the id of the commit that last changed the skill, or `HEAD` if the history is
    not known.
    """
    if (forge := _forge(theme)) is None:
        return None
    repository, files, *_ = forge
    where = files.format(commit=change.commit if change else "HEAD")
    return f"{repository}/{where}/{quote(theme.prefix + entry.directory)}".rstrip("/")


def file_link(theme: Theme, entry: Entry, path: str, change: Change | None) -> tuple[str, str]:
    """Return the URL of a file of the skill, and the host in that URL. Both are empty if the commit
    or the code host is not known.

    The URL is for the commit that last changed the skill.
    """
    where = source_link(theme, entry, change) if change else None
    return (f"{where}/{quote(path)}", urlsplit(where).hostname or "") if where else ("", "")


def commit_link(theme: Theme, change: Change | None) -> str | None:
    """Return the URL of the last commit that changed the skill, on the code host of
    `source_link`.
    """
    forge = _forge(theme)
    if forge is None or change is None:
        return None
    repository, _, commit, _ = forge
    return f"{repository}/{commit.format(commit=change.commit)}"


def source_label(theme: Theme, change: Change | None) -> str:
    """Return the label of `source_link`: the repository and the start of the commit id."""
    if (forge := _forge(theme)) is None:
        return ""
    name = urlsplit(forge[0]).path.strip("/")
    return f"{name} at {change.commit[:8]}" if change else name


def report_link(theme: Theme, entry: Entry) -> str | None:
    """Return the URL where people report a problem with a skill: `issues_url`, or the form for a
    new issue on the code host.
    """
    title = quote(_CONTROLS.sub("", f"{entry.title} ({entry.path}): ")[:_LONGEST_TITLE], safe="")
    if theme.config.issues_url:
        return theme.config.issues_url.replace("{title}", title)
    repository, *_, issue = _forge(theme) or ("", "")
    return f"{repository}/{issue.format(title=title)}" if repository else None


def _forge(theme: Theme) -> tuple[str, str, str, str] | None:
    """Return the address of the repository, and its paths from `_FORGES`."""
    config = theme.config
    given = [config.links[key] for key in config.links if key.lower() == "source"]
    for address in (config.repository, *given, config.website_url or ""):
        parts = urlsplit(address)
        ways = _FORGES.get(parts.hostname or "")
        if ways and parts.path.strip("/").count("/") >= 1:
            return address.rstrip("/").removesuffix(".git"), *ways
    return None


# The first notes on the page: that a skill is deprecated, and which listings leave it out.


def deprecation(entry: Entry, outline: Outline) -> Sequence[str]:
    """Return why a deprecated skill should not be used. A link to its successor is included if the
    successor is published.
    """
    if entry.deprecated is None:
        return ()
    reason, use = entry.deprecated.reason.removesuffix("."), entry.deprecated.use
    if not use:
        return (f"Deprecated: {reason}.",)
    if use not in outline.successors:
        return (f"Deprecated: {reason}. Use {use} instead.",)
    address = between(skill_page(entry.path), skill_page(use))
    text = Markup('Deprecated: {}. Use <a href="{}">{}</a> instead.')
    return (text.format(reason, address, use),)


def internal(entry: Entry) -> Sequence[str]:
    if not entry.is_internal:
        return ()
    text = "Internal: left out of search and of every list of skills."
    return (f"{text} You can still fetch it by its address.",)


def unlisted(entry: Entry, config: Config) -> Sequence[str]:
    """Return why listings omit a skill, as one paragraph for each group of listings with the same
    reasons.

    Some skills are omitted only because some MCP clients would otherwise drop all other skills too.
    If there are no other skills, such a skill is listed. A page is rendered before all skills are
    known, so the page states this condition.
    """
    if entry.is_internal:
        return ()
    left_out = without_protection(entry.unlisted) if config.listing == "all" else entry.unlisted
    listings: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for listing, reasons in left_out.items():
        listings[reasons].append(label(listing))
    return [_notice(joined(labels), reasons) for reasons, labels in listings.items()]


def _notice(where: str, reasons: Sequence[str]) -> str:
    if all(map(protects, reasons)):
        return (
            f"Some MCP clients cannot read this skill, because {_because(reasons)}, and would drop"
            f" all other skills along with it. So {where} omits this skill as long as there are"
            " other skills that these clients can read. You can still fetch this skill by its"
            " address."
        )
    final = [reason for reason in reasons if not protects(reason)]
    if where == label(Listing.DISCOVERY_01):
        return (
            "OpenCode and other installers that read discovery v0.1 do not see this skill, because"
            f" {_because(final)}."
        )
    return f"Not in {where}, because {_because(final)}."


def _because(reasons: Iterable[str]) -> str:
    return joined([RULES[reason].summary if reason in RULES else reason for reason in reasons])


# The frontmatter as rows of a table.


_PLAIN = (str, int, float, bool)


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A field of the frontmatter. `known` is true if the specification defines the field, and
    `is_text` if the value is a string.
    """

    key: str
    text: str
    """The value as pages show it."""
    known: bool
    is_text: bool


def field_row(key: str, value: Json) -> FieldRow:
    text = value if isinstance(value, str) else _lines(value)
    return FieldRow(key, text, key in SPECIFIED_FIELDS, isinstance(value, str))


def _lines(value: Json) -> str:
    """Return the lines of a mapping or list of plain values; anything else as JSON."""
    if isinstance(value, Mapping) and all(map(_is_short, value.values())):
        return "\n".join(f"{name}: {_short(item)}" for name, item in value.items())
    if isinstance(value, list) and all(isinstance(item, _PLAIN) for item in value):
        return ", ".join(map(_short, value))
    return _short(value)


def _is_short(value: Json) -> bool:
    """Return True for a plain value, and for a list of plain values."""
    items = value if isinstance(value, list) else [value]
    return all(isinstance(item, _PLAIN) for item in items)


def _short(value: Json) -> str:
    if isinstance(value, list) and _is_short(value):
        return f"[{', '.join(map(_short, value))}]"
    return value if isinstance(value, str) else compact_json(value)

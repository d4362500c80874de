"""The styles and scripts that pages share, from `site_src/`."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from skillbuild import assets
from skillbuild.emit.site import colors, sources
from skillbuild.model import Digest, OutputFile

_SOURCES = {
    "style.css": ("style.css",),
    "theme.js": ("theme.js",),
    "page.js": ("page.js", "reading.js"),
    "choose.js": ("choose.js",),
    "skill.js": ("page.js", "reading.js", "choose.js"),
    "compare.js": ("page.js", "choose.js", "compare.js"),
    "list.js": (
        "page.js",
        "search/state.js",
        "search/address.js",
        "search/facets.js",
        "search/keys.js",
        "search/words.js",
        "search/cards.js",
        "search/start.js",
    ),
    "search.js": (
        "search/letters.js",
        "search/terms.js",
        "search/shards.js",
        "search/matching.js",
        "search/ranking.js",
        "search/engine.js",
        "search/spans.js",
        "search/filters.js",
        "search/results.js",
        "search/page.js",
    ),
}
"""Each file with the sources that it is joined from, so that a page needs one request for it.
Every page has styles, theme and `page.js`, or what is named for it in its place. The list has
`choose.js` besides, and loads `search.js` once somebody searches or filters."""
_EAGER = {"search.js": "//# allFunctionsCalledOnLoad\n"}
"""What begins a script that is loaded when a search is focused: browsers that know this comment
compile all of it then, and not function by function while somebody waits for an answer."""
_DROPPED = re.compile(r"^ +(//.*\n)?|^//.*\n", re.MULTILINE)
"""Indentation and whole lines of comment: sources are for reading, pages for loading."""
_JOINED = re.compile(r'" \+\n"')
"""Between two parts of one text."""
_NEEDLESS = re.compile(r"^((?!.*//).*[;{,(\[])?\n", re.MULTILINE)
"""Ends of empty lines, and of those after which a statement, a block or a list goes on."""
_SPACED = re.compile(
    r"(\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`|//.*)"
    r"| (=|=>|[=!]==|[-+*<>]=?|[?:]|&&|\|\|) |(?<=\{) | (?=\})|([,:]) "
)
"""In scripts, blanks beside signs, which mean nothing; and texts, whose blanks stay."""
_BLANKS = re.compile(r"(\"[^\"]*\")|\s*([{};,>])\s*|(:) ")
"""In styles, what stands between blanks that mean nothing; and texts, whose blanks stay."""
_NEEDED_NOT = re.compile(r"(?<=[ :,(-])0(?=\.[0-9])|;(?=\})")
"""A zero before the point of a number, and the end of the last declaration."""


def shared_files(accent: str) -> Mapping[str, OutputFile]:
    """The files by their plain names; published as `assets/<stem>.<part of digest>.<kind>`.

    `accent` is `#` and six hex digits, or empty for our own color.
    """
    return {name: _shared_file(name, accent) for name in _SOURCES}


@functools.cache
def _shared_file(name: str, accent: str) -> OutputFile:
    text = _EAGER.get(name, "") + "".join(_source(part) for part in _SOURCES[name])
    if name == "style.css":
        text += sources.numbering() + (colors.rule(accent) if accent else "")
        text = _NEEDED_NOT.sub("", _BLANKS.sub(_without_blanks, text))
    data = text.encode()
    stem, _, kind = name.rpartition(".")
    return OutputFile(f"assets/{stem}.{Digest.of(data).short[:8]}.{kind}", data)


def _without_blanks(match: re.Match[str]) -> str:
    return match[1] or match[2] or match[3]


def _source(name: str) -> str:
    text = _DROPPED.sub("", (assets.asset_root("site_src") / name).read_text("utf-8"))
    if name.endswith(".js"):
        text = _SPACED.sub(lambda match: "".join(filter(None, match.groups())), text)
    return _NEEDLESS.sub(r"\1", _JOINED.sub("", text))

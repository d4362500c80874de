"""Finds links to headings that do not exist, within one skill."""

from __future__ import annotations

import difflib
import posixpath
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from urllib.parse import unquote

from skillbuild.check.files import is_example
from skillbuild.check.links import FOR_PEOPLE
from skillbuild.check.passages import is_template
from skillbuild.diagnostics import Finding, Severity, finding
from skillbuild.model import File
from skillbuild.paths import inside, parent
from skillbuild.rules import files as rules
from skillbuild.source.documents import Documents
from skillbuild.text.markdown.document import Document, Reference, slug_of

_MOST_SHOWN = 200
"""Maximum characters of a link in a message."""
_MOST_LINKS = 200
"""Maximum number of links of one text that are reported."""
_MOST_COMPARED = 300
"""Maximum number of headings that are compared with a link to find a similar heading."""
_LINE = re.compile(r"L\d+(?:C\d+)?(?:-L?\d+(?:C\d+)?)?")
"""The fragment of a GitHub link to lines of a file."""
_STAND_IN = re.compile(r"[{}<>$*|\[\]]|\.\.\.|\u2026")
_ID = re.compile(r"\b(?:id|name)=[\"']?([^\s\"'>]{1,200})")
"""The name of an anchor in HTML."""
_NAMED = re.compile(r"\s*\{\s*#([^\s{}]{1,200})\s*\}")
"""An anchor at the end of a heading, which some Markdown programs support."""


class AnchorChecker:
    """Checks whether the fragments (`#...`) of links match headings in the Markdown files of one
    skill.
    """

    def __init__(self, directory: str, files: Set[str], documents: Documents) -> None:
        self._directory, self._files, self._documents = directory, files, documents
        self._anchors: dict[str, Set[str]] = {}

    def check(
        self, file: File, document: Document, links: Sequence[Reference]
    ) -> Iterator[Finding]:
        """Yield a finding for each link to a missing heading.

        The `cause` of each finding is the path of `file`, so that all findings about this file are
        merged later.
        """
        if is_example(file.path) or is_template(file.path):
            return
        count = 0
        for link in links:
            start, mark, name = link.target.partition("#")
            if link.kind != "link" or not mark or count == _MOST_LINKS:
                continue
            path = self._text_at(file.path, unquote(start))
            if path is None or _LINE.fullmatch(name) or _STAND_IN.search(link.target):
                continue
            anchor = unquote(name).lower()
            anchors = self._anchors_of(path)
            if anchor in ("", "top", *anchors) or not anchors:
                continue
            if not document.is_aside(link.place):
                count += 1
                yield self._missing(file, link, path, anchor)

    def _text_at(self, file: str, start: str) -> str | None:
        """Return the path of the Markdown file that a link points to; None for any other target."""
        if not start:
            return file
        path = posixpath.normpath(posixpath.join(parent(file), start))
        return path if path.endswith(".md") and path in self._files else None

    def _anchors_of(self, path: str) -> Set[str]:
        """Return all anchors of a Markdown file in lower case; empty if the file is too long."""
        known = self._anchors.get(path)
        if known is None:
            document = self._documents.of(path)
            whole = document is not None and not document.is_too_long
            known = self._anchors[path] = _anchors(document) if document and whole else frozenset()
        return known

    def _missing(self, file: File, link: Reference, path: str, anchor: str) -> Finding:
        target = link.target[:_MOST_SHOWN]
        where = "this text" if path == file.path else path[:_MOST_SHOWN]
        near = _nearest(anchor, self._anchors_of(path))
        written = link.target.partition("#")[0][:_MOST_SHOWN]
        hint = f"write {written}#{near}" if near else "correct the link, or add the heading"
        item = finding(
            rules.ANCHOR_MISSING,
            inside(self._directory, file.path),
            link.place,
            f"the link to {target} names a heading that does not exist in {where}",
            hint,
        )
        many = f"{hint}; correct the other links too" if near else "correct the links"
        if FOR_PEOPLE.search(file.path):
            item = replace(item, severity=Severity.NOTE)
        return replace(item, target=target, cause=file.path, hint_for_all=many)


def _anchors(document: Document) -> frozenset[str]:
    anchors = {anchor.lower() for anchor in document.anchors}
    text = document.text
    if "{" in text:
        for heading in document.headings:
            if match := _NAMED.search(heading.text):
                anchors |= {match[1].lower(), slug_of(heading.text[: match.start()])}
    if "<" in text and ("id=" in text or "name=" in text):
        anchors |= {match[1].lower() for match in _ID.finditer(text)}
    return frozenset(anchors) or frozenset([""])


def _nearest(anchor: str, anchors: Set[str]) -> str:
    """Return the anchor that differs only in repeated hyphens, or else a similar one; empty if
    there is none.
    """
    plain = re.sub("-+", "-", anchor).strip("-")
    every = sorted(anchors)[:_MOST_COMPARED]
    same = [each for each in every if re.sub("-+", "-", each).strip("-") == plain]
    if same:
        return same[0]
    close = difflib.get_close_matches(anchor[:_MOST_SHOWN], every, n=1, cutoff=_ALIKE)
    return close[0] if close else ""


_ALIKE = 0.75
"""The minimum similarity of a suggested heading, as a difflib ratio."""

"""Links and images that lead to nothing that is published."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from skillbuild.check.dead_links import FOR_PEOPLE, DeadLink, corrected, lost
from skillbuild.check.fixtures import is_example
from skillbuild.check.passage import Passage, passage
from skillbuild.check.targets import Targets
from skillbuild.model import File
from skillbuild.paths import SKILL_FILE, base_name, inside, parent
from skillbuild.rules import files as rules
from skillbuild.text.markdown.document import Document, Reference

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
"""A scheme, or a host without one (RFC 3986, 4.2): such a link is not relative to its file."""
_PLACEHOLDER = re.compile(r"[{}<>$*|\[\]\n]|\.\.\.|\u2026")
_STAND_IN = re.compile(
    r"(?i:(?:^|[/_.-])(?:path/to|your|my|placeholder|link|url)(?:[/_.-]|$))"
    r"|(?i:[_-]name\.[a-z]+$)"
    r"|(?<![A-Za-z])(?:X{2,}|N{2,})(?![A-Za-z])"
)
"""Names that a reader puts others in place of."""
_SAMPLE = re.compile(r"(?:^|[/_.-])(?:example|sample|foo|bar)(?:[/_.-]|$)", re.IGNORECASE)
_CONVENTIONAL = frozenset(
    [
        *("references", "reference", "resources", "docs", "guides", "rules", "context", "shared"),
        *("scripts", "tools", "lib", "commands", "workflows", "agents", "prompts", "skills"),
        *("assets", "images", "img", "templates", "template", "examples", "evals", "data"),
        "schemas",
    ]
)
"""Directories that skills have; a link below another one is often an example."""
_CUE = re.compile(
    r"(?:\b(?:see|read|load|refer|consult|use|run|follow|open|check|in|from|per|with|via)"
    r"(?:\s+(?:the|this|also|to|at|in))*|[:\u2192(\u2014\u2013]|->)\s*[*_`\"']*\[?[^\[\]]*\Z"
)
_MADE = re.compile(
    r"\b(?:creat|writ|sav|generat|add|output|produc(?!t)|example|e\.?g\b|such\s+as|would|like\s+this"
    r"|format|instead\s+of|bad\b|good\b|wrong\b)"
)
_SEE = re.compile(r"\b(?:see|read|refer\s+to|consult|follow|load|per)\s(?:[^.!?]|\.(?=\S)){0,80}\Z")
"""Words that send the reader to what a link leads to."""
_PLACEHOLDER_AFTER = re.compile(r"(?<!\])\[[a-z][^\[\].\n]{2,60}\](?![(\[:])")
"""A word in brackets that is no link: the line is one to be filled in."""
_HISTORY = re.compile(r"(?:^|/)(?:change-?log|history|migrat)[^/]*$", re.IGNORECASE)
"""Texts about what was once there."""
_UPSTREAM = re.compile(r"(?:^|/)upstream[-_.][^/]*$", re.IGNORECASE)
"""Texts that were copied from another project, with the links that they have there."""
_COMMENT = re.compile(r"\s*/\\?\*\\?\*")
_OF_COMMENT = re.compile(r"\s*(?:[*_-](?:\s|$)|$)")
_LONGEST_COMMENT = 100
"""Lines of a comment above a link that are read."""
_LONGEST_OPENING = 200
"""Characters of a line that say whether it is of a comment; what is blank so far is blank."""
_TEMPLATE = re.compile(r"(?:^|/)(?:templates?/|[^/]*\btemplate\b[^/]*$)", re.IGNORECASE)


class LinkChecker:
    """Checks the links of one skill against its own files and those of the other skills."""

    def __init__(self, directory: str, targets: Targets) -> None:
        self.directory, self.targets = directory, targets

    def check(
        self, file: File, document: Document, links: Sequence[Reference]
    ) -> Iterator[DeadLink]:
        """The links of a document that lead to nothing."""
        folder, lines = parent(file.path), document.lines
        for link in links:
            target = unquote(_path_of(link))
            if _is_relative(link.target, target) and not self.targets.is_published(folder, target):
                number = link.place.line - document.first_line
                if not (document.is_in_comment(link.place) or _is_in_comment(lines, number)):
                    around = passage(lines, number, link.place, len(link.target))
                    yield from self._dead(file, link, target, around)

    def _dead(
        self, file: File, link: Reference, target: str, around: Passage
    ) -> Iterator[DeadLink]:
        """At most one; what is only to be filled in leads to none."""
        folder, before = parent(file.path), around.before
        correction = self.targets.correction(folder, target)
        if correction is None and self._is_no_link(file.path, target, around):
            return
        matters = not FOR_PEOPLE.search(file.path) and not is_example(file.path)
        if matters and correction is None:
            beside = not target.startswith("/") and self.targets.is_beside(folder, target)
            is_meant = beside or self._is_meant(target, before)
            is_followed = file.path == SKILL_FILE or _SEE.search(before) is not None
            is_idle = _is_idle(target, before) or self.targets.is_in_plugin(folder, target)
            matters = is_followed and is_meant and not is_idle
        if correction is not None:
            rest = link.target[len(_path_of(link)) :]
            remedy = corrected(file.path, target, correction, rest)
        else:
            remedy = lost(self.targets, file.path, link.kind, target)
        rule = rules.LINK_BROKEN if matters else rules.LINK_STALE
        path = inside(self.directory, file.path)
        yield DeadLink(rule, path, link.place, link.kind, link.target, remedy)

    def _is_no_link(self, path: str, target: str, around: Passage) -> bool:
        """Whether a link that leads nowhere is part of an example, a template or a history."""
        first, _, rest = target.removeprefix("./").partition("/")
        is_page = "." not in base_name(target) and rest != "" and not target.startswith("/")
        return (
            is_example(path)
            or _TEMPLATE.search(path) is not None
            or _HISTORY.search(path) is not None
            or _UPSTREAM.search(path) is not None
            or _STAND_IN.search(target) is not None
            or _PLACEHOLDER_AFTER.search(around.after) is not None
            or (is_page and first not in (*_CONVENTIONAL, *self.targets.folders, ".."))
        )

    def _is_meant(self, target: str, before: str) -> bool:
        """Whether a link that leads nowhere seems to name a file of the skill, or another skill."""
        parts = [part for part in target.split("/") if part not in ("", ".", "..")]
        if not parts:
            return False
        if "." not in parts[-1] and not target.endswith("/"):
            return False
        if len(parts) == 1 and not target.startswith(".."):
            return target.endswith("/") or _CUE.search(before) is not None
        is_skill = parts[-1] == SKILL_FILE
        return is_skill or parts[0] in _CONVENTIONAL or parts[0] in self.targets.folders


def _path_of(link: Reference) -> str:
    """The path of a link as it is written, without query and fragment."""
    return re.split("[?#]", link.target, maxsplit=1)[0]


def _is_in_comment(lines: Sequence[str], number: int) -> bool:
    """Whether a line is of a comment `/** ... */` of code that stands in no fence."""
    for line in reversed(lines[max(0, number - _LONGEST_COMMENT) : number + 1]):
        opening = line[:_LONGEST_OPENING]
        if not _OF_COMMENT.match(opening):
            return _COMMENT.match(opening) is not None
    return False


def _is_relative(link: str, target: str) -> bool:
    """Whether a link leads to a path beside its file; single words stand for something else."""
    is_word = "/" not in target and "." not in target
    return (
        bool(target) and not is_word and not _ABSOLUTE.match(link) and not _PLACEHOLDER.search(link)
    )


def _is_idle(target: str, before: str) -> bool:
    """Whether a link leads to a text for people, is made later, or is meant for a web site."""
    return (
        target.startswith("/")
        or FOR_PEOPLE.search(target) is not None
        or _SAMPLE.search(target) is not None
        or (_MADE.search(before.rpartition("[")[0]) is not None and not _SEE.search(before))
    )

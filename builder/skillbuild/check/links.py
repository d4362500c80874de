"""Finds broken links and images in the Markdown files of one skill.

The text around a link (`Passage`) shows whether readers are meant to follow the link. Each broken
link has a remedy (`LinkRemedy`).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote

from skillbuild.check.files import is_example
from skillbuild.check.named_paths import USUAL
from skillbuild.check.passages import Passage, is_template, passage
from skillbuild.check.targets import Targets
from skillbuild.diagnostics import Finding, finding
from skillbuild.model import File, Place
from skillbuild.paths import SKILL_FILE, base_name, inside, parent, prefixes
from skillbuild.rules import files as rules
from skillbuild.text.markdown.document import Document, Reference

# The remedy for each broken link.

FOR_PEOPLE = re.compile(
    r"(?:^|/)(?:readme|change-?log|licen[cs]e|notice|claude|agents|gemini|contributing"
    r"|contributors|security|code_of_conduct)(?:[.-][^/]*)?$",
    re.IGNORECASE,
)
"""Files about a repository; agents seldom read them, or follow their links, for a skill."""
_MOST_SHOWN = 200
"""Maximum characters of a link or path in a message."""
_NOT_IN_LINK = re.compile(r"[ ()<>\[\]%#?\\]")
_WEB_DEPTH = 3
"""Minimum depth of a path without extension that may be a web path without its first slash."""


@dataclass(frozen=True, slots=True)
class LinkRemedy:
    """The advice for a broken link. Findings with the same `cause` can be merged into one
    finding.
    """

    hint: str
    for_all: str
    """The hint if several links have this remedy."""
    cause: str
    where: str = ""
    """The place where the target exists, as a phrase that ends the message; empty if it is
    nowhere.
    """


def _corrected(file: str, target: str, correction: str, rest: str) -> LinkRemedy:
    """Return the remedy for a link whose correct path is known; `rest` is its query and fragment.

    The hint also covers other links in its folder that start with the same wrong path.
    """
    right = _as_written(correction)
    old, new = _beginnings(target, correction)
    if old and new:
        also = f"replace {old} with {new} in the other links too"
    elif old:
        also = f"remove {old} from the other links too"
    else:
        also = f"put {new} before the paths of the other links too"
    hint = f"write {right}{rest[:_MOST_SHOWN]}"
    return LinkRemedy(hint, f"{hint}; {also}", f"{parent(file)}: {also}")


def _beginnings(written: str, right: str) -> tuple[str, str]:
    """Return two paths without their common end; the rest of each ends with `/`."""
    old, new = written.split("/"), right.split("/")
    while old and new and old[-1] == new[-1] != "..":
        old, new = old[:-1], new[:-1]
    return "/".join([*old, ""]), "/".join([*new, ""])


def _as_written(path: str) -> str:
    """Escape a path for a Markdown link."""
    return _NOT_IN_LINK.sub(lambda match: f"%{ord(match[0]):02X}", path)


def _lost(targets: Targets, file: str, kind: str, target: str) -> LinkRemedy:
    """Return the remedy for a link whose correct path is unknown."""
    folder = parent(file)
    if target.startswith("/") or _is_of_a_site(targets, target):
        many = "write the full web addresses"
        return LinkRemedy("write the full web address", many, f"{file}: web site")
    is_beside, above = targets.is_beside(folder, target), targets.path_above(target)
    if is_beside or above is not None:
        return _outside(targets, folder, target, None if is_beside else above)
    cause = _below(targets, folder, target)
    if targets.is_outside(folder, target):
        correct, corrects = (
            f"correct the {kind}, or remove it",
            f"correct the {kind}s, or remove them",
        )
        return LinkRemedy(correct, corrects, cause)
    what, many = ("directory", "directories") if target.endswith("/") else ("file", "files")
    other, others = f"remove the {kind}", f"remove the {kind}s"
    if targets.has_name(target):
        other, others = "correct the path", "correct the paths"
    return LinkRemedy(
        f"add the {what} to the skill, or {other}",
        f"add the {many} to the skill, or {others}",
        cause,
    )


def _is_of_a_site(targets: Targets, target: str) -> bool:
    """Return whether a link looks like a page of a web site whose leading slash was lost.

    Such a path has no file extension.
    """
    parts = target.split("/")
    is_page = parts[-1] != "" and "." not in parts[-1] and not target.startswith(".")
    return is_page and len(parts) >= _WEB_DEPTH and parts[0] not in targets.folders


def _outside(targets: Targets, folder: str, target: str, above: str | None) -> LinkRemedy:
    """Return the remedy for a target in the repository; `above` is its real path if it differs."""
    in_plugin = above is None and targets.is_in_plugin(folder, target)
    name = base_name(target.rstrip("/"))
    subject = "it exists" if above is None else f"{above[:_MOST_SHOWN]} is"
    around = (
        "in the plugin that contains the skill"
        if in_plugin
        else "in the repository, outside the skill"
    )
    where = f"; {subject} {around}, but is not installed with the skill"
    link, links = "link to its web address", "link to their web addresses"
    is_copied = not (
        in_plugin
        or target.endswith("/")
        or "." not in name
        or "/." in f"/{target.replace('../', '')}"
        or FOR_PEOPLE.search(target)
    )
    if is_copied:
        link = f"copy the file into the skill and change the link, or {link}"
        links = f"copy the files into the skill and change the links, or {links}"
    normal = posixpath.normpath(posixpath.join(folder, target))[:_MOST_SHOWN]
    cause = f"{parent(normal)}/" if parent(normal).strip("./") else normal
    return LinkRemedy(link, links, cause, where)


def _below(targets: Targets, folder: str, target: str) -> str:
    """Return the cause that links to missing files share: the folder that should contain the files.

    If the skill lacks this folder, it is the outermost missing folder. All links to missing skills
    have the same cause.
    """
    normal = posixpath.normpath(posixpath.join(folder, target))
    if normal.startswith("..") and base_name(normal) == SKILL_FILE:
        return "other skills"
    above = [part for part in prefixes(normal) if base_name(part) != ".."]
    missing = next((part for part in above if part not in targets.folders), None)
    return f"{parent(normal) if missing is None else missing}/"


# Which links are broken.

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
"""A scheme, or a host without a scheme (RFC 3986, 4.2): such a link is not relative to its file."""
_PLACEHOLDER = re.compile(r"[{}<>$*|\[\]\n]|\.\.\.|\u2026")
_LINK_STAND_IN = re.compile(
    r"(?i:(?:^|[/_.-])(?:path/to|your|my|placeholder|link|url)(?:[/_.-]|$))"
    r"|(?i:[_-]name\.[a-z]+$)|(?i:(?:^|/)(?:file|tool|skill|topic|script|feature)-name[-.])"
    r"|(?<![A-Za-z])(?:X{2,}|N{2,})(?![A-Za-z])"
)
"""Placeholder names that a reader must replace."""
_SAMPLE = re.compile(r"(?:^|[/_.-])(?:example|sample|foo|bar)(?:[/_.-]|$)", re.IGNORECASE)
_CONVENTIONAL = frozenset(
    [
        *("references", "reference", "resources", "docs", "guides", "rules", "context", "shared"),
        *("scripts", "tools", "lib", "commands", "workflows", "agents", "prompts", "skills"),
        *("assets", "images", "img", "templates", "template", "examples", "evals", "data"),
        "schemas",
    ]
)
"""Directories that skills usually have; a link into another directory is often an example."""
_LINK_CUE = re.compile(
    r"(?:\b(?:see|read|load|refer|consult|use|run|follow|open|check|in|from|per|with|via)"
    r"(?:\s+(?:the|this|also|to|at|in))*|[:\u2192(\u2014\u2013]|->)\s*[*_`\"']*\[?[^\[\]]*\Z"
)
_LINK_MADE = re.compile(
    r"\b(?:creat|writ|sav|generat|add|output|produc(?!t)|example|e\.?g\b|such\s+as|would|like\s+this"
    r"|format|instead\s+of|bad\b|good\b|wrong\b)"
)
_SEE = re.compile(r"\b(?:see|read|refer\s+to|consult|follow|load|per)\s(?:[^.!?]|\.(?=\S)){0,80}\Z")
"""Words that send the reader to the target of a link."""
_PLACEHOLDER_AFTER = re.compile(r"(?<!\])\[[a-z][^\[\].\n]{2,60}\](?![(\[:])")
"""A word in brackets that is not a link: the line is a form to fill in."""
_FORM = re.compile(r"\[[A-Z][^\[\]\n]{2,60}\]")
"""A placeholder in a heading."""
_HISTORY = re.compile(r"(?:^|/)(?:change-?log|history|migrat)[^/]*$", re.IGNORECASE)
"""Texts about the past of a project."""
_UPSTREAM = re.compile(r"(?:^|/)upstream[-_.][^/]*$", re.IGNORECASE)
"""Texts copied from another project, including its links."""
_COMMENT = re.compile(r"\s*/\\?\*\\?\*")
_OF_COMMENT = re.compile(r"\s*(?:[*_-](?:\s|$)|$)")
_LONGEST_COMMENT = 100
"""Maximum number of lines above a link that are searched for the start of a comment."""
_LONGEST_OPENING = 200
"""Maximum characters of a line that are read to decide whether it belongs to a comment."""
_NO_ADDRESS = re.compile(
    r"(?:undefined|null|none|nan|\[object object\])(?:/.+)?", re.IGNORECASE | re.DOTALL
)
"""Text that generators write if an address is missing."""


class LinkChecker:
    """Checks the links of one skill against the files of this skill and of other skills."""

    def __init__(self, directory: str, targets: Targets) -> None:
        self.directory, self.targets = directory, targets

    def check(
        self, file: File, document: Document, links: Sequence[Reference]
    ) -> Iterator[Finding]:
        """Yield findings about the broken links of a document."""
        folder, lines = parent(file.path), document.lines
        for link in links:
            target = unquote(_path_of(link))
            has_address = not _NO_ADDRESS.fullmatch(target)
            if has_address and not _is_relative(link.target, target):
                continue
            if self.targets.is_published(folder, target) or document.is_aside(link.place):
                continue
            number = link.place.line - document.first_line
            if not has_address:
                yield from self._without_address(file, link)
            elif not _is_in_comment(lines, number):
                around = passage(lines, number, link.place, len(link.target))
                yield from self._dead(file, document, link, target, around)

    def _without_address(self, file: File, link: Reference) -> Iterator[Finding]:
        """Yield at most one finding about a link without an address, and none for a link in an
        example.
        """
        if not (is_example(file.path) or is_template(inside(self.directory, file.path))):
            target = link.target[:_MOST_SHOWN]
            message = f"the {link.kind} points to {target}, which is not an address"
            hint = "fill in the address that a generator left empty"
            path = inside(self.directory, file.path)
            item = finding(rules.LINK_BROKEN, path, link.place, message, hint)
            hint_for_all = "fill in the addresses that a generator left empty"
            yield replace(
                item,
                target=link.target[:_MOST_SHOWN],
                cause=f"{file.path}: no address",
                hint_for_all=hint_for_all,
            )

    def _dead(
        self, file: File, document: Document, link: Reference, target: str, around: Passage
    ) -> Iterator[Finding]:
        """Yield at most one finding about a broken link, and none for a link in a template or
        example.
        """
        folder, before = parent(file.path), around.before
        correction = self.targets.correction(folder, target)
        if correction == base_name(file.path):  # A text would not link to itself.
            correction = None
        if correction is None and (
            self._is_no_link(file.path, target, around) or _is_of_form(document, link.place, target)
        ):
            return
        matters = not FOR_PEOPLE.search(file.path) and not is_example(file.path)
        if target.startswith("/"):
            matters = False  # A path on a website or on one machine.
        elif matters and correction is None:
            beside = self.targets.is_beside(folder, target)
            is_meant = beside or self._is_meant(target, before)
            is_followed = file.path == SKILL_FILE or _SEE.search(before) is not None
            is_idle = _is_idle(target, before) or self.targets.is_in_plugin(folder, target)
            matters = is_followed and is_meant and not is_idle
        elif folder and self.targets.is_published("", target):
            matters = False  # Agents resolve paths from the skill's directory (specification).
        if correction is not None:
            rest = link.target[len(_path_of(link)) :]
            remedy = _corrected(file.path, target, correction, rest)
        else:
            remedy = _lost(self.targets, file.path, link.kind, target)
        rule = rules.LINK_BROKEN if matters else rules.LINK_STALE
        path = inside(self.directory, file.path)
        target = link.target[:_MOST_SHOWN]
        message = (
            f"the {link.kind} points to {target}, which does not exist in the skill{remedy.where}"
        )
        item = finding(rule, path, link.place, message, remedy.hint)
        yield replace(item, target=target, cause=remedy.cause, hint_for_all=remedy.for_all)

    def _is_no_link(self, path: str, target: str, around: Passage) -> bool:
        """Return whether a broken link belongs to an example, a template or a history."""
        first, _, rest = target.removeprefix("./").partition("/")
        is_page = "." not in base_name(target) and rest != "" and not target.startswith("/")
        return (
            is_example(path)
            or is_template(inside(self.directory, path))
            or _HISTORY.search(path) is not None
            or _UPSTREAM.search(path) is not None
            or _LINK_STAND_IN.search(target) is not None
            or _PLACEHOLDER_AFTER.search(around.after) is not None
            or (is_page and first not in (*_CONVENTIONAL, *self.targets.folders, ".."))
        )

    def _is_meant(self, target: str, before: str) -> bool:
        """Return whether a broken link seems to name a file of the skill, or another skill."""
        parts = [part for part in target.split("/") if part not in ("", ".", "..")]
        if not parts:
            return False
        if "." not in parts[-1] and not target.endswith("/"):
            return False
        if len(parts) == 1 and not target.startswith(".."):
            return target.endswith("/") or _LINK_CUE.search(before) is not None
        is_skill = parts[-1] == SKILL_FILE
        return is_skill or parts[0] in _CONVENTIONAL or parts[0] in self.targets.folders


def _is_of_form(document: Document, place: Place, target: str) -> bool:
    """Return whether a link is below a heading with placeholders, as in a report template.

    A path into a folder that skills usually have is not part of a template.
    """
    if target.removeprefix("./").partition("/")[0] in USUAL:
        return False
    return any(
        heading.line < place.line and _FORM.search(heading.text) for heading in document.headings
    )


def _path_of(link: Reference) -> str:
    """Return the path of a link as written, without query and fragment."""
    return re.split("[?#]", link.target, maxsplit=1)[0]


def _is_in_comment(lines: Sequence[str], number: int) -> bool:
    """Return whether a line is in a `/** ... */` comment of code outside of fences."""
    for line in reversed(lines[max(0, number - _LONGEST_COMMENT) : number + 1]):
        opening = line[:_LONGEST_OPENING]
        if not _OF_COMMENT.match(opening):
            return _COMMENT.match(opening) is not None
    return False


def _is_relative(link: str, target: str) -> bool:
    """Return whether a link is a path relative to its file. A single word does not count."""
    is_word = "/" not in target and "." not in target
    return (
        bool(target) and not is_word and not _ABSOLUTE.match(link) and not _PLACEHOLDER.search(link)
    )


def _is_idle(target: str, before: str) -> bool:
    """Return whether a link points to a file for people, or to a file that is created later."""
    return (
        FOR_PEOPLE.search(target) is not None
        or _SAMPLE.search(target) is not None
        or (_LINK_MADE.search(before.rpartition("[")[0]) is not None and not _SEE.search(before))
    )

"""Links, images, and paths in code spans that lead to nothing, in the texts of one skill.

The words around a link or path decide whether it is meant for the reader (`Passage`). A link that
leads to nothing has a remedy, which other links with the same cause share.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote

from skillbuild.check.files import is_example
from skillbuild.check.targets import Targets
from skillbuild.diagnostics import Finding, finding
from skillbuild.model import File, Place, Skill
from skillbuild.paths import SKILL_FILE, base_name, inside, parent, prefixes
from skillbuild.rules import files as rules
from skillbuild.text.markdown.document import Document, Reference

# The words around a path.

_MOST_LINES = 3
"""Lines of a paragraph before a path in which its sentence may begin."""
_MOST_CHARACTERS = 400
"""Characters of one line that are looked at on either side of a path."""
_MARKER = re.compile(r"[\s>]*(?:(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?)?")
_STARTS_BLOCK = re.compile(r"[\s>]*(?:[-*+]\s|\d{1,3}[.)]\s|#{1,6}\s|```|~~~|\|)")
_SENTENCE_END = re.compile(r"[.!?:]['\"*_)]*\s+(?=[A-Z`*_\[\"(])|;\s+|[\u3002\uff01\uff1f]")
_MOST_ITEMS = 30
"""Lines above a list item or a table row in which the words that introduce it may stand."""
_OF_LIST = re.compile(r"\s*$|[\s>]*(?:[-*+]\s|\d{1,3}[.)]\s|\|)|\s{2,}\S")
_ABBREVIATION = re.compile(r"\b(e\.g|i\.e|etc|vs|cf|incl)\.", re.IGNORECASE)
_OPENING = re.compile(r"[\s*_`\[(\"'\u201c]*")


@dataclass(frozen=True, slots=True)
class Passage:
    """The sentence, list item or table cell that a path stands in.

    `before` and `after` are its words on either side, in lower case.
    """

    before: str
    after: str
    starts: bool
    """Whether the path begins a list item or a table cell."""
    introduction: str = ""
    """The line or heading that introduces the list or table, in lower case, where it begins one."""


def _passage(lines: Sequence[str], number: int, place: Place, length: int) -> Passage:
    """What is around a path of this length; `lines[number]` is the line that `place` is in."""
    start = place.column - 1
    line, opening = lines[number], lines[number][:_MOST_CHARACTERS]
    first, end = max(0, start - _MOST_CHARACTERS), start + length
    head, tail = line[first:start], line[end : end + _MOST_CHARACTERS].lstrip("`")
    if opening.lstrip(" >").startswith("|"):
        before, after = head.rpartition("|")[2], tail.partition("|")[0]
        starts = _OPENING.fullmatch(before) is not None
        above = _introduction(lines, number) if starts else ""
        return Passage(before.lower(), after.lower(), starts, above)
    marker = _MARKER.match(opening)
    is_item = marker is not None and marker[0].strip(" >") != ""
    text = line[max(marker.end(), first) : start] if marker is not None and is_item else head
    starts = is_item and _OPENING.fullmatch(text) is not None
    if not is_item:
        text = " ".join([*_lines_above(lines, number), text])
    before = _SENTENCE_END.split(_ABBREVIATION.sub(r"\1", text))[-1]
    after = _SENTENCE_END.split(f"{tail} ", maxsplit=1)[0]
    if not tail.strip(" `*_).,;:"):
        after += " " + _line_below(lines, number)
    above = _introduction(lines, number) if starts else ""
    return Passage(before[-_MOST_CHARACTERS:].lower(), after.lower(), starts, above)


def _introduction(lines: Sequence[str], number: int) -> str:
    """The last line above a list or table, which says what it is about."""
    for line in reversed(lines[max(0, number - _MOST_ITEMS) : number]):
        if not _OF_LIST.match(line[:_MOST_CHARACTERS]):
            return line[-_MOST_CHARACTERS:].lower()
    return ""


def _lines_above(lines: Sequence[str], number: int) -> list[str]:
    """The lines of the same paragraph before a line, at most a few."""
    above: list[str] = []
    while number > 0 and len(above) < _MOST_LINES and not _starts_block(lines[number]):
        number -= 1
        line, opening = lines[number], lines[number][:_MOST_CHARACTERS].lstrip(" >")
        if not opening.strip() or opening.startswith(("#", "|", "```", "~~~")):
            break
        marker = _MARKER.match(line[:_MOST_CHARACTERS])
        above.insert(0, line[marker.end() if marker else 0 :][-_MOST_CHARACTERS:])
    return above


def _starts_block(line: str) -> bool:
    return _STARTS_BLOCK.match(line[:_MOST_CHARACTERS]) is not None


def _line_below(lines: Sequence[str], number: int) -> str:
    """The next line, if it goes on with the sentence."""
    below = lines[number + 1] if number + 1 < len(lines) else ""
    return "" if _starts_block(below) else below[:_MOST_CHARACTERS]


# What to do about each link that leads to nothing.

_FOR_PEOPLE = re.compile(
    r"(?:^|/)(?:readme|change-?log|licen[cs]e|notice|claude|agents|gemini|contributing"
    r"|contributors|security|code_of_conduct)(?:[.-][^/]*)?$",
    re.IGNORECASE,
)
"""Texts about a repository, and what is linked in them: few agents read one for a skill."""
_MOST_SHOWN = 200
"""Characters of a link or path that a message repeats."""
_NOT_IN_LINK = re.compile(r"[ ()<>\[\]%#?\\]")
_RASTER = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_WEB_DEPTH = 3
"""Segments of a path without ending that is one of a web site, whose first slash was lost."""


@dataclass(frozen=True, slots=True)
class LinkRemedy:
    """What to do about a link that leads to nothing.

    `cause` is what the link has in common with others that have this remedy.
    """

    hint: str
    for_all: str
    """The hint for several links."""
    cause: str
    where: str = ""
    """Where else the target is, as the end of a message."""


def _corrected(file: str, target: str, correction: str, rest: str) -> LinkRemedy:
    """The remedy for a link whose right path is known; `rest` is its query and fragment.

    Other links of the file in which the same beginning is wrong are told with it.
    """
    right = _as_written(correction)
    old, new = _beginnings(target, correction)
    if old and new:
        also = f"write {new} for {old} in the others, too"
    elif old:
        also = f"leave {old} out of the others, too"
    else:
        also = f"write {new} before the others, too"
    hint = f"write {right}{rest[:_MOST_SHOWN]}"
    return LinkRemedy(hint, f"{hint}; {also}", f"{file}: {also}")


def _beginnings(written: str, right: str) -> tuple[str, str]:
    """How two paths begin that end with the same segments; `/` ends what is not empty."""
    old, new = written.split("/"), right.split("/")
    while old and new and old[-1] == new[-1] != "..":
        old, new = old[:-1], new[:-1]
    return "/".join([*old, ""]), "/".join([*new, ""])


def _as_written(path: str) -> str:
    """A path as it may stand in a link of Markdown."""
    return _NOT_IN_LINK.sub(lambda match: f"%{ord(match[0]):02X}", path)


def _lost(targets: Targets, file: str, kind: str, target: str) -> LinkRemedy:
    """The remedy for a link of a file in the skill, where no right path is known."""
    folder = parent(file)
    if target.startswith("/") or _is_of_a_site(targets, target):
        many = "write the whole web addresses"
        return LinkRemedy("write the whole web address", many, f"{file}: web site")
    is_beside, above = targets.is_beside(folder, target), targets.path_above(target)
    if is_beside or above is not None:
        return _outside(targets, folder, target, None if is_beside else above)
    what, many = ("directory", "directories") if target.endswith("/") else ("file", "files")
    add, adds = f"add the {what} to the skill", f"add the {many} to the skill"
    verb = "write" if kind == "image" else "link to"
    link, links = f"{verb} its web address", f"{verb} their web addresses"
    remove, removes = f"remove the {kind}", f"remove the {kind}s"
    cause = _below(targets, folder, target)
    if targets.is_outside(folder, target):
        return LinkRemedy(f"{link}, or {remove}", f"{links}, or {removes}", cause)
    if targets.has_name(target):
        correct = "correct the path, or"
        return LinkRemedy(f"{add}, {correct} {link}", f"{adds}, {correct} {links}", cause)
    if target.lower().endswith(_RASTER):
        return LinkRemedy(f"{link}, {add}, or {remove}", f"{links}, {adds}, or {removes}", cause)
    return LinkRemedy(f"{add}, {link}, or {remove}", f"{adds}, {links}, or {removes}", cause)


def _is_of_a_site(targets: Targets, target: str) -> bool:
    """Whether a path without ending is one of a web site, written without the slash before it."""
    parts = target.split("/")
    is_page = parts[-1] != "" and "." not in parts[-1] and not target.startswith(".")
    return is_page and len(parts) >= _WEB_DEPTH and parts[0] not in targets.folders


def _outside(targets: Targets, folder: str, target: str, above: str | None) -> LinkRemedy:
    """The remedy where the target is in the repository; `above` is its path, if not as written."""
    in_plugin = above is None and targets.is_in_plugin(folder, target)
    name = base_name(target.rstrip("/"))
    subject = "it exists" if above is None else f"{above[:_MOST_SHOWN]} is"
    around = (
        "in the plugin around the skill" if in_plugin else "in the repository, outside the skill"
    )
    where = f": {subject} {around}, and will not travel with it"
    link, links = "link to its web address", "link to their web addresses"
    is_copied = not (
        in_plugin
        or target.endswith("/")
        or "." not in name
        or "/." in f"/{target.replace('../', '')}"
        or _FOR_PEOPLE.search(target)
    )
    if is_copied:
        link = f"copy the file into the skill and write where it is then, or {link}"
        links = f"copy the files into the skill and write where they are then, or {links}"
    normal = posixpath.normpath(posixpath.join(folder, target))[:_MOST_SHOWN]
    cause = f"{parent(normal)}/" if parent(normal).strip("./") else normal
    return LinkRemedy(link, links, cause, where)


def _below(targets: Targets, folder: str, target: str) -> str:
    """What links to files that are not there have in common: the outermost missing folder."""
    normal = posixpath.normpath(posixpath.join(folder, target))
    above = [part for part in prefixes(normal) if base_name(part) != ".."]
    missing = next((part for part in above if part not in targets.folders), None)
    return normal if missing is None else f"{missing}/"


# Which links lead to nothing.

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
"""A scheme, or a host without one (RFC 3986, 4.2): such a link is not relative to its file."""
_PLACEHOLDER = re.compile(r"[{}<>$*|\[\]\n]|\.\.\.|\u2026")
_LINK_STAND_IN = re.compile(
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
_LINK_CUE = re.compile(
    r"(?:\b(?:see|read|load|refer|consult|use|run|follow|open|check|in|from|per|with|via)"
    r"(?:\s+(?:the|this|also|to|at|in))*|[:\u2192(\u2014\u2013]|->)\s*[*_`\"']*\[?[^\[\]]*\Z"
)
_LINK_MADE = re.compile(
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
    ) -> Iterator[Finding]:
        """Findings about the links of a document that lead to nothing."""
        folder, lines = parent(file.path), document.lines
        for link in links:
            target = unquote(_path_of(link))
            if _is_relative(link.target, target) and not self.targets.is_published(folder, target):
                number = link.place.line - document.first_line
                if not (document.is_in_comment(link.place) or _is_in_comment(lines, number)):
                    around = _passage(lines, number, link.place, len(link.target))
                    yield from self._dead(file, link, target, around)

    def _dead(self, file: File, link: Reference, target: str, around: Passage) -> Iterator[Finding]:
        """At most one; what is only to be filled in leads to none."""
        folder, before = parent(file.path), around.before
        correction = self.targets.correction(folder, target)
        if correction is None and self._is_no_link(file.path, target, around):
            return
        matters = not _FOR_PEOPLE.search(file.path) and not is_example(file.path)
        if matters and correction is None:
            beside = not target.startswith("/") and self.targets.is_beside(folder, target)
            is_meant = beside or self._is_meant(target, before)
            is_followed = file.path == SKILL_FILE or _SEE.search(before) is not None
            is_idle = _is_idle(target, before) or self.targets.is_in_plugin(folder, target)
            matters = is_followed and is_meant and not is_idle
        if correction is not None:
            rest = link.target[len(_path_of(link)) :]
            remedy = _corrected(file.path, target, correction, rest)
        else:
            remedy = _lost(self.targets, file.path, link.kind, target)
        rule = rules.LINK_BROKEN if matters else rules.LINK_STALE
        path = inside(self.directory, file.path)
        target = link.target[:_MOST_SHOWN]
        message = f"the {link.kind} to {target} leads to nothing that is published{remedy.where}"
        item = finding(rule, path, link.place, message, remedy.hint)
        yield replace(item, target=target, cause=remedy.cause, hint_for_all=remedy.for_all)

    def _is_no_link(self, path: str, target: str, around: Passage) -> bool:
        """Whether a link that leads nowhere is part of an example, a template or a history."""
        first, _, rest = target.removeprefix("./").partition("/")
        is_page = "." not in base_name(target) and rest != "" and not target.startswith("/")
        return (
            is_example(path)
            or _TEMPLATE.search(path) is not None
            or _HISTORY.search(path) is not None
            or _UPSTREAM.search(path) is not None
            or _LINK_STAND_IN.search(target) is not None
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
            return target.endswith("/") or _LINK_CUE.search(before) is not None
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
        or _FOR_PEOPLE.search(target) is not None
        or _SAMPLE.search(target) is not None
        or (_LINK_MADE.search(before.rpartition("[")[0]) is not None and not _SEE.search(before))
    )


# Which paths in code spans name a file that is not there.

_FILE_PATH = re.compile(r"[A-Za-z0-9_][\w.-]*(?:/[\w.-]+)*/[\w.-]*[\w-]\.[A-Za-z0-9]{1,8}")
"""Code that is a path of a file in a directory."""
PATH_IN_CODE = re.compile(r"`[^`\n/]*/[^`\n.]*\.[^`\n]*`")
"""Matches in each block with the path of a file in a code span."""
_ABOUT_SKILLS = re.compile(
    r"\b(?:creat|writ|build|author|develop|mak|scaffold|generat|improv|packag|evaluat)"
    r"\w*+\W++(?:\w[\w,-]*+\W++){0,4}?(?:agent\W++)?skills?\b",
    re.IGNORECASE,
)
_SKILL_ABOUT_SKILLS = re.compile(
    r"(?:^|[-_/])skills?[-_](?:creat|writ|build|author|dev|mak|template)"
)
_NOT_INSTRUCTIONS = re.compile(
    r"(?:^|/)(?:evals?|examples?|logs?)/"
    r"|(?:readme|change-?log|faq|contributing|todo|roadmap|history|migrat|example|sample|template"
    r"|skill-card|spec\.|\blogs?\b|\btests?\b|results?|report)[^/]*$",
    re.IGNORECASE,
)
"""Texts in which the path of a file is seldom one that an agent should open."""
_PATH_STAND_IN = re.compile(
    r"(?:^|[-_.])(?:your|my|examples?|sample|foo|bar|new|name|custom|nn+|xx+|0*x|n)(?:[-_.]|$)"
    r"|[a-z_]X\.|(?<![A-Za-z])(?:X{2,}|N{2,})(?![A-Za-z])|YYYY"
)
_STATE = re.compile(
    r"\.(?:log|db|sqlite3?|session|pid|lock|tmp|bak|cache|env|tfvars|key|pem|jsonl)$"
    r"|(?:^|/)(?:scripts|data|output|outputs|results|state|memory|cache|logs|config|configs|tmp)/"
    r"[^/]*\.(?:json|csv|tsv|txt|ya?ml|toml|html|pdf|png)$"
)
"""Files that programs write, and settings that users make."""
_PATH_CUE = re.compile(
    r"(?:\b(?:see|read|reads|load|loads|refer|refers|consult|use|uses|using|run|runs|running|follow"
    r"|follows|following|open|check|review|execute|invoke|call|calls|in|from|per|with|via|by"
    r"|template|script|file|reference|guide|and|or)"
    r"(?:\s+(?:the|this|also|to|at|in|first|all of))*\s*|[:\u2192(+\u2014\u2013]\s*|->\s*)"
    r"[*_`\[(\"'\u201c]*\Z"
)
_NEIGHBOUR = re.compile(
    r"`[^`]*`(?:\s*\([^()]*\))?\s*(?:,|and|or|&|\+|/|,\s*and|,\s*or)\s*[*_`]*\Z"
)
"""Another path before this one, in a list with it."""
_PATH_MADE = re.compile(
    r"\b(?:creat|writ|wrote|sav|stor|generat|add|edit|mov|copy|copies|produc|output|emit|renam|delet"
    r"|remov|put|keep|record|append|updat|export|download|clon|propos|extract|build|built"
    r"|would|could|might|not\b|no\b|never|missing|was\b|were\b|must\s+contain|expects?\b)"
)
_NOT_OURS = re.compile(
    r"\b(?:examples?\b|e\.?g\b|such\s+as|like\b|project|repo|codebase|workspace|app\b|package\b"
    r"|upstream|legacy|fallback|gitignored?|optional|its\b|their|other|your|his|her|user'?s\b)"
)
_CONDITION = re.compile(r"\b(?:if|when|unless|whether)\b")
_SENT_THERE = re.compile(
    r"\b(?:(?:see|read|refers?|consult|follow|from|per|using|load)(?:\s+(?:the|this|also|to|at|in))*"
    r"|(?:follow|read|use|load|apply)\s+(?:[\w-]+\s+){1,3}(?:in|from|at))\s*[*_`\[(\"'\u201c]*\Z"
)
"""Words that send the reader to a file, whatever else the sentence is about."""
_INTRODUCES_OUTPUT = re.compile(
    r"\b(?:creat|outputs?\b|generat|writes?\b|produc|sav(?:e|es|ing)\b|deliverable|must\s+contain"
    r"|repo(?:sitory)?\b|your\s+project|add\b|new\s+files?)"
)
_POSSESSIVE = re.compile(r"(?<!\bthis skill)(?<!\bthe skill)['\u2019]s\s+[*_`\[]*$")
"""The end of a text like `the repository's`, which makes the next path another's."""
_AFTER = re.compile(
    r"^\W*(?:(?:file|script|document)\s+)?(?:(?:does\s+not\s+|doesn't\s+)?exists?\b"
    r"|is\s+(?:missing|not|absent|created|generated|written|gitignored)|would|could|(?:will|to)\s+be"
    r"|if\s)"
    r"|^.{0,90}?\b(?:in|of|from|inside)\s+(?:the|your|their|each|a|any)\s+(?:[\w-]+\s+){0,2}?"
    r"(?:repo|repository|project|codebase|workspace|app|package|checkout|clone|image|container)\b"
    r"|^.{0,40}?\b(?:not\s+(?:yet|included|shipped|bundled)|planned|optional|gitignored)"
)
_MOST_READ = 2000
"""Characters of a description that are searched."""
_WORD = re.compile(r"(?<![a-z0-9])[a-z0-9]+(?:-[a-z0-9]+)+")
_MOST_NAMES = 200
"""Names of skills in one text that are tried."""


class PathChecker:
    """Checks the paths in the code spans of one skill against its files."""

    def __init__(self, skill: Skill, targets: Targets) -> None:
        self.targets = targets
        self.directory = skill.directory
        description = str(skill.frontmatter.value.get("description", ""))[:_MOST_READ]
        name = str(skill.frontmatter.value.get("name", ""))
        self.is_about_skills = bool(
            _ABOUT_SKILLS.search(description)
            or _SKILL_ABOUT_SKILLS.search(f"{skill.directory}/{name}")
        )

    def wants(self, path: str) -> bool:
        """Whether code spans in this text of the skill may be paths that matter."""
        if self.is_about_skills or len(self.targets.folders) == 1:
            return False
        return not is_example(path) and not _NOT_INSTRUCTIONS.search(path)

    def check(
        self, file: File, document: Document, codes: Sequence[Reference]
    ) -> Iterator[Finding]:
        """Findings about the code spans of a wanted text."""
        lines = document.lines
        siblings: list[str] | None = None
        for code in codes:
            target = code.target.strip().removeprefix("./")
            if code.in_label or not self._is_of_the_skill(target):
                continue
            around = _passage(
                lines, code.place.line - document.first_line, code.place, len(code.target)
            )
            if document.is_in_comment(code.place) or not _sends_there(around):
                continue
            if self.targets.is_above(parent(file.path), target):
                continue
            siblings = self._named(lines) if siblings is None else siblings
            if not any(self.targets.is_published(way, target) for way in siblings):
                message = f"there is no {target[:_MOST_SHOWN]} in the skill"
                path = inside(self.directory, file.path)
                hint = "add the file, or correct the path"
                yield finding(rules.PATH_MISSING, path, code.place, message, hint)

    def _is_of_the_skill(self, target: str) -> bool:
        """Whether a text is the path of a file, in a directory of the skill, that is no state."""
        return (
            _FILE_PATH.fullmatch(target) is not None
            and target.partition("/")[0] in self.targets.folders
            and not _PATH_STAND_IN.search(target.rpartition("/")[2])
            and not _STATE.search(target)
        )

    def _named(self, lines: Sequence[str]) -> list[str]:
        """The ways to the skills that a text names; a file of theirs is not missing."""
        names = dict.fromkeys(name for line in lines for name in _WORD.findall(line))
        return self.targets.siblings(list(names)[:_MOST_NAMES])


def _sends_there(around: Passage) -> bool:
    """Whether the words around a path send the reader to the file, as if it were there."""
    before = around.before
    while match := _NEIGHBOUR.search(before):
        before = before[: match.start()]
    if _POSSESSIVE.search(before) or _AFTER.search(around.after) or _NOT_OURS.search(before):
        return False
    if _SENT_THERE.search(before):
        return True
    if _PATH_MADE.search(before) or _CONDITION.search(before):
        return False
    if around.starts:
        return not _INTRODUCES_OUTPUT.search(around.introduction)
    return not before.rstrip("`*_ ") or _PATH_CUE.search(before) is not None

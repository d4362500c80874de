"""Paths in code spans that name a file of the skill, where there is none.

The words around a path decide whether it is meant for the reader (`Passage`); links ask them too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skillbuild.check.files import is_example
from skillbuild.check.targets import Targets
from skillbuild.diagnostics import Finding, finding
from skillbuild.model import File, Place, Skill
from skillbuild.paths import inside, parent
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


def passage(lines: Sequence[str], number: int, place: Place, length: int) -> Passage:
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
_STAND_IN = re.compile(
    r"(?:^|[-_.])(?:your|my|examples?|sample|foo|bar|new|name|custom|nn+|xx+|0*x|n)(?:[-_.]|$)"
    r"|[a-z_]X\.|(?<![A-Za-z])(?:X{2,}|N{2,})(?![A-Za-z])|YYYY"
)
_STATE = re.compile(
    r"\.(?:log|db|sqlite3?|session|pid|lock|tmp|bak|cache|env|tfvars|key|pem|jsonl)$"
    r"|(?:^|/)(?:scripts|data|output|outputs|results|state|memory|cache|logs|config|configs|tmp)/"
    r"[^/]*\.(?:json|csv|tsv|txt|ya?ml|toml|html|pdf|png)$"
)
"""Files that programs write, and settings that users make."""
_CUE = re.compile(
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
_MADE = re.compile(
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
_MOST_SHOWN = 200
"""Characters of a path that a message repeats."""
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
            around = passage(
                lines, code.place.line - document.first_line, code.place, len(code.target)
            )
            if document.is_in_comment(code.place) or not is_meant(around):
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
            and not _STAND_IN.search(target.rpartition("/")[2])
            and not _STATE.search(target)
        )

    def _named(self, lines: Sequence[str]) -> list[str]:
        """The ways to the skills that a text names; a file of theirs is not missing."""
        names = dict.fromkeys(name for line in lines for name in _WORD.findall(line))
        return self.targets.siblings(list(names)[:_MOST_NAMES])


def is_meant(around: Passage) -> bool:
    """Whether the words around a path send the reader to the file, as if it were there."""
    before = around.before
    while match := _NEIGHBOUR.search(before):
        before = before[: match.start()]
    if _POSSESSIVE.search(before) or _AFTER.search(around.after) or _NOT_OURS.search(before):
        return False
    if _SENT_THERE.search(before):
        return True
    if _MADE.search(before) or _CONDITION.search(before):
        return False
    if around.starts:
        return not _INTRODUCES_OUTPUT.search(around.introduction)
    return not before.rstrip("`*_ ") or _CUE.search(before) is not None

"""Rules over texts: length, links and paths that lead nowhere, and invisible characters."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote

from skillbuild.config import Config
from skillbuild.diagnostics import Finding, finding
from skillbuild.media.types import decode
from skillbuild.model import File, Place, Skill
from skillbuild.paths import LONGEST_PATH, SKILL_NAME, prefixes
from skillbuild.rules import files as rules
from skillbuild.source.discovery import inside
from skillbuild.source.outline import Outline, SkillTree
from skillbuild.text.invisible import invisible
from skillbuild.text.markdown.references import Reference, references
from skillbuild.text.markdown.render import is_shown_plain
from skillbuild.text.positions import place_at
from skillbuild.text.tokens import estimate_tokens

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
"""A scheme, or a host without one (RFC 3986, 4.2): the link names nothing relative to its file."""
_PLACEHOLDER = re.compile(r"[{}<>$*|\[\]\n]|\.\.\.|…")
_CODE_PATH = re.compile(r"(?:\./)?[A-Za-z0-9_][\w.-]*(?:/[\w.-]+)*/[\w.-]*[\w-]\.[A-Za-z0-9]{1,8}")

_PLAIN_PATH = re.compile(r"[\w./-]+", re.ASCII)
_POSSESSIVE = re.compile(r"(?<!\bthis skill)(?<!\bthe skill)['\u2019]s\s+[`\[]*$", re.IGNORECASE)
_NEAR = 200
"""Characters before a path in which another owner of it is looked for."""
_FOR_PEOPLE = frozenset(["readme.md", "changelog.md", "contributing.md"])
"""Texts about the work on a skill: the paths in them are often yet to be made."""


def check_body(skill: Skill, config: Config) -> Iterator[Finding]:
    """Whether the instructions are there, and short enough to load whole."""
    path = inside(skill.directory, "SKILL.md")
    place = Place(skill.body_line, 1)
    if not skill.body.strip():
        hint = "write the instructions below the frontmatter"
        yield finding(rules.BODY_EMPTY, path, None, "there are no instructions", hint)
        return
    lines, tokens = skill.body.removesuffix("\n").count("\n") + 1, estimate_tokens(skill.body)
    limits = config.limits
    if lines > limits.body_lines or tokens > limits.body_tokens:
        message = (
            f"the body has {lines:,} lines and about {tokens:,} tokens;"
            f" {limits.body_lines:,} and {limits.body_tokens:,} are recommended"
        )
        hint = "move details to files that are read when needed"
        yield finding(rules.BODY_LONG, path, place, message, hint)


def check_growth(skill: Skill, config: Config) -> Iterator[Finding]:
    """Whether the pages can render the texts of the skill."""
    if "pages" not in config.formats:
        return
    texts = [("SKILL.md", skill.body)]
    if config.pages.files:
        others = [file for file in skill.files if file.path != "SKILL.md"]
        named = [file for file in others if file.path.endswith((".md", ".markdown"))]
        texts += [(file.path, decode(file.data) or "") for file in named]
    for path, text in texts:
        if is_shown_plain(text):
            message = "the catalog shows the text as it is written: rendered it would be too large"
            hint = "split it, or move data to other files"
            yield finding(rules.TEXT_PLAIN, inside(skill.directory, path), None, message, hint)


def check_texts(
    skill: Skill, placed: SkillTree, outline: Outline
) -> tuple[list[Finding], frozenset[str]]:
    """Links and invisible characters in every text file of a skill.

    Also says which other skills were found behind links, by directory.
    """
    known = _Known(skill, placed, outline)
    found: list[Finding] = []
    for file in skill.files:
        text = decode(file.data)
        if text is None:
            continue
        if not text.isascii():
            found += _invisible(text, inside(skill.directory, file.path))
        if file.path == "SKILL.md":
            found += known.check_links(file, skill.body, skill.body_line)
        elif file.path.endswith(".md"):
            found += known.check_links(file, text, 1)
    return found, frozenset(known.linked)


def _invisible(text: str, path: str) -> Iterator[Finding]:
    found = list(invisible(text))
    if found:
        place = place_at(text, found[0].start())
        names = sorted({f"U+{ord(match[0][0]):04X}" for match in found})
        message = f"{len(found)} places with invisible text ({', '.join(names[:5])})"
        yield finding(rules.INVISIBLE_TEXT, path, place, message, "remove the characters")


class _Known:
    """What a link of this skill may lead to."""

    def __init__(self, skill: Skill, placed: SkillTree, outline: Outline) -> None:
        self.placed, self.outline = placed, outline
        self.files = {file.path for file in skill.files}
        self.files |= {placed.relative(leaf) for leaf in placed.leaves}
        self.folders = {part for path in self.files for part in prefixes(path)} | {""}
        self.linked: set[str] = set()

    def check_links(self, file: File, text: str, first_line: int) -> Iterator[Finding]:
        path = inside(self.placed.directory, file.path)
        folder, _, base = file.path.rpartition("/")
        lines = text.split("\n")
        for reference in references(text, first_line):
            if reference.kind != "code":
                yield from self._check_link(reference, folder, path)
            elif base.lower() not in _FOR_PEOPLE:
                line, end = lines[reference.place.line - first_line], reference.place.column - 1
                before = line[max(0, end - _NEAR) : end]
                yield from self._check_code(reference, before, folder, path)

    def _check_link(self, link: Reference, folder: str, path: str) -> Iterator[Finding]:
        target = unquote(re.split("[?#]", link.target, maxsplit=1)[0])
        if not target or _ABSOLUTE.match(link.target) or _PLACEHOLDER.search(link.target):
            return
        bare = "/" not in target and "." not in target
        if self._resolves(folder, target) or bare:
            return
        shown = link.target[:200]
        message = f"the {link.kind} to {shown} leads to nothing that is published"
        hint = "add the file to the skill, or correct the path"
        if correct := self._correction(folder, target):
            hint = f"write {correct}{link.target[len(target) :]}"
        yield finding(rules.LINK_BROKEN, path, link.place, message, hint)

    def _correction(self, folder: str, target: str) -> str | None:
        """The path to write when its last parts do lead to a file, here or in a skill beside."""
        if len(target) > LONGEST_PATH or not _PLAIN_PATH.fullmatch(target):
            return None
        parts = [part for part in target.split("/") if part not in ("", ".", "..")]
        for end in ["/".join(parts[start:]) for start in range(len(parts) - 1)]:
            for found in (end, f"../{end}"):
                if self._resolves("", found):
                    root = self.placed.directory
                    return _relative(inside(root, found), inside(root, folder))
        return None

    def _check_code(
        self, code: Reference, before: str, folder: str, path: str
    ) -> Iterator[Finding]:
        target = code.target.strip().removeprefix("./")
        if not _CODE_PATH.fullmatch(target) or _PLACEHOLDER.search(target):
            return
        if target.partition("/")[0] not in self.folders:
            return
        known = self._resolves(folder, target) or self._resolves("", target)
        if not known and not self._is_elsewhere(target, before):
            message = f"there is no {target[:200]} in the skill"
            hint = "add the file, or correct the path"
            yield finding(rules.PATH_MISSING, path, code.place, message, hint)

    def _is_elsewhere(self, target: str, before: str) -> bool:
        """True if the words before it give the path to another thing: `the repo's`, a skill."""
        if _POSSESSIVE.search(before):
            return True
        return any(self._resolves("", f"../{name}/{target}") for name in SKILL_NAME.findall(before))

    def _resolves(self, folder: str, target: str) -> bool:
        if target.startswith("/"):
            return False
        plain = posixpath.normpath(posixpath.join(folder, target))
        if plain.startswith(".."):
            return self._in_other_skill(plain)
        return plain == "." or plain in self.files or plain in self.folders

    def _in_other_skill(self, path: str) -> bool:
        absolute = posixpath.normpath(posixpath.join(self.placed.directory, path))
        other = None if absolute.startswith("..") else self.outline.skill_at(absolute)
        if other is None or other.path is None:
            return False
        self.linked.add(other.directory)
        return absolute == other.directory or any(
            leaf.path == absolute or leaf.path.startswith(f"{absolute}/") for leaf in other.leaves
        )


def _relative(path: str, folder: str) -> str:
    """A path of the source as seen from a folder of it; the current directory has no say."""
    return posixpath.relpath(posixpath.normpath(f"/{path}"), f"/{folder}")

"""Links, and paths in code, that lead to no file that is published."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote

from skillbuild.diagnostics import Finding, finding
from skillbuild.model import File, Skill
from skillbuild.paths import LONGEST_PATH, SKILL_NAME, base_name, inside, parent, prefixes
from skillbuild.rules import files as rules
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.text.markdown.references import Reference, references

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
"""A scheme, or a host without one (RFC 3986, 4.2): such a link is not relative to its file."""
_PLACEHOLDER = re.compile(r"[{}<>$*|\[\]\n]|\.\.\.|…")
_CODE_PATH = re.compile(r"(?:\./)?[A-Za-z0-9_][\w.-]*(?:/[\w.-]+)*/[\w.-]*[\w-]\.[A-Za-z0-9]{1,8}")
"""Code that is a path of a file in a directory."""

_PLAIN_PATH = re.compile(r"[\w./-]+", re.ASCII)
_POSSESSIVE = re.compile(r"(?<!\bthis skill)(?<!\bthe skill)['\u2019]s\s+[`\[]*$", re.IGNORECASE)
"""The end of a text like `the repository's`, which makes the next path another's."""
_NEAR = 200
"""Characters before a path in which the name of its owner is looked for."""
_FOR_PEOPLE = frozenset(["readme.md", "changelog.md", "contributing.md"])
"""Texts about the work on a skill: the paths in them are often yet to be made."""
_MOST_SHOWN = 200
"""Characters of a link that a message repeats."""


class LinkChecker:
    """Checks the links of one skill against its own files and those of the other skills."""

    def __init__(self, skill: Skill, tree: SkillTree, outline: Outline) -> None:
        self.tree, self.outline = tree, outline
        self.files = {file.path for file in skill.files}
        self.files |= {tree.relative(leaf) for leaf in tree.leaves}
        self.folders = {part for path in self.files for part in prefixes(path)} | {""}
        self.linked: set[str] = set()
        """Directories of the other skills that a link led to."""

    def check(self, file: File, text: str, first_line: int) -> Iterator[Finding]:
        """Findings about the Markdown `text` of a file, which begins at this line of the file."""
        path, folder = inside(self.tree.directory, file.path), parent(file.path)
        lines = text.split("\n")
        for reference in references(text, first_line):
            if reference.kind != "code":
                yield from self._check_link(reference, folder, path)
            elif base_name(file.path).lower() not in _FOR_PEOPLE:
                line, end = lines[reference.place.line - first_line], reference.place.column - 1
                before = line[max(0, end - _NEAR) : end]
                yield from self._check_code(reference, before, folder, path)

    def _check_link(self, link: Reference, folder: str, path: str) -> Iterator[Finding]:
        """Judge a link or image in the file `path` of the source, in this folder of the skill."""
        target = unquote(re.split("[?#]", link.target, maxsplit=1)[0])
        if not target or _ABSOLUTE.match(link.target) or _PLACEHOLDER.search(link.target):
            return
        is_word = "/" not in target and "." not in target
        if self._resolves(folder, target) or is_word:
            return
        shown = link.target[:_MOST_SHOWN]
        message = f"the {link.kind} to {shown} leads to nothing that is published"
        hint = "add the file to the skill, or correct the path"
        if correct := self._correction(folder, target):
            hint = f"write {correct}{link.target[len(target) :]}"
        yield finding(rules.LINK_BROKEN, path, link.place, message, hint)

    def _correction(self, folder: str, target: str) -> str | None:
        """What to write if the last parts of a link lead to a file here, or in a skill beside."""
        if len(target) > LONGEST_PATH or not _PLAIN_PATH.fullmatch(target):
            return None
        parts = [part for part in target.split("/") if part not in ("", ".", "..")]
        for end in ["/".join(parts[start:]) for start in range(len(parts) - 1)]:
            for candidate in (end, f"../{end}"):
                if self._resolves("", candidate):
                    root = self.tree.directory
                    return _relative(inside(root, candidate), inside(root, folder))
        return None

    def _check_code(
        self, code: Reference, before: str, folder: str, path: str
    ) -> Iterator[Finding]:
        """Judge a path in code, if it is below a directory of the skill; `before` precedes it."""
        target = code.target.strip().removeprefix("./")
        if not _CODE_PATH.fullmatch(target) or _PLACEHOLDER.search(target):
            return
        if target.partition("/")[0] not in self.folders:
            return
        exists = self._resolves(folder, target) or self._resolves("", target)
        if not exists and not self._is_elsewhere(target, before):
            message = f"there is no {target[:_MOST_SHOWN]} in the skill"
            hint = "add the file, or correct the path"
            yield finding(rules.PATH_MISSING, path, code.place, message, hint)

    def _is_elsewhere(self, target: str, before: str) -> bool:
        """Whether the words before a path say whose it is: `the repo's`, or a skill beside."""
        if _POSSESSIVE.search(before):
            return True
        names = (match[0] for match in SKILL_NAME.finditer(before))
        return any(self._resolves("", f"../{name}/{target}") for name in names)

    def _resolves(self, folder: str, target: str) -> bool:
        """Whether a path, as written in a folder of the skill, leads to a file or directory."""
        if target.startswith("/"):
            return False
        plain = posixpath.normpath(posixpath.join(folder, target))
        if plain.startswith(".."):
            return self._in_other_skill(plain)
        return plain == "." or plain in self.files or plain in self.folders

    def _in_other_skill(self, path: str) -> bool:
        absolute = posixpath.normpath(posixpath.join(self.tree.directory, path))
        other = None if absolute.startswith("..") else self.outline.skill_at(absolute)
        if other is None or other.path is None:
            return False
        self.linked.add(other.directory)
        absolute = self.outline.original(absolute)
        return absolute == other.directory or any(
            leaf.path == absolute or leaf.path.startswith(f"{absolute}/") for leaf in other.leaves
        )


def _relative(path: str, folder: str) -> str:
    """A path of the source as seen from a folder of it, whatever the current directory is."""
    return posixpath.relpath(posixpath.normpath(f"/{path}"), f"/{folder}")

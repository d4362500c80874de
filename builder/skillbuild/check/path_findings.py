"""Reports paths that a skill mentions but does not contain."""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from skillbuild.check import path_words as words
from skillbuild.check.files import is_example
from skillbuild.check.links import FOR_PEOPLE
from skillbuild.check.named_paths import (
    USUAL,
    NamedPath,
    Position,
    Positions,
    Start,
    Use,
    named_files,
    named_paths,
    owner_folder,
)
from skillbuild.check.passages import Passage, is_template, passage
from skillbuild.check.targets import Elsewhere, Targets
from skillbuild.diagnostics import Finding, Severity, finding
from skillbuild.media.types import decode
from skillbuild.model import File, Skill
from skillbuild.paths import SKILL_FILE, base_name, inside, parent, prefixes
from skillbuild.release.facts import is_for_tests
from skillbuild.rules import files as rules
from skillbuild.text.commands import SCRIPT, Command
from skillbuild.text.markdown.document import Document, Fence, Heading, Reference

_MOST_PATHS = 500
"""Maximum number of missing paths of one text that are examined."""
_MOST_READ = 2000
"""Maximum characters of a description that are searched."""
_MOST_TEXT = 1024 * 1024
"""Maximum characters of the texts that are searched for other mentions of a path."""
_MOST_PLACES = 50
"""Maximum number of mentions of one path that are examined."""
_MOST_ENDS = 500
"""Maximum number of mentions of a folder or a file name that are examined."""
_MOST_AROUND = 160
"""Maximum characters before and after another mention that are examined."""
_MOST_SHOWN = 200
"""Maximum characters of a path in a message."""
_MOST_LINES = 3
"""Maximum number of lines above a command, in its fence and before it, that may say where it runs.
"""
_SCRIPT_PATH = re.compile(r"(?<![\w/-])(?:\./)?scripts/[\w/-]+\.\w")
_FEWEST_SCRIPTS = 3
"""Minimum number of paths below `scripts/` in a skill that means its own scripts."""
_EXAMPLES = "examples"
"""A folder that many projects have, too; only Markdown texts in it are taken for the skill's."""
_READ_FOLDERS = ("references", "reference", "assets", "templates")


class PathChecker:
    """Checks whether the paths in the Markdown files of one skill exist in the skill."""

    def __init__(self, skill: Skill, targets: Targets) -> None:
        self._skill, self._targets = skill, targets
        self._name = base_name(skill.directory)
        top = skill.directory.partition("/")[0]
        is_own = top.startswith(".") or top in USUAL or top in targets.folders
        self._top = "" if is_own else top
        """The folder of the repository that contains the skill; empty if agents keep their skills
        there or the skill has a folder of this name.
        """
        description = str(skill.frontmatter.value.get("description", ""))[:_MOST_READ]
        names = (self._name, str(skill.frontmatter.value.get("name", "")), skill.directory)
        self._is_about_skills = bool(
            words.ABOUT_SKILLS.search(description)
            or any(map(words.SKILL_ABOUT_SKILLS.search, names))
        )
        self._is_template = is_template(f"{skill.directory}/")
        self._is_there: dict[tuple[str, str], bool] = {}
        self._is_explained: dict[tuple[str, bool], bool] = {}

    def missing(self, file: File, document: Document) -> list[NamedPath]:
        """Return the paths that a document mentions but the skill does not contain."""
        if is_example(file.path) or words.NO_INSTRUCTIONS.search(file.path) or self._is_template:
            return []
        if document.is_too_long:
            return []
        every = [
            *filter(self._may_be_own, named_paths(document.text, self._begins, self._name)),
            *named_files(document.text, self._targets.folders_with),
        ]
        missing = (named for named in every if self._is_missing(parent(file.path), named))
        return list(islice(missing, _MOST_PATHS))

    def _begins(self, folder: str) -> bool:
        """Return whether a path into the skill, or from the root of the repository, can begin with
        this folder.
        """
        return folder in (*USUAL, _EXAMPLES, "..") or (
            folder != ""
            and (
                folder in self._targets.folders
                or folder == self._top
                or inside(parent(self._skill.directory), folder)
                in self._targets.outline.by_directory
            )
        )

    def _may_be_own(self, named: NamedPath) -> bool:
        """Return whether a path may be in the skill, and not only in a project."""
        is_example = named.first == _EXAMPLES and _EXAMPLES not in self._targets.folders
        is_text = named.path.endswith(".md") and named.path.count("/") == 1
        return named.start is not Start.RELATIVE or not is_example or is_text

    def _is_missing(self, folder: str, named: NamedPath) -> bool:
        key = folder, named.path
        known = self._is_there.get(key)
        if known is None:
            known = self._is_there[key] = (
                self._is_published(folder, named)
                or words.STAND_IN.search(base_name(named.path)) is not None
                or words.STATE.search(named.path) is not None
            )
        if known or (self._is_of_root(named) and not self._is_in_source(named.path)):
            return False
        return named.start is Start.OWN or not self._is_about_skills

    def _is_of_root(self, named: NamedPath) -> bool:
        """Return whether a path seems to be relative to the root of the repository."""
        return named.start is Start.RELATIVE and named.first == self._top

    def _is_in_source(self, path: str) -> bool:
        """Return whether a path from the root of the repository is a file of a skill, or outside of
        all skills.
        """
        if path.startswith(f"skills/{self._name}/"):
            return False  # So agents name an installed skill.
        outline = self._targets.outline
        return outline.is_beside(path) or outline.skill_at(path) is not None

    @property
    def _start(self) -> str:
        """The start of paths into the skill that are relative to the root of the repository."""
        return f"{self._skill.directory}/"

    def _is_published(self, folder: str, named: NamedPath) -> bool:
        """Return whether a path is a file of the skill or, after `..`, a file around the skill."""
        path, targets = named.path, self._targets
        if named.start is Start.PLUGIN and targets.is_own(path):
            return True
        if ".." not in path.split("/"):
            return targets.has(folder, path)
        return any(
            targets.is_published(each, path) or targets.is_beside(each, path)
            for each in ("", folder)
        )

    def check(
        self,
        file: File,
        document: Document,
        missing: Sequence[NamedPath],
        references: Sequence[Reference],
    ) -> Iterator[Finding]:
        """Yield findings about the missing paths of a text.

        `references` are the links, images and code spans in the blocks that contain these paths.
        """
        if not missing:
            return
        positions = Positions(document, references)
        for named in missing:
            position = positions.of(named)
            if position is None or document.is_aside(position.place):
                continue
            around = _Around(document, position)
            if around.is_no_instruction(named.path) or self._is_explained_elsewhere(named):
                continue
            judged = self._judged(file, named, position, around)
            if judged is not None:
                yield judged

    def _judged(
        self, file: File, named: NamedPath, position: Position, around: _Around
    ) -> Finding | None:
        is_command = position.use is Use.COMMAND
        if named.start is Start.PLUGIN and not is_command:
            return None
        if named.start is Start.RELATIVE:
            is_meant = self._is_run_here if is_command else _is_meant
            if not is_meant(position, around):
                return None
        elif not is_command and _is_not_there(named, around.passage):
            return None
        found = self._targets.above(named.path.removeprefix("./").replace("../", ""))
        if found is None and named.first == "..":
            return None
        if found is None and (is_command or not self._has_name_once(named.path)):
            found = self._targets.of_skill(named.path, self._is_named)
        if found is None or self._is_twin(found):
            return self._missing(file, named, position, around)
        if named.start is Start.PLUGIN:
            return None
        return self._outside(file, named, position, around, found)

    def _is_twin(self, found: Elsewhere) -> bool:
        """Return whether the path is wrong because the skill itself has the file that was found in
        a copy.
        """
        inner = found.path.removeprefix(f"{found.root}/")
        is_copy = base_name(found.root) == self._name and found.owner == "skill"
        return is_copy and inner in self._targets.files

    def _has_name_once(self, path: str) -> bool:
        """Return whether exactly one file of the skill, in another folder, has this file name."""
        alike = self._targets.alike(path)
        return alike is not None and base_name(alike) == base_name(path)

    # Other mentions of a path in the texts of the skill.

    @functools.cached_property
    def _texts(self) -> str:
        """The text files of the skill, joined."""
        texts: list[str] = []
        room = _MOST_TEXT
        for file in self._skill.files:
            text = decode(file.data) if len(file.data) <= room else None
            if text is not None:
                texts.append(text)
                room -= len(text)
        return "\n\n".join(texts)

    def _before(self, words: str) -> Iterator[str]:
        """Yield the text before each occurrence of `words` in the text files of the skill."""
        for at in islice(_places(self._texts, words), _MOST_ENDS):
            yield self._texts[max(0, at - _MOST_AROUND) : at]

    def _is_explained_elsewhere(self, named: NamedPath) -> bool:
        """Return whether the skill says somewhere that the file is created, or where it is."""
        key = named.path, named.start is Start.PLUGIN
        known = self._is_explained.get(key)
        if known is None:
            name = named.path if named.path in named.written else named.written
            places = islice(_places(self._texts, name), _MOST_PLACES)
            known = any(_is_explained(self._texts, at, named) for at in places)
            self._is_explained[key] = known
        return known

    def _is_named(self, directory: str) -> bool:
        """Return whether the skill names the other skill in this directory."""
        name = re.escape(base_name(directory))
        if "-" not in name:
            name = rf"(?:skills/{name}\b|`{name}`|\b{name}\s+skill|\bskill\s+{name}\b)"
        return re.search(rf"(?<![\w-]){name}(?![\w-])", self._texts) is not None

    @functools.cached_property
    def _is_of_repository(self) -> bool:
        """Whether SKILL.md says that an agent works in a repository."""
        return words.SIGNS_OF_REPOSITORY.search(self._skill.body) is not None

    @functools.cached_property
    def _has_many_scripts(self) -> bool:
        """Whether SKILL.md names `scripts/` repeatedly; a single mention often means a project."""
        return len(_SCRIPT_PATH.findall(self._skill.body)) >= _FEWEST_SCRIPTS

    @functools.cached_property
    def _has_scripts_elsewhere(self) -> bool:
        """Whether a file mentions `scripts/` in a directory that is given by a variable."""
        return any(map(words.VARIABLE.search, self._before("/scripts/")))

    # Commands.

    def _is_run_here(self, position: Position, around: _Around) -> bool:
        """Return whether a relative command seems to run in the directory of the skill."""
        if position.command is None or words.ELSEWHERE_IN_LINE.search(around.line):
            return False
        if position.is_elsewhere:
            return False
        if isinstance(position.command.code, Reference):
            before = around.passage.before
            is_ordered = words.RUN_IT.search(before) is not None
            return not (
                (words.MAKES.search(before) and not is_ordered)
                or (words.CONDITION.search(before) and not is_ordered)
                or words.NOT_OURS.search(before)
                or words.SAMPLE_BEFORE.search(before)
                or words.RUN_ELSEWHERE.search(around.line + around.passage.after)
                or around.is_run_elsewhere()
            )
        above = around.above(position.command.code)
        return not (words.RUN_ELSEWHERE.search(above) or around.is_run_elsewhere())

    # Severities.

    def _severity_missing(
        self, file: File, named: NamedPath, position: Position, around: _Around
    ) -> Severity | None:
        if named.start is not Start.RELATIVE:
            return Severity.WARNING
        if "/" not in named.written:
            return None if FOR_PEOPLE.search(named.path) else Severity.WARNING
        folder = owner_folder(parent(file.path), named.path, self._targets.folders)
        command = position.command
        if folder is not None:
            return Severity.WARNING
        is_first_text = file.path == SKILL_FILE
        if command is not None:
            return self._severity_of_command(command, named, around, in_skill_md=is_first_text)
        return self._severity_of_mention(named, around, in_skill_md=is_first_text)

    def _severity_of_command(
        self, command: Command, named: NamedPath, around: _Around, *, in_skill_md: bool
    ) -> Severity | None:
        if named.first != "scripts" or self._has_scripts_elsewhere:
            return None
        is_sure = command.is_interpreted and command.is_first and in_skill_md
        is_ordered = isinstance(command.code, Reference) and words.RUN_IT.search(
            around.passage.before
        )
        is_meant = self._has_many_scripts or is_ordered
        is_warning = is_sure and is_meant and not self._is_of_repository
        return Severity.WARNING if is_warning else Severity.NOTE

    def _severity_of_mention(
        self, named: NamedPath, around: _Around, *, in_skill_md: bool
    ) -> Severity | None:
        if self._is_of_repository or named.first not in (*USUAL, _EXAMPLES):
            return None
        if named.first in ("references", "reference"):
            return Severity.WARNING
        before = _without_neighbors(around.passage.before)
        is_read = words.READ.search(before) is not None
        if named.first == "scripts":
            is_sent = in_skill_md and (is_read or words.RUN.search(before))
            return Severity.WARNING if is_sent else Severity.NOTE
        is_listed = named.first == _EXAMPLES and around.passage.starts
        return Severity.WARNING if is_read or is_listed else None

    def _severity_from_root(self, named: NamedPath, position: Position) -> Severity | None:
        """Return the severity for a file of the skill whose path starts at the root of the
        repository.
        """
        if named.path.removeprefix(self._start) not in self._targets.files:
            return None
        return Severity.NOTE if position.command is None else Severity.WARNING

    def _is_doubtful(self, named: NamedPath, around: _Around) -> bool:
        """Return whether a missing path may well be somewhere else than in the skill."""
        is_about_plugins = named.start is Start.PLUGIN and self._targets.plugin is None
        is_about_others = named.start is Start.RELATIVE and around.is_about_others
        return is_about_plugins or is_about_others or around.is_reported

    @functools.cached_property
    def _has_original(self) -> bool:
        """Whether the skill is a translation, and the source has its original."""
        return words.TRANSLATION.search(self._skill.directory) is not None and any(
            base_name(each) == self._name and not words.TRANSLATION.search(each)
            for each in self._targets.outline.by_directory
        )

    def _hinted(self, path: str, document: Document) -> str | None:
        """Return the file of the skill that a missing path probably means; None if there is none.

        A file that the text itself distinguishes from the path is never returned.
        """
        below = path.removeprefix(self._start)
        if below in self._targets.files:
            return below
        alike = self._targets.alike(path)
        if alike is None:
            return None
        is_renamed = base_name(alike).lower() != base_name(path).lower()
        text, name = (self._texts, base_name(alike)) if is_renamed else (document.text, alike)
        before = r"(?<![\w-])" if is_renamed else r"(?<![\w/-])"
        if re.search(rf"{before}{re.escape(name)}(?![\w-])", text):
            return None
        return alike

    # The findings.

    def _missing(
        self,
        file: File,
        named: NamedPath,
        position: Position,
        around: _Around,
    ) -> Finding | None:
        if self._is_of_root(named):
            severity = self._severity_from_root(named, position)
        else:
            severity = self._severity_missing(file, named, position, around)
        if severity is None:
            return None
        if self._is_doubtful(named, around):
            severity = Severity.NOTE
        targets = self._targets
        folder = owner_folder(parent(file.path), named.path, targets.folders) or ""
        path = inside(folder, named.path)
        gone = next((part for part in prefixes(path) if part not in targets.folders), None)
        whole = "plugin" if named.start is Start.PLUGIN else "skill"
        message = f"{_does(position)} {_shown(named)}, which does not exist in the {whole}"
        alike = self._hinted(named.path, around.document)
        hint, for_all = "add the file, or correct the path", "add the files, or correct the paths"
        if self._is_of_root(named):
            message = (
                f"{_does(position)} {_shown(named)}, which exists only relative to the top of the"
                " repository"
            )
        cause = f"{parent(path) if gone is None else gone}/"
        if gone is not None and "/" not in gone and named.start is Start.RELATIVE:
            cause = "folders"  # The skill lacks all that the text lists, whatever the folder.
        if named.start is Start.PLUGIN:
            cause = f"plugin {cause}"
        if alike is not None:
            prefix = named.written.removesuffix(named.path)
            old, new = parent(named.path), parent(alike)
            hint = f"write {prefix}{alike}"
            for_all = f"write {prefix}{new}/ instead of {prefix}{old}/"
            if not self._is_of_root(named):
                hint, for_all = f"{hint}, or add the file", f"{for_all}, or add the files"
            is_moved = base_name(alike) == base_name(path) and new not in ("", old)
            cause = f"{prefix}{old}/ is {new}/" if is_moved else path
        elif sibling := targets.sibling_with(named.path):
            hint = f"copy the file from {sibling}, or correct the path"
        item = finding(
            rules.PATH_MISSING,
            inside(self._skill.directory, file.path),
            position.place,
            message,
            hint,
        )
        return replace(
            item, severity=severity, target=_shown(named), cause=cause, hint_for_all=for_all
        )

    def _outside(
        self,
        file: File,
        named: NamedPath,
        position: Position,
        around: _Around,
        found: Elsewhere,
    ) -> Finding | None:
        severity = _severity_outside(self._skill.directory, found, named, position, around)
        is_of_translation = found.owner != "skill" and self._has_original
        if severity is None or (self._is_of_root(named) and named.path.endswith(f"/{SKILL_FILE}")):
            return None
        if is_of_translation:
            severity = Severity.NOTE
        where = f"in {found.root}" if found.owner == "skill" else f"at {found.path[:_MOST_SHOWN]}"
        plugin = self._targets.plugin
        is_of_plugin = plugin is not None and found.path.startswith(inside(plugin, ""))
        message = (
            f"{_does(position)} {_shown(named)}, which does not exist in the skill; it is {where}"
            + (" in the plugin" if is_of_plugin else ", but is not installed with the skill")
        )
        name = base_name(found.root)
        hint = f"copy the file into the skill, or refer to the skill {name}"
        hint_for_all = f"copy the files into the skill, or refer to the skill {name}"
        if found.owner == "skill" and (named.first == name or base_name(named.path) == SKILL_FILE):
            hint = hint_for_all = f"refer to the skill {name} instead of a path"
        elif found.owner == "repository":
            hint, hint_for_all = "copy the file into the skill", "copy the files into the skill"
        elif found.owner == "plugin" and not self._targets.is_in_claude_plugin:
            path = posixpath.relpath(f"/{found.path}", f"/{self._skill.directory}")
            start = path.removesuffix(found.path.removeprefix(inside(found.root, "")))
            hint = f"copy the file into the skill, or write {path}"
            hint_for_all = (
                f"copy the files into the skill, or write {start} before the paths of the files in"
                " the plugin"
            )
        elif found.owner == "plugin":
            below = found.path.removeprefix(f"{found.root}/" if found.root else "")
            hint = f"write ${{CLAUDE_PLUGIN_ROOT}}/{below}, or copy the file into the skill"
            hint_for_all = (
                "write ${CLAUDE_PLUGIN_ROOT}/ before the paths of the files in the plugin,"
                " or copy the files into the skill"
            )
        item = finding(
            rules.PATH_OUTSIDE,
            inside(self._skill.directory, file.path),
            position.place,
            message,
            hint,
        )
        return replace(
            item,
            severity=severity,
            target=_shown(named),
            cause=found.root or ".",
            hint_for_all=hint_for_all,
        )


class _Around:
    """The context of a path: its sentence, its line, its section."""

    def __init__(self, document: Document, position: Position) -> None:
        self.document = document
        self._number = position.place.line - document.first_line
        self.line = document.lines[self._number][:_LONGEST_LINE]
        self._position = position

    @functools.cached_property
    def passage(self) -> Passage:
        position = self._position
        place, length = position.place, position.length
        command = position.command
        if command is not None and isinstance(command.code, Reference):
            place, length = command.code.place, len(command.code.target)
        return passage(self.document.lines, self._number, place, length)

    @property
    def line_before(self) -> str:
        """The text before the path, on the same line."""
        end = self._position.place.column - 1
        return self.document.lines[self._number][max(0, end - _LONGEST_LINE) : end]

    @functools.cached_property
    def _headings(self) -> Sequence[Heading]:
        line = self._position.place.line
        return [heading for heading in self.document.headings if heading.line <= line]

    def is_no_instruction(self, path: str) -> bool:
        """Return whether the heading above a path shows that agents do not need to open the file.

        This is the case if the heading is about planned files, former files or examples, or if the
        heading contains the path.
        """
        if not self._headings:
            return False
        heading = self._headings[-1]
        is_path = path in heading.text and (
            heading.line < self._position.place.line
            or not words.WORD.search(heading.text.replace(path, ""))
        )
        is_about_files = not path.startswith(_EXAMPLES)
        return is_path or (
            is_about_files and words.NO_INSTRUCTIONS_BELOW.search(heading.text) is not None
        )

    @property
    def is_about_others(self) -> bool:
        """Whether the heading above the path is about another project or tool."""
        return bool(self._headings and words.OF_OTHERS.search(self._headings[-1].text))

    @property
    def is_reported(self) -> bool:
        """Whether the path is part of a report, such as `File: x.py` followed by a line that begins
        with `Line:`.
        """
        below = self.document.lines[self._number + 1 : self._number + 2]
        return bool(
            words.REPORTED.search(self.line_before)
            and any(words.REPORTED_BELOW.match(line) for line in below)
        )

    @functools.cached_property
    def section(self) -> str:
        """The lines of the section around the path; in a long section, only the nearest lines."""
        document, line = self.document, self._position.place.line
        after = (each.line for each in document.headings if each.line > line)
        first = self._headings[-1].line if self._headings else document.first_line
        last = next(after, document.first_line + len(document.lines))
        first, last = max(first, line - _MOST_OF_SECTION), min(last, line + _MOST_OF_SECTION)
        return "\n".join(document.lines[first - document.first_line : last - document.first_line])

    def is_run_elsewhere(self) -> bool:
        """Return whether a command seems to run in another directory.

        One sign is a `git clone` between the last high-level heading and the command. Another sign
        is that the introduction of a section says where its commands run.
        """
        lines, first_line = self.document.lines, self.document.first_line
        start = next((each.line for each in reversed(self._headings) if each.level <= _HIGH), None)
        first = (start or first_line) - first_line
        if any("git clone" in line for line in lines[first : self._number]):
            return True
        level = _LOWEST + 1
        for heading in reversed(self._headings):
            if heading.level < level:
                level, number = heading.level, heading.line - first_line + 1
                until = min(number + _MOST_OF_INTRODUCTION, self._number)
                if words.RUN_FROM.search("\n".join(lines[number:until])):
                    return True
        return False

    def above(self, fence: Fence) -> str:
        """Return the line of a command in a fenced block, with a few lines before the command and a
        few lines above the block.
        """
        lines = self.document.lines
        begin = fence.line - self.document.first_line
        inner = lines[max(begin, self._number - _MOST_LINES) : self._number + 1]
        outer = [
            line for line in lines[max(0, begin - 1 - _MOST_LINES) : begin - 1] if line.strip()
        ]
        return "\n".join(line[:_LONGEST_LINE] for line in (*outer, *inner))


_LONGEST_LINE = 400
_MOST_OF_SECTION = 60
"""Maximum number of lines on either side of a path that are searched for the name of a skill."""
_HIGH, _LOWEST = 3, 6
"""The deepest level of a high-level heading, and the deepest level of any heading that is read."""
_MOST_OF_INTRODUCTION = 6
"""Maximum number of lines below a heading that may say where its commands run."""


def _places(text: str, path: str) -> Iterator[int]:
    at = text.find(path)
    while at >= 0:
        yield at
        at = text.find(path, at + len(path))


def _is_explained(text: str, at: int, named: NamedPath) -> bool:
    """Return whether the text around a path says that it is created, checked for, or elsewhere."""
    start, end = max(0, at - _MOST_AROUND), at + len(named.path)
    before = text[start:at]
    line, after = before.rpartition("\n")[2], text[end : end + _MOST_AROUND]
    return (
        words.MADE.search(line) is not None
        or words.GUARDED.search(line) is not None
        or words.GUARDED_AFTER.match(after) is not None
        or _is_of_another(line, named.start)
        or words.CODE_OF.search(before) is not None
        or words.CODE_FOLLOWS.match(after) is not None
    )


def _is_of_another(before: str, start: Start) -> bool:
    """Return whether a path is below a directory other than the skill's own or the one that `start`
    means.
    """
    match = words.OF_ANOTHER.search(before)
    if match is None or words.OWN.search(match[0]):
        return False
    return not (start is Start.PLUGIN and words.PLUGIN.search(match[0]))


def _is_meant(position: Position, around: _Around) -> bool:
    """Return whether a path in a code span or in prose sends the reader to the file."""
    here = around.passage
    if words.SAMPLE_BEFORE.search(around.line_before) or words.OF_ANY_SKILL.search(here.before):
        return False
    if words.GONE.search(around.line) or words.SAMPLES.search(here.introduction):
        return False
    if position.use is Use.PLAIN:
        is_sent = words.READ.search(here.before) or words.RUN.search(here.before)
        return is_sent is not None and _sends_there(here)
    return _sends_there(here)


def _is_not_there(named: NamedPath, around: Passage) -> bool:
    """Return whether a path after a directory placeholder belongs to a project, or is created."""
    is_made = words.MAKES.search(around.before)
    is_of_project = named.first in words.PROJECT or _is_of_others(around)
    return bool(is_made or is_of_project or words.NOT_AFTER.search(around.after))


def _is_of_others(around: Passage) -> bool:
    """Return whether a list or a table column is about files that are created or taken from
    elsewhere.
    """
    is_made = words.INTRODUCES_OUTPUT.search(around.introduction)
    return bool(is_made or words.COLUMN_OF_OTHERS.search(around.column))


def _without_neighbors(before: str) -> str:
    """Return the text before an enumeration of paths, given the text before one of the paths."""
    while match := words.NEIGHBOR.search(before):
        before = before[: match.start()]
    return before


def _sends_there(around: Passage) -> bool:
    """Return whether the text around a path sends the reader to the file, as if it existed."""
    before = _without_neighbors(around.before)
    if words.NOT_AFTER.search(around.after):
        return False
    is_sent = words.SENT_THERE.search(before) is not None
    if words.NOT_OURS.search(before.rpartition(", ")[2] if is_sent else before):
        return False
    if is_sent:
        return True
    if words.MAKES.search(before) or words.CONDITION.search(before):
        return False
    if around.starts:
        return not _is_of_others(around)
    if words.COLUMN_OF_OTHERS.search(around.column):
        return False
    return not before.rstrip("`*_ ") or words.CUE.search(before) is not None


def _severity_outside(
    directory: str, found: Elsewhere, named: NamedPath, position: Position, around: _Around
) -> Severity | None:
    """Return the severity if a file of the skill in `directory` names a file outside of it."""
    if found.owner == "skill" and directory.startswith(f"{found.root}/"):
        return Severity.NOTE  # The outer skill has the file, and contains this skill.
    if found.owner == "skill" and base_name(found.root) == base_name(directory):
        is_installed = named.start is Start.OWN and words.INSTALLED.match(named.written)
        if is_installed or words.TRANSLATION.search(directory):
            return Severity.NOTE  # The original skill has the file, and is installed.
    is_of_plugin = found.owner == "plugin"
    before = _without_neighbors(around.passage.before)
    if position.use is Use.COMMAND:
        is_setup = found.owner == "repository" and words.INSTALLS.search(named.path)
        return Severity.NOTE if is_setup else Severity.WARNING
    name = base_name(found.root)
    if found.owner == "skill" and name != named.first and name in around.section:
        return None
    is_sent = (
        words.READ.search(before)
        or (SCRIPT.search(named.path) and words.RUN.search(before))
        or (around.passage.starts and named.first in _READ_FOLDERS)
    )
    if is_for_tests(named.path) and (is_sent or is_of_plugin):
        return Severity.NOTE
    if is_sent:
        return Severity.WARNING
    return Severity.NOTE if is_of_plugin else None


def _does(position: Position) -> str:
    return "runs" if position.use is Use.COMMAND else "names"


def _shown(named: NamedPath) -> str:
    return named.written[:_MOST_SHOWN]


def pattern(missing: Iterable[NamedPath]) -> re.Pattern[str] | None:
    """Return a pattern that matches any of these paths; None if there are no paths."""
    paths = sorted({named.written for named in missing})
    return re.compile("|".join(map(re.escape, paths))) if paths else None

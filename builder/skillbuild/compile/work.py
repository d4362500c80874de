"""The work on single skills: each is checked, and published where there is a press."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Protocol

from skillbuild.check import skill
from skillbuild.check.skill import Checked
from skillbuild.config import Config
from skillbuild.diagnostics import Finding
from skillbuild.model import Change, Skill
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Reader, Source, ahead

CHUNK = 25
"""Skills that are read, and that a worker takes, at once."""


@dataclass(frozen=True, slots=True)
class Told:
    """What is said of one published skill wherever all of them are told of."""

    path: str
    name: str
    """As its header has it."""
    flat_name: str | None
    lines: Mapping[str, bytes]
    """By the path of the file that each stands in, or is shown by."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a worker reports of one skill."""

    directory: str
    findings: tuple[Finding, ...]
    files: int
    listed: bool = True
    told: Told | None = None
    checksums: tuple[bytes, ...] = ()
    """Lines of SHA256SUMS for what was staged."""
    linked: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    """Paths outside of the skill that its texts lead to, whether or not there is anything."""
    busy: float = 0.0
    """Seconds that a worker was busy with this skill and those of its chunk before it."""
    recalled: bool = False
    """Whether it was remembered, so that nothing of the skill was staged."""


@dataclass(frozen=True, slots=True)
class _Watched(Outline):
    """An outline that remembers what a skill asks about the others."""

    asked: set[str] = field(default_factory=set)

    @classmethod
    def over(cls, outline: Outline) -> _Watched:
        return cls(*(getattr(outline, item.name) for item in fields(Outline)))

    def skill_at(self, path: str) -> SkillTree | None:
        self.asked.add(path)
        return Outline.skill_at(self, path)


@dataclass(frozen=True, slots=True)
class Made:
    """What was published of one skill; `checksums` are lines of SHA256SUMS."""

    told: Told
    checksums: tuple[bytes, ...]


class Press(Protocol):
    """What publishes good skills, where they are not only checked."""

    @property
    def changes(self) -> Mapping[str, Change]:
        """The last change of each skill, by directory."""

    def make(self, skill: Skill, checked: Checked, outline: Outline) -> Made:
        """Stage one skill."""


@dataclass(frozen=True, slots=True)
class Work:
    """One pass over the skills of an outline; with a press, the good ones are staged."""

    source: Source
    outline: Outline
    config: Config
    strict: bool
    press: Press | None = None

    def do_all(self, skills: Sequence[SkillTree], reader: Reader) -> list[Result]:
        """One result a skill; what they hold is read in one go."""
        files = [[leaf for leaf in one.leaves if leaf.is_file] for one in skills]
        at_hand = ahead(reader, files)
        return [self.do(one, at_hand) for one in skills]

    def do(self, placed: SkillTree, reader: Reader) -> Result:
        outline = _Watched.over(self.outline)
        result = self._do(placed, outline, reader)
        return replace(result, asked=tuple(sorted(outline.asked)))

    def _do(self, placed: SkillTree, outline: Outline, reader: Reader) -> Result:
        checked = skill.check_skill(placed, outline, reader, self.config, strict=self.strict)
        count = len(checked.skill.files) if checked.skill else 0
        listed = not checked.reasons
        bare = Result(
            placed.directory, checked.findings, count, listed, linked=tuple(sorted(checked.linked))
        )
        if checked.skill is None or self.press is None:
            return bare
        made = self.press.make(checked.skill, checked, outline)
        return replace(bare, told=made.told, checksums=made.checksums)

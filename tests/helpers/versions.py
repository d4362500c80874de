"""Versions of a skill as formats get them, made of their files, without git and history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from helpers.repos import Program
from skillbuild.check import icons
from skillbuild.check.facts.gather import gather
from skillbuild.compile.pack import pack_skill
from skillbuild.config import Config
from skillbuild.emit.emitter import EmittedSkill
from skillbuild.emit.versions import Comparison, ListedVersion, SkillHistory, VersionContent
from skillbuild.model import Change, File, Frontmatter, Skill, Version, changed, version_address
from skillbuild.paths import SKILL_FILE
from skillbuild.release.entry import skill_digest
from skillbuild.release.versions import version_name
from skillbuild.source.documents import Documents
from skillbuild.source.outline import Outline
from skillbuild.source.skill_md import read_skill_md

DAY = 86_400
FIRST_DAY = 1_735_689_600
"""2025-01-01."""
Contents = Mapping[str, str | bytes | Program]


def skill_of(path: str, directory: str, files: Contents) -> Skill:
    """A skill as the checks would give it; a SKILL.md that cannot be read has no fields."""
    own = tuple(_file(name, files[name]) for name in sorted(files, key=str.encode))
    data = next(file.data for file in own if file.path == SKILL_FILE)
    head = read_skill_md(data, SKILL_FILE)
    frontmatter = head.frontmatter or Frontmatter({}, {})
    return Skill(path, directory, frontmatter, head.body, head.body_line, own, flat_name="flat")


def content(files: Contents, *, label: str = "1.0", config: Config | None = None) -> VersionContent:
    """A version that has these files."""
    settings = config or Config()
    skill = skill_of("", "", files)
    digest = skill_digest(pack_skill(skill, {}, settings).entry.resources)
    name = version_name(str(skill.frontmatter.value.get("name", "")))
    placed = replace(skill, path=f"-/{version_address(digest)}/{name}", flat_name=name)
    documents = Documents(skill.files, skill.body, skill.body_line)
    entry = changed(pack_skill(placed, {}, settings).entry, facts=gather(placed, documents))
    return VersionContent(digest, label, placed, entry, documents, icons.own(placed))


@dataclass(frozen=True)
class Past:
    """A version that a skill had, first met on a day, counted from 2025-01-01."""

    content: VersionContent
    day: int = 0
    path: str = ""

    @property
    def version(self) -> Version:
        change = Change(f"{self.day:040x}", FIRST_DAY + self.day * DAY)
        return Version.of(self.content.digest, change, self.content.label, self.path)


def compared(newer: Past, older: Past) -> Comparison:
    return Comparison(newer.version, older.version, newer.content, older.content)


def emitted_skill(
    pasts: Sequence[Past],
    *,
    path: str = "pdf",
    current: int = -1,
    again: Change | None = None,
    left_out: Mapping[str, int] | None = None,
) -> EmittedSkill:
    """The skill that had these versions, the oldest first, and is as the current one of them."""
    now = pasts[current]
    skill = replace(now.content.skill, path=path, directory=f"skills/{path}")
    listed = [
        ListedVersion(
            each.version,
            compared(each, older).difference if older else None,
            again if each is now else None,
        )
        for each, older in zip(pasts, [None, *pasts], strict=False)
    ]
    packed = pack_skill(skill, {}, Config())
    return EmittedSkill(
        skill,
        packed.entry,
        packed.icons,
        Outline({}),
        now.content.documents,
        now.version.change,
        SkillHistory(tuple(reversed(listed)), left_out or {}),
    )


def _file(path: str, data: str | bytes | Program) -> File:
    if isinstance(data, Program):
        return File(path, data.content.encode(), executable=True)
    return File(path, data if isinstance(data, bytes) else data.encode(), executable=False)

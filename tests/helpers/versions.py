"""Versions of a skill as formats get them, made of their files, without git and history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from helpers.repos import Program
from skillbuild.compile.pack import pack_skill
from skillbuild.config import Config
from skillbuild.emit.emitter import EmittedSkill
from skillbuild.emit.versions import EmittedVersion, VersionContent, VersionSummary
from skillbuild.model import Change, File, Frontmatter, Skill, Unlisted, Version
from skillbuild.paths import SKILL_FILE
from skillbuild.release.entry import skill_digest
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


def content(
    files: Contents,
    *,
    label: str = "1.0",
    day: int = 0,
    path: str = "pdf",
    config: Config | None = None,
    unlisted: Unlisted | None = None,
) -> VersionContent:
    """A version first met on a day, counted from 2025-01-01; its directory is below `skills`."""
    settings = config or Config()
    skill = skill_of("", f"skills/{path}", files)
    bare = pack_skill(skill, {}, settings)
    change = Change(f"{day:040x}", FIRST_DAY + day * DAY)
    version = Version.of(skill_digest(bare.entry.resources), change, label)
    placed = replace(skill, path=f"-/{version.address}/{path.rpartition('/')[2]}")
    return VersionContent(
        version, placed, pack_skill(placed, {}, settings, unlisted or {}).entry, path, "0" * 40
    )


def chain(contents: Sequence[VersionContent]) -> list[EmittedVersion]:
    """Each with the one before it, the oldest first."""
    return [
        EmittedVersion(item, older)
        for item, older in zip(contents, [None, *contents], strict=False)
    ]


def emitted_skill(
    contents: Sequence[VersionContent],
    *,
    current: int = -1,
    again: Change | None = None,
    left_out: Mapping[str, int] | None = None,
) -> EmittedSkill:
    """The skill that had these versions, the oldest first, and is as the current one of them."""
    now = contents[current]
    skill = replace(now.skill, path=now.path)
    summaries = [
        VersionSummary(
            each.content.version,
            each.content.path,
            each.difference,
            order,
            again if each.content is now else None,
        )
        for order, each in enumerate(chain(contents))
    ]
    packed = pack_skill(skill, {}, Config())
    return EmittedSkill(
        skill,
        packed.entry,
        packed.icons,
        Outline({}),
        now.documents,
        now.version.change,
        tuple(reversed(summaries)),
        left_out or {},
    )


def _file(path: str, data: str | bytes | Program) -> File:
    if isinstance(data, Program):
        return File(path, data.content.encode(), executable=True)
    return File(path, data if isinstance(data, bytes) else data.encode(), executable=False)

"""Rules over one skill, given the outline: all findings at once, and the skill if it is whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from skillbuild import header
from skillbuild.check import fields, files, text
from skillbuild.config import Config
from skillbuild.diagnostics import Diagnostic, apply_levels, has_errors
from skillbuild.model import File, Skill
from skillbuild.outline import Outline, Placed
from skillbuild.source import Leaf, Reader

_UNREAD = frozenset(["too-many-files", "skill-too-large"])


@dataclass(frozen=True, slots=True)
class Checked:
    """The findings about one skill; `skill` is None when an error was among them."""

    skill: Skill | None
    found: tuple[Diagnostic, ...]
    reasons: tuple[str, ...] = ()
    """Why the skill is in no listing: rule codes, or `internal`; sorted."""


def check_skill(
    placed: Placed, outline: Outline, reader: Reader, config: Config, *, strict: bool = False
) -> Checked:
    """Read one skill and apply every rule; contents are read only if the limits allow it."""
    kept, junk = files.without_junk(placed)
    plain = [leaf for leaf in kept if leaf.is_file]
    sizes = reader.sizes(plain)
    found = list(outline.found.get(placed.directory, ()))
    found += files.check_listing(placed, kept, junk, sizes, config)
    if any(item.rule.code in _UNREAD for item in found):
        wanted = [leaf for leaf in plain if leaf.path == placed.skill_file]
        wanted = [leaf for leaf in wanted if sizes[plain.index(leaf)] in range(config.limits.bytes)]
    else:
        wanted = [leaf for leaf, size in zip(plain, sizes, strict=True) if size is not None]
    contents = _read(placed, wanted, reader)
    skill, more = _examine(placed, contents, outline, config)
    found += more
    if len(contents) < len(wanted):
        found += files.unreadable(placed, wanted, contents)
    reasons = {item.rule.code for item in found if item.rule.unlists}
    if skill is not None and fields.is_internal(skill.frontmatter):
        reasons.add("internal")
    levelled = apply_levels(found, config.rules, strict=strict)
    whole = None if has_errors(levelled) else skill
    return Checked(whole, tuple(levelled), tuple(sorted(reasons)))


def _read(placed: Placed, leaves: list[Leaf], reader: Reader) -> list[File]:
    contents = zip(leaves, reader.read(leaves), strict=True)
    return [
        File(placed.relative(leaf), data, leaf.kind == "executable")
        for leaf, data in contents
        if data is not None
    ]


def _examine(
    placed: Placed, contents: list[File], outline: Outline, config: Config
) -> tuple[Skill | None, list[Diagnostic]]:
    found = [item for file in contents for item in files.check_content(placed, file)]
    main = next((file for file in contents if file.path == "SKILL.md"), None)
    if main is None:
        return None, found
    head = header.read(main.data, placed.skill_file)
    found += head.found
    if head.frontmatter is None:
        return None, found
    found += fields.check_fields(placed, head.frontmatter, config)
    path = placed.path or placed.directory
    skill = Skill(
        path, placed.directory, head.frontmatter, head.body, head.body_line, tuple(contents)
    )
    found += _check_text(skill, placed, outline, config)
    return (skill if placed.path is not None else None), found


def _check_text(
    skill: Skill, placed: Placed, outline: Outline, config: Config
) -> Iterator[Diagnostic]:
    yield from text.check_body(skill, config)
    yield from text.check_texts(skill, placed, outline)

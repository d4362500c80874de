"""Rules over one skill, given the outline: all findings at once, and the skill if it is whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from skillbuild.check import fields, files, icons, secrets, text
from skillbuild.config import Config
from skillbuild.diagnostics import Finding, apply_levels, has_errors
from skillbuild.model import File, Icon, Skill
from skillbuild.release.frontmatter import is_internal
from skillbuild.rules.files import SECRET
from skillbuild.source.outline import Outline, SkillTree
from skillbuild.source.skill_md import read_skill_md
from skillbuild.source.tree import Leaf, Reader

_UNREAD = frozenset(["too-many-files", "skill-too-large"])


@dataclass(frozen=True, slots=True)
class Checked:
    """The findings about one skill; `skill` is None when an error was among them."""

    skill: Skill | None
    findings: tuple[Finding, ...]
    reasons: tuple[str, ...] = ()
    """Why the skill is in no listing: rule codes, or `internal`; sorted."""
    linked: frozenset[str] = frozenset()
    """Directories of the other skills that its texts lead to."""
    icons: Mapping[Icon, bytes] = field(default_factory=dict)
    """What it is known by, as it is published, in order."""
    codes: tuple[str, ...] = ()
    """Codes of all rules that were met, also of those that the settings silence; sorted."""


def check_skill(
    placed: SkillTree, outline: Outline, reader: Reader, config: Config, *, strict: bool = False
) -> Checked:
    """Read one skill and apply every rule; contents are read only if the limits allow it."""
    kept, junk = files.without_junk(placed)
    plain = [leaf for leaf in kept if leaf.is_file]
    sizes = reader.sizes(plain)
    found = list(outline.findings.get(placed.directory, ()))
    found += files.check_listing(placed, kept, junk, sizes, config)
    if any(item.rule.code in _UNREAD for item in found):
        wanted = [leaf for leaf in plain if leaf.path == placed.skill_file]
        wanted = [leaf for leaf in wanted if sizes[plain.index(leaf)] in range(config.limits.bytes)]
    else:
        wanted = [leaf for leaf, size in zip(plain, sizes, strict=True) if size is not None]
    contents = _read(placed, wanted, reader)
    examined = _examine(placed, contents, outline, config)
    found += examined.findings
    if len(contents) < len(wanted):
        found += files.unreadable(placed, wanted, contents)
    reasons = {item.rule.code for item in found if item.rule.unlists}
    if examined.skill is not None and is_internal(examined.skill.frontmatter.value):
        reasons.add("internal")
    levelled = tuple(apply_levels(found, config.rules, strict=strict))
    whole = None if has_errors(levelled) else examined.skill
    if whole is None:
        levelled = tuple(item for item in levelled if not item.is_note)
    codes = tuple(sorted({item.rule.code for item in found}))
    return Checked(whole, levelled, tuple(sorted(reasons)), examined.linked, examined.icons, codes)


def _read(placed: SkillTree, leaves: list[Leaf], reader: Reader) -> list[File]:
    contents = zip(leaves, reader.read(leaves), strict=True)
    return [
        File(placed.relative(leaf), data, leaf.kind == "executable")
        for leaf, data in contents
        if data is not None
    ]


def _examine(placed: SkillTree, contents: list[File], outline: Outline, config: Config) -> Checked:
    """The rules over contents; the skill is whole as far as they know.

    Once a secret was found, the texts go on with it blanked: no other finding may repeat it.
    """
    found = [item for file in contents for item in files.check_content(placed, file)]
    found += files.check_bits(placed, contents)
    if any(item.rule is SECRET for item in found):
        contents = [replace(file, data=secrets.blanked(file.data)) for file in contents]
    main = next((file for file in contents if file.path == "SKILL.md"), None)
    head = read_skill_md(main.data, placed.skill_file) if main else None
    if head is not None:
        found += head.findings
    if head is None or head.frontmatter is None:
        return Checked(None, tuple(found))
    found += fields.check_fields(placed, head.frontmatter, config)
    path = placed.path or placed.directory
    skill = Skill(
        path, placed.directory, head.frontmatter, head.body, head.body_line, tuple(contents)
    )
    found += text.check_body(skill, config)
    found += text.check_growth(skill, config)
    more, linked = text.check_texts(skill, placed, outline)
    pictures, faults = icons.find(skill)
    whole = skill if placed.path else None
    return Checked(whole, (*found, *more, *faults), linked=linked, icons=pictures)

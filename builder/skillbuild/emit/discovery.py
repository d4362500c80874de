"""Agent Skills Discovery: the listings by which installers find skills, in two versions.

v0.2.0 is `.well-known/agent-skills/index.json`, for the catalog, each group, skill and version. A
skill of one file is offered as that file, any other as its zip (Agent Skills Discovery RFC,
Discovery Index). Addresses are relative to the index, so one output works under any URL.

v0.1.0 is `.well-known/skills/`: an index with the plain files of each skill beside it.
`<flat name>/SKILL.md` doubles as the stable raw address of a skill. The files stand on the
catalog's own origin under their own names, so only types that no browser runs are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from skillbuild.emit.emitter import EmittedSkill, Emitter, SkillOutput
from skillbuild.emit.versions import VersionContent
from skillbuild.media.archive import ZIP_TYPE
from skillbuild.media.types import web_fault
from skillbuild.model import (
    DISCOVERY_LIMIT,
    Catalog,
    Entry,
    Listing,
    OutputFile,
    Skill,
    group_address,
)
from skillbuild.paths import base_name, collision_key, is_skill_name, is_skill_path
from skillbuild.release.entries import EntryLines
from skillbuild.release.entry import decode_entry
from skillbuild.release.frontmatter import LONGEST_DESCRIPTION
from skillbuild.release.record import markdown_path
from skillbuild.text.json import json_document, json_line
from skillbuild.text.positions import utf16_start

SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
_INDEX_02 = ".well-known/agent-skills/index.json"
_FOLDER_01 = ".well-known/skills"
_GROUP_END = b"\0"
"""Between the group of a skill and its line on the way to the indexes; in JSON it is escaped."""
_FROM_TOP, _FROM_GROUP = b'"url":"../../', b'"url":"../../../../'
"""How addresses begin in the index of the catalog, and in that of a group, two folders below."""


def short_description(entry: Entry) -> str:
    """As much of the description as clients take; they drop an entry with more, or refuse it."""
    return utf16_start(entry.text("description"), LONGEST_DESCRIPTION)


class DiscoveryV02Emitter(Emitter):
    """An index of all skills, one below each group's page, and one below each skill's.

    The last installs one skill with a few requests, and that of a version just this version.
    """

    path = _INDEX_02
    listing = Listing.DISCOVERY_02

    def emit_skill(self, emitted: EmittedSkill) -> SkillOutput:
        entry = emitted.entry
        if entry.is_internal:
            return SkillOutput()
        own_path = f"skills/{entry.path}/{_INDEX_02}"
        own_line = _line_02(entry, own_path, entry.flat_name)
        own_index = _index_02(own_path, [own_line] if own_line else [])
        line = _line_02(entry, self.path, entry.flat_name)
        return SkillOutput([own_index], line and _GROUP_END.join((entry.group.encode(), line)))

    def emit_version(self, content: VersionContent) -> Iterator[OutputFile]:
        """An index of this version alone, under a name that no other skill can change."""
        path = f"{content.address}/{_INDEX_02}"
        line = _line_02(content.entry, path, content.entry.name)
        if line is not None:
            yield _index_02(path, [line])

    def emit_catalog(self, catalog: Catalog, lines: Sequence[bytes]) -> Iterator[OutputFile]:
        parts = [line.split(_GROUP_END, maxsplit=1) for line in lines]
        yield _index_02(self.path, (line for _, line in parts))
        groups: dict[str, list[bytes]] = {group.name: [] for group in catalog.groups}
        for name, line in parts:
            groups.setdefault(name.decode(), []).append(line.replace(_FROM_TOP, _FROM_GROUP, 1))
        groups.pop("", None)
        for group, members in groups.items():
            yield _index_02(f"{group_address(group)}{_INDEX_02}", members)
        yield from _where_skills_stood(catalog)


def _where_skills_stood(catalog: Catalog) -> Iterator[OutputFile]:
    """An index where each moved skill stood: under its old name what it is now.

    So an update of what was installed from there finds it. No list of the catalog has it.
    """
    moved = {**catalog.moved}
    moved |= {each.path: each.successor for each in catalog.gone if each.successor}
    if not moved:
        return
    lines = EntryLines.of(catalog.entries).by_path()
    taken = set(map(collision_key, lines))
    for old, path in sorted(moved.items()):
        if path not in lines or collision_key(old) in taken or not is_skill_path(old):
            continue
        where = f"skills/{old}/{_INDEX_02}"
        entry = decode_entry(lines[path])
        name = base_name(old) if is_skill_name(base_name(old)) else entry.flat_name
        line = None if entry.is_internal else _line_02(entry, where, name)
        if line is not None:
            yield _index_02(where, [line])


def _index_02(path: str, lines: Iterable[bytes]) -> OutputFile:
    return OutputFile(path, json_document({"$schema": SCHEMA}, "skills", lines))


def _line_02(entry: Entry, index: str, name: str) -> bytes | None:
    """The five fields that clients know and no others; None for a skill they could not fetch.

    `index` is the path of the index, to which the address is relative, `name` that of the skill
    in it.
    """
    root = "../" * index.count("/")
    single = markdown_path(entry)
    zips = [item for item in entry.archives if item.media_type == ZIP_TYPE]
    if not (single or zips) or not entry.is_within(DISCOVERY_LIMIT):
        return None
    if single:
        kind, path, digest = "skill-md", single, entry.skill_md.digest
    else:
        kind, path, digest = "archive", f"archives/{zips[0].file_name}", zips[0].digest
    return json_line(
        {
            "name": name,
            "type": kind,
            "description": short_description(entry),
            "url": root + path,
            "digest": str(digest),
        }
    )


class DiscoveryV01Emitter(Emitter):
    """An index of the skills whose files can all be served, and those files."""

    path = f"{_FOLDER_01}/index.json"
    listing = Listing.DISCOVERY_01

    def emit_skill(self, emitted: EmittedSkill) -> SkillOutput:
        entry = emitted.entry
        if entry.is_internal:
            return SkillOutput()
        is_offered = entry.is_listed(self.listing) and is_safe(emitted.skill)
        files = _files_01(emitted.skill, entry.flat_name, all_files=is_offered)
        return SkillOutput(files, _line_01(entry) if is_offered else None)

    def emit_catalog(self, catalog: Catalog, lines: Sequence[bytes]) -> Iterator[OutputFile]:
        yield OutputFile(self.path, json_document({}, "skills", lines))


def _files_01(skill: Skill, flat_name: str, *, all_files: bool) -> Iterator[OutputFile]:
    """The files of a skill below its flat name: all of them, or SKILL.md alone."""
    for file in skill.files:
        if all_files or file.path == "SKILL.md":
            yield OutputFile(f"{_FOLDER_01}/{flat_name}/{file.path}", file.data)


def _line_01(entry: Entry) -> bytes:
    return json_line(
        {
            "name": entry.flat_name,
            "description": short_description(entry),
            "files": [item.path for item in entry.resources],
            "version": entry.skill_digest.short,
        }
    )


def is_safe(skill: Skill) -> bool:
    """True when every file may stand under its own name on the origin of the catalog.

    The rule `discovery-omitted` has said so before, but here a file would be written.
    """
    return all(web_fault(file.path, file.data) is None for file in skill.files)

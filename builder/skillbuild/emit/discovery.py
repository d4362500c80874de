"""Agent Skills Discovery: the indexes in which installers find skills, in versions 0.2.0 and 0.1.0.

v0.2.0 is `.well-known/agent-skills/index.json`, for the catalog and for each group, skill and
version. A skill that consists only of SKILL.md is offered as this one file; any other skill is
offered as a zip (Agent Skills Discovery RFC, Discovery Index). URLs are relative to the index, so
the same output works under any base URL.

v0.1.0 is `.well-known/skills/`: an index, and beside it the plain files of each skill. `<flat
name>/SKILL.md` is also the stable raw URL of a skill. These files keep their own names and have the
same origin as the pages of the catalog. Therefore, only file types that browsers never execute are
written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from skillbuild.emit.emitter import EmittedSkill, Emitter, SkillOutput
from skillbuild.emit.versions import VersionContent
from skillbuild.media.archive import ZIP_TYPE
from skillbuild.media.types import web_fault
from skillbuild.model import (
    Catalog,
    Entry,
    Listing,
    OutputFile,
    Skill,
    group_address,
)
from skillbuild.paths import (
    SKILL_FILE,
    base_name,
    collision_key,
    is_skill_name,
    is_skill_path,
)
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
"""Separates a skill's group from its JSON line until the indexes are written. JSON escapes it, so
it cannot occur in the line."""
_FROM_TOP, _FROM_GROUP = b'"url":"../../', b'"url":"../../../../'
"""The start of URLs in the catalog's index, and in a group's index two folders below it."""


def short_description(entry: Entry) -> str:
    """Return the description, cut to the length that clients accept.

    Clients ignore or reject a skill whose description is longer.
    """
    return utf16_start(entry.text("description"), LONGEST_DESCRIPTION)


class DiscoveryV02Emitter(Emitter):
    """Writes an index of all skills, and one for each group, each skill and each version.

    A client that wants only one skill or one version can read the small index of this skill or
    version, and needs few requests.
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
        """Yield the index that contains only this version. The index never changes, because its
        address contains the digest of the version.
        """
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
    """Yield an index at each old path of a moved skill.

    An installer that updates a skill looks at the path that it installed from, and finds the skill
    there. No other index lists these entries.
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
    """Return the JSON line of a skill with the fields that clients know; None if they cannot fetch
    it.

    `index` is the path of the index file; the URL in the line is relative to it. `name` is the name
    of the skill in that index.
    """
    root = "../" * index.count("/")
    single = markdown_path(entry)
    zips = [item for item in entry.archives if item.media_type == ZIP_TYPE]
    if not (single or zips) or not entry.fits_discovery:
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
    """Writes an index of skills that are safe to serve on a website, and the files of these skills.

    For every other skill that is not internal, only SKILL.md is written.
    """

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
    """Yield the files of a skill below its flat name: all files, or only SKILL.md."""
    for file in skill.files:
        if all_files or file.path == SKILL_FILE:
            yield OutputFile(f"{_FOLDER_01}/{flat_name}/{file.path}", file.data)


def _line_01(entry: Entry) -> bytes:
    """Return the JSON line of a skill.

    SKILL.md is the last file. skillkit 1.24.0 ignores the folders of files, so it would replace
    this SKILL.md with the SKILL.md of a nested skill that comes later.
    """
    paths = [item.path for item in entry.resources if item.path != SKILL_FILE]
    return json_line(
        {
            "name": entry.flat_name,
            "description": short_description(entry),
            "files": [*paths, SKILL_FILE],
            "version": entry.skill_digest.short,
        }
    )


def is_safe(skill: Skill) -> bool:
    """Return whether it is safe to serve every file of a skill under the file's own name, on the
    origin of the catalog.

    The `discovery-omitted` rule already excludes skills with unsafe files. This is a second check
    before files are written.
    """
    return all(web_fault(file.path, file.data) is None for file in skill.files)

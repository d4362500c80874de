"""Compares two releases for a reviewer: which skills and files changed, and which changes look
risky.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Literal

from msgspec import Meta
from msgspec import field as key

from skillbuild.media.types import decode
from skillbuild.model import Catalog, Deprecation, Digest, Entry, JsonStruct, Resource, Unlisted
from skillbuild.release.entries import EntryLines
from skillbuild.release.facts import deeds_of, has_script
from skillbuild.release.frontmatter import tools_of
from skillbuild.release.lost import Absences
from skillbuild.release.trust import trust_changes
from skillbuild.text.faults import TextFaultError
from skillbuild.text.frontmatter import split_frontmatter
from skillbuild.text.tokens import estimate_tokens

_MOST_DEEDS = 20
"""Maximum number of new actions of a skill that one change lists."""
Read = Callable[[Resource], bytes | None]
"""A function that returns the bytes of a published file, or None if they are not available."""


class FileChange(JsonStruct, frozen=True):
    """A changed file of a skill. A new file has no old digest, and a removed file has no new
    one.
    """

    path: str
    old: Digest | None = key(name="oldDigest")
    new: Digest | None = key(name="newDigest")


class UnlistedChange(JsonStruct, frozen=True):
    """The reasons why listings omit the skill in the older and in the newer release. Empty for a
    release that does not contain the skill.
    """

    old: Unlisted
    new: Unlisted


class DeprecationChange(JsonStruct, frozen=True):
    """The deprecation of the skill in the older and in the newer release. Null for a release that
    does not contain the skill or in which the skill is not deprecated.
    """

    old: Deprecation | None
    new: Deprecation | None


class SkillChange(JsonStruct, frozen=True, kw_only=True, rename="camel"):
    """A skill that was added, removed or renamed, or whose files, listings or deprecation
    changed.
    """

    kind: Annotated[
        Literal["added", "changed", "renamed", "removed"],
        Meta(
            description="What happened to the skill. If only its listings or its deprecation"
            " changed, this is `changed`, and both digests are equal."
        ),
    ]
    path: str
    old_path: Annotated[
        str | None,
        Meta(description="The path in the older release; null if the skill is new or removed."),
    ]
    old_digest: Digest | None
    new_digest: Digest | None
    files: tuple[FileChange, ...]
    signals: Annotated[
        tuple[str, ...], Meta(description="Changes that a reviewer should look at carefully.")
    ]
    tokens: Annotated[
        int,
        Meta(
            description="Estimated number of tokens that SKILL.md gained; negative if it lost some."
        ),
    ]
    unlisted: UnlistedChange
    deprecated: DeprecationChange
    reason: Annotated[
        str,
        Meta(
            description="Why the skill was removed: `removed` if it is no longer in the source,"
            " `invalid` if it is invalid, or else the reason that the record gives for"
            " ignoring its SKILL.md."
        ),
    ] = ""

    @property
    def is_of_settings(self) -> bool:
        """Whether the files of the skill are unchanged, and only settings that concern the skill
        differ.
        """
        return self.kind == "changed" and self.old_digest == self.new_digest

    @property
    def is_of_listing(self) -> bool:
        """Whether only the listings of the skill changed."""
        is_same = self.deprecated.old == self.deprecated.new and not self.signals
        return self.is_of_settings and is_same

    @property
    def is_newly_deprecated(self) -> bool:
        return self.deprecated.new is not None and self.deprecated.old is None

    @property
    def what(self) -> str:
        """The kind of the change, or `deprecated` if the skill became deprecated and its files are
        unchanged.
        """
        return "deprecated" if self.is_of_settings and self.is_newly_deprecated else self.kind


def compare_catalogs(
    old: Catalog, new: Catalog, read_old: Read, read_new: Read
) -> tuple[SkillChange, ...]:
    """Return the changes between two catalogs, sorted by skill path.

    A removed skill and an added skill with the same files or the same instructions are reported as
    one renamed skill.
    """
    earlier, later = EntryLines.of(old.entries), EntryLines.of(new.entries)
    before = {entry.path: entry for entry in earlier.without(later)}
    after = {entry.path: entry for entry in later.without(earlier)}
    moves = _moves(before, after, read_old, read_new)
    changes, moved = [], set(moves.values())
    for path, entry in after.items():
        was = before.get(moves.get(path, path)) if path not in moved else None
        if was is None or _key(was) != _key(entry):
            changes.append(_change(was, entry, read_old, read_new))
    gone = before.keys() - after.keys() - moved
    absences = Absences(new)
    changes += [_removal(before[path], absences) for path in gone]
    return tuple(sorted(changes, key=lambda change: change.path))


def _key(entry: Entry) -> tuple[object, ...]:
    return entry.path, entry.skill_digest, entry.unlisted, entry.deprecated, entry.trust


def _moves(
    before: Mapping[str, Entry], after: Mapping[str, Entry], read_old: Read, read_new: Read
) -> dict[str, str]:
    """Map the new path of each moved skill to its old path.

    A skill has moved if its directory has another path now, or if its content is at exactly one new
    path. Renaming a skill changes its SKILL.md, so equal instructions also count if only one skill
    on each side has them. The old path may belong to another skill now.
    """
    by_directory = {entry.directory: path for path, entry in before.items()}
    new = {path: entry for path, entry in after.items() if path not in before}
    moves = {
        path: by_directory[entry.directory]
        for path, entry in new.items()
        if entry.directory in by_directory
    }
    taken = set(moves.values())
    lost = {p: entry for p, entry in before.items() if p not in after and p not in taken}
    places = {entry.skill_digest: path for path, entry in lost.items()}
    moves |= {
        path: places.pop(entry.skill_digest)
        for path, entry in new.items()
        if path not in moves and entry.skill_digest in places
    }
    taken = set(moves.values())
    old_bodies = _bodies((entry for path, entry in lost.items() if path not in taken), read_old)
    new_bodies = _bodies((entry for path, entry in new.items() if path not in moves), read_new)
    shared = old_bodies.keys() & new_bodies.keys()
    return moves | {new_bodies[body]: old_bodies[body] for body in shared}


def _bodies(entries: Iterable[Entry], read: Read) -> dict[str, str]:
    """Map instructions that exactly one skill has to the path of the skill."""
    paths_by_body: dict[str, list[str]] = defaultdict(list)
    for entry in entries:
        data = read(entry.skill_md)
        if instructions := _instructions(data):
            paths_by_body[instructions].append(entry.path)
    return {body: paths[0] for body, paths in paths_by_body.items() if len(paths) == 1}


def _instructions(skill_md: bytes | None) -> str:
    """Return the body of a SKILL.md, stripped; empty if it cannot be read."""
    try:
        return split_frontmatter(decode(skill_md or b"") or "").body.strip()
    except TextFaultError:
        return ""


def _removal(was: Entry, absences: Absences) -> SkillChange:
    files = tuple(FileChange(item.path, item.digest, None) for item in was.resources)
    return SkillChange(
        kind="removed",
        path=was.path,
        old_path=None,
        old_digest=was.skill_digest,
        new_digest=None,
        files=files,
        signals=(),
        tokens=0,
        unlisted=UnlistedChange(was.unlisted, {}),
        deprecated=DeprecationChange(was.deprecated, None),
        reason=absences.reason(was.directory),
    )


def _change(was: Entry | None, now: Entry, read_old: Read, read_new: Read) -> SkillChange:
    return SkillChange(
        kind="added" if was is None else "renamed" if was.path != now.path else "changed",
        path=now.path,
        old_path=was.path if was else None,
        old_digest=was.skill_digest if was else None,
        new_digest=now.skill_digest,
        files=_file_changes(was, now),
        signals=tuple(_signals(was, now)),
        tokens=_tokens(now, read_new) - (_tokens(was, read_old) if was else 0),
        unlisted=UnlistedChange(was.unlisted if was else {}, now.unlisted),
        deprecated=DeprecationChange(was.deprecated if was else None, now.deprecated),
    )


def _file_changes(was: Entry | None, now: Entry) -> tuple[FileChange, ...]:
    old = {item.path: item.digest for item in was.resources} if was else {}
    new = {item.path: item.digest for item in now.resources}
    return tuple(
        FileChange(path, old.get(path), new.get(path))
        for path in sorted(old.keys() | new.keys())
        if old.get(path) != new.get(path)
    )


def _tokens(entry: Entry, read: Read) -> int:
    """Estimate the number of tokens in SKILL.md; 0 if it cannot be read."""
    data = read(entry.skill_md)
    return estimate_tokens(decode(data) or "") if data is not None else 0


def _signals(was: Entry | None, now: Entry) -> list[str]:
    """List what a reviewer should look at twice: new executables, new actions, and changes of
    trust.
    """
    ran = {item.path for item in was.resources if item.executable} if was else set()
    runs = {item.path for item in now.resources if item.executable}
    fresh = sorted(runs - ran)
    signals = [f"newly executable: {path}" for path in fresh]
    known = {*(deeds_of(was.facts) if was else ()), *map(has_script, fresh)}
    signals += [f"now {deed}" for deed in deeds_of(now.facts) if deed not in known][:_MOST_DEEDS]
    signals += [f"no longer executable: {path}" for path in sorted(ran & _paths(now) - runs)]
    wider = sorted(_tools(now) - (_tools(was) if was else set()))
    signals += [f"allowed-tools: {tool}" for tool in wider]
    return [*signals, *trust_changes(was.trust if was else None, now.trust)]


def _paths(entry: Entry) -> set[str]:
    return {item.path for item in entry.resources}


def _tools(entry: Entry) -> set[str]:
    return set(tools_of(entry.frontmatter) or ())

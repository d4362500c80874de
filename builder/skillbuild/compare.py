"""What changed between two releases, as a reviewer wants to know it: skills, files, signals."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from skillbuild.media import decode
from skillbuild.model import Catalog, Digest, Entry
from skillbuild.texts import estimate_tokens

Read = Callable[[Digest], bytes | None]
"""Gives the bytes of a published file, or None when they cannot be had."""

_HOST = re.compile(r"https?://([A-Za-z0-9.-]+\.[A-Za-z]{2,})")


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of a skill: an absent digest means the file was not there, or is gone."""

    path: str
    old: Digest | None
    new: Digest | None


@dataclass(frozen=True, slots=True)
class SkillChange:
    """A skill that is new, gone, moved to another path, or different in its files."""

    kind: str
    path: str
    old_path: str | None
    old_digest: Digest | None
    new_digest: Digest | None
    files: tuple[FileChange, ...] = ()
    signals: tuple[str, ...] = ()
    tokens: int = 0
    """By how much the text of SKILL.md grew, estimated."""


def compare(old: Catalog, new: Catalog, read_old: Read, read_new: Read) -> tuple[SkillChange, ...]:
    """Changes sorted by skill path; a skill gone and a new one with the same files is a move."""
    before = {entry.path: entry for entry in old.entries}
    after = {entry.path: entry for entry in new.entries}
    moves = _moves(before, after)
    changes = []
    for path, entry in after.items():
        was = before.get(path) or before.get(moves.get(path, ""))
        if was is None or was.path != path or was.skill_digest != entry.skill_digest:
            changes.append(_change(was, entry, read_old, read_new))
    gone = before.keys() - after.keys() - set(moves.values())
    changes += [
        SkillChange("removed", path, None, before[path].skill_digest, None) for path in gone
    ]
    return tuple(sorted(changes, key=lambda change: change.path))


def _moves(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> dict[str, str]:
    """New path to old path, for content that left one place and stands at one other."""
    lost = {entry.skill_digest: path for path, entry in before.items() if path not in after}
    return {
        path: lost.pop(entry.skill_digest)
        for path, entry in after.items()
        if path not in before and entry.skill_digest in lost
    }


def _change(was: Entry | None, now: Entry, read_old: Read, read_new: Read) -> SkillChange:
    kind = "added" if was is None else "renamed" if was.path != now.path else "changed"
    old_text = _texts(was, read_old) if was else {}
    new_text = _texts(now, read_new)
    old_tokens = estimate_tokens(old_text.get("SKILL.md", ""))
    return SkillChange(
        kind=kind,
        path=now.path,
        old_path=was.path if was else None,
        old_digest=was.skill_digest if was else None,
        new_digest=now.skill_digest,
        files=_file_changes(was, now),
        signals=tuple(_signals(was, now, _hosts(new_text) - _hosts(old_text))),
        tokens=estimate_tokens(new_text.get("SKILL.md", "")) - old_tokens,
    )


def _file_changes(was: Entry | None, now: Entry) -> tuple[FileChange, ...]:
    old = {item.path: item.digest for item in was.resources} if was else {}
    new = {item.path: item.digest for item in now.resources}
    return tuple(
        FileChange(path, old.get(path), new.get(path))
        for path in sorted(old.keys() | new.keys())
        if old.get(path) != new.get(path)
    )


def _texts(entry: Entry, read: Read) -> dict[str, str]:
    texts = {}
    for item in entry.resources:
        data = read(item.digest)
        text = decode(data) if data is not None else None
        if text is not None:
            texts[item.path] = text
    return texts


def _hosts(texts: Mapping[str, str]) -> set[str]:
    return {host.lower() for text in texts.values() for host in _HOST.findall(text)}


def _signals(was: Entry | None, now: Entry, hosts: set[str]) -> list[str]:
    """What a reviewer should look at twice: new programs, new hosts, more tools."""
    ran = {item.path for item in was.resources if item.executable} if was else set()
    runs = {item.path for item in now.resources if item.executable}
    signals = [f"newly executable: {path}" for path in sorted(runs - ran)]
    signals += [f"new host: {host}" for host in sorted(hosts)]
    allowed = set(was.text("allowed-tools").split()) if was else set()
    wider = sorted(set(now.text("allowed-tools").split()) - allowed)
    return signals + [f"allowed-tools: {tool}" for tool in wider]

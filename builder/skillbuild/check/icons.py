"""The icons a skill declares: where they are looked for, and what is wrong with them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from skillbuild.diagnostics import Finding, finding
from skillbuild.media import icons
from skillbuild.media.types import decode
from skillbuild.model import Digest, File, Icon, Skill
from skillbuild.rules import files as rules
from skillbuild.source.discovery import inside
from skillbuild.text.faults import TextFaultError
from skillbuild.text.yaml.reader import parse_yaml

_AGENT_FILE = "agents/openai.yaml"
_AGENT_KEYS = ("icon_small", "icon_large")
_CONVENTIONAL = (
    (("assets/icon-light.svg", "light"), ("assets/icon-dark.svg", "dark")),
    (("assets/icon-light.png", "light"), ("assets/icon-dark.png", "dark")),
    (("assets/icon.svg", None),),
    (("assets/icon.png", None),),
)
_IMAGE_PATH = re.compile(r"[^\s:]+\.(png|svg|jpe?g|gif|webp|ico)", re.IGNORECASE)

_Found = tuple[str, str | None]
"""A path in the skill, and the theme it is for."""


@dataclass(frozen=True, slots=True)
class _Declared:
    """Icons that one file names; paths are as written."""

    by: str
    items: tuple[_Found, ...]


def find(skill: Skill) -> tuple[Mapping[Icon, bytes], Sequence[Finding]]:
    """The icons of a skill, ready to publish and in order, and every fault among them.

    The first of these that a skill has counts: `interface.icon_small` and `icon_large` of
    `agents/openai.yaml`, `metadata.icon`, `assets/icon-light` with `icon-dark`, `assets/icon`.
    """
    files = {file.path: file for file in skill.files}
    declared = next((one for one in _declarations(skill, files) if one.items), None)
    if declared is None:
        return drawn(skill.name), ()
    ready: dict[Icon, bytes] = {}
    faults = []
    for written, theme in declared.items:
        path = posixpath.normpath(written)
        if path not in files:
            faults.append(
                _fault(skill, declared.by, f"the icon {written[:200]} is not in the skill")
            )
            continue
        try:
            ready |= published(files[path].data, theme)
        except icons.IconError as error:
            faults.append(_fault(skill, path, str(error)))
    return ready or drawn(skill.name), faults


def published(data: bytes, theme: str | None = None) -> dict[Icon, bytes]:
    """One icon as it is written; raises `icons.IconError` for what cannot be."""
    clean = icons.clean(data)
    return {Icon(Digest.of(clean.data), clean.media_type, clean.sizes, theme): clean.data}


def drawn(name: str) -> dict[Icon, bytes]:
    """The picture of a skill that declares no icon."""
    picture = icons.identicon(name)
    return {Icon(Digest.of(picture.data), picture.media_type, picture.sizes): picture.data}


def _declarations(skill: Skill, files: Mapping[str, File]) -> Iterator[_Declared]:
    agent = files.get(_AGENT_FILE)
    if agent is not None:
        yield _Declared(_AGENT_FILE, tuple(_of_agent(agent.data)))
    metadata = skill.frontmatter.value.get("metadata")
    icon = metadata.get("icon") if isinstance(metadata, Mapping) else None
    if isinstance(icon, str) and _IMAGE_PATH.fullmatch(icon):
        yield _Declared("SKILL.md", ((icon, None),))
    for group in _CONVENTIONAL:
        yield _Declared("SKILL.md", group if all(path in files for path, _ in group) else ())


def _of_agent(data: bytes) -> Iterator[_Found]:
    try:
        value = parse_yaml(decode(data) or "").value
    except TextFaultError:
        return
    interface = value.get("interface") if isinstance(value, Mapping) else None
    if isinstance(interface, Mapping):
        for key in _AGENT_KEYS:
            path = interface.get(key)
            if isinstance(path, str) and path:
                yield path, None


def _fault(skill: Skill, path: str, message: str) -> Finding:
    hint = "replace the icon, or remove it and what names it"
    return finding(rules.ICON_INVALID, inside(skill.directory, path), None, message, hint)

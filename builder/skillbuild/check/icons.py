"""Finds the icons that a skill declares, and checks them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from skillbuild.check import secrets
from skillbuild.diagnostics import Finding, Severity, finding
from skillbuild.media import icons
from skillbuild.media.raster import IconError
from skillbuild.media.types import decode
from skillbuild.model import File, Icon, Skill
from skillbuild.paths import SKILL_FILE, inside
from skillbuild.rules import files as rules
from skillbuild.source.outline import Outline
from skillbuild.source.tree import OutsideError, Reader, read_outside
from skillbuild.text.faults import TextFaultError
from skillbuild.text.yaml.reader import parse_yaml

_AGENT_FILE = "agents/openai.yaml"
"""The file that tells OpenAI clients what to show for the skill."""
_AGENT_KEYS = ("icon_small", "icon_large")
_MOST_SHOWN = 200
"""Maximum characters of a path in a message."""
_IMAGE_PATH = re.compile(r"[^\s:]+\.(png|svg|jpe?g|gif|webp|ico)", re.IGNORECASE)


_EDIT = "remove {} from the SVG, or use a PNG instead"
_SHOWN_BY_CODEX = "; Codex can show the icon as it is, but the catalog cannot"
_REPLACE = "replace the icon, or remove both the icon and the reference to it"
_ADD = "add the icon to the skill, or correct its path"


class _NoIconError(IconError):
    """An error: the declared icon file does not exist."""


@dataclass(frozen=True, slots=True)
class _IconFile:
    """The path of an icon as it is written, and the icon's theme."""

    path: str
    theme: str | None = None


@dataclass(frozen=True, slots=True)
class _Declaration:
    """The icons that one file of the skill declares, and the path of this file."""

    by: str
    icons: tuple[_IconFile, ...]


_CONVENTIONAL = (
    (_IconFile("assets/icon-light.svg", "light"), _IconFile("assets/icon-dark.svg", "dark")),
    (_IconFile("assets/icon-light.png", "light"), _IconFile("assets/icon-dark.png", "dark")),
    (_IconFile("assets/icon.svg"),),
    (_IconFile("assets/icon.png"),),
)
"""Files that are icons without a declaration, if all files of their group exist."""


def find(
    skill: Skill, outline: Outline, reader: Reader
) -> tuple[Mapping[Icon, bytes], Sequence[Finding]]:
    """Return the icons of a skill with the bytes to publish, and findings about broken icons.

    The icons come from the first of these sources that exists: `interface.icon_small` and
    `icon_large` in `agents/openai.yaml`, `metadata.icon`, the files `assets/icon-light` and
    `assets/icon-dark`, or the file `assets/icon`. A declared icon may be outside of the skill, for
    example if the skills of a plugin share it. A skill without a usable icon gets an icon drawn
    from its name.
    """
    return _find(skill, lambda path, theme: _shared(path, theme, outline, reader))


def own(skill: Skill) -> Mapping[Icon, bytes]:
    """Return the icons that are files of the skill.

    If the skill has none, return an icon drawn from its name.
    """
    return _find(skill, lambda _path, _theme: {})[0]


def _find(
    skill: Skill, elsewhere: Callable[[str, str | None], Mapping[Icon, bytes]]
) -> tuple[Mapping[Icon, bytes], Sequence[Finding]]:
    """Find icons; `elsewhere` reads one outside of the skill by its path and theme."""
    files = {file.path: file for file in skill.files}
    declaration = next((item for item in _declarations(skill, files) if item.icons), None)
    if declaration is None:
        return drawn(skill.name), ()
    usable: dict[Icon, bytes] = {}
    faults: list[tuple[Finding, bool]] = []
    """Each finding, and whether there is no such file."""
    for icon in declaration.icons:
        path = posixpath.normpath(posixpath.join(skill.directory, icon.path))
        own = files.get(_relative(path, skill.directory))
        try:
            if own is not None:
                usable |= published(own.data, icon.theme)
            else:
                usable |= elsewhere(path, icon.theme)
        except IconError as error:
            message = f"{error}" if own else f"the icon {icon.path[:_MOST_SHOWN]} {error}"
            by = inside(skill.directory, own.path if own else declaration.by)
            place = error.place if own else None
            hint = _hint(error, by_codex=declaration.by == _AGENT_FILE)
            item = finding(rules.ICON_INVALID, by, place, message, hint)
            faults.append((item, isinstance(error, _NoIconError)))
    findings = [
        replace(item, severity=Severity.NOTE) if usable and not is_absent else item
        for item, is_absent in faults
    ]
    return usable or drawn(skill.name), findings


def _hint(error: IconError, *, by_codex: bool) -> str:
    """Return the hint; `by_codex` says whether Codex reads the declaration of the icon."""
    if isinstance(error, _NoIconError):
        return _ADD
    if not error.place:
        return _REPLACE
    return _EDIT.format(error.removal or "it") + (_SHOWN_BY_CODEX if by_codex else "")


def _relative(path: str, directory: str) -> str:
    """Return a path relative to a directory if it is below it, otherwise unchanged."""
    return path.removeprefix(f"{directory}/") if directory else path


def _shared(path: str, theme: str | None, outline: Outline, reader: Reader) -> Mapping[Icon, bytes]:
    """Return an icon that is in the source, but outside of the skill that declares it.

    Secrets in it are blanked, because files outside of skills are not checked otherwise. Error
    messages continue after the path of the icon.
    """
    if path.startswith(("/", "../")):
        raise _NoIconError("is outside the source")
    leaf = outline.image_at(path)
    if leaf is None:
        raise _NoIconError("is not an image file in the source")
    try:
        data = read_outside(leaf, reader, icons.MAX_BYTES)
    except OutsideError as error:
        raise IconError(f"{error}") from error
    try:
        return published(secrets.blanked(data), theme)
    except IconError as error:
        line = f" (line {error.place.line} of the icon)" if error.place else ""
        message = f"cannot be published: {error}{line}"
        raise IconError(message, error.place, error.removal) from error


def published(data: bytes, theme: str | None = None) -> dict[Icon, bytes]:
    """Return an icon and its bytes. The published bytes contain nothing that a browser could run or
    load.

    `data` is PNG, SVG or JPEG. Raises `IconError` if the icon cannot be published.
    """
    clean = icons.clean(data)
    return {Icon.of(clean.data, clean.media_type, clean.sizes, theme): clean.data}


def drawn(name: str) -> dict[Icon, bytes]:
    """Return an icon drawn from the name of a skill, and its bytes."""
    picture = icons.identicon(name)
    return {Icon.of(picture.data, picture.media_type, picture.sizes): picture.data}


def _declarations(skill: Skill, files: Mapping[str, File]) -> Iterator[_Declaration]:
    """Yield the icons of each possible declaration, in order of precedence."""
    agent = files.get(_AGENT_FILE)
    if agent is not None:
        yield _Declaration(_AGENT_FILE, tuple(_of_agent(agent.data)))
    metadata = skill.frontmatter.value.get("metadata")
    icon = metadata.get("icon") if isinstance(metadata, Mapping) else None
    if isinstance(icon, str) and _IMAGE_PATH.fullmatch(icon):
        yield _Declaration(SKILL_FILE, (_IconFile(icon),))
    for group in _CONVENTIONAL:
        yield _Declaration(SKILL_FILE, group if all(icon.path in files for icon in group) else ())


def _of_agent(data: bytes) -> Iterator[_IconFile]:
    try:
        value = parse_yaml(decode(data) or "").value
    except TextFaultError:
        return
    interface = value.get("interface") if isinstance(value, Mapping) else None
    if isinstance(interface, Mapping):
        for key in _AGENT_KEYS:
            path = interface.get(key)
            if isinstance(path, str) and path:
                yield _IconFile(path)

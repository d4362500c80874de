"""Reads the icons and the page templates that a source provides for its catalog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from skillbuild import assets
from skillbuild.check.icons import drawn, published
from skillbuild.config import Config
from skillbuild.errors import ConfigError
from skillbuild.media import icons
from skillbuild.media.raster import IconError
from skillbuild.media.types import decode
from skillbuild.model import Icon
from skillbuild.setting_lines import SettingError, within
from skillbuild.source.tree import Leaf, OutsideError, Reader, locating, read_outside

_LARGEST_TEMPLATE = 256 * 1024


@dataclass(frozen=True, slots=True)
class Branding:
    """Icons ready for publishing, in order, and the texts of the templates by template name."""

    icons: Mapping[Icon, bytes]
    templates: Mapping[str, str] = field(default_factory=dict)


def read_branding(config: Config, leaves: Sequence[Leaf], reader: Reader) -> Branding:
    """Read the files that `icons` and `templates` name; raise `ConfigError` for any problem."""
    by_path = {leaf.path: leaf for leaf in leaves if leaf.is_file}
    ready: dict[Icon, bytes] = {}
    with locating(leaves, reader):
        with within("icons"):
            for path in config.icons:
                ready |= _icon(path, by_path, reader)
        with within("templates"):
            templates = dict(_templates(config, by_path, reader))
    return Branding(ready or drawn(config.title), templates)


def _icon(path: str, leaves: Mapping[str, Leaf], reader: Reader) -> Mapping[Icon, bytes]:
    stem = path.rpartition("/")[2].rpartition(".")[0]
    theme = next((name for name in ("light", "dark") if stem.endswith(f"-{name}")), None)
    try:
        return published(_read(f"icons: {path}", leaves.get(path), reader, icons.MAX_BYTES), theme)
    except IconError as error:
        where = f"{path}:{error.place.line}" if error.place else path
        raise SettingError(f"icons: {where}: {error}") from error


def _templates(config: Config, leaves: Mapping[str, Leaf], reader: Reader) -> Mapping[str, str]:
    if not config.templates:
        return {}
    start = f"{config.templates}/"
    pages = (item.name for item in assets.asset_root("templates").iterdir() if item.is_file())
    names = {name for name in pages if name.endswith(".html")}
    templates = {}
    for path, leaf in leaves.items():
        if path.startswith(start):
            name = path.removeprefix(start)
            if name not in names:
                listed = ", ".join(sorted(names))
                raise ConfigError(f"{path}: there is no template with this name; known: {listed}")
            templates[name] = _text(path, _read(path, leaf, reader, _LARGEST_TEMPLATE))
    if not templates:
        raise SettingError(f"templates: the source has no directory {start}")
    return templates


def _text(path: str, data: bytes) -> str:
    text = decode(data)
    if text is None:
        raise ConfigError(f"{path}: a template must be UTF-8 text")
    return text


def _read(what: str, leaf: Leaf | None, reader: Reader, most: int) -> bytes:
    try:
        return read_outside(leaf, reader, most)
    except OutsideError as error:
        raise SettingError(f"{what} {error}") from error

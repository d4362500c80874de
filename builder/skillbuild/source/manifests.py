"""What a source says of its plugins: manifests, marketplaces, and the groupings of skills.sh.

These files are of many clients and written by anybody. They are read within limits, never run, and
of each only texts for people are taken, cut to one line. What is of another type is passed over.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from skillbuild.diagnostics import Finding, Severity, finding
from skillbuild.model import Party
from skillbuild.paths import inside
from skillbuild.rules import plugins as rules
from skillbuild.source.tree import Kind, Leaf, OutsideError, Reader, ahead, read_outside

PLUGIN_MANIFESTS = (
    ".claude-plugin/plugin.json",
    ".codex-plugin/plugin.json",
    ".cursor-plugin/plugin.json",
    "gemini-extension.json",
)
"""Files that make a folder a plugin, each of one client; the first says more than the later."""
_ONLY_LICENSES = (
    ".plugin/plugin.json",
    ".github/plugin/plugin.json",
    "plugin.json",
    "package.json",
)
"""Other files in which a folder may declare a license; nothing else of them is read."""
MARKETPLACES = (
    ".claude-plugin/marketplace.json",
    ".cursor-plugin/marketplace.json",
    ".agents/plugins/marketplace.json",
)
"""Files at the top of a source that list plugins."""
GROUPINGS = "skills.sh.json"
"""A file at the top of a source that puts skills into groups, by their names."""

LONGEST_DESCRIPTION = 1000
_LARGEST = 1024 * 1024
"""Bytes of one of these files."""
_MOST_FILES = 5000
_MOST_ITEMS = 5000
"""Plugins of a marketplace, groupings, and names in one, that are read."""
_LONGEST_TEXT, _LONGEST_URL, _LONGEST_GROUPING = 100, 500, 500
_MOST_KEYWORDS = 20
_DEEPEST = 100
"""Objects and lists in each other."""
_STRINGS = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*+"', re.DOTALL)
_BRACKETS = re.compile(rb"[\[\]{}]")
_UNSEEN = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\xad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff"
    "\\ufff9-\\ufffb\\ud800-\\udfff\\U000e0000-\\U000e0fff]+"
)
"""Controls, characters that nobody sees, and halves of characters."""

Fields = Mapping[str, object]
"""An object of a manifest, of which nothing is known yet."""


@dataclass(frozen=True, slots=True)
class About:
    """What a source says of one plugin; what it does not say is empty."""

    title: str = ""
    description: str = ""
    author: Party | None = None
    homepage: str = ""
    repository: str = ""
    license: str = ""
    keywords: tuple[str, ...] = ()
    category: str = ""

    def or_else(self, other: About) -> About:
        """The same, with what the other one says where this says nothing."""
        return About(
            self.title or other.title,
            self.description or other.description,
            self.author or other.author,
            self.homepage or other.homepage,
            self.repository or other.repository,
            self.license or other.license,
            self.keywords or other.keywords,
            self.category or other.category,
        )


@dataclass(frozen=True, slots=True)
class PluginManifest:
    """The manifest of one plugin."""

    path: str
    name: str
    version: str
    about: About
    keys: frozenset[str]
    """Those of the whole object."""
    skills: tuple[str, ...] | None
    """Folders of skills, relative to the source; None where it names none."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A plugin in a marketplace."""

    name: str
    source: str
    """Where it says that the plugin is, as it is written; empty if that is not in the source."""
    folder: str | None
    """The folder of the plugin, relative to the source; None if it is not in it."""
    about: About
    skills: tuple[str, ...] | None
    """Folders of skills, relative to the source; None where it names none."""


@dataclass(frozen=True, slots=True)
class Marketplace:
    """A file that lists plugins."""

    path: str
    name: str
    owner: Party | None
    plugins: tuple[Listed, ...]


@dataclass(frozen=True, slots=True)
class Grouping:
    """Skills that belong together, by their names."""

    title: str
    description: str
    skills: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Manifests:
    """All of these files that a source has."""

    plugins: Mapping[str, Sequence[PluginManifest]] = field(default_factory=dict)
    """By folder; the manifests of one are in the order of `PLUGIN_MANIFESTS`."""
    licenses: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """By folder, the first manifest that declares a license, and what it says."""
    marketplaces: Sequence[Marketplace] = ()
    groupings: Sequence[Grouping] = ()
    findings: tuple[Finding, ...] = ()
    """About files that cannot be read."""


def read_manifests(leaves: Iterable[Leaf], folders: Iterable[str], reader: Reader) -> Manifests:
    """Read the manifests of plugins in some folders, and what stands at the top of the source."""
    tops = sorted(folders)
    names = {inside(folder, name): folder for folder in tops for name in PLUGIN_MANIFESTS}
    others = {inside(folder, name): folder for folder in tops for name in _ONLY_LICENSES}
    wanted = dict.fromkeys([*MARKETPLACES, GROUPINGS, *names])
    found = {leaf.path: leaf for leaf in leaves if leaf.path in wanted or leaf.path in others}
    files = [found[path] for path in wanted if path in found]
    objects, findings = _read_all(files[:_MOST_FILES], reader)
    if len(files) > _MOST_FILES:
        message = f"one of more than {_MOST_FILES:,} manifests, of which no more are read"
        hint = "list the plugins in one marketplace"
        path = files[_MOST_FILES].path
        findings.append(finding(rules.MANIFEST_INVALID, path, None, message, hint))
    plugins: dict[str, list[PluginManifest]] = {}
    for path, folder in names.items():
        if path in objects:
            plugins.setdefault(folder, []).append(_manifest(path, folder, objects[path]))
    more, _ = _read_all([found[path] for path in others if path in found][:_MOST_FILES], reader)
    return Manifests(
        plugins,
        _licenses({**names, **others}, {**objects, **more}),
        [_marketplace(path, objects[path]) for path in MARKETPLACES if path in objects],
        _groupings(objects.get(GROUPINGS, {})),
        tuple(findings),
    )


def _licenses(
    folders: Mapping[str, str], objects: Mapping[str, Fields]
) -> Mapping[str, tuple[str, str]]:
    """The first manifest of each folder that declares a license, and what it says.

    `folders` are by the paths of their manifests.
    """
    licenses: dict[str, tuple[str, str]] = {}
    for path, folder in folders.items():
        words = one_line(objects[path].get("license")) if path in objects else ""
        if words:
            licenses.setdefault(folder, (path, words))
    return licenses


def one_line(text: object, most: int = _LONGEST_TEXT) -> str:
    """A text of a manifest as it is published; empty for what is no text.

    Each run of blanks, line breaks and characters that cannot be seen is one blank.
    """
    if not isinstance(text, str):
        return ""
    return " ".join(_UNSEEN.sub(" ", text[: 4 * most]).split())[:most].rstrip()


def _read_all(files: Sequence[Leaf], reader: Reader) -> tuple[Mapping[str, Fields], list[Finding]]:
    """The object in each file by its path, and what is wrong with the others."""
    objects: dict[str, Fields] = {}
    findings = []
    at_hand = ahead(reader, [[leaf] for leaf in files if leaf.is_file])
    for leaf in files:
        try:
            objects[leaf.path] = _object(read_outside(leaf, at_hand, _LARGEST))
        except OutsideError as error:
            hint = "make it a JSON object, or remove it"
            item = finding(rules.MANIFEST_INVALID, leaf.path, None, f"ignored: it {error}", hint)
            if leaf.kind is Kind.LINK:  # Clients may follow it.
                item = replace(item, severity=Severity.NOTE, hint="put the file in its place")
            findings.append(item)
    return objects, findings


def _object(data: bytes) -> Fields:
    """The JSON object in a file; `OutsideError` for anything else."""
    if _depth(data) > _DEEPEST:
        raise OutsideError("is nested too deeply")
    try:
        value = json.loads(data.decode(), parse_int=_no_number, parse_float=_no_number)
    except UnicodeDecodeError as error:
        raise OutsideError(f"is not UTF-8 at byte {error.start + 1}") from error
    except ValueError as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise OutsideError(f"is not JSON{where}") from error
    if not isinstance(value, dict):
        raise OutsideError("is not a JSON object")
    return value


def _depth(data: bytes) -> int:
    """How many brackets are open at most; Pythons differ in how many they read."""
    depth = deepest = 0
    for bracket in _BRACKETS.findall(_STRINGS.sub(b"", data)):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _no_number(text: str) -> None:
    """No number is of use here, and some have more digits than Python reads."""


def _manifest(path: str, folder: str, fields: Fields) -> PluginManifest:
    return PluginManifest(
        path,
        one_line(fields.get("name")),
        one_line(fields.get("version")),
        _about(fields),
        frozenset(fields),
        _folders(fields.get("skills"), folder),
    )


def _about(fields: Fields) -> About:
    inner = _fields(fields.get("interface"))
    long = inner.get("longDescription") or inner.get("shortDescription")
    description = one_line(fields.get("description"), LONGEST_DESCRIPTION)
    return About(
        one_line(fields.get("displayName")) or one_line(inner.get("displayName")),
        description or one_line(long, LONGEST_DESCRIPTION),
        party(fields.get("author")),
        web_page(fields.get("homepage")),
        web_page(fields.get("repository")),
        one_line(fields.get("license")),
        _keywords(fields.get("keywords")),
        one_line(fields.get("category")) or one_line(inner.get("category")),
    )


def _fields(value: object) -> Fields:
    return value if isinstance(value, dict) else {}


def _items(value: object) -> Sequence[object]:
    return value[:_MOST_ITEMS] if isinstance(value, list) else ()


def party(value: object) -> Party | None:
    """A name, and maybe an address, as a string or an object; None without a name."""
    fields = _fields(value)
    name = one_line(fields.get("name") if fields else value)
    return Party(name, web_page(fields.get("url"))) if name else None


def web_page(value: object) -> str:
    """An https address; empty for anything else."""
    text = value if isinstance(value, str) else ""
    if len(text) > _LONGEST_URL or not text.isascii() or not text.isprintable() or " " in text:
        return ""
    try:
        parts = urlsplit(text)
    except ValueError:
        return ""
    is_page = parts.scheme == "https" and parts.hostname and "@" not in parts.netloc
    return text if is_page and not re.search(r'[<>"\\^`{|}]', text) else ""


def _keywords(value: object) -> tuple[str, ...]:
    words = [one_line(word, 50) for word in _items(value)]
    return tuple(dict.fromkeys(word for word in words if word))[:_MOST_KEYWORDS]


def _folders(value: object, folder: str) -> tuple[str, ...] | None:
    """The folders of skills that a manifest names, relative to the source; outside ones are gone.

    One that it names as a SKILL.md is that of the skill.
    """
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or not value:
        return None
    paths = (in_source(each, folder) for each in _items(value) if isinstance(each, str))
    return tuple(dict.fromkeys(path for path in paths if path is not None))


def in_source(path: str, folder: str = "") -> str | None:
    """A path as a manifest writes it, relative to the source; None if it leads out of it.

    `folder` is that to which it is relative.
    """
    if path.startswith(("/", "~")) or "\\" in path or "\0" in path or ":" in path:
        return None
    plain = posixpath.normpath(posixpath.join(folder, path))
    if plain == ".." or plain.startswith("../"):
        return None
    return "" if plain == "." else plain.removesuffix("/SKILL.md")


def _marketplace(path: str, fields: Fields) -> Marketplace:
    metadata = _fields(fields.get("metadata"))
    root = metadata.get("pluginRoot")
    base = root if isinstance(root, str) else ""
    plugins = [_listed(each, base) for each in map(_fields, _items(fields.get("plugins"))) if each]
    return Marketplace(
        path, one_line(fields.get("name")), party(fields.get("owner")), tuple(plugins)
    )


def _listed(fields: Fields, base: str) -> Listed:
    source = fields.get("source")
    if isinstance(source, dict):
        source = source.get("path") if source.get("source") == "local" else None
    written = source if isinstance(source, str) else ""
    under = "" if written.startswith(".") else base
    folder = in_source(posixpath.join(under, written)) if written else None
    skills = None if folder is None else _folders(fields.get("skills"), folder)
    return Listed(one_line(fields.get("name")), written, folder, _about(fields), skills)


def _groupings(fields: Fields) -> list[Grouping]:
    groupings = []
    for each in map(_fields, _items(fields.get("groupings"))):
        names = (one_line(name) for name in _items(each.get("skills")))
        title = one_line(each.get("title"), 120)
        description = one_line(each.get("description"), _LONGEST_GROUPING)
        groupings.append(Grouping(title, description, tuple(filter(None, names))))
    return groupings

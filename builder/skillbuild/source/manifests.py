"""Reads plugin manifests, marketplaces and the groupings of skills.sh in a source.

Several clients define these formats, and anyone can write such files. Therefore the size, depth and
number of items that are read are limited. Text for display is cut to one line. Values of an
unexpected type are ignored.
"""

from __future__ import annotations

import codecs
import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar
from urllib.parse import urlsplit

from skillbuild.diagnostics import Finding, Severity, finding
from skillbuild.model import Party
from skillbuild.paths import inside
from skillbuild.rules import plugins as rules
from skillbuild.source.tree import Kind, Leaf, OutsideError, Reader, ahead, read_outside
from skillbuild.text.json import depth_of
from skillbuild.text.wording import some

_T = TypeVar("_T")

PLUGIN_MANIFESTS = (
    ".claude-plugin/plugin.json",
    ".codex-plugin/plugin.json",
    ".cursor-plugin/plugin.json",
    "gemini-extension.json",
)
"""Files that make a folder a plugin of some client; earlier ones take precedence."""
_ONLY_LICENSES = (
    ".plugin/plugin.json",
    ".github/plugin/plugin.json",
    "plugin.json",
    "package.json",
)
"""Other files in which a folder may declare a license; nothing else in them is used."""
MARKETPLACES = (
    ".claude-plugin/marketplace.json",
    ".cursor-plugin/marketplace.json",
    ".agents/plugins/marketplace.json",
)
"""Files at the root of a source that list plugins."""
GROUPINGS = "skills.sh.json"
"""A file at the root of a source that groups skills by name."""

LONGEST_DESCRIPTION = 1000
_LARGEST = 1024 * 1024
"""Maximum size in bytes of a file that is read."""
_MOST_FILES = 5000
_MOST_ITEMS = 5000
"""Maximum number of plugins in a marketplace, of groupings, and of names in a grouping."""
_LONGEST_TEXT, _LONGEST_WORD, _LONGEST_URL, _LONGEST_GROUPING = 100, 50, 500, 500
_LONGEST_NAME = 300
"""Maximum characters of a name; no client can make a folder from a longer one."""
_MOST_KEYWORDS = 20
_DEEPEST = 100
"""Maximum depth of nested objects and lists."""
_UNSEEN = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\xad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff"
    "\\ufff9-\\ufffb\\ud800-\\udfff\\U000e0000-\\U000e0fff]+"
)
"""Control characters, invisible characters, and surrogates."""


@dataclass(frozen=True, slots=True)
class About:
    """Descriptive fields of a plugin; fields that the source does not give are empty."""

    title: str = ""
    description: str = ""
    author: Party | None = None
    homepage: str = ""
    repository: str = ""
    license: str = ""
    keywords: tuple[str, ...] = ()
    category: str = ""

    def or_else(self, other: About) -> About:
        """Return the fields of this plugin; empty fields are taken from `other`."""
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
    """The top-level keys of the manifest."""
    skills: tuple[str, ...] | None
    """Folders of skills, relative to the source; None if the manifest names none."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A plugin in a marketplace."""

    name: str
    version: str
    source: str
    """The location of the plugin as written; empty if it is not in the source."""
    folder: str | None
    """The folder of the plugin, relative to the source; None if it is not in the source."""
    about: About
    skills: tuple[str, ...] | None
    """Folders of skills, relative to the source; None if the marketplace names none."""


@dataclass(frozen=True, slots=True)
class Marketplace:
    """A file that lists plugins."""

    path: str
    name: str
    owner: Party | None
    owner_host: str
    """The host of the owner's mail address, in lower case; empty without an address."""
    plugins: tuple[Listed, ...]


@dataclass(frozen=True, slots=True)
class Grouping:
    """Skills that belong together, given by name."""

    title: str
    description: str
    skills: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Manifests:
    """All manifests, marketplaces and groupings of a source."""

    plugins: Mapping[str, Sequence[PluginManifest]] = field(default_factory=dict)
    """By folder; the manifests of a folder are in the order of `PLUGIN_MANIFESTS`."""
    licenses: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """By folder, the path of the first manifest that declares a license, and the license."""
    marketplaces: Sequence[Marketplace] = ()
    groupings: Sequence[Grouping] = ()
    findings: tuple[Finding, ...] = ()
    """Findings about files that cannot be read."""


def read_manifests(leaves: Iterable[Leaf], folders: Iterable[str], reader: Reader) -> Manifests:
    """Read the plugin manifests in `folders`, and marketplaces and groupings at the root."""
    tops = sorted(folders)
    places = {inside(folder, name): folder for folder in tops for name in PLUGIN_MANIFESTS}
    others = {inside(folder, name): folder for folder in tops for name in _ONLY_LICENSES}
    wanted = dict.fromkeys([*MARKETPLACES, GROUPINGS, *places])
    found = {leaf.path: leaf for leaf in leaves if leaf.path in wanted or leaf.path in others}
    files = [found[path] for path in wanted if path in found]
    objects, findings = _read_all(files[:_MOST_FILES], reader)
    if len(files) > _MOST_FILES:
        message = f"only the first {_MOST_FILES:,} manifests are read; this one is not"
        hint = "list the plugins in one marketplace"
        path = files[_MOST_FILES].path
        findings.append(finding(rules.MANIFEST_INVALID, path, None, message, hint))
    plugins: dict[str, list[PluginManifest]] = {}
    marketplaces, groupings = [], []
    for path, fields in objects.items():
        if path in MARKETPLACES:
            marketplaces.append(_marketplace(path, fields))
        elif path == GROUPINGS:
            groupings = [_grouping(each) for each in fields.objects("groupings")]
        else:
            plugins.setdefault(places[path], []).append(_manifest(path, places[path], fields))
        if fields.unused:
            findings.append(_unused(path, fields.unused))
    more, _ = _read_all([found[path] for path in others if path in found][:_MOST_FILES], reader)
    licenses = _licenses({**places, **others}, {**objects, **more})
    return Manifests(plugins, licenses, marketplaces, groupings, tuple(findings))


def _unused(path: str, keys: Sequence[str]) -> Finding:
    message = f"unusable values are ignored: {some(keys)}"
    hint = "write a string, a list of strings, an https address or a path in the source"
    return finding(rules.MANIFEST_INVALID, path, None, message, hint)


def _licenses(
    folders: Mapping[str, str], objects: Mapping[str, _Object]
) -> Mapping[str, tuple[str, str]]:
    """Return the first manifest of each folder that declares a license, and the license.

    `folders` maps paths of manifests to their folders.
    """
    licenses: dict[str, tuple[str, str]] = {}
    for path, folder in folders.items():
        words = objects[path].text("license") if path in objects else ""
        if words:
            licenses.setdefault(folder, (path, words))
    return licenses


def one_line(text: object, most: int = _LONGEST_TEXT) -> str:
    """Collapse a value of a manifest to one line; return an empty string if the value is not a
    string.

    Each run of spaces, line breaks and invisible characters becomes one space.
    """
    if not isinstance(text, str):
        return ""
    return " ".join(_UNSEEN.sub(" ", text[: 4 * most]).split())[:most].rstrip()


def _read_all(files: Sequence[Leaf], reader: Reader) -> tuple[dict[str, _Object], list[Finding]]:
    """Return the object in each readable file by path, and findings about the others."""
    objects: dict[str, _Object] = {}
    findings = []
    at_hand = ahead(reader, [[leaf] for leaf in files if leaf.is_file])
    for leaf in files:
        try:
            objects[leaf.path] = _Object(_json_object(read_outside(leaf, at_hand, _LARGEST)))
        except OutsideError as error:
            hint = "make the file a JSON object, or remove it"
            item = finding(rules.MANIFEST_INVALID, leaf.path, None, f"ignored: it {error}", hint)
            if leaf.kind is Kind.LINK:  # Clients may follow the link.
                item = replace(item, severity=Severity.NOTE, hint="replace the link with the file")
            findings.append(item)
    return objects, findings


def _json_object(data: bytes) -> dict[str, object]:
    """Parse a JSON object; raise `OutsideError` for anything else."""
    if depth_of(data) > _DEEPEST:
        raise OutsideError("is nested too deeply")
    if data.startswith(codecs.BOM_UTF8):
        raise OutsideError("begins with a byte order mark")
    try:
        value = json.loads(
            data.decode(),
            object_pairs_hook=_members,
            parse_int=_no_number,
            parse_float=_no_number,
            parse_constant=_no_constant,
        )
    except UnicodeDecodeError as error:
        raise OutsideError(f"is not UTF-8 at byte {error.start + 1}") from error
    except ValueError as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise OutsideError(f"is not JSON{where}") from error
    if not isinstance(value, dict):
        raise OutsideError("is not a JSON object")
    return value


def _members(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """Return an object. Raises `OutsideError` for a repeated key, because clients treat it
    differently.
    """
    members = dict(pairs)
    if len(members) < len(pairs):
        twice = next(key for key, uses in Counter(key for key, _ in pairs).items() if uses > 1)
        raise OutsideError(f"has the key {one_line(twice)} twice in one object")
    return members


def _no_constant(text: str) -> None:
    """Refuse NaN and Infinity, which are not JSON."""
    raise OutsideError(f"is not JSON: it contains {text}")


def _no_number(text: str) -> int:
    """Return 0 for any number: none is needed, and some have more digits than Python can parse."""
    del text
    return 0


class _Object:
    """Reads values of an object in a manifest with the expected types.

    Keys whose value has another type are collected in `unused`.
    """

    def __init__(
        self, value: Mapping[str, object], unused: list[str] | None = None, where: str = ""
    ) -> None:
        """Read `value`; `where` is prepended to each key, and nested objects share `unused` with
        their parent.
        """
        self.value, self.where = value, where
        self.unused: list[str] = [] if unused is None else unused

    def text(self, key: str, most: int = _LONGEST_TEXT) -> str:
        return self._noted(key, one_line(self.value.get(key), most), "")

    def name(self, key: str) -> str:
        """Return the name at a key; empty if the value is not a string.

        The name is kept exactly as written, up to 300 characters, because clients compare names
        character by character.
        """
        value = self.value.get(key)
        return self._noted(key, value[:_LONGEST_NAME] if isinstance(value, str) else "", "")

    def page(self, key: str) -> str:
        return self._noted(key, web_page(self.value.get(key)), "")

    def party(self, key: str) -> Party | None:
        """Return the person or organization at a key; None without a name.

        The value is a name, or an object with a name and optionally a URL.
        """
        value = self.value.get(key)
        fields = value if isinstance(value, dict) else {"name": value}
        name = one_line(fields.get("name"))
        return self._noted(key, Party(name, web_page(fields.get("url"))) if name else None, None)

    def mail_host(self, key: str) -> str:
        """Return the host of the email address in the object at a key; empty without an address."""
        value = self.value.get(key)
        address = value.get("email") if isinstance(value, dict) else None
        return one_line(address).rpartition("@")[2].lower()

    def texts(self, key: str, most: int = _LONGEST_TEXT) -> tuple[str, ...]:
        """Return the strings in the list at a key, without empty ones and duplicates."""
        texts = (one_line(item, most) for item in self._strings(key))
        return self._noted(key, tuple(dict.fromkeys(filter(None, texts))), ())

    def folders(self, key: str, folder: str) -> tuple[str, ...] | None:
        """Return the folders that a manifest names at a key; None if there are none.

        The value is a path or a list of paths. The paths in the manifest are relative to `folder`;
        the returned paths are relative to the source. Paths outside of the source are dropped, and
        a SKILL.md stands for its folder.
        """
        value = self.value.get(key)
        paths = [value] if isinstance(value, str) else self._strings(key)
        inner = [in_source(path, folder) for path in paths]
        found = tuple(dict.fromkeys(path for path in inner if path is not None))
        if None in inner:
            self._note(key)
        return self._noted(key, found, ()) or None

    def inner(self, key: str) -> _Object:
        value = self.value.get(key)
        fields = self._noted(key, value if isinstance(value, dict) else {}, {})
        return _Object(fields, self.unused, f"{self.where}{key}.")

    def objects(self, key: str) -> Sequence[_Object]:
        """Return the objects in the list at a key."""
        places = ((f"{self.where}{key}[{n}]", item) for n, item in enumerate(self._items(key)))
        found = []
        for where, item in places:
            if isinstance(item, dict):
                found.append(_Object(item, self.unused, f"{where}."))
            else:
                self.unused.append(where)
        return found

    def _strings(self, key: str) -> Sequence[str]:
        """Return the strings in the list at a key."""
        items = self._items(key)
        strings = [item for item in items if isinstance(item, str)]
        if len(strings) < len(items):
            self._note(key)
        return strings

    def _items(self, key: str) -> Sequence[object]:
        value = self.value.get(key)
        items = self._noted(key, value if isinstance(value, list) else [], [])
        if len(items) > _MOST_ITEMS:
            self.unused.append(f"{self.where}{key}[{_MOST_ITEMS}] and later items")
        return items[:_MOST_ITEMS]

    def _noted(self, key: str, read: _T, nothing: _T) -> _T:
        """Return `read`; if it is `nothing` although the key has a value, record the key as
        unused.
        """
        value = self.value.get(key)
        if read == nothing and value not in (None, "", [], {}):
            self._note(key)
        return read

    def _note(self, key: str) -> None:
        name = f"{self.where}{key}"
        if name not in self.unused:
            self.unused.append(name)


def _manifest(path: str, folder: str, fields: _Object) -> PluginManifest:
    return PluginManifest(
        path,
        fields.name("name"),
        fields.text("version"),
        _about(fields),
        frozenset(fields.value),
        fields.folders("skills", folder),
    )


def _about(fields: _Object) -> About:
    inner = fields.inner("interface")
    described = (
        fields.text("description", LONGEST_DESCRIPTION),
        inner.text("longDescription", LONGEST_DESCRIPTION),
        inner.text("shortDescription", LONGEST_DESCRIPTION),
    )
    return About(
        fields.text("displayName") or inner.text("displayName"),
        next(filter(None, described), ""),
        fields.party("author"),
        fields.page("homepage"),
        fields.page("repository"),
        fields.text("license"),
        fields.texts("keywords", _LONGEST_WORD)[:_MOST_KEYWORDS],
        fields.text("category") or inner.text("category"),
    )


def web_page(value: object) -> str:
    """Return the value if it is an https address, otherwise an empty string."""
    text = value if isinstance(value, str) else ""
    if len(text) > _LONGEST_URL or not text.isascii() or not text.isprintable() or " " in text:
        return ""
    try:
        parts = urlsplit(text)
    except ValueError:
        return ""
    is_page = parts.scheme == "https" and parts.hostname and "@" not in parts.netloc
    return text if is_page and not re.search(r'[<>"\\^`{|}]', text) else ""


def in_source(path: str, folder: str = "") -> str | None:
    """Convert a path in a manifest to a path relative to the source; None if the path leads out of
    the source.

    `folder` is the folder that the path in the manifest is relative to.
    """
    if path.startswith(("/", "~")) or "\\" in path or "\0" in path or ":" in path:
        return None
    plain = posixpath.normpath(posixpath.join(folder, path))
    if plain == ".." or plain.startswith("../"):
        return None
    return "" if plain == "." else plain.removesuffix("/SKILL.md")


def _marketplace(path: str, fields: _Object) -> Marketplace:
    root = fields.inner("metadata").text("pluginRoot")
    plugins = tuple(_listed(each, root) for each in fields.objects("plugins"))
    host = fields.mail_host("owner")
    return Marketplace(path, fields.name("name"), fields.party("owner"), host, plugins)


def _listed(fields: _Object, root: str) -> Listed:
    """Parse a plugin of a marketplace; `root` is the base of paths that do not begin with a dot.

    If the `source` of the plugin is an object, the plugin has no folder here, unless the object is
    of type `local`.
    """
    inner = fields.value.get("source")
    if isinstance(inner, dict):
        is_local = inner.get("source") == "local"
        fields_of_path, key = fields.inner("source"), "path"
    else:
        is_local, fields_of_path, key = True, fields, "source"
    source = fields_of_path.text(key, _LONGEST_URL) if is_local else ""
    folder = in_source(posixpath.join("" if source.startswith(".") else root, source))
    if not source:
        folder = None
    elif folder is None:
        fields_of_path.unused.append(f"{fields_of_path.where}{key}")
    return Listed(
        fields.name("name"),
        fields.text("version"),
        source,
        folder,
        _about(fields),
        None if folder is None else fields.folders("skills", folder),
    )


def _grouping(fields: _Object) -> Grouping:
    description = fields.text("description", _LONGEST_GROUPING)
    return Grouping(fields.text("title", 120), description, fields.texts("skills"))

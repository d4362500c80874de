"""How one URI is described, as a Resource object, and how the server describes itself.

A Resource is the same in reads and in `resources/metadata` (SEP-2093). It carries `kind`,
`version` and `metadata` of the generic resources document; as clients drop fields that they do not
know, the same stands in `_meta` again. Lists have less of it, so that a model can hold them.

Icons (SEP-973) are links where the catalog is published, otherwise small `data:` URIs. Lists have
neither `data:` URIs nor pictures that were drawn from a name, which say nothing new.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from urllib.parse import unquote

from mcp_types import RequestParams

from skillbuild import __version__
from skillbuild.media import identicon
from skillbuild.model import Digest, Icon, Listing, Version, plain
from skillbuild.release.sorted_lines import path_in
from skillbuild.release.trust import trust_json
from skillbuild.release.versions import declared_label, label
from skillbuild.serve.state import content
from skillbuild.serve.state.entries import (
    JsonObject,
    ResourceKind,
    ServedEntry,
    ServedFile,
    StoredContent,
)
from skillbuild.serve.state.release import PUBLIC, ServedRelease, directory_uri
from skillbuild.storage.files import DamagedError, FileError, UnavailableError
from skillbuild.text.wording import plural
from skillbuild.uris import INDEX_URI

EXTENSIONS: dict[str, JsonObject] = {"io.modelcontextprotocol/skills": {"directoryRead": True}}
EXTENSION_PREFIX = "io.modelcontextprotocol.skills/"
"""Of the `_meta` key for what else is in a frontmatter (SEP-2640, Resource Metadata)."""
PREFIX = "io.github.skillbuild/"
"""Of all other `_meta` keys."""

DIRECTORY_TYPE = "inode/directory"

_ANNOTATIONS: Mapping[ResourceKind, JsonObject] = {
    "skill": {"audience": ["user", "assistant"], "priority": 1.0},
    "file": {"audience": ["assistant"], "priority": 0.5},
    "index": {"audience": ["assistant"], "priority": 0.5},
    "archive": {"audience": ["user"], "priority": 0.1},
    "manifest": {"audience": ["assistant"], "priority": 0.1},
}
_DEPRECATED_PRIORITY = 0.2
"""In place of that of other skills."""
_META_FIELDS = (
    "kind",
    "version",
    "metadata",
    "resourceType",
    "capabilities",
    "deprecated",
    "trust",
)
_META_KEYS = {key: f"{PREFIX}{key}" for key in _META_FIELDS}
"""Fields of a Resource that clients may drop, and their keys in `_meta`."""

LONGEST_DATA_URI = 4096
"""Characters of an icon that stands in a Resource itself."""

LONGEST_INSTRUCTIONS = 2000
"""Characters: they stand in the model's context for as long as the server is connected."""

_LIST_FIELDS = (
    *("uri", "name", "title", "description", "mimeType", "size", "annotations", "capabilities"),
    "deprecated",
)
"""Of a Resource in a list; its icons come besides."""

_OWN_FIELDS = frozenset(["name", "description"])
"""Of a frontmatter, those that a Resource has itself."""


@dataclass(frozen=True, slots=True)
class Offer:
    """How this process serves a release."""

    duplex: bool
    """Notifications can be sent at any time, as on stdio."""
    tools: bool = False
    """The skills are tools as well."""
    prompts: bool = False
    """The skills are prompts as well."""


class UriParams(RequestParams):
    """Parameters of the methods that name one resource."""

    uri: str


def describe(release: ServedRelease, uri: str) -> JsonObject | None:
    """The Resource at any URI that can be read; None when nothing is served there."""
    entry = release.entry_at(uri)
    file = entry.file(uri) if entry is not None else None
    if entry is not None and file is not None:
        return describe_file(release, entry, file)
    if uri == INDEX_URI:
        return _index(release)
    if (archive := release.archive_at(uri)) is not None:
        return _archive(uri, archive)
    if release.is_directory(uri):
        return _directory(release, uri)
    owner = content.manifest_owner(release, uri)
    return None if owner is None else _manifest(owner, uri)


def describe_file(release: ServedRelease, entry: ServedEntry, file: ServedFile) -> JsonObject:
    """The Resource of a file of a skill."""
    return _skill(release, entry) if file.uri == entry.uri else _file(entry, file)


def describe_briefly(release: ServedRelease, uri: str) -> JsonObject | None:
    """The Resource at a URI as it stands in a list."""
    entry = release.skill_at(uri)
    if entry is not None:
        return describe_skill_briefly(release, entry)
    resource = describe(release, uri)
    return None if resource is None else _brief(resource)


def list_briefly(release: ServedRelease, uris: Sequence[str]) -> list[JsonObject]:
    """The Resources at some URIs as they stand in a list."""
    described = (describe_briefly(release, uri) for uri in uris)
    return [resource for resource in described if resource is not None]


def describe_skill_briefly(release: ServedRelease, entry: ServedEntry) -> JsonObject:
    """The Resource of a SKILL.md as it stands in a list."""
    resource = _brief(_skill_document(release, entry))
    icons = linked_icons(release, entry.icons, entry.name)
    return {**resource, "icons": icons} if icons else resource


def _brief(resource: JsonObject) -> JsonObject:
    """A Resource without what `resources/metadata` is for, and without a title that is the name."""
    brief = {key: resource[key] for key in _LIST_FIELDS if key in resource}
    if brief.get("title") == brief["name"]:
        del brief["title"]
    return brief


def _file(entry: ServedEntry, file: ServedFile) -> JsonObject:
    labels = {"name": file.path.rpartition("/")[2], "title": f"{_title(entry)}/{file.path}"}
    metadata = {**owner_json(entry), "file": file.path, "executable": file.executable}
    return _document(file.uri, "file", file.content, labels, metadata)


def _skill(release: ServedRelease, entry: ServedEntry) -> JsonObject:
    resource = _skill_document(release, entry)
    if entry.trust:
        resource |= {"trust": trust_json(entry.trust)}
        resource["_meta"] = _meta(resource)
    more = {key: value for key, value in entry.frontmatter.items() if key not in _OWN_FIELDS}
    if more:
        resource["_meta"] = {**_meta(resource), f"{EXTENSION_PREFIX}frontmatter": more}
    icons = describe_icons(release, entry.icons, entry.name)
    return {**resource, "icons": icons} if icons else resource


def _skill_document(release: ServedRelease, entry: ServedEntry) -> JsonObject:
    """The Resource of a SKILL.md, which stands for its skill; without icons and frontmatter."""
    labels = {"name": entry.name, "title": _title(entry), "description": entry.description}
    is_listed = not entry.is_version and Listing.MCP not in entry.unlisted
    metadata = {**owner_json(entry), "file": "SKILL.md", "listed": is_listed}
    resource = _document(entry.uri, "skill", entry.skill_md.content, labels, metadata)
    annotations = dict(_ANNOTATIONS["skill"])
    modified = None if entry.is_version else release.last_modified(entry.path)
    if modified:
        annotations["lastModified"] = modified
    if entry.deprecated:
        annotations["priority"] = _DEPRECATED_PRIORITY
        resource |= {"deprecated": plain(entry.deprecated)}
        resource["_meta"] = _meta(resource)
    return {**resource, "annotations": annotations}


def _title(entry: ServedEntry) -> str:
    if not entry.is_version:
        return entry.path
    return f"{entry.name} {label(declared_label(entry.frontmatter), entry.version)}"


def owner_json(entry: ServedEntry) -> JsonObject:
    """The skill that a file is of, or the version that has an address of its own."""
    if not entry.is_version:
        return {"skill": entry.path}
    declared = declared_label(entry.frontmatter)
    version = {"digest": str(entry.version), **({"version": declared} if declared else {})}
    return {"skillVersion": version}


def version_json(version: Version) -> JsonObject:
    """A version as clients are told of it."""
    return {
        "digest": str(version.digest),
        "date": version.change.date,
        "label": version.label,
    }


def deprecation_meta(entry: ServedEntry) -> JsonObject:
    """The fields of `_meta` for what stands for a deprecated skill; none for any other."""
    if entry.deprecated is None:
        return {}
    return {_META_KEYS["deprecated"]: plain(entry.deprecated)}


def _index(release: ServedRelease) -> JsonObject | None:
    stored = release.index
    if stored is None:
        return None
    description = "Every skill that is not internal, with its frontmatter, digest and archives."
    title = f"Index of {release.title}"
    labels = {"name": "index.json", "title": title, "description": description}
    metadata = {"commit": release.record.catalog.commit}
    if release.is_partial:
        stored = _generated(content.partial_index(release, stored))
    return _document(INDEX_URI, "index", stored, labels, metadata)


def _archive(uri: str, archive: StoredContent) -> JsonObject:
    name = uri.rpartition("/")[2]
    labels = {"name": name, "title": name, "description": "A skill with all its files."}
    return _document(uri, "archive", archive, labels, {"file": name})


def _generated(data: bytes) -> StoredContent:
    """JSON that is no file of the output."""
    return StoredContent("", "application/json", Digest.of(data), len(data))


def _manifest(entry: ServedEntry, uri: str) -> JsonObject:
    stored = _generated(content.manifest(entry))
    labels = {"name": content.MANIFEST, "title": f"{_title(entry)}/{content.MANIFEST}"}
    return _document(uri, "manifest", stored, labels, owner_json(entry))


def _directory(release: ServedRelease, uri: str) -> JsonObject:
    """A collection; the directory of a skill has the description and version of the skill."""
    path = unquote(uri.removeprefix("skill://"))
    resource: JsonObject = {"uri": uri, "name": path.rpartition("/")[2], "title": path}
    entry = release.skill_at(f"{uri}/SKILL.md")
    if entry is not None:
        resource |= {"description": entry.description, "version": entry.version}
    resource |= {"mimeType": DIRECTORY_TYPE, "resourceType": "collection", "kind": "directory"}
    resource["capabilities"] = {"list": True, "subscribe": entry is not None}
    resource["metadata"] = {"path": path}
    return {**resource, "_meta": _meta(resource)}


def _document(
    uri: str,
    kind: ResourceKind,
    stored: StoredContent,
    labels: Mapping[str, str],
    metadata: Mapping[str, object],
) -> JsonObject:
    resource: JsonObject = {"uri": uri, **labels, "mimeType": stored.media_type}
    resource["size"] = stored.size
    resource |= {"annotations": _ANNOTATIONS[kind], "resourceType": "document", "kind": kind}
    resource |= {"version": str(stored.digest), "metadata": metadata}
    # The URI of an archive names its digest, so it never changes.
    resource["capabilities"] = {"list": False, "subscribe": kind != "archive"}
    return {**resource, "_meta": _meta(resource)}


def _meta(resource: Mapping[str, object]) -> JsonObject:
    return {meta_key: resource[key] for key, meta_key in _META_KEYS.items() if key in resource}


def linked_icons(release: ServedRelease, icons: Sequence[Icon], name: str) -> list[JsonObject]:
    """The links of icons that were not drawn from this name: those for lists."""
    if _link_base(release) is None:
        return []
    drawn = Digest.of(identicon.draw(name))
    return describe_icons(release, [icon for icon in icons if icon.digest != drawn], name)


def describe_icons(release: ServedRelease, icons: Sequence[Icon], name: str) -> list[JsonObject]:
    """The icons that have a link or are small enough for a `data:` URI, in their order.

    One that was drawn from the name is drawn again and not read: the files may be far away.
    """
    described: list[JsonObject] = []
    for icon in icons:
        source = _source(release, icon, name)
        if source is not None:
            value: JsonObject = {"src": source, "mimeType": icon.media_type, "sizes": [icon.sizes]}
            described.append({**value, "theme": icon.theme} if icon.theme else value)
    return described


def _source(release: ServedRelease, icon: Icon, name: str) -> str | None:
    base = _link_base(release)
    if base is not None:
        return f"{base}/icons/{icon.file_name}"
    try:
        return release.caches.icon_uris.get(icon, partial(_data_uri, release, icon, name))
    except UnavailableError:
        return None


def _link_base(release: ServedRelease) -> str | None:
    base_url = release.record.catalog.base_url
    return base_url.rstrip("/") if base_url and base_url.startswith("https://") else None


def _data_uri(release: ServedRelease, icon: Icon, name: str) -> str | None:
    data = identicon.draw(name)
    if Digest.of(data) != icon.digest:
        try:
            data = release.read(f"icons/{icon.file_name}", icon.digest, icon.size)
        except DamagedError:
            return None
    uri = f"data:{icon.media_type};base64,{base64.b64encode(data).decode()}"
    return uri if len(uri) <= LONGEST_DATA_URI else None


def server_info(release: ServedRelease) -> JsonObject:
    """An Implementation with the fields of SEP-973."""
    catalog = release.record.catalog
    return _implementation(release, describe_icons(release, catalog.icons, catalog.title))


def server_stamp(release: ServedRelease) -> JsonObject:
    """The same as part of every result since 2026-07-28, so without icons that are no links."""
    catalog = release.record.catalog
    return _implementation(release, linked_icons(release, catalog.icons, catalog.title))


def _implementation(release: ServedRelease, icons: Sequence[JsonObject]) -> JsonObject:
    catalog = release.record.catalog
    fields: JsonObject = {
        "name": "skillbuild",
        "title": catalog.title,
        "version": __version__,
        "description": catalog.tagline,
        "websiteUrl": catalog.website_url or catalog.base_url,
        "icons": icons,
    }
    return {key: value for key, value in fields.items() if value}


def instructions(release: ServedRelease, offer: Offer) -> str:
    """What this server is, how to read a skill, how many there are, and as many paths as fit."""
    count = release.skill_count
    how = f"{_BY_TOOLS} {_BY_RESOURCES}" if offer.tools else f"{_WHEN} {_BY_RESOURCES}"
    title = release.title[: LONGEST_INSTRUCTIONS // 4]
    text = f"{title}: {plural(count, 'Agent Skill')}. {_WHAT} {how}"
    paths = _paths_within(release, LONGEST_INSTRUCTIONS - len(text) - len(_LONGEST_FRAME))
    more = f", and {count - len(paths)} more" if len(paths) < count else ""
    return f"{text} Paths: {', '.join(paths)}{more}." if paths else text


_WHAT = "Each is a SKILL.md with instructions and its supporting files."
_WHEN = "Before a task that a skill covers, read skill://<path>/SKILL.md."
_BY_TOOLS = (
    "At the start of a task, call search_skills with words of the task, or list_skills to see all;"
    " if a skill covers the task, call read_skill and follow it before you do anything else."
    " read_skill_file reads a file that it refers to."
)
_BY_RESOURCES = (
    "All are readable as resources; relative links in skill://<path>/SKILL.md resolve against"
    " skill://<path>/. skills/list has skills with their digests, resources/directory/read has the"
    " files of a directory."
)
_LONGEST_FRAME = " Paths: , and 999999 more."


def _paths_within(release: ServedRelease, length: int) -> list[str]:
    """The first skill paths that take up to `length` characters with the commas between them.

    They end before a part of the record that cannot be read, so that clients can connect.
    """
    paths: list[str] = []
    with suppress(FileError):
        for line in islice(release.parts.listed(PUBLIC), release.parts.first(PUBLIC)):
            path = directory_uri(path_in(line)).removeprefix("skill://")
            length -= len(path) + 2
            if length < 0:
                break
            paths.append(path)
    return paths

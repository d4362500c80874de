"""Describes the server, and describes the file or directory at a URI as an MCP resource.

If the catalog has a public URL, icons (SEP-973) are links; otherwise they are small `data:` URIs.
Lists contain neither `data:` URIs nor icons that were generated from a name.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from urllib.parse import unquote

from mcp_types import RequestParams

from skillbuild import __version__
from skillbuild.media import identicon
from skillbuild.model import Digest, Icon, Listing, Version, plain, version_address
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
from skillbuild.uris import INDEX_URI, skill_page_url

EXTENSIONS: dict[str, JsonObject] = {"io.modelcontextprotocol/skills": {"directoryRead": True}}
EXTENSION_PREFIX = "io.modelcontextprotocol.skills/"
"""Prefix of the `_meta` key for other frontmatter fields (SEP-2640, Resource Metadata)."""
PREFIX = "io.github.skillbuild/"
"""Prefix of all other `_meta` keys."""

DIRECTORY_TYPE = "inode/directory"

_ANNOTATIONS: Mapping[ResourceKind, JsonObject] = {
    "skill": {"audience": ["user", "assistant"], "priority": 1.0},
    "file": {"audience": ["assistant"], "priority": 0.5},
    "index": {"audience": ["assistant"], "priority": 0.5},
    "archive": {"audience": ["user"], "priority": 0.1},
    "manifest": {"audience": ["assistant"], "priority": 0.1},
}
_DEPRECATED_PRIORITY = 0.2
"""The priority of a deprecated skill."""
PAGE, PAGES = f"{PREFIX}page", f"{PREFIX}pages"
"""Keys in `_meta`: the URL of the page of a skill, and a URL template for the pages of all skills.
"""

LONGEST_DATA_URI = 4096
"""Longest `data:` URI of an icon, in characters."""

LONGEST_INSTRUCTIONS = 2000
"""The maximum length in characters; the text stays in the model's context while the server is
connected.
"""

_OWN_FIELDS = frozenset(["name", "description"])
"""Frontmatter fields that a Resource has as fields of its own."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What this process offers clients besides resources: notifications, tools and prompts."""

    duplex: bool
    """Whether notifications can be sent at any time, as on stdio."""
    tools: bool = False
    """Whether tools are offered."""
    prompts: bool = False
    """Whether each skill is offered as a prompt."""


class UriParams(RequestParams):
    """Parameters of methods that take one URI."""

    uri: str


@dataclass(frozen=True, slots=True)
class Readable:
    """A file or directory that clients can read, with the description that clients get."""

    resource: JsonObject
    """A Resource of MCP. The Resource of a SKILL.md represents its skill."""
    kind: ResourceKind
    metadata: Mapping[str, object]
    """The skill, version or release to which it belongs."""
    version: Digest | None
    """The digest of the content; for a directory, the digest of the skill in it, or None."""
    more: Mapping[str, object] = field(default_factory=dict)
    """Further fields that skillbuild adds to the Resource and repeats in `_meta`."""

    @property
    def is_directory(self) -> bool:
        return self.kind == "directory"


def describe(release: ServedRelease, uri: str) -> Readable | None:
    """Return the description of what is served at a URI; None if nothing is served there."""
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
    return None if owner is None else _manifest(release, owner, uri)


def describe_file(release: ServedRelease, entry: ServedEntry, file: ServedFile) -> Readable:
    """Describe a file of a skill."""
    if file.uri != entry.uri:
        return _file(release, entry, file)
    described = describe_skill(release, entry)
    resource, ours = described.resource, described.more
    if entry.trust:
        ours = {**ours, "trust": trust_json(entry.trust)}
    more = {key: value for key, value in entry.frontmatter.items() if key not in _OWN_FIELDS}
    if more:
        own = {**skill_meta(release, entry), f"{EXTENSION_PREFIX}frontmatter": more}
        resource = {**resource, "_meta": own}
    icons = describe_icons(release, entry.icons, entry.name)
    resource = {**resource, "icons": icons} if icons else resource
    return replace(described, resource=resource, more=ours)


def describe_skill(release: ServedRelease, entry: ServedEntry) -> Readable:
    """Describe the SKILL.md of a skill. Only `describe_file` adds icons, trust and the remaining
    frontmatter.
    """
    labels = {"name": entry.name, "title": _title(entry), "description": entry.description}
    is_listed = not entry.is_version and Listing.MCP not in entry.unlisted
    metadata = {**owner_json(entry), "file": "SKILL.md", "listed": is_listed}
    meta = skill_meta(release, entry)
    described = _document(entry.uri, "skill", entry.skill_md.content, labels, metadata, meta)
    annotations = dict(_ANNOTATIONS["skill"])
    modified = None if entry.is_version else release.last_modified(entry.path)
    if modified:
        annotations["lastModified"] = modified
    if entry.deprecated:
        annotations["priority"] = _DEPRECATED_PRIORITY
    resource = {**described.resource, "annotations": annotations}
    deprecated = deprecation_json(entry)
    more = {} if deprecated is None else {"deprecated": deprecated}
    return replace(described, resource=resource, more=more)


def _file(release: ServedRelease, entry: ServedEntry, file: ServedFile) -> Readable:
    labels = {"name": file.path.rpartition("/")[2], "title": f"{_title(entry)}/{file.path}"}
    metadata = {**owner_json(entry), "file": file.path, "executable": file.executable}
    meta = skill_meta(release, entry)
    return _document(file.uri, "file", file.content, labels, metadata, meta)


def _title(entry: ServedEntry) -> str:
    if not entry.is_version:
        return entry.path
    return f"{entry.name} {label(declared_label(entry.frontmatter), entry.version)}"


def owner_json(entry: ServedEntry) -> JsonObject:
    """Return the owner of a file as JSON: a skill (its path) or an old version of a skill (its
    digest and declared label).
    """
    if not entry.is_version:
        return {"skill": entry.path}
    declared = declared_label(entry.frontmatter)
    version = {"digest": str(entry.version), **({"version": declared} if declared else {})}
    return {"skillVersion": version}


def version_json(version: Version) -> JsonObject:
    """Return a version as JSON for clients."""
    return {
        "digest": str(version.digest),
        "date": version.change.date,
        "label": version.label,
    }


def deprecation_json(entry: ServedEntry) -> JsonObject | None:
    """Return why a skill should no longer be used; None if it is not deprecated."""
    return None if entry.deprecated is None else plain(entry.deprecated)


def facts_meta(entry: ServedEntry) -> JsonObject:
    """Return the `_meta` field with the facts that a user should know before installing a skill.

    The field is empty for an old version of a skill, because old versions have no facts.
    """
    return {f"{PREFIX}facts": plain(entry.facts)} if entry.facts.sentence else {}


def deprecation_meta(entry: ServedEntry) -> JsonObject:
    """Return `deprecation_json` as a `_meta` field; empty if the skill is not deprecated."""
    deprecated = deprecation_json(entry)
    return {} if deprecated is None else {f"{PREFIX}deprecated": deprecated}


def skill_meta(release: ServedRelease, entry: ServedEntry) -> JsonObject:
    """Return the `_meta` field of a result about a skill: the URL of the skill's page.

    The field is empty for an internal skill, which has no page, and for a catalog without a base
    URL.
    """
    base_url = _base_of_pages(release)
    if base_url is None or PUBLIC in entry.unlisted:
        return {}
    if entry.is_version:
        return {PAGE: f"{base_url.rstrip('/')}/{version_address(entry.version)}/"}
    return {PAGE: skill_page_url(base_url, entry.path)}


def about_skills(release: ServedRelease) -> JsonObject:
    """Return the `_meta` field of a result about many skills: the URL template of their pages."""
    pages = pages_template(release)
    return {} if pages is None else {"_meta": {PAGES: pages}}


def pages_template(release: ServedRelease) -> str | None:
    """Return the URL template (RFC 6570) of skill pages, to be expanded with a skill path; None if
    there are no pages.
    """
    base_url = _base_of_pages(release)
    return None if base_url is None else f"{base_url.rstrip('/')}/skills/{{+path}}/"


def _base_of_pages(release: ServedRelease) -> str | None:
    """Return the base URL; None if the catalog has no base URL or no pages.

    The record of a catalog with pages names the packages that render them.
    """
    return release.record.catalog.base_url if release.record.renderers else None


def _index(release: ServedRelease) -> Readable | None:
    stored = release.index
    if stored is None:
        return None
    description = "All skills that are not internal, with their frontmatter, digests and archives."
    title = f"Index of {release.title}"
    labels = {"name": "index.json", "title": title, "description": description}
    metadata = {"commit": release.record.catalog.commit}
    if release.is_partial:
        stored = _generated(content.partial_index(release, stored))
    return _document(INDEX_URI, "index", stored, labels, metadata)


def _archive(uri: str, archive: StoredContent) -> Readable:
    name = uri.rpartition("/")[2]
    labels = {"name": name, "title": name, "description": "A skill with all its files."}
    return _document(uri, "archive", archive, labels, {"file": name})


def _generated(data: bytes) -> StoredContent:
    """Describe JSON that the server generates, which has no path."""
    return StoredContent("", "application/json", Digest.of(data), len(data))


def _manifest(release: ServedRelease, entry: ServedEntry, uri: str) -> Readable:
    stored = _generated(content.manifest(entry))
    labels = {"name": content.MANIFEST, "title": f"{_title(entry)}/{content.MANIFEST}"}
    meta = skill_meta(release, entry)
    return _document(uri, "manifest", stored, labels, owner_json(entry), meta)


def _directory(release: ServedRelease, uri: str) -> Readable:
    """Describe a directory; the directory of a skill has the description and version of the
    skill.
    """
    path = unquote(uri.removeprefix("skill://"))
    resource: JsonObject = {"uri": uri, "name": path.rpartition("/")[2], "title": path}
    entry = release.skill_at(f"{uri}/SKILL.md")
    if entry is not None:
        resource["description"] = entry.description
    resource["mimeType"] = DIRECTORY_TYPE
    if entry is not None and (meta := skill_meta(release, entry)):
        resource["_meta"] = meta
    version = None if entry is None else entry.version
    return Readable(resource, "directory", {"path": path}, version)


def _document(
    uri: str,
    kind: ResourceKind,
    stored: StoredContent,
    labels: Mapping[str, str],
    metadata: Mapping[str, object],
    meta: Mapping[str, object] = {},
) -> Readable:
    resource: JsonObject = {"uri": uri, **labels, "mimeType": stored.media_type}
    resource |= {"size": stored.size, "annotations": _ANNOTATIONS[kind]}
    resource |= {"_meta": dict(meta)} if meta else {}
    return Readable(resource, kind, metadata, stored.digest)


def linked_icons(release: ServedRelease, icons: Sequence[Icon], name: str) -> list[JsonObject]:
    """Return the icons to show in lists, as links only. An icon that was generated from the name is
    omitted.

    The result is empty if the catalog has no HTTPS base URL.
    """
    if _link_base(release) is None:
        return []
    drawn = Digest.of(identicon.draw(name))
    return describe_icons(release, [icon for icon in icons if icon.digest != drawn], name)


def describe_icons(release: ServedRelease, icons: Sequence[Icon], name: str) -> list[JsonObject]:
    """Return the icons that have a link or fit in a `data:` URI, in order.

    An icon that was generated from the name is generated again instead of being read, because
    reading the file may require a download.
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
    """Return the MCP `Implementation` object of this server with the fields of SEP-973."""
    catalog = release.record.catalog
    return _implementation(release, describe_icons(release, catalog.icons, catalog.title))


def server_stamp(release: ServedRelease) -> JsonObject:
    """Return a short form of `server_info`. Since protocol version 2026-07-28, every result
    contains this object.
    """
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
    """Return the instructions for the client's model: how to read skills, how many there are, and
    some of their paths.
    """
    count = release.skill_count
    how = f"{_BY_TOOLS} {_BY_RESOURCES}" if offer.tools else f"{_WHEN} {_BY_RESOURCES}"
    title = release.title[: LONGEST_INSTRUCTIONS // 4]
    text = f"{title}: {plural(count, 'Agent Skill')}. {_WHAT} {how}"
    paths = _paths_within(release, LONGEST_INSTRUCTIONS - len(text) - len(_LONGEST_FRAME))
    more = f", and {count - len(paths)} more" if len(paths) < count else ""
    return f"{text} Paths: {', '.join(paths)}{more}." if paths else text


_WHAT = "Each skill has a SKILL.md with instructions, and supporting files."
_WHEN = "Before a task that a skill covers, read skill://<path>/SKILL.md."
_BY_TOOLS = (
    "At the start of a task, call search_skills with words from the task, or list_skills to see all"
    " skills; if a skill covers the task, call read_skill and follow the skill before you do"
    " anything else. read_skill_file reads a file that a skill refers to."
)
_BY_RESOURCES = (
    "All are readable as resources; relative links in skill://<path>/SKILL.md resolve against"
    " skill://<path>/. skills/list has skills with their digests, resources/directory/read has the"
    " files of a directory."
)
_LONGEST_FRAME = " Paths: , and 999999 more."


def _paths_within(release: ServedRelease, length: int) -> list[str]:
    """Return the first skill paths that fit in `length` characters with commas between them.

    A part of the record that cannot be read ends the list, so that clients can still connect.
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

"""What the protocol says about a release, as plain values: no socket and no SDK.

A Resource is described once, for listings, reads, metadata and notifications alike (SEP-2093). It
carries `kind`, `version` and `metadata` of the generic resources document; as clients drop fields
they do not know, the same stands in `_meta` again.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import unquote

from skillbuild.model import Digest
from skillbuild.serve.methods import icons
from skillbuild.serve.state import content
from skillbuild.serve.state.entries import Opened, Stored, parsed
from skillbuild.serve.state.release import Release
from skillbuild.uris import INDEX_URI

JsonObject = dict[str, object]

EXTENSION = "io.modelcontextprotocol/skills"
PREFIX = "io.modelcontextprotocol.skills/"
"""Of every `_meta` key on a skill's resources (SEP-2640, Resource Metadata)."""

DIRECTORY_TYPE = "inode/directory"

_ANNOTATIONS: Mapping[str, JsonObject] = {
    "skill": {"audience": ["user", "assistant"], "priority": 1.0},
    "file": {"audience": ["assistant"], "priority": 0.5},
    "index": {"audience": ["assistant"], "priority": 0.5},
    "archive": {"audience": ["user"], "priority": 0.1},
    "manifest": {"audience": ["assistant"], "priority": 0.1},
}


def resource(release: Release, uri: str) -> JsonObject | None:
    """The Resource of any URI that can be read; None when nothing is served there."""
    opened = release.open(uri)
    if opened is not None:
        return _published(release, opened, uri)
    if uri == INDEX_URI:
        return _index(release)
    if release.is_directory(uri):
        return _directory(release, uri)
    entry = content.manifest_owner(release, uri)
    return None if entry is None else _manifest(entry, uri)


def version(release: Release, uri: str) -> object:
    """What changes whenever the content at a URI does; None where nothing is served."""
    described = resource(release, uri)
    return None if described is None else described.get("version")


def skill(release: Release, number: int) -> JsonObject:
    """A Skill entry of `skills/list` and `skills/get`: these keys and no other."""
    value = parsed(release.lines[number])
    resources = [
        {"uri": item["uri"], "digest": item["digest"], "size": item["size"]}
        for item in value["resources"]
    ]
    return {"uri": value["url"], "frontmatter": value["frontmatter"], "resources": resources}


def _published(release: Release, entry: Opened, uri: str) -> JsonObject:
    stored, item = entry.stored(uri), entry.file(uri)
    if uri == entry.uri:
        return _skill(release, entry, stored)
    if item is None:
        name = uri.rpartition("/")[2]
        about = f"SKILL.md and all supporting files of {entry.path}."
        labels = {"name": name, "title": f"{entry.path} in one file", "description": about}
        return _document(uri, "archive", stored, labels, {"skill": entry.path})
    labels = {"name": item.path.rpartition("/")[2], "title": f"{entry.path}/{item.path}"}
    metadata = {"skill": entry.path, "file": item.path, "executable": item.executable}
    return _document(uri, "file", stored, labels, metadata)


def _skill(release: Release, entry: Opened, stored: Stored) -> JsonObject:
    labels = {"name": entry.name, "title": entry.path, "description": entry.description}
    metadata = {"skill": entry.path, "file": "SKILL.md", "listed": entry.listed}
    said = _document(entry.uri, "skill", stored, labels, metadata)
    if changed := release.changed.get(entry.path):
        said["annotations"] = {**_ANNOTATIONS["skill"], "lastModified": changed}
    more = {key: value for key, value in entry.frontmatter.items() if key not in _SHOWN}
    meta = said["_meta"]
    if more and isinstance(meta, dict):
        meta[f"{PREFIX}frontmatter"] = more
    drawn = icons.described(release, entry.icons)
    return {**said, "icons": drawn} if drawn else said


_SHOWN = frozenset(["name", "description"])


def _index(release: Release) -> JsonObject:
    stored = Stored("", "application/json", release.head.index_digest, release.index_size)
    about = "Every listed skill with its frontmatter, digest and archives."
    labels = {"name": "index.json", "title": f"Index of {release.title}", "description": about}
    return _document(INDEX_URI, "index", stored, labels, {"commit": release.head.catalog.commit})


def _manifest(entry: Opened, uri: str) -> JsonObject:
    data = content.manifest(entry)
    stored = Stored("", "application/json", Digest.of(data), len(data))
    labels = {"name": content.MANIFEST, "title": f"{entry.path}/{content.MANIFEST}"}
    return _document(uri, "manifest", stored, labels, {"skill": entry.path})


def _directory(release: Release, uri: str) -> JsonObject:
    path = unquote(uri.removeprefix("skill://"))
    said: JsonObject = {"uri": uri, "name": path.rpartition("/")[2], "title": path}
    entry = release.skill(f"{uri}/SKILL.md")
    if entry is not None:
        said |= {"description": entry.description, "version": entry.version}
    said |= {"mimeType": DIRECTORY_TYPE, "resourceType": "collection", "kind": "directory"}
    said["metadata"] = {"path": path}
    return {**said, "_meta": _mirror(said)}


def _document(
    uri: str, kind: str, stored: Stored, labels: Mapping[str, str], metadata: Mapping[str, object]
) -> JsonObject:
    said = {"uri": uri, **labels, "mimeType": stored.media_type, "size": stored.size}
    said |= {"annotations": _ANNOTATIONS[kind], "resourceType": "document", "kind": kind}
    said |= {"version": str(stored.digest), "metadata": metadata}
    return {**said, "_meta": _mirror(said)}


def _mirror(said: Mapping[str, object]) -> JsonObject:
    return {f"{PREFIX}{key}": said[key] for key in _MIRRORED if key in said}


_MIRRORED = ("kind", "version", "metadata", "resourceType")

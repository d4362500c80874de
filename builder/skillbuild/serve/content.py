"""Bytes of a release, checked against size and digest on every read; damaged ones never leave."""

from __future__ import annotations

from dataclasses import dataclass

from skillbuild import jsontext, record, store
from skillbuild.model import Digest, Entry
from skillbuild.serve.release import Opened, Release
from skillbuild.uris import INDEX_URI

MANIFEST = "_manifest"


class DamagedError(Exception):
    """A file of the output is missing or not what was published."""


@dataclass(frozen=True, slots=True)
class Stored:
    """Where content stands in the output, and what it must be."""

    path: str
    media_type: str
    digest: Digest
    size: int


def locate(opened: Opened, uri: str) -> Stored:
    """The file behind a URI of an entry."""
    archive = opened.archives.get(uri)
    if archive is not None:
        path = f"archives/{archive.file_name}"
        return Stored(path, archive.media_type, archive.digest, archive.size)
    item = opened.resources[uri]
    return Stored(record.blob_path(item.digest), item.media_type, item.digest, item.size)


def fetch(release: Release, uri: str) -> bytes | None:
    """The bytes of a document; None when there is none at this URI."""
    opened = release.open(uri)
    if opened is not None:
        stored = locate(opened, uri)
        return read(release, stored.path, stored.digest, stored.size)
    if uri == INDEX_URI:
        return release.index
    entry = manifest_owner(release, uri)
    return None if entry is None else manifest(entry)


def read(release: Release, path: str, digest: Digest, size: int | None = None) -> bytes:
    """A content-addressed file of the output, or `DamagedError`."""
    data = store.read(release.out / path)
    if data is None:
        raise DamagedError("missing")
    if size is not None and len(data) != size:
        raise DamagedError("wrong size")
    if Digest.of(data) != digest:
        raise DamagedError("wrong digest")
    return data


def manifest_owner(release: Release, uri: str) -> Entry | None:
    """The skill whose `_manifest` this is; a real file of that name has been found before."""
    head, slash, last = uri.rpartition("/")
    return release.skill(f"{head}/SKILL.md") if slash and last == MANIFEST else None


def manifest(entry: Entry) -> bytes:
    """The files of a skill as FastMCP's `sync_skills` and `download_skill` ask for them."""
    files = [
        {"path": item.path, "size": item.size, "hash": str(item.digest)} for item in entry.resources
    ]
    return jsontext.compact({"skill": entry.name, "files": files}).encode()

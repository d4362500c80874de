"""Bytes of a release, checked against size and digest on every read; damaged ones never leave."""

from __future__ import annotations

from skillbuild.model import Digest
from skillbuild.serve.state.entries import Opened
from skillbuild.serve.state.release import Release
from skillbuild.storage import disk
from skillbuild.text.json import compact_json
from skillbuild.uris import INDEX_URI

MANIFEST = "_manifest"


class DamagedError(Exception):
    """A file of the output is missing or not what was published."""


def fetch(release: Release, uri: str) -> bytes | None:
    """The bytes of a document; None when there is none at this URI."""
    opened = release.open(uri)
    if opened is not None:
        stored = opened.stored(uri)
        return read(release, stored.path, stored.digest, stored.size)
    if uri == INDEX_URI:
        return release.index
    entry = manifest_owner(release, uri)
    return None if entry is None else manifest(entry)


def read(release: Release, path: str, digest: Digest, size: int | None = None) -> bytes:
    """A content-addressed file of the output, or `DamagedError`."""
    data = disk.read(release.out / path)
    if data is None:
        raise DamagedError("missing")
    if size is not None and len(data) != size:
        raise DamagedError("wrong size")
    if Digest.of(data) != digest:
        raise DamagedError("wrong digest")
    return data


def manifest_owner(release: Release, uri: str) -> Opened | None:
    """The skill whose `_manifest` this is; a real file of that name has been found before."""
    head, slash, last = uri.rpartition("/")
    return release.skill(f"{head}/SKILL.md") if slash and last == MANIFEST else None


def manifest(entry: Opened) -> bytes:
    """The files of a skill as FastMCP's `sync_skills` and `download_skill` ask for them."""
    files = [
        {"path": item.path, "size": item.stored.size, "hash": str(item.stored.digest)}
        for item in entry.files
    ]
    return compact_json({"skill": entry.name, "files": files}).encode()

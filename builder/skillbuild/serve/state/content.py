"""Bytes of a release; size and digest are checked on every read, damaged bytes are never served."""

from __future__ import annotations

from skillbuild.model import Digest
from skillbuild.serve.state import files
from skillbuild.serve.state.entries import ServedEntry, StoredContent
from skillbuild.serve.state.faults import DamagedError
from skillbuild.serve.state.release import ServedRelease
from skillbuild.serve.state.selection import selected_index
from skillbuild.text.json import compact_json
from skillbuild.uris import INDEX_URI

MANIFEST = "_manifest"


def read_document(release: ServedRelease, uri: str) -> bytes | None:
    """The bytes at a URI; None when no document is served there, `DamagedError` as `read_file`."""
    entry = release.entry_at(uri)
    file = entry.file(uri) if entry is not None else None
    if uri == INDEX_URI and release.is_partial:
        return partial_index(release)
    stored = file.content if file else stored_at(release, uri)
    if stored is not None:
        return read_file(release, stored.path, stored.digest, stored.size)
    owner = manifest_owner(release, uri)
    return None if owner is None else manifest(owner)


def stored_at(release: ServedRelease, uri: str) -> StoredContent | None:
    """The index or the archive at a URI."""
    return release.index if uri == INDEX_URI else release.archive_at(uri)


def partial_index(release: ServedRelease) -> bytes:
    """The index without the skills that are not served."""

    def select() -> bytes:
        whole = read_file(release, release.index.path, release.index.digest)
        return selected_index(whole, release.skill_at)

    return release.caches.partial_index.get(INDEX_URI, select)


def read_file(release: ServedRelease, path: str, digest: Digest, size: int | None = None) -> bytes:
    """A content-addressed file of the output; `DamagedError` unless digest and size are right,
    `UnavailableError` if it cannot be read now.
    """
    data = files.read_in(release.out, path)
    if data is None:
        raise DamagedError(path, "missing")
    if size is not None and len(data) != size:
        raise DamagedError(path, "wrong size")
    if Digest.of(data) != digest:
        raise DamagedError(path, "wrong digest")
    return data


def manifest_owner(release: ServedRelease, uri: str) -> ServedEntry | None:
    """The skill whose generated `_manifest` is at this URI.

    A skill may publish a file of that name: ask `entry_at` first.
    """
    directory, slash, name = uri.rpartition("/")
    return release.skill_at(f"{directory}/SKILL.md") if slash and name == MANIFEST else None


def manifest(entry: ServedEntry) -> bytes:
    """The files of a skill as JSON, in the form that FastMCP's `sync_skills` and
    `download_skill` ask for.
    """
    files = [
        {"path": file.path, "size": file.content.size, "hash": str(file.content.digest)}
        for file in entry.files
    ]
    return compact_json({"skill": entry.name, "files": files}).encode()

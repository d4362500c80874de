"""Resolves URIs to documents, directories of the skill namespace, and skills that have moved.

A file's size and digest are checked on every read; damaged bytes are never served.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote

from skillbuild.paths import DEEPEST_PATH, parent
from skillbuild.serve.state.entries import ServedEntry, StoredContent
from skillbuild.serve.state.look_up import selected_index
from skillbuild.serve.state.release import LONGEST_ASKED_URI, PUBLIC, ServedRelease
from skillbuild.storage.files import DamagedError
from skillbuild.text.json import compact_json
from skillbuild.uris import INDEX_URI

MANIFEST = "_manifest"
_SCHEME = "skill://"


class DamagedContentError(DamagedError):
    """The file that a client asked for is damaged."""

    def __init__(self, uri: str, reason: str) -> None:
        super().__init__(uri, reason)
        self.uri = uri


def read_document(release: ServedRelease, uri: str) -> bytes | None:
    """Return the bytes of the document at a URI; None if there is none.

    Raises `DamagedError` if the bytes are wrong, and `UnavailableError` if they cannot currently be
    read.
    """
    entry = release.entry_at(uri)
    file = entry.file(uri) if entry is not None else None
    if uri == INDEX_URI and release.is_partial and release.index is not None:
        return partial_index(release, release.index)
    if file is not None:
        stored: StoredContent | None = file.content
    else:
        stored = release.index if uri == INDEX_URI else release.archive_at(uri)
    if stored is not None:
        return release.read(stored.path, stored.digest, stored.size)
    owner = manifest_owner(release, uri)
    return None if owner is None else manifest(owner)


def partial_index(release: ServedRelease, index: StoredContent) -> bytes:
    """Return the index with only the skills that `--only` selects."""

    def select() -> bytes:
        whole = release.read(index.path, index.digest, index.size)
        return selected_index(whole, release.skill_at)

    return release.caches.partial_index.get(INDEX_URI, select)


def manifest_owner(release: ServedRelease, uri: str) -> ServedEntry | None:
    """Return the skill whose generated `_manifest` is at this URI; None if there is none.

    A skill may publish its own file named `_manifest`, so callers must try `entry_at` first.
    """
    directory, slash, name = uri.rpartition("/")
    return release.skill_at(f"{directory}/SKILL.md") if slash and name == MANIFEST else None


def manifest(entry: ServedEntry) -> bytes:
    """Return a list of the files of a skill as JSON, in the format that `sync_skills` and
    `download_skill` of FastMCP read.
    """
    files = [
        {"path": file.path, "size": file.content.size, "hash": str(file.content.digest)}
        for file in entry.files
    ]
    return compact_json({"skill": entry.name, "files": files}).encode()


@dataclass(frozen=True, slots=True)
class Child:
    """A file or directory that is directly in another directory.

    `skill://acme` and `skill://acme/refunds/templates` are directories, written without a trailing
    slash (SEP-2640, Reading Directories).
    """

    uri: str
    is_directory: bool


def children(release: ServedRelease, directory: str) -> list[Child]:
    """Return the direct children of a directory in URI order; empty if it is not a directory."""
    return [
        Child(f"{directory}/{name.rstrip('/')}", name.endswith("/"))
        for name in release.names_in(directory)
    ]


def successor_at(release: ServedRelease, uri: str) -> ServedEntry | None:
    """Return the successor of the skill that had a file or directory at this URI.

    Returns None if there is no successor, if it is internal or not served, or if the URI is inside
    a current skill.
    """
    if not uri.startswith(_SCHEME) or len(uri) > LONGEST_ASKED_URI or not release.moved:
        return None
    path = unquote(uri.removeprefix(_SCHEME))
    for _ in range(DEEPEST_PATH):
        if (to := release.moved.get(path)) is not None:
            entry = release.entry_of(to)
            return None if entry is None or PUBLIC in entry.unlisted else entry
        path = parent(path)
        if not path or release.entry_of(path) is not None:
            return None
    return None


def successor_uri(release: ServedRelease, uri: str) -> str | None:
    """Return the URI of the SKILL.md of the skill that `successor_at` returns, or None."""
    entry = successor_at(release, uri)
    return None if entry is None else entry.uri

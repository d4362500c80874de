"""Decodes one skill, or one version of a skill, for use in the server's responses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from skillbuild.errors import OutputError
from skillbuild.model import (
    MCP_LIMIT,
    Deprecation,
    Digest,
    Facts,
    Icon,
    Resource,
    Trust,
    Version,
    version_address,
)
from skillbuild.paths import SKILL_FILE, is_skill_name
from skillbuild.release.entry import parse_entry
from skillbuild.release.layout import blob_path
from skillbuild.release.sorted_lines import ENTRY_START
from skillbuild.release.versions import decode_version, version_name
from skillbuild.storage.files import DamagedError
from skillbuild.uris import skill_uri

JsonObject = dict[str, object]
"""A JSON object as a plain value."""
ResourceKind = Literal["skill", "file", "index", "archive", "manifest", "directory"]


@dataclass(frozen=True, slots=True)
class StoredContent:
    """A published file: its path in the output, and the expected digest and size in bytes."""

    path: str
    media_type: str
    digest: Digest
    size: int


@dataclass(frozen=True, slots=True)
class ServedFile:
    """A file of a skill; `path` is relative to the skill."""

    uri: str
    path: str
    executable: bool
    content: StoredContent


@dataclass(frozen=True, slots=True)
class ServedEntry:
    """One skill, or one version of it."""

    path: str
    """The skill path; for a version, `-/versions/`, 16 hex digits, and a name."""
    uri: str
    """The URI of the SKILL.md, which identifies the skill in every protocol."""
    flat_name: str
    """A name without `/` that is unique among all skills."""
    version: Digest
    """The skill digest."""
    frontmatter: Mapping[str, object]
    icons: tuple[Icon, ...]
    unlisted: frozenset[str]
    """The listings that leave the skill out."""
    deprecated: Deprecation | None
    facts: Facts
    """Facts that a user should know before installing the skill."""
    trust: Trust | None
    """Signatures and scanner results for the files."""
    _files: Mapping[str, Resource]
    versions: Sequence[Version] = ()
    """The versions that have an address of their own, the newest first."""
    is_version: bool = False
    """Whether this is a version with its own address instead of a current skill."""

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def conforms(self) -> bool:
        """Whether `skills/get` returns the skill: its name must conform to the Agent Skills rules,
        and clients must accept the number and size of its files.
        """
        size = sum(item.size for item in self._files.values())
        is_small = MCP_LIMIT.takes(len(self._files), size)
        return is_small and is_skill_name(str(self.frontmatter["name"]))

    @property
    def description(self) -> str:
        return str(self.frontmatter["description"])

    @property
    def files(self) -> Iterator[ServedFile]:
        """All files, in the order of the record."""
        return map(_file, self._files.values())

    @property
    def resources(self) -> list[JsonObject]:
        """All files in the order of the record, as `skills/list` returns them."""
        return [
            {"uri": item.uri, "digest": str(item.digest), "size": item.size}
            for item in self._files.values()
        ]

    @property
    def skill_md(self) -> ServedFile:
        return _file(self._files[self.uri])

    def file(self, uri: str) -> ServedFile | None:
        """Return the file at this URI, or None."""
        value = self._files.get(uri)
        return None if value is None else _file(value)


def _file(item: Resource) -> ServedFile:
    content = StoredContent(blob_path(item.digest), item.media_type, item.digest, item.size)
    return ServedFile(item.uri, item.path, item.executable, content)


def read_entry(line: bytes) -> ServedEntry:
    """Decode a line of the record. Raises `DamagedError` if a field that is served is invalid."""
    try:
        entry = parse_entry(line)
        if not entry.text("name") or not entry.text("description"):
            raise ValueError("no name or description")
        files = {item.uri: item for item in entry.resources}
        if entry.uri not in files:
            raise ValueError("no SKILL.md")
        return ServedEntry(
            path=entry.path,
            uri=entry.uri,
            flat_name=entry.flat_name,
            version=entry.skill_digest,
            frontmatter=entry.frontmatter,
            icons=entry.icons,
            unlisted=frozenset(entry.unlisted),
            deprecated=entry.deprecated,
            facts=entry.facts,
            trust=entry.trust,
            _files=files,
            versions=entry.versions,
        )
    except (ValueError, RecursionError) as error:
        path = line.removeprefix(ENTRY_START).partition(b'"')[0].decode("ascii", "backslashreplace")
        raise DamagedError(f"the entry of {path}", f"{error}") from error


def read_version(data: bytes, where: str) -> ServedEntry:
    """Decode the `version.json` at the path `where`; raise `DamagedError` if it is invalid or
    describes another version.
    """
    try:
        record = decode_version(data, where)
        front = record.frontmatter
        if not all(isinstance(front[key], str) for key in ("name", "description")):
            raise ValueError("no name or description")
        name = version_name(front["name"])
        path = f"-/{version_address(record.digest)}/{name}"
        if any(item.uri != skill_uri(path, item.path) for item in record.resources):
            raise ValueError("a file has the URI of another version")
        if all(item.path != SKILL_FILE for item in record.resources):
            raise ValueError("no SKILL.md")
        return ServedEntry(
            path=path,
            uri=skill_uri(path),
            flat_name=name,
            version=record.digest,
            frontmatter=front,
            icons=(),
            unlisted=frozenset(),
            deprecated=None,
            facts=Facts(),
            trust=None,
            _files={item.uri: item for item in record.resources},
            is_version=True,
        )
    except OutputError as error:
        raise DamagedError(where, f"{error}".removeprefix(f"{where} ")) from error
    except (ValueError, KeyError) as error:
        raise DamagedError(where, f"{type(error).__name__} {error}") from error

"""One entry of `catalog.json` as the server reads it: the plain values of its line.

`release.entry` decodes an entry to objects, which takes four times as long; a client's first read
would wait for that. So a line is checked once, when its release is loaded (`index_entry`), and
trusted whenever it is read again (`read_entry`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic_core import from_json

from skillbuild.errors import OutputError
from skillbuild.model import INTERNAL, Digest, Icon, Listing
from skillbuild.paths import is_skill_name
from skillbuild.release.entry import decode_icon
from skillbuild.release.frontmatter import tags_of
from skillbuild.release.layout import addressed_path, blob_path

ResourceKind = Literal["skill", "file", "index", "archive", "manifest"]


@dataclass(frozen=True, slots=True)
class ListingRow:
    """One item of `resources/list` with the fields that its `filter` can ask about."""

    uri: str
    kind: ResourceKind
    name: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SkillSummary:
    """What a model needs to choose a skill; `uri` is that of its SKILL.md."""

    path: str
    uri: str
    description: str


@dataclass(frozen=True, slots=True)
class EntryIndex:
    """What stays in memory of every entry: the URIs it owns and its row in `resources/list`."""

    row: ListingRow
    file_uris: list[str]
    archive_uris: list[str]
    listed: bool
    """Whether `skills/list` has it."""
    internal: bool
    """Whether nothing that is searched or listed has it."""


@dataclass(frozen=True, slots=True)
class StoredContent:
    """Published bytes: their path in the output, and what they must be; `size` in bytes."""

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
    """One skill; its files and archives stay plain values until they are asked for."""

    path: str
    uri: str
    """Of the SKILL.md, by which every protocol knows the skill."""
    version: str
    listed: bool
    """Whether `skills/list` has it; by URI every skill answers."""
    frontmatter: Mapping[str, object]
    icons: tuple[Icon, ...]
    _files: Mapping[str, Mapping[str, Any]]
    _archives: Mapping[str, Mapping[str, Any]]

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def conforms(self) -> bool:
        """Whether `skills/get` knows it: a skill whose name is a title is files and no skill."""
        return is_skill_name(str(self.frontmatter["name"]))

    @property
    def description(self) -> str:
        return str(self.frontmatter["description"])

    @property
    def files(self) -> Iterator[ServedFile]:
        """All files, in the order of the record."""
        return map(_file, self._files.values())

    def file(self, uri: str) -> ServedFile | None:
        """The file at this URI; None for an archive."""
        value = self._files.get(uri)
        return None if value is None else _file(value)

    def content(self, uri: str) -> StoredContent:
        """The content at a URI of this entry; an archive wins over a file."""
        value = self._archives.get(uri)
        if value is None:
            return _file(self._files[uri]).content
        digest = Digest.parse(value["digest"])
        return StoredContent(value["path"], value["mimeType"], digest, value["size"])


def _file(value: Mapping[str, Any]) -> ServedFile:
    digest = Digest.parse(value["digest"])
    path = blob_path(digest)
    content = StoredContent(path, value["mimeType"], digest, value["size"])
    return ServedFile(value["uri"], value["path"], value["executable"], content)


def entry_values(line: bytes) -> Mapping[str, Any]:
    """The line of an entry as plain values."""
    values: Mapping[str, Any] = from_json(line, cache_strings="keys")
    return values


def read_entry(line: bytes) -> ServedEntry:
    """The entry of a line that `index_entry` has accepted."""
    values = entry_values(line)
    return ServedEntry(
        path=values["path"],
        uri=values["url"],
        version=values["skillDigest"],
        listed=Listing.MCP not in values["unlisted"],
        frontmatter=values["frontmatter"],
        icons=tuple(map(decode_icon, values["icons"])),
        _files={file["uri"]: file for file in values["resources"]},
        _archives={archive["url"]: archive for archive in values["archives"]},
    )


def read_summary(line: bytes) -> SkillSummary:
    """The same of a line that `index_entry` has accepted, without its files."""
    values = entry_values(line)
    return SkillSummary(values["path"], values["url"], values["frontmatter"]["description"])


def index_entry(line: bytes, number: int) -> EntryIndex:
    """Check everything that is read from a line later; `OutputError` says what is wrong.

    `number` is the position of the entry in `catalog.json`, counted from 0.
    """
    try:
        values = entry_values(line)
        front, uri = values["frontmatter"], values["url"]
        file_uris = [_checked_uri(file["uri"], file) for file in values["resources"]]
        archive_uris = [_checked_uri(archive["url"], archive) for archive in values["archives"]]
        _check_fields(values)
        if uri not in file_uris or not isinstance(uri, str):
            raise ValueError("no SKILL.md")
        row = ListingRow(uri, "skill", front["name"], tags_of(front))
        reasons = values["unlisted"].get(Listing.MCP, [])
        return EntryIndex(row, file_uris, archive_uris, not reasons, INTERNAL in reasons)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        reason = f"entry {number + 1}: {type(error).__name__} {error}"
        raise OutputError(f"catalog.json is damaged: {reason}; run build again") from error


def _check_fields(values: Mapping[str, Any]) -> None:
    front = values["frontmatter"]
    texts = (front["name"], front["description"], values["path"], values["skillDigest"])
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("no name, description, path or digest")
    for reasons in values["unlisted"].values():
        if not isinstance(reasons, list) or not reasons:
            raise ValueError("a listing that leaves it out without a reason")
    for icon in values["icons"]:
        decode_icon(icon)
    for archive in values["archives"]:
        addressed_path(archive["path"])
    if not all(isinstance(file["executable"], bool) for file in values["resources"]):
        raise ValueError("a file that may or may not be executable")


def _checked_uri(uri: object, value: Mapping[str, object]) -> str:
    """The URI of a file or archive all of whose other fields are as they must be."""
    digest, size = value["digest"], value["size"]
    has_texts = isinstance(value["path"], str) and isinstance(value["mimeType"], str)
    if has_texts and isinstance(uri, str) and type(size) is int and _is_digest(digest):
        return uri
    raise ValueError("a file without URI, digest, size, path or type")


def _is_digest(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        Digest.parse(value)
    except ValueError:
        return False
    return True

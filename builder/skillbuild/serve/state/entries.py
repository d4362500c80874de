"""An entry of the record as the server reads it: the plain values of its line.

The objects of `record` take four times as long to make, and a first read waits for them.
So all that is relied on later is checked here once, when a release is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic_core import from_json

from skillbuild.errors import OutputError
from skillbuild.model import Digest, Icon
from skillbuild.release.entry import decode_icon
from skillbuild.release.frontmatter import tags_of
from skillbuild.release.layout import addressed_path, blob_path

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Row:
    """One item of `resources/list`, with what a filter asks about; no content."""

    uri: str
    kind: str
    name: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Brief:
    """What is kept of an entry: the URIs of its files and archives, and its row."""

    row: Row
    files: list[str]
    archives: list[str]
    listed: bool


@dataclass(frozen=True, slots=True)
class Stored:
    """Where content stands in the output, and what it must be."""

    path: str
    media_type: str
    digest: Digest
    size: int


@dataclass(frozen=True, slots=True)
class File:
    """A file of a skill."""

    uri: str
    path: str
    executable: bool
    stored: Stored


@dataclass(frozen=True, slots=True)
class Opened:
    """An entry that has been read; what it says of each file and archive stays as it was."""

    path: str
    uri: str
    """Of the SKILL.md, by which every protocol knows the skill."""
    version: str
    listed: bool
    frontmatter: Mapping[str, object]
    icons: tuple[Icon, ...]
    _files: Mapping[str, Mapping[str, Any]]
    _archives: Mapping[str, Mapping[str, Any]]

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def description(self) -> str:
        return str(self.frontmatter["description"])

    @property
    def files(self) -> Iterator[File]:
        """All files, in the order of the record."""
        return map(_file, self._files.values())

    def file(self, uri: str) -> File | None:
        """The file at this URI; None for an archive."""
        item = self._files.get(uri)
        return None if item is None else _file(item)

    def stored(self, uri: str) -> Stored:
        """Where the file or archive at a URI of this entry stands; an archive wins."""
        item = self._archives.get(uri)
        return _file(self._files[uri]).stored if item is None else _stored(item, item["path"])


def _file(item: Mapping[str, Any]) -> File:
    digest = Digest.parse(item["digest"])
    stored = Stored(blob_path(digest), item["mimeType"], digest, item["size"])
    return File(item["uri"], item["path"], item["executable"], stored)


def _stored(item: Mapping[str, Any], path: str) -> Stored:
    return Stored(path, item["mimeType"], Digest.parse(item["digest"]), item["size"])


def parsed(line: bytes) -> Mapping[str, Any]:
    """An entry as plain values."""
    value: Mapping[str, Any] = from_json(line, cache_strings="keys")
    return value


@lru_cache(maxsize=256)
def opened(line: bytes) -> Opened:
    """An entry whose line has been checked."""
    value = parsed(line)
    return Opened(
        path=value["path"],
        uri=value["url"],
        version=value["skillDigest"],
        listed=value["listed"],
        frontmatter=value["frontmatter"],
        icons=tuple(map(decode_icon, value["icons"])),
        _files={item["uri"]: item for item in value["resources"]},
        _archives={item["url"]: item for item in value["archives"]},
    )


def brief(line: bytes, number: int) -> Brief:
    """What is kept of an entry, and the check of the rest; `OutputError` says what is wrong."""
    try:
        value = parsed(line)
        front, uri = value["frontmatter"], value["url"]
        files = [_sound(item["uri"], item) for item in value["resources"]]
        archives = [_sound(item["url"], item) for item in value["archives"]]
        _check(value)
        if uri not in files or not isinstance(uri, str):
            raise ValueError("no SKILL.md")
        row = Row(uri, "skill", front["name"], tags_of(front))
        return Brief(row, files, archives, value["listed"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        reason = f"entry {number + 1}: {type(error).__name__} {error}"
        raise OutputError(f"catalog.json is damaged: {reason}; run build again") from error


def _check(value: Mapping[str, Any]) -> None:
    front = value["frontmatter"]
    texts = (front["name"], front["description"], value["path"], value["skillDigest"])
    if not all(isinstance(text, str) for text in texts) or not isinstance(value["listed"], bool):
        raise ValueError("no name, description, path or digest")
    for item in value["icons"]:
        decode_icon(item)
    for item in value["archives"]:
        addressed_path(item["path"])
    if not all(isinstance(item["executable"], bool) for item in value["resources"]):
        raise ValueError("a file that may or may not be executable")


def _sound(uri: object, item: Mapping[str, object]) -> str:
    digest, size = item["digest"], item["size"]
    texts = isinstance(item["path"], str) and isinstance(item["mimeType"], str)
    whole = texts and isinstance(digest, str) and type(size) is int
    if not whole or not isinstance(uri, str) or not _DIGEST.fullmatch(str(digest)):
        raise ValueError("a file without URI, digest, size, path or type")
    return uri

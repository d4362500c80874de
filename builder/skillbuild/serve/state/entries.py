"""One entry of the record as the server reads it: the plain values of its line.

`release.entry` decodes an entry to objects, which takes four times as long; a client's first read
would wait for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic_core import from_json

from skillbuild.model import Deprecation, Digest, Icon
from skillbuild.paths import is_skill_name
from skillbuild.release.entry import decode_deprecation, decode_icon, unlisted_in
from skillbuild.release.layout import blob_path
from skillbuild.release.sorted_lines import ENTRY_START
from skillbuild.serve.state.faults import DamagedError
from skillbuild.serve.state.raw_json import JsonObject

ResourceKind = Literal["skill", "file", "index", "archive", "manifest"]


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
    """One skill; its files stay plain values until they are asked for."""

    path: str
    uri: str
    """Of the SKILL.md, by which every protocol knows the skill."""
    flat_name: str
    """Its name where all skills share one namespace."""
    version: str
    frontmatter: Mapping[str, object]
    icons: tuple[Icon, ...]
    unlisted: frozenset[str]
    """The formats that leave it out."""
    deprecated: Deprecation | None
    _files: Mapping[str, Mapping[str, Any]]

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

    @property
    def resources(self) -> list[JsonObject]:
        """All files as `skills/list` has them, in the order of the record."""
        keys = ("uri", "digest", "size")
        return [{key: value[key] for key in keys} for value in self._files.values()]

    @property
    def skill_md(self) -> ServedFile:
        return _file(self._files[self.uri])

    def file(self, uri: str) -> ServedFile | None:
        """The file at this URI."""
        value = self._files.get(uri)
        return None if value is None else _file(value)


def _file(value: Mapping[str, Any]) -> ServedFile:
    digest = Digest.parse(value["digest"])
    path = blob_path(digest)
    content = StoredContent(path, value["mimeType"], digest, value["size"])
    return ServedFile(value["uri"], value["path"], value["executable"], content)


def read_entry(line: bytes) -> ServedEntry:
    """The entry of a line; `DamagedError` if something that is served is not as it must be."""
    try:
        values = from_json(line, cache_strings="keys")
        front = values["frontmatter"]
        texts = [values[key] for key in ("path", "url", "flatName", "skillDigest")]
        if not all(isinstance(text, str) for text in (*texts, front["name"], front["description"])):
            raise ValueError("no name, description, path or digest")
        files = {_checked_uri(file): file for file in values["resources"]}
        if values["url"] not in files:
            raise ValueError("no SKILL.md")
        return ServedEntry(
            path=values["path"],
            uri=values["url"],
            flat_name=values["flatName"],
            version=values["skillDigest"],
            frontmatter=front,
            icons=tuple(map(decode_icon, values["icons"])),
            unlisted=frozenset(unlisted_in(line)),
            deprecated=decode_deprecation(values.get("deprecated")),
            _files=files,
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        path = line.removeprefix(ENTRY_START).partition(b'"')[0].decode("ascii", "backslashreplace")
        raise DamagedError(f"the entry of {path}: {type(error).__name__} {error}") from error


def _checked_uri(value: Mapping[str, object]) -> str:
    """The URI of a file all of whose other fields are as they must be."""
    uri, size = value["uri"], value["size"]
    Digest.parse(str(value["digest"]))
    has_texts = isinstance(value["path"], str) and isinstance(value["mimeType"], str)
    is_known = isinstance(value["executable"], bool) and type(size) is int
    if has_texts and is_known and isinstance(uri, str):
        return uri
    raise ValueError("a file without URI, size, path or type")

"""The values that the rooms share: skills, entries and catalogs, free of file formats and of I/O.

Paths are relative, `/`-separated strings exactly as git stores them. `PurePosixPath` would fold
`a/./b` and `a//b` together, and a hostile tree can hold both.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Self

import msgspec

from skillbuild.paths import is_skill_name

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
"""A value that JSON can carry: no NaN, no lone surrogates, string keys, source order."""

LANGUAGE_TAG = r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"
"""The form of a language tag (BCP 47), as a regular expression."""
LONGEST_LANGUAGE_TAG = 35

_ICON_ENDINGS = {"image/png": "png", "image/jpeg": "jpg", "image/svg+xml": "svg"}
_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")


@dataclass(frozen=True, slots=True, order=True)
class Digest:
    """A SHA-256 digest; only this class formats and parses one."""

    hex: str

    @classmethod
    def of(cls, data: bytes) -> Self:
        return cls(hashlib.sha256(data).hexdigest())

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `sha256:` + 64 lowercase hex digits; anything else is a `ValueError`."""
        match = _DIGEST.fullmatch(text)
        if match is None:
            raise ValueError(f"not a sha256 digest: {text!r}")
        return cls(match[1])

    @property
    def short(self) -> str:
        """The first 16 hex digits, as used in file names."""
        return self.hex[:16]

    def __str__(self) -> str:
        return f"sha256:{self.hex}"


def is_language(text: str) -> bool:
    """Whether a text has the form of a language tag."""
    return len(text) <= LONGEST_LANGUAGE_TAG and re.match(LANGUAGE_TAG, text) is not None


def schema_of(kind: type[msgspec.Struct], name: str, title: str) -> str:
    """The JSON Schema of a type: indented, its fields at the top, other types in `$defs`."""
    schema = msgspec.json.schema(kind)
    definitions = schema["$defs"]
    own = definitions.pop(schema["$ref"].rpartition("/")[2])
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:skillbuild:schema:{name}",
    }
    document = {**head, **own, "title": title, "$defs": definitions}
    return json.dumps(document, indent=2) + "\n"


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A position in a text file; both count from 1, the column in code points."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class File:
    """One file of a skill with its bytes; held only while its skill is checked and packed."""

    path: str
    data: bytes
    executable: bool


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """The frontmatter of a SKILL.md: its fields verbatim and in order, and where each value stands.

    `places` is keyed by the keys and list indexes that lead to a value: `("metadata", "version")`,
    `("allowed-tools", 0)`.
    """

    value: Mapping[str, Json]
    places: Mapping[tuple[str | int, ...], Place]

    def place(self, *keys: str | int) -> Place | None:
        return self.places.get(keys)

    def text(self, key: str) -> str:
        """The value of a field that the checks have shown to be a string."""
        value = self.value[key]
        if not isinstance(value, str):
            raise TypeError(f"{key} is not a string")
        return value


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill with all its files, which are sorted by the UTF-8 bytes of their path.

    `directory` is relative to the source, `body_line` the number of the body's first line.
    """

    path: str
    directory: str
    frontmatter: Frontmatter
    body: str
    body_line: int
    files: tuple[File, ...]
    flat_name: str
    """The name in formats with one flat namespace."""
    copies: tuple[str, ...] = ()
    """Other directories with the same path and the same files."""

    @property
    def name(self) -> str:
        """The name as it can stand in a path."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Resource:
    """A published file: what MCP serves and `verify` checks. `size` is in bytes."""

    uri: str
    path: str
    media_type: str
    digest: Digest
    size: int
    executable: bool


@dataclass(frozen=True, slots=True)
class Archive:
    """One skill in one file: zip or tar.gz, named by the skill and its own digest."""

    file_name: str
    media_type: str
    digest: Digest
    size: int


@dataclass(frozen=True, slots=True)
class Icon:
    """An icon as SEP-973 has it: `sizes` is `48x48` or `any`, `theme` light, dark or none."""

    digest: Digest
    media_type: str
    sizes: str
    theme: str | None = None

    @property
    def file_name(self) -> str:
        return f"{self.digest.short}.{_ICON_ENDINGS.get(self.media_type, 'png')}"


@dataclass(frozen=True, slots=True)
class Change:
    """The commit that last changed a skill, and when it was made, in seconds since 1970 (UTC)."""

    commit: str
    seconds: int

    @property
    def date(self) -> str:
        """The day in UTC, as in `2025-03-09`."""
        return datetime.fromtimestamp(self.seconds, UTC).date().isoformat()


def version_address(digest: Digest) -> str:
    """The folder in the output that holds the version of this skill digest and no other."""
    return f"versions/{digest.short}"


@dataclass(frozen=True, slots=True)
class Version:
    """One state of the files of a skill, which its digest identifies; the label is for people."""

    digest: Digest
    """The skill digest of these files."""
    change: Change
    """The commit on the first-parent line at which the skill first had them."""
    label: str
    """What its frontmatter declares, or the day of the commit and 8 hex digits of the digest."""

    @property
    def address(self) -> str:
        """The folder in the output that holds this version and no other, for ever."""
        return version_address(self.digest)


@dataclass(frozen=True, slots=True)
class Deprecation:
    """That a skill should not be used any more, although it is published as before."""

    reason: str
    use: str = ""
    """The path of the skill to use instead; empty without one."""

    @property
    def words(self) -> str:
        """In one line without a full stop: the reason, and what to use."""
        reason = self.reason.removesuffix(".")
        return f"{reason}; use {self.use}" if self.use else reason


@dataclass(frozen=True, slots=True)
class Gone:
    """A skill of which only versions are left: it is no longer in the source."""

    path: str
    """The skill path that it had last."""
    directory: str
    change: Change
    """The commit that took it away."""
    versions: tuple[Version, ...]
    """The newest first."""
    successor: str = ""
    """The path of the skill that the settings say took its place."""


@dataclass(frozen=True, slots=True)
class VersionTotals:
    """How many versions a release has, and what became of the others."""

    since: str
    """The commit with which they begin."""
    published: int
    """The newest version of each skill included."""
    ended: int
    """Older than the settings want kept."""
    left_out: Mapping[str, int]
    """By the code of a rule or another reason."""
    size: int
    """Bytes of the addressed files that only older versions have."""


class Listing(StrEnum):
    """A file or an answer that offers skills to clients; an entry can be left out of each."""

    MCP = "mcp"
    """`skills/list` of the server."""
    INDEX = "index"
    """`index.json`."""
    DISCOVERY_01 = "discovery-0.1"
    DISCOVERY_02 = "discovery-0.2"
    MARKETPLACE = "marketplace"
    SITE = "site"
    """Lists, search and sitemap of the HTML catalog, `llms.txt`, and all that the server lists
    besides skills: resources and results of tools. Every release has it."""


_LABELS: Mapping[str, str] = {
    Listing.MCP: "the MCP listing",
    Listing.INDEX: "index.json",
    Listing.DISCOVERY_01: "discovery v0.1",
    Listing.DISCOVERY_02: "discovery v0.2",
    Listing.MARKETPLACE: "the marketplace",
    Listing.SITE: "the site",
}

OVER_MCP = (Listing.MCP, Listing.INDEX)
"""The listings whose clients read each entry against a schema, all of them or none."""

Unlisted = Mapping[str, tuple[str, ...]]
"""Why an entry is left out, by listing: codes of rules, or `internal`. A listing that has the
entry has no key, and neither has one that the release does not write."""

INTERNAL = "internal"
"""The reason that an author gives: `metadata.internal: true` keeps a skill out of every listing."""


@dataclass(frozen=True, slots=True)
class EntryFinding:
    """A finding about a published skill, as the record carries it."""

    code: str
    path: str
    place: Place | None
    message: str
    hint: str
    warns: bool = True
    """False for a note: nothing has to be fixed, but some client cannot use the skill."""


def label(listing: str) -> str:
    """What people call a listing."""
    return _LABELS.get(listing, listing)


def is_internal(unlisted: Unlisted) -> bool:
    """Whether an entry is in no listing because its author wants that."""
    return INTERNAL in unlisted.get(Listing.MCP, ())


@dataclass(frozen=True, slots=True)
class Entry:
    """All that a catalog says about one skill, without the content of its files.

    `resources` are sorted by the bytes of their path, `findings` as they are reported.
    """

    path: str
    directory: str
    frontmatter: Mapping[str, Json]
    resources: tuple[Resource, ...]
    archives: tuple[Archive, ...]
    icons: tuple[Icon, ...]
    skill_digest: Digest
    tar_digest: Digest | None
    """Of the tar before compression (OCI calls this a diffID); None if there is only a zip."""
    flat_name: str
    """The name in formats with one flat namespace."""
    copies: tuple[str, ...] = ()
    """Other directories of the source with the same path and the same files."""
    findings: tuple[EntryFinding, ...] = ()
    unlisted: Unlisted = field(default_factory=dict)
    versions: tuple[Version, ...] = ()
    """Those that are published, the newest first; empty without the setting `[versions]`."""
    deprecated: Deprecation | None = None

    @property
    def name(self) -> str:
        """The name as it can stand in a path: for a title, the name of the directory."""
        return self.path.rpartition("/")[2]

    def is_listed(self, listing: str) -> bool:
        return listing not in self.unlisted

    @property
    def title(self) -> str:
        """The name as people read it; a title if it is no valid name."""
        return self.text("name") or self.name

    @property
    def stem(self) -> str:
        """What the names of its files in the output begin with: a valid name in any case."""
        return self.name if is_skill_name(self.name) else self.flat_name

    @property
    def is_internal(self) -> bool:
        return is_internal(self.unlisted)

    @property
    def uri(self) -> str:
        """The URI of the SKILL.md, by which every protocol knows the skill."""
        return self.skill_md.uri

    @property
    def skill_md(self) -> Resource:
        return next(resource for resource in self.resources if resource.path == "SKILL.md")

    def text(self, key: str) -> str:
        value = self.frontmatter.get(key)
        return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class Catalog:
    """All that the files of a release can say. `entries` are sorted by skill path."""

    commit: str
    tree: str
    title: str
    tagline: str
    base_url: str | None
    website_url: str | None
    icons: tuple[Icon, ...]
    entries: Collection[Entry]
    skipped: tuple[str, ...] = ()
    """Directories of invalid skills that were left out, and stray files."""
    ignored: Mapping[str, str] = field(default_factory=dict)
    """SKILL.md of the source that are no skills of the catalog, with the reason."""
    versions: VersionTotals | None = None
    """None where no versions are published."""
    gone: Sequence[Gone] = ()
    """Skills of which only versions are left, sorted by path; at none of these paths is a skill."""
    moved: Mapping[str, str] = field(default_factory=dict)
    """By a path at which no skill is now, that of the skill which was there: if gone, its last."""
    withheld: frozenset[str] = field(default_factory=frozenset, compare=False)
    """Skill digests, in hex, that no release may hold any longer; not part of the record."""
    changes: Mapping[str, Change] = field(default_factory=dict, compare=False)
    """The last change of each skill by its path; not part of the record."""

    @property
    def findings(self) -> tuple[EntryFinding, ...]:
        """The findings about all skills, in order."""
        return tuple(item for entry in self.entries for item in entry.findings)


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file to be written; `path` is relative to the output."""

    path: str
    data: bytes

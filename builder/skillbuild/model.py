"""The types that all packages share: skills, entries and catalogs. There are no file formats and no
I/O here.

Paths are relative strings with `/` as the separator, exactly as git stores them. `PurePosixPath`
would treat `a/./b` and `a//b` as equal, but a hostile tree can contain both.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, NamedTuple, Self, TypeVar

import msgspec
from msgspec import Meta, Struct
from msgspec import field as key

from skillbuild.paths import SKILL_FILE, folder_for, is_skill_name
from skillbuild.uris import archive_uri

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
"""A value that JSON can represent: no NaN, no lone surrogates, only string keys; order is kept."""

LANGUAGE_TAG = r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"
"""Regular expression for the form of a language tag (BCP 47)."""
LONGEST_LANGUAGE_TAG = 35

_ICON_ENDINGS = {"image/png": "png", "image/jpeg": "jpg", "image/svg+xml": "svg"}
_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")
_T = TypeVar("_T")
_Struct = TypeVar("_Struct", bound=Struct)


class Digest(str):
    """A SHA-256 digest: `sha256:` and 64 hex digits. Only this class formats and parses digests."""

    __slots__ = ()

    def __new__(cls, digits: str) -> Self:
        """Create a digest from 64 hex digits."""
        return super().__new__(cls, f"sha256:{digits}")

    def __getnewargs__(self) -> tuple[str]:
        return (self.hex,)

    @classmethod
    def of(cls, data: bytes) -> Self:
        return cls(hashlib.sha256(data).hexdigest())

    @classmethod
    def parse(cls, text: object) -> Self:
        """Parse `sha256:` and 64 lowercase hex digits. Raises `ValueError` for anything else."""
        match = _DIGEST.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise ValueError(f"not a sha256 digest: {text!r}")
        return cls(match[1])

    @property
    def hex(self) -> str:
        return self[7:]

    @property
    def short(self) -> str:
        """The first 16 hex digits, used in file names."""
        return self[7:23]

    def __str__(self) -> str:
        return self[:]


@dataclass(frozen=True, slots=True)
class SizedDigest:
    """The digest and size of a file. Readers never download more bytes than this size."""

    digest: Digest
    size: int

    @classmethod
    def of(cls, data: bytes) -> Self:
        return cls(Digest.of(data), len(data))


ObjectId = Annotated[str, Meta(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})(?!\n)$")]
"""The id of a commit or tree. It is passed to git as an argument, so nothing else is allowed."""
Size = Annotated[int, Meta(ge=0)]
"""A size in bytes, or a count."""
Text = Annotated[str, Meta(min_length=1)]
Name = Annotated[
    str, Meta(extra_json_schema={"pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 64})
]
"""The name of a skill or group. Code that builds a path from it must check it first."""


def _one_of(*names: str) -> Meta:
    """Return an annotation that lists the values known now; later versions may add others."""
    return Meta(extra_json_schema={"enum": list(names)})


class JsonStruct(Struct, frozen=True, omit_defaults=True):
    """The base class of types that are stored as JSON. Unknown keys are ignored when JSON is read.

    Fields with their default values are not written.
    """


def decoder(kind: type[_T]) -> msgspec.json.Decoder[_T]:
    """Return a decoder for the JSON of a type. For invalid data, the decoder raises `ValueError`
    with the position.
    """
    return msgspec.json.Decoder(kind, dec_hook=_decoded)


def _decoded(kind: type, value: object) -> Digest:
    if kind is not Digest:
        raise NotImplementedError
    return Digest.parse(value)


def plain(value: object) -> Any:  # noqa: ANN401  # Whatever JSON can carry.
    """Convert structs to dictionaries and lists that `text.json` can encode."""
    return msgspec.to_builtins(value, enc_hook=str)


def changed(value: _Struct, **fields: object) -> _Struct:
    """Return a copy of the struct with some fields replaced."""
    return msgspec.structs.replace(value, **fields)


def is_language(text: str) -> bool:
    """Return whether the text has the form of a language tag."""
    return len(text) <= LONGEST_LANGUAGE_TAG and re.fullmatch(LANGUAGE_TAG, text) is not None


def schema_of(kind: type[msgspec.Struct], name: str, title: str) -> str:
    """Return the indented JSON Schema of a type. The fields of this type are at the top level;
    other types are in `$defs`.
    """
    schema = msgspec.json.schema(kind, schema_hook=_digest_schema)
    definitions = schema["$defs"]
    own = definitions.pop(schema["$ref"].rpartition("/")[2])
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:skillbuild:schema:{name}",
    }
    document = {**head, **own, "title": title, "$defs": definitions}
    for each in (document, *definitions.values()):
        each.setdefault("additionalProperties", False)
    return json.dumps(document, indent=2) + "\n"


def _digest_schema(kind: type) -> dict[str, object]:
    if kind is not Digest:
        raise NotImplementedError
    return {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A position in a text file. Lines and columns are counted from 1. Columns are counted in code
    points.
    """

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class File:
    """One file of a skill with its content. It is kept in memory only while its skill is
    compiled.
    """

    path: str
    data: bytes
    executable: bool


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """The frontmatter of a SKILL.md: its fields, verbatim and in order, and their positions.

    A key of `places` is the path of keys and list indexes that leads to a value, such as
    `("metadata", "version")` or `("allowed-tools", 0)`.
    """

    value: Mapping[str, Json]
    places: Mapping[tuple[str | int, ...], Place]

    def place(self, *keys: str | int) -> Place | None:
        return self.places.get(keys)

    def text(self, key: str) -> str:
        """Return the value of a string field. Callers have already checked the type; any other
        value raises `TypeError`.
        """
        value = self.value[key]
        if not isinstance(value, str):
            raise TypeError(f"{key} is not a string")
        return value


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill with all its files, which are sorted by the UTF-8 bytes of their paths.

    `directory` is relative to the source. `body_line` is the number of the first line of the body.
    """

    path: str
    directory: str
    frontmatter: Frontmatter
    body: str
    body_line: int
    files: tuple[File, ...]
    flat_name: str
    """The skill's name in formats that have a single flat namespace."""
    copies: tuple[str, ...] = ()
    """Other directories that would have the same skill path and contain the same files."""

    @property
    def name(self) -> str:
        """The last segment of the skill path."""
        return self.path.rpartition("/")[2]


class SkillLimit(NamedTuple):
    """The maximum number of files and bytes in a skill."""

    files: int
    bytes: int

    def takes(self, files: int, size: int) -> bool:
        return files <= self.files and size <= self.bytes


MCP_LIMIT = SkillLimit(512, 16 << 20)
"""The limits of clients that use `skills/list` and `skills/get` (SEP-2640, Resource Limits)."""
DISCOVERY_LIMIT = SkillLimit(1_000, 50 << 20)
"""The limits of installers that use the discovery files; they silently drop larger skills."""
LARGEST_SKILL = SkillLimit(10_000, 100 << 20)
"""The limits for publication; settings can only lower them."""


class Resource(JsonStruct, frozen=True):
    """A published file of a skill. The MCP server serves this file, and `verify` checks it."""

    uri: Annotated[str, Meta(pattern="^skill://")]
    path: Text
    digest: Digest
    size: Annotated[Size, Meta(le=LARGEST_SKILL.bytes)]
    media_type: str = key(name="mimeType")
    executable: bool


class Archive(JsonStruct, frozen=True):
    """A skill packed as a zip or tar.gz. The file name contains the name of the skill and the
    digest.
    """

    url: Annotated[str, Meta(pattern="^skill://-/archives/")]
    path: Annotated[str, Meta(pattern=r"^archives/[a-z0-9][a-z0-9.-]*(?!\n)$")]
    media_type: str = key(name="mimeType")
    digest: Digest
    size: Size

    @classmethod
    def of(cls, file_name: str, media_type: str, digest: Digest, size: int) -> Archive:
        return cls(archive_uri(file_name), f"archives/{file_name}", media_type, digest, size)

    @property
    def file_name(self) -> str:
        return self.path.removeprefix("archives/")


class Icon(JsonStruct, frozen=True):
    """An icon as in SEP-973. `sizes` is `any` or a size such as `48x48`; `theme` is light, dark or
    none.
    """

    path: Annotated[str, Meta(pattern=r"^icons/[0-9a-f]{16}\.(png|jpg|svg)(?!\n)$")]
    digest: Digest
    size: Annotated[Size, Meta(description="Size of the file in bytes.")]
    media_type: Annotated[str, _one_of(*_ICON_ENDINGS)] = key(name="mimeType")
    sizes: Annotated[str, Meta(pattern="^([0-9]+x[0-9]+|any)(?!\n)$")]
    theme: Annotated[str, _one_of("light", "dark")] | None

    def __post_init__(self) -> None:
        if self.path[6:22] != self.digest.short:
            raise ValueError(f"{self.path} does not match the digest of the icon")

    @classmethod
    def of(cls, data: bytes, media_type: str, sizes: str, theme: str | None = None) -> Icon:
        digest = Digest.of(data)
        path = f"icons/{digest.short}.{_ICON_ENDINGS.get(media_type, 'png')}"
        return cls(path, digest, len(data), media_type, sizes, theme)

    @property
    def file_name(self) -> str:
        return self.path.removeprefix("icons/")


@dataclass(frozen=True, slots=True)
class Change:
    """A commit that changed a skill, and its time in seconds since 1970 (UTC)."""

    commit: str
    seconds: int

    @property
    def date(self) -> str:
        """The date in UTC, such as `2025-03-09`."""
        return datetime.fromtimestamp(self.seconds, UTC).date().isoformat()


def group_address(name: str) -> str:
    """Return the folder of a group in the output, with a final `/`."""
    return f"groups/{name}/"


def version_address(digest: Digest) -> str:
    """Return the folder in the output for the version with this skill digest."""
    return f"versions/{digest.short}"


class Version(JsonStruct, frozen=True):
    """A version in the history of a skill: the digest of its files, and the first commit with these
    files.
    """

    digest: Annotated[Digest, Meta(description="The skillDigest of this version's files.")]
    commit: Annotated[
        ObjectId,
        Meta(description="The first commit with these files in the first-parent history."),
    ]
    seconds: Annotated[int, Meta(description="Time of the commit, in seconds since 1970.")]
    label: Annotated[
        Text,
        Meta(
            description="Human-readable name: the version in the frontmatter, or else the date of"
            " the commit and the first 8 hex digits of the digest."
        ),
    ]
    path: Annotated[
        str,
        Meta(description="The skill path of this version; absent if it is the current path."),
    ] = ""

    @classmethod
    def of(cls, digest: Digest, change: Change, label: str, path: str = "") -> Version:
        return cls(digest, change.commit, change.seconds, label, path)

    @property
    def change(self) -> Change:
        return Change(self.commit, self.seconds)

    @property
    def address(self) -> str:
        """The folder in the output that holds only this version. Its content never changes."""
        return version_address(self.digest)


class Deprecation(JsonStruct, frozen=True):
    """The deprecation of a skill. A deprecated skill is still published."""

    reason: Text
    use: Annotated[str | None, Meta(description="The path of the skill to use instead.")]

    @property
    def words(self) -> str:
        """The reason for the deprecation, and the skill to use instead, if any, as one line without
        a final period.
        """
        reason = self.reason.removesuffix(".")
        return f"{reason}; use {self.use}" if self.use else reason


class Gone(JsonStruct, frozen=True, kw_only=True):
    """A skill that is no longer in the source but still has published versions."""

    path: Annotated[Text, Meta(description="The last path of the skill.")]
    directory: str
    commit: Annotated[ObjectId, Meta(description="The commit that removed the skill.")]
    seconds: int
    successor: Annotated[
        str, Meta(description="The path of the skill that replaces it, according to the settings.")
    ] = ""
    versions: Annotated[
        tuple[Version, ...], Meta(min_length=1, description="Versions of the skill, newest first.")
    ]

    @property
    def change(self) -> Change:
        return Change(self.commit, self.seconds)


class LostSkill(JsonStruct, frozen=True):
    """A skill of the previous release that is not in this release, and the reason."""

    path: str
    reason: Annotated[
        str,
        Meta(
            description="`removed` if the source no longer has the skill, `moved` if it moved"
            " without an entry in [moved], `invalid`, `internal`, or the reason"
            " that the record gives for ignoring its SKILL.md."
        ),
    ]
    to: Annotated[str, Meta(description="The current path of a skill that moved.")] = ""
    rules: Annotated[
        tuple[str, ...],
        Meta(description="The rules that an invalid skill breaks, if they are known."),
    ] = ()


class VersionTotals(JsonStruct, frozen=True, rename="camel"):
    """How many versions are published, and how many are left out."""

    since: Annotated[ObjectId, Meta(description="The first commit whose versions are published.")]
    published: Annotated[
        Size,
        Meta(
            description="Number of published versions, including the newest version of each skill."
        ),
    ]
    ended: Annotated[
        Size,
        Meta(description="Number of versions that are not published because of the `keep` limit."),
    ]
    left_out: Annotated[
        Mapping[str, Annotated[int, Meta(ge=1)]],
        Meta(
            description="Number of versions that are left out, by reason: the code of a rule,"
            " or internal, missing or yanked."
        ),
    ]
    size: Annotated[
        Size,
        Meta(
            description="Size in bytes of the files and archives that belong only to older"
            " versions."
        ),
    ]


class Listing(StrEnum):
    """A file or a response that lists skills for clients. Each listing can omit skills."""

    MCP = "mcp"
    """The answer to `skills/list` of the MCP server."""
    INDEX = "index"
    """`index.json`, which contains every skill that is not internal."""
    DISCOVERY_01 = "discovery-0.1"
    DISCOVERY_02 = "discovery-0.2"
    MARKETPLACE = "marketplace"
    SITE = "site"
    """Lists, search and sitemap of the HTML catalog, `llms.txt`, and the resources and tool results
    of the MCP server. Every release has this listing."""


_LABELS: Mapping[str, str] = {
    Listing.MCP: "the MCP list",
    Listing.INDEX: "index.json",
    Listing.DISCOVERY_01: "discovery v0.1 (OpenCode)",
    Listing.DISCOVERY_02: "discovery v0.2",
    Listing.MARKETPLACE: "the marketplace",
    Listing.SITE: "the site",
}

Unlisted = Mapping[str, tuple[str, ...]]
"""Maps each listing that omits a skill to the reasons: codes of rules, or `internal`. Listings that
contain the skill, or that the release does not have, are not keys."""

UnlistedCounts = Annotated[
    Mapping[Annotated[str, _one_of(*Listing)], Annotated[int, Meta(ge=1)]],
    Meta(
        description="Number of skills that each listing leaves out. Listings that leave out none"
        " are absent."
    ),
]

INTERNAL = "internal"
"""The reason for skills with `metadata.internal: true`, which no listing contains."""


class EntryFinding(JsonStruct, frozen=True):
    """A warning about a published skill, as the record stores it."""

    code: str
    path: str
    line: Annotated[int, Meta(ge=1)] | None
    column: Annotated[int, Meta(ge=1)] | None
    message: str
    hint: str

    def __post_init__(self) -> None:
        if (self.line is None) != (self.column is None):
            raise ValueError("a line needs a column")

    @property
    def place(self) -> Place | None:
        return None if self.line is None else Place(self.line, self.column or 1)

    @property
    def warns(self) -> bool:
        return True


class EntryNote(EntryFinding, frozen=True):
    """A note about a published skill: a minor issue that affects at most one client. The skill
    itself is fine.
    """

    @property
    def warns(self) -> bool:
        return False


class LicenseKind(StrEnum):
    """What kind of license statement was found."""

    SPDX = "spdx"
    """An SPDX identifier or expression."""
    SEVERAL = "several"
    """Several identifiers, separated by commas; it is not known which part has which license."""
    PROPRIETARY = "proprietary"
    """Text that reserves rights."""
    WORDS = "words"
    """Any other text; no identifier is derived from it."""
    NONE = "none"
    """Neither the skill nor its parent folders contain a license."""


class License(JsonStruct, frozen=True, rename="camel"):
    """The license of a skill, and where it was found."""

    value: Annotated[
        str,
        Meta(
            description="An SPDX identifier, or the license as the skill states it; absent"
            " if no license was found."
        ),
    ] = ""
    kind: Annotated[str, _one_of(*LicenseKind)] = LicenseKind.NONE
    declared: Annotated[
        str, Meta(description="The license in the frontmatter, if it differs from `value`.")
    ] = ""
    origin: Annotated[str, _one_of("skill", "plugin", "repository")] = key(default="", name="from")
    path: Annotated[
        str,
        Meta(
            description="Path of the file that states the license, relative to the source;"
            " absent if no file does."
        ),
    ] = ""


class RunKind(StrEnum):
    """The kinds of things that a skill may do when an agent follows the skill, most dangerous
    first.
    """

    DOWNLOAD = "runs-download"
    """Runs a downloaded file."""
    DECODED = "runs-decoded"
    """Runs decoded text."""
    TELLS_DOWNLOAD = "tells-download"
    """Tells the user to run a downloaded file."""
    OPENS_SHELL = "opens-shell"
    """Opens a shell over the network."""
    OVERWRITES_DISK = "overwrites-disk"
    DELETES_ALL = "deletes-all"
    """Deletes a whole folder that does not belong to the skill, such as the home folder."""
    ON_LOAD = "on-load"
    """A command that some clients run as soon as they load the skill."""
    HOOK = "hook"
    """A hook of a client."""
    AGENT = "starts-agent"
    """Starts an agent that does not ask for permission."""
    CREDENTIALS = "reads-credentials"
    LATER = "starts-later"
    """Runs again later, by crontab, a service or a shell's startup file."""
    SENDS = "sends-files"
    UNPROTECTS = "turns-off-protection"
    """Turns off a check that protects the user, such as the quarantine of macOS."""
    REMOVES = "deletes-resources"
    """Deletes something that a tool or service manages, such as cloud resources or database rows.
    """
    DELETES = "deletes"
    """Deletes files or folders."""
    CHANGES = "changes-resources"
    """Creates or changes something that a service manages, such as a release, an issue or a server.
    """
    ASKS = "asks-for"
    """Asks for more privileges, such as sudo."""
    REACHES = "reaches"
    """Connects to a host, or to the network if no host is named."""
    RESETS = "git-reset"
    PUSHES = "git-push"
    INSTALLS = "installs"
    PACKAGE = "runs-package"
    """Runs a package that is downloaded unless it is installed, as with `npx` and `uvx`."""
    MCP_SERVER = "adds-mcp-server"
    WORKS_WITH = "works-with"
    """Uses a service, or delegates work to subagents, other skills or MCP servers."""
    OPENS_PAGE = "opens-page"
    """Tells the agent to open a web page or to search the web."""
    USES_KEY = "uses-key"
    """Uses a key, token or password, usually from the environment, or the login of a tool."""
    OVERWRITES = "overwrites"
    """Runs a program with an option that makes it overwrite files or data."""
    UNASKED = "skips-questions"
    """Runs a program with an option, such as `--yes`, that skips its questions or checks."""
    CONTROLS = "controls-programs"
    """Starts a server or a background program, ends programs, opens the browser, or opens this
    computer to the internet.
    """
    SCRIPT = "script"
    """An executable file."""
    TEST_SCRIPT = "test-script"
    """An executable file among tests or examples."""
    PROGRAM = "runs-program"
    """Runs a program, such as a command-line tool."""
    LOCAL = "reaches-local"
    """Connects to a program on this computer."""
    EVAL = "eval"
    LOADS_PAGE = "loads-from-host"
    """Has a page that loads files from other hosts."""
    LIBRARY = "imports"
    """Imports a library that does not belong to the language, in a program that an agent runs."""
    SAMPLES = "samples-use"
    """Shows code in a text, which calls a host, or uses a key or library."""
    NAMES = "names"
    """Names a host, program or service that no other fact is about."""


DANGERS = frozenset(tuple(RunKind)[:6])
"""Kinds that are reported even in tests, and in programs that only write such commands."""
ALWAYS_SAID = frozenset(tuple(RunKind)[:12])
"""Kinds that the summary sentence always mentions, even if the skill shows them only as bad
examples."""


class RunFact(JsonStruct, frozen=True, rename="camel"):
    """Something that a skill may do when an agent follows the skill, and the place where it was
    found.
    """

    kind: Annotated[str, _one_of(*RunKind)]
    words: Annotated[str, Meta(description="A detail, such as `pip`, `sudo` or `Python`.")]
    path: Annotated[Text, Meta(description="Path of the file, relative to the skill.")]
    line: Annotated[Size, Meta(description="Line number from 1; 0 means the whole file.")] = 0
    command: Annotated[str, Meta(description="The first 200 characters of the command.")] = ""
    host: str = ""
    not_to_do: Annotated[
        bool, Meta(description="Whether the text shows the command as a bad example.")
    ] = False


class HiddenFact(JsonStruct, frozen=True):
    """Content of a file that agents read but people do not see when the file is rendered."""

    kind: str
    path: Annotated[Text, Meta(description="Path of the file, relative to the skill.")]
    line: Annotated[Size, Meta(description="Line number from 1; 0 means the whole file.")] = 0


class Facts(JsonStruct, frozen=True):
    """What users should know about a skill before they install it.

    The facts are found by scanning the files; they are not a verdict.
    """

    license: License = License()
    runs: tuple[RunFact, ...] = ()
    hidden: tuple[HiddenFact, ...] = ()
    sentence: Annotated[str, Meta(description="The most important facts in one line.")] = ""


class Signer(JsonStruct, frozen=True):
    """The owner of the key that made a signature. The name is given only if it is proven."""

    key: Annotated[Digest, Meta(description="SHA-256 of the certificate for the signing key.")]
    name: Annotated[
        str, Meta(description="The name in the certificate, if a root vouches for it.")
    ] = ""
    root: Annotated[
        Digest | None,
        Meta(
            description="SHA-256 of the root certificate in the settings that vouches for the"
            " name; absent if no root does, or if `identities` does not include the name."
        ),
    ] = None


class Signature(JsonStruct, frozen=True, rename="camel"):
    """A signature in a skill, compared with the published files of the skill."""

    path: Annotated[Text, Meta(description="Path of the signature file, relative to the skill.")]
    fault: Annotated[
        str, Meta(description="Why the signature is unusable; absent if it is usable.")
    ] = ""
    covered: Annotated[Size, Meta(description="Number of files that match the signature.")] = 0
    differs: Annotated[
        tuple[str, ...], Meta(description="Files that have changed since they were signed.")
    ] = ()
    missing: Annotated[
        tuple[str, ...], Meta(description="Files that were signed but are not in the source.")
    ] = ()
    unsigned: Annotated[tuple[str, ...], Meta(description="Files that were not signed.")] = ()
    left_out: Annotated[
        tuple[str, ...], Meta(description="Files that the signer excluded from the signature.")
    ] = ()
    unpublished: Annotated[
        tuple[str, ...],
        Meta(description="Files that were signed but are not published."),
    ] = ()
    signer: Annotated[
        Signer | None, Meta(description="The signer; absent if the settings name no roots.")
    ] = None

    @property
    def is_stale(self) -> bool:
        """Whether the files of the skill differ from the files that were signed."""
        return bool(self.differs or self.missing or self.unsigned)


VERDICT_LEVELS = ("error", "warning", "note")
"""Severity levels of SARIF, most severe first."""


class ScannerVerdict(JsonStruct, frozen=True):
    """A result that a scanner reported about a file. The scanned content is exactly the published
    content.
    """

    level: Annotated[str, _one_of(*VERDICT_LEVELS)]
    tool: Text
    version: Annotated[
        str, Meta(description="Version of the scanner; absent if the report does not name it.")
    ]
    rule: str
    path: Annotated[Text, Meta(description="Path of the file, relative to the skill.")]
    line: Annotated[Size, Meta(description="Line number from 1; 0 means the whole file.")]
    digest: Annotated[Digest, Meta(description="Digest of the file.")]

    @property
    def rank(self) -> tuple[int, str, int, str, str, str]:
        """Sort key: most severe results first."""
        level = VERDICT_LEVELS.index(self.level)
        return level, self.path, self.line, self.tool, self.version, self.rule


class Trust(JsonStruct, frozen=True):
    """The statements of signers and scanners about the files of a skill."""

    signatures: tuple[Signature, ...] = ()
    verdicts: Annotated[
        tuple[ScannerVerdict, ...], Meta(description="Results of scanners, most severe first.")
    ] = ()
    more: Annotated[Size, Meta(description="Number of further results that are not listed.")] = 0


class Party(JsonStruct, frozen=True):
    """An author or publisher."""

    name: Text
    url: str = ""


class SkillGroup(JsonStruct, frozen=True, kw_only=True, rename="camel"):
    """A group of skills that belong together. Its description comes from manifests in the source.

    Each group becomes a plugin. All strings are reduced to one line.
    """

    name: Annotated[Name, Meta(description="Unique name of the group. Entries refer to it.")]
    title: Annotated[
        str, Meta(description="Human-readable name of the group; absent if there is none.")
    ] = ""
    description: str = ""
    author: Party | None = None
    homepage: str = ""
    repository: str = ""
    license: str = ""
    keywords: tuple[str, ...] = ()
    category: str = ""
    left_out: Annotated[
        tuple[str, ...],
        Meta(description="The parts of the source plugin that are not skills, such as hooks."),
    ] = ()


class PluginTree(JsonStruct, frozen=True, kw_only=True, rename="camel"):
    """The data that `skillbuild plugins` needs in addition to skills and groups."""

    name: Annotated[Name, Meta(description="Name of the marketplace.")]
    wanted: Annotated[
        str,
        Meta(
            description="The original name of the marketplace, if it was changed because Claude"
            " Code reserves it."
        ),
    ] = ""
    owner: Party
    branch: Annotated[
        str,
        Meta(description="The repository branch with the plugins; absent if there is none."),
    ] = ""
    agent_plugins: Annotated[
        bool,
        Meta(description="Whether plugins have a plugin.json in the Agent Plugins 1.0 format."),
    ] = False


def label(listing: str) -> str:
    """Return a readable name for a listing, such as `the MCP list`."""
    return _LABELS.get(listing, listing)


def is_internal(unlisted: Unlisted) -> bool:
    """Return whether all listings omit a skill because its author marked it as internal."""
    return INTERNAL in unlisted.get(Listing.MCP, ())


class Entry(JsonStruct, frozen=True, kw_only=True, rename="camel"):
    """Everything that a catalog knows about one skill, except the content of its files.

    `resources` are sorted by the bytes of their paths. `warnings` and `notes` are in the same order
    as in reports.
    """

    path: Annotated[Text, Meta(description="The skill path; its last segment is the name.")]
    flat_name: Annotated[
        Name, Meta(description="Unique name of the skill in formats without paths.")
    ]
    directory: Annotated[str, Meta(description="Directory of the skill in the source.")]
    copies: Annotated[
        tuple[str, ...],
        Meta(
            description="Other directories of the source that would have the same skill path and"
            " contain the same files."
        ),
    ]
    frontmatter: Annotated[
        Mapping[str, Any], Meta(extra_json_schema={"required": ["name", "description"]})
    ]
    uri: Annotated[
        str,
        Meta(
            pattern=r"^skill://.+/SKILL\.md(?!\n)$",
            description="URI of the SKILL.md, which identifies the skill in every protocol.",
        ),
    ] = key(name="url")
    resources: Annotated[tuple[Resource, ...], Meta(min_length=1, max_length=LARGEST_SKILL.files)]
    archives: tuple[Archive, ...]
    icons: tuple[Icon, ...]
    skill_digest: Annotated[
        Digest,
        Meta(
            description="SHA-256 over one line for each file: '<digest> <size> <x or -> <path>'."
            " The lines are sorted by the bytes of the path; x means executable."
        ),
    ]
    tar_digest: Annotated[
        Digest | None,
        Meta(
            description="Digest of the uncompressed tar (OCI calls this a diffID); null if there"
            " is only a zip."
        ),
    ]
    versions: Annotated[
        tuple[Version, ...],
        Meta(
            description="All published versions, newest first; absent if versions are not"
            " published. The address of a version is versions/<first 16 hex digits of its"
            " digest>/."
        ),
    ] = ()
    deprecated: Annotated[
        Deprecation | None,
        Meta(
            description="Why the skill is deprecated, and what to use instead; absent if it"
            " is not deprecated."
        ),
    ] = None
    warnings: Annotated[
        tuple[EntryFinding, ...],
        Meta(description="Problems that affect at least one client, or need a fix."),
    ]
    notes: Annotated[
        tuple[EntryNote, ...],
        Meta(description="Minor issues that affect at most one client. The skill itself is fine."),
    ]
    unlisted: Annotated[
        Mapping[Annotated[str, _one_of(*Listing)], Annotated[tuple[str, ...], Meta(min_length=1)]],
        Meta(
            description="Maps each listing that leaves out the skill to the reasons: rule codes,"
            " or `internal`. All other listings of the release contain the skill."
        ),
    ]
    facts: Annotated[
        Facts,
        Meta(description="What to know before installing the skill; absent if nothing was found."),
    ] = Facts()
    trust: Annotated[
        Trust | None,
        Meta(description="Signatures and scanner results; absent if there are none."),
    ] = None
    group: Annotated[str, Meta(description="Name of the group that the skill belongs to.")] = ""
    plugin: Annotated[
        str,
        Meta(description="Name of the plugin that contains the skill; absent if no plugin does."),
    ] = ""
    upload: Annotated[
        Archive | None,
        Meta(
            description="A zip for claude.ai and similar sites, with all files in one folder named"
            " after the skill; absent unless the `upload` format is enabled."
        ),
    ] = None

    def __post_init__(self) -> None:
        if not any(item.path == SKILL_FILE for item in self.resources):
            raise ValueError(f"{self.path} has no SKILL.md")

    @property
    def findings(self) -> tuple[EntryFinding, ...]:
        return (*self.warnings, *self.notes)

    @property
    def name(self) -> str:
        """The last segment of the skill path: the skill's name, or the directory name if the
        skill's name is a title.
        """
        return self.path.rpartition("/")[2]

    def is_listed(self, listing: str) -> bool:
        return listing not in self.unlisted

    @property
    def title(self) -> str:
        """The name to show to people. It may be a title that is not a valid name."""
        return self.text("name") or self.name

    @property
    def stem(self) -> str:
        """The prefix of the skill's file names in the output. It is always a valid name."""
        return self.name if is_skill_name(self.name) else self.flat_name

    @property
    def folder(self) -> str:
        """The name of the skill's folder in plugins and uploads, where clients require a valid
        name.
        """
        return folder_for(self.text("name"), self.flat_name)

    @property
    def is_internal(self) -> bool:
        return is_internal(self.unlisted)

    @property
    def fits_discovery(self) -> bool:
        """Whether discovery clients accept the number and total size of the skill's files."""
        size = sum(item.size for item in self.resources)
        return DISCOVERY_LIMIT.takes(len(self.resources), size)

    @property
    def skill_md(self) -> Resource:
        return next(resource for resource in self.resources if resource.path == "SKILL.md")

    def text(self, key: str) -> str:
        value = self.frontmatter.get(key)
        return value if isinstance(value, str) else ""


NO_COMMIT = "0" * 40
"""Takes the place of the commit id and tree id when a working tree is built."""


@dataclass(frozen=True, slots=True)
class Catalog:
    """All data from which the files of a release are made. `entries` are sorted by skill path."""

    commit: str
    tree: str
    title: str
    tagline: str
    base_url: str | None
    website_url: str | None
    icons: tuple[Icon, ...]
    entries: Collection[Entry]
    skipped: tuple[str, ...] = ()
    """Directories of invalid skills that were left out, and paths of misspelled SKILL.md files."""
    ignored: Mapping[str, str] = field(default_factory=dict)
    """Maps the path of each SKILL.md that is not a skill of the catalog to the reason."""
    versions: VersionTotals | None = None
    """Counts of versions; None if versions are not published."""
    gone: Sequence[Gone] = ()
    """Removed skills that still have published versions, sorted by path. No current skill has one
    of these paths.
    """
    moved: Mapping[str, str] = field(default_factory=dict)
    """Maps each former skill path to the current path of that skill, or to its last path if it was
    removed."""
    groups: Sequence[SkillGroup] = ()
    """The groups of skills, sorted by name."""
    plugins: PluginTree | None = None
    """Data for `skillbuild plugins`; None in releases of older versions of skillbuild, and in a
    catalog that is not a release.
    """
    withheld: frozenset[str] = field(default_factory=frozenset, compare=False)
    """Skill digests, in hex, that no release may contain any more; not part of the record."""
    changes: Mapping[str, Change] = field(default_factory=dict, compare=False)
    """The last change of each skill, by path; not part of the record."""
    firsts: Mapping[str, Change] = field(default_factory=dict, compare=False)
    """The commit that added each skill, by path, if known; not part of the record."""
    touched: Mapping[str, Sequence[str]] = field(default_factory=dict, compare=False)
    """The files that the last change of each skill touched, by skill path; some may no longer exist
    or be ignored. Not part of the record."""

    @property
    def is_work_tree(self) -> bool:
        """Whether the catalog shows a working tree instead of a commit, as `preview` does."""
        return self.commit == NO_COMMIT

    @property
    def findings(self) -> tuple[EntryFinding, ...]:
        """The findings about all skills, in the order of `entries`. For each skill, warnings come
        before notes.
        """
        return tuple(item for entry in self.entries for item in entry.findings)


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file to write; `path` is relative to the output."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class KeyedFile:
    """A file about many skills. A build generates the file only if its key has changed.

    The key covers everything that the bytes depend on, except settings, templates and program
    versions.
    """

    path: str
    key: str
    make: Callable[[], bytes]

"""The values that the rooms share: skills, entries and catalogs, free of file formats and of I/O.

Paths are relative, `/`-separated strings exactly as git stores them. `PurePosixPath` would fold
`a/./b` and `a//b` together, and a hostile tree can hold both.
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
"""A value that JSON can carry: no NaN, no lone surrogates, string keys, source order."""

LANGUAGE_TAG = r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"
"""The form of a language tag (BCP 47), as a regular expression."""
LONGEST_LANGUAGE_TAG = 35

_ICON_ENDINGS = {"image/png": "png", "image/jpeg": "jpg", "image/svg+xml": "svg"}
_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")
_T = TypeVar("_T")
_Struct = TypeVar("_Struct", bound=Struct)


class Digest(str):
    """A SHA-256 digest: `sha256:` and 64 hex digits. Only this class formats and parses one."""

    __slots__ = ()

    def __new__(cls, digits: str) -> Self:
        """The digest with these 64 hex digits."""
        return super().__new__(cls, f"sha256:{digits}")

    def __getnewargs__(self) -> tuple[str]:
        return (self.hex,)

    @classmethod
    def of(cls, data: bytes) -> Self:
        return cls(hashlib.sha256(data).hexdigest())

    @classmethod
    def parse(cls, text: object) -> Self:
        """Read `sha256:` + 64 lowercase hex digits; anything else is a `ValueError`."""
        match = _DIGEST.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise ValueError(f"not a sha256 digest: {text!r}")
        return cls(match[1])

    @property
    def hex(self) -> str:
        return self[7:]

    @property
    def short(self) -> str:
        """The first 16 hex digits, as used in file names."""
        return self[7:23]

    def __str__(self) -> str:
        return self[:]


@dataclass(frozen=True, slots=True)
class SizedDigest:
    """The digest of a file and its size in bytes, which bounds what a reader takes from afar."""

    digest: Digest
    size: int

    @classmethod
    def of(cls, data: bytes) -> Self:
        return cls(Digest.of(data), len(data))


ObjectId = Annotated[str, Meta(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})(?!\n)$")]
"""The id of a commit or a tree; it is passed to git, so it may be nothing else."""
Size = Annotated[int, Meta(ge=0)]
"""In bytes, or a number of things."""
Text = Annotated[str, Meta(min_length=1)]
Name = Annotated[
    str, Meta(extra_json_schema={"pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 64})
]
"""The name of a skill; who reads it checks it where it becomes part of a path."""


def _one_of(*names: str) -> Meta:
    """The names that are known today, for the schema: a later version may write others."""
    return Meta(extra_json_schema={"enum": list(names)})


class JsonStruct(Struct, frozen=True, omit_defaults=True):
    """Something that is written and read as JSON; keys that a reader does not know are skipped.

    A field with a default is a key that is absent where the default holds.
    """


def decoder(kind: type[_T]) -> msgspec.json.Decoder[_T]:
    """Reads the JSON of a type; what does not fit raises `ValueError` that says where it is."""
    return msgspec.json.Decoder(kind, dec_hook=_decoded)


def _decoded(kind: type, value: object) -> Digest:
    if kind is not Digest:
        raise NotImplementedError
    return Digest.parse(value)


def plain(value: object) -> Any:  # noqa: ANN401  # Whatever JSON can carry.
    """The structs in a value as dictionaries and lists, to be encoded by `text.json`."""
    return msgspec.to_builtins(value, enc_hook=str)


def changed(value: _Struct, **fields: object) -> _Struct:
    """The same struct with other values in some fields."""
    return msgspec.structs.replace(value, **fields)


def is_language(text: str) -> bool:
    """Whether a text has the form of a language tag."""
    return len(text) <= LONGEST_LANGUAGE_TAG and re.fullmatch(LANGUAGE_TAG, text) is not None


def schema_of(kind: type[msgspec.Struct], name: str, title: str) -> str:
    """The JSON Schema of a type: indented, its fields at the top, other types in `$defs`."""
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


class SkillLimit(NamedTuple):
    """How many files and bytes a skill may have at most."""

    files: int
    bytes: int

    def takes(self, files: int, size: int) -> bool:
        return files <= self.files and size <= self.bytes


MCP_LIMIT = SkillLimit(512, 16 << 20)
"""What clients take of `skills/list` and `skills/get` (SEP-2640, Resource Limits)."""
DISCOVERY_LIMIT = SkillLimit(1_000, 50 << 20)
"""What installers take that read the discovery files; of more they say nothing and drop it."""
LARGEST_SKILL = SkillLimit(10_000, 100 << 20)
"""What can be published; the settings can only lower it."""


class Resource(JsonStruct, frozen=True):
    """A published file: what MCP serves and `verify` checks."""

    uri: Annotated[str, Meta(pattern="^skill://")]
    path: Text
    digest: Digest
    size: Annotated[Size, Meta(le=LARGEST_SKILL.bytes)]
    media_type: str = key(name="mimeType")
    executable: bool


class Archive(JsonStruct, frozen=True):
    """One skill in one file: zip or tar.gz, named by the skill and its own digest."""

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
    """An icon as SEP-973 has it: `sizes` is `48x48` or `any`, `theme` light, dark or none."""

    path: Annotated[str, Meta(pattern=r"^icons/[0-9a-f]{16}\.(png|jpg|svg)(?!\n)$")]
    digest: Digest
    size: Annotated[Size, Meta(description="In bytes.")]
    media_type: Annotated[str, _one_of(*_ICON_ENDINGS)] = key(name="mimeType")
    sizes: Annotated[str, Meta(pattern="^([0-9]+x[0-9]+|any)(?!\n)$")]
    theme: Annotated[str, _one_of("light", "dark")] | None

    def __post_init__(self) -> None:
        if self.path[6:22] != self.digest.short:
            raise ValueError(f"{self.path} is not the icon of its digest")

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
    """The commit that last changed a skill, and when it was made, in seconds since 1970 (UTC)."""

    commit: str
    seconds: int

    @property
    def date(self) -> str:
        """The day in UTC, as in `2025-03-09`."""
        return datetime.fromtimestamp(self.seconds, UTC).date().isoformat()


def group_address(name: str) -> str:
    """The folder in the output of a group, with a final `/`."""
    return f"groups/{name}/"


def version_address(digest: Digest) -> str:
    """The folder in the output that holds the version of this skill digest and no other."""
    return f"versions/{digest.short}"


class Version(JsonStruct, frozen=True):
    """A version as a skill lists it: its files, which the digest identifies, and when they came."""

    digest: Annotated[Digest, Meta(description="The skillDigest of its files.")]
    commit: Annotated[
        ObjectId, Meta(description="On the first-parent line, the one that first had them.")
    ]
    seconds: Annotated[int, Meta(description="When that was, since 1970.")]
    label: Annotated[
        Text,
        Meta(
            description="For people: what its frontmatter declares, or the day of the commit and 8"
            " hex digits of the digest."
        ),
    ]
    path: Annotated[
        str,
        Meta(description="The skill path that it had then; absent if that is still its path."),
    ] = ""

    @classmethod
    def of(cls, digest: Digest, change: Change, label: str, path: str = "") -> Version:
        return cls(digest, change.commit, change.seconds, label, path)

    @property
    def change(self) -> Change:
        return Change(self.commit, self.seconds)

    @property
    def address(self) -> str:
        """The folder in the output that holds these files and no others, for ever."""
        return version_address(self.digest)


class Deprecation(JsonStruct, frozen=True):
    """That a skill should not be used any more, although it is published as before."""

    reason: Text
    use: Annotated[str | None, Meta(description="The path of the skill to use instead.")]

    @property
    def words(self) -> str:
        """In one line without a full stop: the reason, and what to use."""
        reason = self.reason.removesuffix(".")
        return f"{reason}; use {self.use}" if self.use else reason


class Gone(JsonStruct, frozen=True, kw_only=True):
    """A skill of which only versions are left: it is no longer in the source."""

    path: Annotated[Text, Meta(description="The skill path that it had last.")]
    directory: str
    commit: Annotated[ObjectId, Meta(description="The one that took it away.")]
    seconds: int
    successor: Annotated[
        str, Meta(description="The path of the skill that the settings say took its place.")
    ] = ""
    versions: Annotated[tuple[Version, ...], Meta(min_length=1, description="The newest first.")]

    @property
    def change(self) -> Change:
        return Change(self.commit, self.seconds)


class LostSkill(JsonStruct, frozen=True):
    """A skill that the release before had, and why it is not in this one."""

    path: str
    reason: Annotated[
        str,
        Meta(
            description="`removed` from the source, `moved` without [moved], `invalid`, `internal`,"
            " or why its SKILL.md is ignored now, as in the record."
        ),
    ]
    to: Annotated[str, Meta(description="Of one that is moved, the path that it has now.")] = ""
    rules: Annotated[
        tuple[str, ...], Meta(description="Of an invalid one, the rules that refuse it, if known.")
    ] = ()


class VersionTotals(JsonStruct, frozen=True, rename="camel"):
    """How many versions a release has, and what became of the others."""

    since: Annotated[ObjectId, Meta(description="The commit with which versions begin.")]
    published: Annotated[Size, Meta(description="The newest version of each skill included.")]
    ended: Annotated[Size, Meta(description="Older than the settings keep.")]
    left_out: Annotated[
        Mapping[str, Annotated[int, Meta(ge=1)]],
        Meta(description="By the code of a rule, or internal, missing, yanked."),
    ]
    size: Annotated[
        Size, Meta(description="Bytes of the files and archives that only older versions have.")
    ]


class Listing(StrEnum):
    """A file or an answer that offers skills to clients; an entry can be left out of each."""

    MCP = "mcp"
    """`skills/list` of the server."""
    INDEX = "index"
    """`index.json`, which has every skill but internal ones."""
    DISCOVERY_01 = "discovery-0.1"
    DISCOVERY_02 = "discovery-0.2"
    MARKETPLACE = "marketplace"
    SITE = "site"
    """Lists, search and sitemap of the HTML catalog, `llms.txt`, and all that the server lists
    besides skills: resources and results of tools. Every release has it."""


_LABELS: Mapping[str, str] = {
    Listing.MCP: "the MCP list",
    Listing.INDEX: "index.json",
    Listing.DISCOVERY_01: "discovery v0.1",
    Listing.DISCOVERY_02: "discovery v0.2",
    Listing.MARKETPLACE: "the marketplace",
    Listing.SITE: "the site",
}

Unlisted = Mapping[str, tuple[str, ...]]
"""Why an entry is left out, by listing: codes of rules, or `internal`. A listing that has the
entry has no key, and neither has one that the release does not write."""

UnlistedCounts = Annotated[
    Mapping[Annotated[str, _one_of(*Listing)], Annotated[int, Meta(ge=1)]],
    Meta(description="How many skills a format leaves out; one that leaves out none is absent."),
]

INTERNAL = "internal"
"""The reason that an author gives: `metadata.internal: true` keeps a skill out of every listing."""


class EntryFinding(JsonStruct, frozen=True):
    """A warning about a published skill, as the record carries it."""

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
    """A note: nothing has to be fixed, but some client cannot use the skill."""

    @property
    def warns(self) -> bool:
        return False


class LicenseKind(StrEnum):
    """What is known of the license of a skill."""

    SPDX = "spdx"
    """An identifier or expression of SPDX."""
    SEVERAL = "several"
    """Several identifiers, separated by commas: which part has which is not said."""
    PROPRIETARY = "proprietary"
    """Words that reserve rights."""
    WORDS = "words"
    """Any other words: no identifier is guessed from them."""
    NONE = "none"
    """Neither the skill nor the folders around it say anything."""


class License(JsonStruct, frozen=True, rename="camel"):
    """The license of a skill, and where it was found."""

    value: Annotated[str, Meta(description="An SPDX identifier, or words; absent if none.")] = ""
    kind: Annotated[str, _one_of(*LicenseKind)] = LicenseKind.NONE
    declared: Annotated[
        str, Meta(description="What the frontmatter says, where value is something else.")
    ] = ""
    origin: Annotated[str, _one_of("skill", "plugin", "repository")] = key(default="", name="from")
    path: Annotated[
        str, Meta(description="The file that says so, relative to the source; absent if none.")
    ] = ""


class RunKind(StrEnum):
    """What a skill may do when an agent follows it, the most dangerous first."""

    DOWNLOAD = "runs-download"
    """Runs what it downloads."""
    DECODED = "runs-decoded"
    """Runs what it decodes from a text."""
    TELLS_DOWNLOAD = "tells-download"
    """Tells somebody to run what is downloaded."""
    OPENS_SHELL = "opens-shell"
    """Opens a shell to the network."""
    OVERWRITES_DISK = "overwrites-disk"
    DELETES_ALL = "deletes-all"
    """Deletes a whole folder that is not its own, such as the home folder."""
    ON_LOAD = "on-load"
    """A command that some clients run as soon as the skill is loaded."""
    HOOK = "hook"
    """A hook of a client."""
    AGENT = "starts-agent"
    """Starts an agent that does not ask before it acts."""
    CREDENTIALS = "reads-credentials"
    LATER = "starts-later"
    """Starts again later: crontab, a service, the start of a shell."""
    SENDS = "sends-files"
    ASKS = "asks-for"
    """Asks for more rights, such as sudo."""
    REACHES = "reaches"
    """Reaches a host, or the network where no host is named."""
    INSTALLS = "installs"
    MCP_SERVER = "adds-mcp-server"
    SCRIPT = "script"
    """A file that can be run."""
    TEST_SCRIPT = "test-script"
    """One that lies among tests or examples."""
    DELETES = "deletes"
    """Deletes folders; shown on its row only, as are the kinds below."""
    PUSHES = "git-push"
    RESETS = "git-reset"
    PROGRAM = "runs-program"
    """Runs a program that not every system has."""
    EVAL = "eval"
    LOADS_PAGE = "loads-from-host"
    """A page that loads from other hosts."""


DANGERS = frozenset(tuple(RunKind)[:6])
"""Kinds that are told even where the text shows them as what not to do."""


class RunFact(JsonStruct, frozen=True, rename="camel"):
    """Something that a skill may do when an agent follows it, and where it says so."""

    kind: Annotated[str, _one_of(*RunKind)]
    words: Annotated[
        str, Meta(description="What a sentence adds to the kind: `pip`, `sudo`, `Python`.")
    ]
    path: Annotated[Text, Meta(description="Relative to the skill.")]
    line: Annotated[Size, Meta(description="From 1; 0 stands for the whole file.")] = 0
    command: Annotated[str, Meta(description="The command, at most 200 characters.")] = ""
    host: str = ""
    not_to_do: Annotated[
        bool, Meta(description="Whether the text around it shows it as what not to do.")
    ] = False


class HiddenFact(JsonStruct, frozen=True):
    """Something in a text that a reader of its page does not see, but an agent reads."""

    kind: str
    path: Annotated[Text, Meta(description="Relative to the skill.")]
    line: Annotated[Size, Meta(description="From 1; 0 stands for the whole file.")] = 0


class Facts(JsonStruct, frozen=True):
    """What to know of a skill before it is installed, found by patterns: no verdict."""

    license: License = License()
    runs: tuple[RunFact, ...] = ()
    hidden: tuple[HiddenFact, ...] = ()
    sentence: Annotated[str, Meta(description="The most important of it in one line.")] = ""


class Signer(JsonStruct, frozen=True):
    """Whose key made a signature, as far as that is proved."""

    key: Annotated[Digest, Meta(description="SHA-256 of the certificate of the key.")]
    name: Annotated[
        str, Meta(description="The name in the certificate; only where a root vouches for it.")
    ] = ""
    root: Annotated[
        Digest | None,
        Meta(
            description="SHA-256 of the certificate, named by the settings, that vouches for the"
            " name; absent if the key is unknown."
        ),
    ] = None


class Signature(JsonStruct, frozen=True, rename="camel"):
    """A signature in a skill, compared with the files of the skill that are published."""

    path: Annotated[Text, Meta(description="Relative to the skill.")]
    fault: Annotated[str, Meta(description="Why it proves nothing; absent if it can be read.")] = ""
    covered: Annotated[Size, Meta(description="How many files are as they were signed.")] = 0
    differs: Annotated[
        tuple[str, ...], Meta(description="Files that are not as they were signed.")
    ] = ()
    missing: Annotated[
        tuple[str, ...], Meta(description="Files that were signed and are not in the source.")
    ] = ()
    unsigned: Annotated[tuple[str, ...], Meta(description="Files that were not signed.")] = ()
    left_out: Annotated[
        tuple[str, ...], Meta(description="Files that the signature leaves out by what it says.")
    ] = ()
    unpublished: Annotated[
        tuple[str, ...],
        Meta(description="Files that were signed, and that the catalog leaves out of the skill."),
    ] = ()
    signer: Annotated[Signer | None, Meta(description="Absent if the settings name no root.")] = (
        None
    )

    @property
    def is_stale(self) -> bool:
        """Whether the files are not the ones that were signed."""
        return bool(self.differs or self.missing or self.unsigned)


VERDICT_LEVELS = ("error", "warning", "note")
"""The gravest first, as SARIF calls them."""


class ScannerVerdict(JsonStruct, frozen=True):
    """What a scanner reported about a file whose bytes it has seen."""

    level: Annotated[str, _one_of(*VERDICT_LEVELS)]
    tool: Text
    version: Annotated[str, Meta(description="Of the tool; absent if it says none.")]
    rule: str
    path: Annotated[Text, Meta(description="Relative to the skill.")]
    line: Annotated[Size, Meta(description="From 1; 0 stands for the whole file.")]
    digest: Annotated[Digest, Meta(description="Of the file.")]

    @property
    def rank(self) -> tuple[int, str, int, str, str, str]:
        """By which the gravest come first."""
        level = VERDICT_LEVELS.index(self.level)
        return level, self.path, self.line, self.tool, self.version, self.rule


class Trust(JsonStruct, frozen=True):
    """What others vouch for, or say, of the files of a skill."""

    signatures: tuple[Signature, ...] = ()
    verdicts: Annotated[
        tuple[ScannerVerdict, ...], Meta(description="What scanners reported, the gravest first.")
    ] = ()
    more: Annotated[Size, Meta(description="How many further verdicts there are.")] = 0


class Party(JsonStruct, frozen=True):
    """Who wrote something, or publishes it."""

    name: Text
    url: str = ""


class SkillGroup(JsonStruct, frozen=True, kw_only=True, rename="camel"):
    """Skills that belong together by their place in the source, and what the source says of them.

    Plugins are made of groups. Texts come from manifests of the source, and are cut to one line.
    """

    name: Annotated[Name, Meta(description="By which entries name it; no other group has it.")]
    title: Annotated[str, Meta(description="The name for people; absent if there is none.")] = ""
    description: str = ""
    author: Party | None = None
    homepage: str = ""
    repository: str = ""
    license: str = ""
    keywords: tuple[str, ...] = ()
    category: str = ""
    left_out: Annotated[
        tuple[str, ...],
        Meta(description="What the plugin in the source has besides skills, such as hooks."),
    ] = ()


class PluginTree(JsonStruct, frozen=True, kw_only=True, rename="camel"):
    """What `skillbuild plugins` has to know of a catalog besides its skills and groups."""

    name: Annotated[Name, Meta(description="Of the marketplace.")]
    wanted: Annotated[
        str, Meta(description="The name that it would have if Claude Code did not reserve it.")
    ] = ""
    owner: Party
    branch: Annotated[
        str, Meta(description="Of the repository, to which the tree is pushed; absent if to none.")
    ] = ""
    agent_plugins: Annotated[
        bool, Meta(description="Whether plugins get a plugin.json of Agent Plugins 1.0, too.")
    ] = False


def label(listing: str) -> str:
    """What people call a listing."""
    return _LABELS.get(listing, listing)


def is_internal(unlisted: Unlisted) -> bool:
    """Whether an entry is in no listing because its author wants that."""
    return INTERNAL in unlisted.get(Listing.MCP, ())


class Entry(JsonStruct, frozen=True, kw_only=True, rename="camel"):
    """All that a catalog says about one skill, without the content of its files.

    `resources` are sorted by the bytes of their path, `findings` as they are reported.
    """

    path: Annotated[Text, Meta(description="The skill path; its last segment is the name.")]
    flat_name: Annotated[Name, Meta(description="The name in formats with one flat namespace.")]
    directory: Annotated[str, Meta(description="Where the skill lies in the source.")]
    copies: Annotated[
        tuple[str, ...],
        Meta(
            description="Other directories of the source with the same skill path and the same"
            " files."
        ),
    ]
    frontmatter: Annotated[
        Mapping[str, Any], Meta(extra_json_schema={"required": ["name", "description"]})
    ]
    uri: Annotated[
        str,
        Meta(
            pattern=r"^skill://.+/SKILL\.md(?!\n)$",
            description="Of the SKILL.md, by which every protocol knows the skill.",
        ),
    ] = key(name="url")
    resources: Annotated[tuple[Resource, ...], Meta(min_length=1, max_length=LARGEST_SKILL.files)]
    archives: tuple[Archive, ...]
    icons: tuple[Icon, ...]
    skill_digest: Annotated[
        Digest,
        Meta(
            description="Over the lines '<digest> <size> <x or -> <path>' of the resources, sorted"
            " by path bytes."
        ),
    ]
    tar_digest: Annotated[
        Digest | None,
        Meta(
            description="Of the tar before compression (OCI calls this a diffID); null if there is"
            " only a zip."
        ),
    ]
    versions: Annotated[
        tuple[Version, ...],
        Meta(
            description="All that are published, the newest first, each at versions/<first 16 hex"
            " digits of its digest>/; absent without them."
        ),
    ] = ()
    deprecated: Annotated[
        Deprecation | None,
        Meta(description="Why the skill should not be used any more; absent of all others."),
    ] = None
    warnings: Annotated[
        tuple[EntryFinding, ...],
        Meta(description="What some clients cannot read, or people should fix."),
    ]
    notes: Annotated[
        tuple[EntryNote, ...],
        Meta(description="What a single client does without, though the skill is as it should be."),
    ]
    unlisted: Annotated[
        Mapping[Annotated[str, _one_of(*Listing)], Annotated[tuple[str, ...], Meta(min_length=1)]],
        Meta(
            description="Why the skill is left out, by listing: codes of rules, or internal. It is"
            " in the listings without a key, if the release has them."
        ),
    ]
    facts: Annotated[
        Facts, Meta(description="What to know before installing it; absent if nothing was found.")
    ] = Facts()
    trust: Annotated[
        Trust | None,
        Meta(
            description="Signatures of its files, and what scanners reported; absent if there is"
            " neither."
        ),
    ] = None
    group: Annotated[
        str, Meta(description="The name of the group of skills that it belongs to.")
    ] = ""
    plugin: Annotated[
        str, Meta(description="The name of the plugin that has it; absent if none has.")
    ] = ""
    upload: Annotated[
        Archive | None,
        Meta(
            description="A zip with all files in one folder that has its name, for claude.ai and"
            " other places that want one; absent without the format upload."
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
    def folder(self) -> str:
        """The folder of its files where clients want its name, as in plugins and uploads."""
        return folder_for(self.text("name"), self.flat_name)

    @property
    def is_internal(self) -> bool:
        return is_internal(self.unlisted)

    def is_within(self, limit: SkillLimit) -> bool:
        return limit.takes(len(self.resources), sum(item.size for item in self.resources))

    @property
    def skill_md(self) -> Resource:
        return next(resource for resource in self.resources if resource.path == "SKILL.md")

    def text(self, key: str) -> str:
        value = self.frontmatter.get(key)
        return value if isinstance(value, str) else ""


NO_COMMIT = "0" * 40
"""Stands for the id of the commit, and of its tree, where a work tree was built."""


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
    groups: Sequence[SkillGroup] = ()
    """The groups of its skills, sorted by name."""
    plugins: PluginTree | None = None
    """None in a release of an older version, and for what is no release."""
    withheld: frozenset[str] = field(default_factory=frozenset, compare=False)
    """Skill digests, in hex, that no release may hold any longer; not part of the record."""
    changes: Mapping[str, Change] = field(default_factory=dict, compare=False)
    """The last change of each skill by its path; not part of the record."""
    firsts: Mapping[str, Change] = field(default_factory=dict, compare=False)
    """The change that brought each skill, where it is known; not part of the record."""

    @property
    def is_work_tree(self) -> bool:
        """Whether it shows a work tree and no commit, as `preview` does."""
        return self.commit == NO_COMMIT

    @property
    def findings(self) -> tuple[EntryFinding, ...]:
        """The findings about all skills, in order."""
        return tuple(item for entry in self.entries for item in entry.findings)


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file to be written; `path` is relative to the output."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class KeyedFile:
    """A file about many skills that a build makes only if the last one had another key for it.

    The key stands for all that the bytes depend on besides settings, templates and programs.
    """

    path: str
    key: str
    make: Callable[[], bytes]

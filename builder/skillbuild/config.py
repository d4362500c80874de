"""The settings in `skillbuild.toml`: each with its type, default and description.

The annotated types are used to check the file (`parse`), to fill in defaults, and to write the JSON
Schema for editors (`config_schema`). Every mistake raises a `ConfigError` that names the line, the
key and the expected value.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin
from urllib.parse import unquote, urlsplit

import msgspec
from msgspec import Meta, Struct

from skillbuild.errors import ConfigError
from skillbuild.model import (
    LANGUAGE_TAG,
    LARGEST_SKILL,
    LONGEST_LANGUAGE_TAG,
    Deprecation,
    Digest,
    Listing,
    changed,
    plain,
    schema_of,
)
from skillbuild.paths import LONGEST_NAME, is_skill_name, path_segment_fault
from skillbuild.rules.registry import RULES
from skillbuild.setting_lines import (
    SettingError,
    of_setting,
    of_syntax,
    refuse_unknown,
    within,
)

CONFIG_FILE = "skillbuild.toml"
UNTITLED = "Agent Skills"
"""The title of a catalog if neither a title nor a repository is set."""
FIRST = "first"
"""A value that stands for the first commit of the history, where a commit id is expected."""
EVERY = "all"
"""A value that stands for all versions, where a number is expected."""
ACCEPTABLE = "secret"
"""The only error that `[[ignore]]` can silence."""

Format = Literal["discovery", "marketplace", "pages", "tar.gz", "upload", "zip"]
FORMATS: tuple[Format, ...] = get_args(Format)
"""The optional formats; the index and the blobs are always written."""
_USUAL_FORMATS: tuple[Format, ...] = ("discovery", "marketplace", "pages", "upload", "zip")
"""The default formats, without tar.gz, because every client that reads tar.gz reads zip too."""
Level = Literal["off", "warning", "error"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""The values to which `[rules]` can set a rule."""

_LONGEST_PATTERN = 256
_LONGEST_PHRASE = 64
_MOST_VERSIONS = 1_000_000
_FINGERPRINT = re.compile(r"[0-9a-f]{16}")
_BLANK = re.compile(r"\s")
_ENDPOINT = re.compile(
    r"(https://[^/?#@ ]+|http://(127\.0\.0\.1|localhost|\[::1\])(:[0-9]+)?)(/[^?#@ ]*)?"
)


class Must(NamedTuple):
    """A condition that the value of a setting must meet, beyond having the right type.

    `kept` receives a value of the right type and returns the value to store. If the value is
    invalid, it raises `ValueError`; the text of this error, if any, replaces `words` in the
    message.
    """

    words: str
    """The end of the message `KEY must be ...`."""
    kept: Callable[[Any], Any] = lambda value: value


# Functions that check a value and return the value to store, for `Must.kept`.


def _one_line(text: str) -> str:
    if not text.isprintable():
        raise ValueError
    return text


def _says_something(text: str) -> str:
    if not text.strip():
        raise ValueError
    return _one_line(text)


def _web_page(text: str) -> str:
    try:
        parts = urlsplit(_one_line(text))
    except ValueError:
        raise ValueError from None
    if parts.scheme not in ("https", "http") or not parts.hostname or " " in text:
        raise ValueError
    return text


def _web_folder(text: str) -> str:
    """Check a URL to which paths are appended, and add the final `/`."""
    if "?" in _web_page(text) or "#" in text or "@" in urlsplit(text).netloc:
        raise ValueError
    return text.rstrip("/") + "/"


def _endpoint(text: str) -> str:
    if not _ENDPOINT.fullmatch(_web_folder(text).rstrip("/")):
        raise ValueError
    return text


def _repository(text: str) -> str:
    return _web_folder(text).rstrip("/").removesuffix(".git")


def _folder(text: str) -> str:
    return _one_line(text).strip("/")


def _skill_path(path: str) -> str:
    for segment in _one_line(path).split("/"):
        if fault := path_segment_fault(segment):
            raise ValueError(f"a skill path; it contains {fault}")
    return path


def _maybe_skill_path(path: str) -> str:
    return _skill_path(path) if path else ""


def _address(path: str) -> str:
    """Check a skill path that becomes part of a redirect line and so must not contain spaces."""
    if _BLANK.search(_skill_path(path)):
        raise ValueError("a skill path without spaces")
    return path


def _formats(formats: tuple[str, ...]) -> tuple[str, ...]:
    if {"discovery", "marketplace"} & set(formats) and "zip" not in formats:
        raise ValueError("a list that contains zip, because discovery and marketplace need it")
    return tuple(sorted(set(formats)))


def _phrases(value: str | tuple[str, ...]) -> tuple[str, ...]:
    texts = (value,) if isinstance(value, str) else value
    if any(len(text) > _LONGEST_PHRASE for text in texts):
        raise ValueError
    return tuple(map(_says_something, texts))


def _known_rule(code: str) -> str:
    refuse_unknown([code], RULES, "rule")
    return code


def _ignorable_rule(code: str) -> str:
    if RULES[_known_rule(code)].severity == "error" and code != ACCEPTABLE:
        raise SettingError(f"the rule {code} is an error; it cannot be ignored")
    return code


def _levels(levels: Mapping[str, Level]) -> Mapping[str, Level]:
    for code, level in levels.items():
        if RULES[code].severity == "error" and level != "error":
            raise SettingError(f"rules.{code} is an error and cannot be lowered", code)
    return levels


def _ignored(entry: Ignore) -> Ignore:
    """Check that an entry has a fingerprint if, and only if, its rule needs one."""
    if entry.rule != ACCEPTABLE and entry.fingerprint:
        message = f"fingerprint must be left out unless the rule is {ACCEPTABLE}"
        raise SettingError(message, "fingerprint")
    if entry.rule == ACCEPTABLE and not _FINGERPRINT.fullmatch(entry.fingerprint):
        message = "fingerprint must be the 16 hex digits that the finding shows"
        raise SettingError(message, "fingerprint")
    return entry


def _kebab(text: str) -> str:
    if not is_skill_name(text):
        raise ValueError
    return text


def _maybe_kebab(text: str) -> str:
    return _kebab(text) if text else ""


def _kept_versions(value: int | str) -> int:
    if value != EVERY and not 1 <= int(value) <= _MOST_VERSIONS:
        raise ValueError
    return 0 if value == EVERY else int(value)


def _without_circles(moved: Mapping[str, str]) -> Mapping[str, str]:
    passed = set[str]()
    for start in moved:
        path, way = start, dict[str, None]()
        while path in moved and path not in passed:
            if path in way:
                circle = [*way, path][list(way).index(path) :]
                raise SettingError(f"moved has a cycle: {', '.join(circle)}", path)
            way[path] = None
            path = moved[path]
        passed.update(way)
    return moved


def _others(deprecated: Mapping[str, Deprecated]) -> Mapping[str, Deprecated]:
    for path, skill in deprecated.items():
        if skill.use == path:
            raise SettingError(f"deprecated.{path}.use must be another skill", path, "use")
    return deprecated


def _consistent(trust: TrustSettings) -> TrustSettings:
    if trust.identities and not trust.roots:
        message = "trust.identities needs trust.roots, because only roots can prove names"
        raise SettingError(message, "identities")
    if trust.gate != "off" and not trust.verdicts:
        raise SettingError(
            "trust.gate needs trust.verdicts, which names the scanner reports", "gate"
        )
    return trust


# Types of values. Patterns and limits are part of the JSON Schema, too.

_LINE = Must("a string on one line", _one_line)
Line = Annotated[str, _LINE]
Reason = Annotated[
    str, Meta(pattern=r"\S"), Must("a non-empty string on one line", _says_something)
]
_IDENTITY = Must("a list of names without line breaks", _says_something)
Identity = Annotated[str, Meta(pattern=r"\S"), _IDENTITY]
Page = Annotated[str, Meta(pattern=r"^https?://[^ ]+$"), Must("an absolute http(s) URL", _web_page)]
_FOLDER_PATTERN = Meta(pattern=r"^https?://[^/?#@ ]+(/[^?# ]*)?$")
_FOLDER_URL = "an absolute http(s) URL without user, query or fragment"
BaseUrl = Annotated[str, _FOLDER_PATTERN, Must(_FOLDER_URL, _web_folder)]
Repository = Annotated[str, _FOLDER_PATTERN, Must(_FOLDER_URL, _repository)]
Endpoint = Annotated[
    str,
    Meta(pattern=f"^{_ENDPOINT.pattern}$"),
    Must("an https URL without user, query or fragment (http only for localhost)", _endpoint),
]
Folder = Annotated[str, Must("a string on one line", _folder)]
Glob = Annotated[
    str,
    Meta(max_length=_LONGEST_PATTERN, pattern="^(?!!)"),
    Must(
        f"a list of globs with no leading !, at most {_LONGEST_PATTERN} characters each", _one_line
    ),
]
_PATH_PATTERN = r'^[^/<>:"|?*\\]+(/[^/<>:"|?*\\]+)*$'
_SKILL_PATH = Must("a skill path", _skill_path)
SkillPath = Annotated[str, Meta(extra_json_schema={"pattern": _PATH_PATTERN}), _SKILL_PATH]
Address = Annotated[
    str,
    Meta(extra_json_schema={"allOf": [{"pattern": _PATH_PATTERN}, {"pattern": r"^\S+$"}]}),
    Must("a skill path", _address),
]
_KEBAB_WORDS = f"a name made of a-z, 0-9 and single hyphens, at most {LONGEST_NAME} characters"
_MAYBE_KEBAB = Meta(
    extra_json_schema={
        "pattern": "^([a-z0-9]+(-[a-z0-9]+)*)?$",
        "maxLength": LONGEST_NAME,
    }
)
KebabName = Annotated[
    str,
    Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$", max_length=LONGEST_NAME),
    Must(_KEBAB_WORDS, _kebab),
]
Phrase = Annotated[str, Meta(pattern=r"\S", max_length=_LONGEST_PHRASE)]
Synonyms = Annotated[
    str | tuple[str, ...],  # The string limits are below: msgspec 0.22 crashes with them here.
    Meta(
        extra_json_schema={
            "pattern": r"\S",
            "maxLength": _LONGEST_PHRASE,
            "items": {"pattern": r"\S", "maxLength": _LONGEST_PHRASE},
        }
    ),
    Must(f"a phrase or a list of phrases of at most {_LONGEST_PHRASE} characters", _phrases),
]
Commit = Annotated[
    str,
    Meta(pattern=rf"^([0-9a-f]{{40}}|[0-9a-f]{{64}}|{FIRST})?$"),
    Must(f'the full id of a commit, or "{FIRST}"'),
]
Count = Annotated[int, Meta(ge=1, le=2**40)]
YankedDigest = Annotated[
    str,
    Meta(pattern="^sha256:[0-9a-f]{64}$"),
    Must(
        "the digest of a skill: sha256: followed by 64 lowercase hex digits",
        lambda text: Digest.parse(text).hex,
    ),
]


def _needs(key: str, value: Mapping[str, Any], other: str) -> dict[str, Any]:
    """Return a condition for the JSON Schema: if `key` has this value, the list `other` must not be
    empty.
    """
    return {
        "if": {"required": [key], "properties": {key: value}},
        "then": {"required": [other], "properties": {other: {"minItems": 1}}},
    }


def _for(words: str) -> Meta:
    """Return the description of a setting for the JSON Schema."""
    return Meta(description=words)


_IGNORABLE = [
    code for code, rule in RULES.items() if rule.severity != "error" or code == ACCEPTABLE
]
_RULE_LEVELS = {
    code: {
        "enum": ["error"] if rule.severity == "error" else list(LEVELS),
        "description": f"{rule.severity}: {rule.summary}",
    }
    for code, rule in RULES.items()
}


RuleCode = Annotated[
    str, Meta(extra_json_schema={"enum": list(RULES)}), Must("a rule", _known_rule)
]


# The settings


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """The base class of all tables of settings; an unknown key in a table is an error."""


class Owner(Settings, frozen=True):
    """The publisher of the catalog."""

    name: Annotated[
        str,
        Meta(pattern=r"\S", description="Name of the publisher."),
        Must("a non-empty string on one line", _says_something),
    ]
    url: Annotated[Page, _for("Website of the publisher.")] = ""


class Pages(Settings, frozen=True):
    """The settings of the HTML catalog."""

    files: Annotated[bool, _for("Whether each file of a skill has its own page.")] = True


class Search(Settings, frozen=True):
    """The settings of the search: words that it treats as synonyms."""

    synonyms: Annotated[
        Mapping[Phrase, Synonyms],
        Meta(max_length=500),
        Must('a table of at most 500 entries of the form "phrase" = "phrase"'),
        _for(
            'Phrases that the search treats as synonyms, written as "phrase" = "phrase" or as'
            ' "phrase" = ["phrase", ...].'
        ),
    ] = {}

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The groups of phrases with the same meaning."""
        return tuple((phrase, *_phrases(others)) for phrase, others in self.synonyms.items())


class Ignore(Settings, frozen=True):
    """An entry of `[[ignore]]`. It accepts findings of a rule and gives the reason."""

    rule: Annotated[
        str,
        Must("a string on one line", _ignorable_rule),
        Meta(
            description=f"Rule to silence: any warning or note, or the error `{ACCEPTABLE}`.",
            extra_json_schema={"enum": _IGNORABLE},
        ),
    ]
    reason: Annotated[Reason, _for("Why the finding is accepted.")]
    paths: Annotated[
        tuple[Glob, ...], _for("Globs of the files that the entry covers. Defaults to all files.")
    ] = ()
    fingerprint: Annotated[
        str, _for("Fingerprint of the accepted secret, as printed with the finding.")
    ] = ""


class VersionSettings(Settings, frozen=True):
    """The settings for publishing older versions of skills."""

    since: Annotated[
        Commit,
        _for(
            f'Full ID of the first commit whose versions are published, or "{FIRST}" for the first'
            " commit in the history. Defaults to the commit that added this table."
        ),
    ] = ""
    keep: Annotated[
        int | Literal["all"],
        Meta(
            description="Number of versions to publish for each skill, newest first. Defaults"
            " to all versions.",
            extra_json_schema={"minimum": 1, "maximum": _MOST_VERSIONS},
        ),
        Must(f'a whole number from 1 to {_MOST_VERSIONS}, or "{EVERY}"', _kept_versions),
    ] = 0

    @property
    def most(self) -> int:
        """The number of versions of each skill to publish; `0` for all."""
        return 0 if self.keep == EVERY else int(self.keep)


class PluginSettings(Settings, frozen=True):
    """The settings for grouping skills into plugins, and for the `skillbuild plugins` command."""

    name: Annotated[
        str,
        _MAYBE_KEBAB,
        Must(_KEBAB_WORDS, _maybe_kebab),
        _for(
            "Name of the plugin marketplace. Defaults to the name of the repository, or to the"
            " title if `repository` is not set."
        ),
    ] = ""
    branch: Annotated[
        str,
        _MAYBE_KEBAB,
        Must(_KEBAB_WORDS, _maybe_kebab),
        _for(
            "Branch that contains the plugins. The plugins.yml workflow pushes to this branch, and"
            " pages show how to install plugins from it."
        ),
    ] = ""
    groups: Annotated[
        Mapping[Glob, KebabName],
        Must('a table of "glob" = "name"'),
        _for(
            'Groups of skills, written as "glob" = "name". If several globs match, the first one'
            " applies."
        ),
    ] = {}
    agent_plugins: Annotated[
        bool,
        _for(
            "Whether to write a plugin.json in the Agent Plugins 1.0 format for each plugin. APM"
            " refuses plugins that have this file."
        ),
    ] = False
    exclude: Annotated[tuple[Glob, ...], _for("Globs of skills to leave out of all plugins.")] = ()


class Deprecated(Settings, frozen=True):
    """An entry of `[deprecated]`, for a skill that should no longer be used."""

    reason: Annotated[Reason, _for("Why the skill should no longer be used.")]
    use: Annotated[
        str,
        Meta(
            description="Path of the skill to use instead.",
            extra_json_schema={"anyOf": [{"const": ""}, {"pattern": _PATH_PATTERN}]},
        ),
        Must("a skill path", _maybe_skill_path),
    ] = ""


class Limits(Settings, frozen=True):
    """The limits on the size of skills.

    A skill that exceeds `files` or `bytes` is refused. These two limits cannot be set higher than
    their defaults. Exceeding another limit causes only a warning or a note.
    """

    files: Annotated[
        int,
        Meta(ge=1, le=LARGEST_SKILL.files),
        _for("Maximum number of files in a skill. Skills with more files are refused."),
    ] = LARGEST_SKILL.files
    bytes: Annotated[
        int,
        Meta(ge=1, le=LARGEST_SKILL.bytes),
        _for("Maximum size of a skill in bytes. Larger skills are refused."),
    ] = LARGEST_SKILL.bytes
    file_bytes: Annotated[
        Count, _for("Maximum size of a file in bytes. Larger files cause a warning.")
    ] = 1024 * 1024
    body_lines: Annotated[
        Count,
        _for(
            "Maximum number of lines in a skill's instructions. Longer instructions cause a note."
        ),
    ] = 500
    body_tokens: Annotated[
        Count,
        _for(
            "Maximum estimated number of tokens in a skill's instructions. Longer instructions"
            " cause a note, or a warning if they exceed the limit by more than 10%."
        ),
    ] = 5000


class TrustSettings(Settings, frozen=True):
    """The settings for signers and scanners of skills."""

    roots: Annotated[
        tuple[Line, ...],
        _for(
            "PEM files in the repository that contain the root certificates of signers. This"
            " setting requires the `skillbuild[trust]` extra."
        ),
    ] = ()
    identities: Annotated[
        tuple[Identity, ...],
        _for(
            "Names of accepted signers, as written in their certificates. By default, all names"
            " are accepted."
        ),
    ] = ()
    verdicts: Annotated[
        tuple[Glob, ...],
        _for("Globs of SARIF 2.1.0 files in the repository that contain scanner results."),
    ] = ()
    gate: Annotated[
        Literal["off", "note", "warning", "error"],
        _for("Lowest level of scanner result that causes a skill to be refused."),
    ] = "off"
    required: Annotated[
        bool,
        _for("Whether to refuse skills that are not signed or whose signature has a problem."),
    ] = False


class TrustFile(Settings, frozen=True):
    """The content of a file given with `--trust`."""

    trust: Annotated[TrustSettings, Must("a table", _consistent)]


class Config(Settings, frozen=True):
    """All settings of a build, named like the keys of `skillbuild.toml`.

    The settings, the commit and the version of skillbuild determine every byte of a release.
    """

    title: Annotated[
        Line,
        _for(
            "Title of the catalog. Defaults to the last part of the `repository` URL, or to Agent"
            " Skills if `repository` is not set."
        ),
    ] = UNTITLED
    tagline: Annotated[Line, _for("A single line of text below the title.")] = ""
    lang: Annotated[
        str,
        Meta(pattern=LANGUAGE_TAG, max_length=LONGEST_LANGUAGE_TAG),
        Must("a language tag, such as en or zh-Hans"),
        _for("Language of skills that set neither `metadata.lang` nor `lang`."),
    ] = "en"
    owner: Annotated[
        Owner,
        Must('a table with name = "..." and url = "https://..."'),
        _for("Publisher of the catalog."),
    ] = Owner("")
    repository: Annotated[Repository, _for("URL of the source repository. Pages link to it.")] = ""
    issues_url: Annotated[
        Page | None,
        _for(
            "URL where readers can report a problem with a skill. `{title}` is replaced with the"
            " skill's title and path. Defaults to the new-issue page of the repository if it is on"
            " GitHub, GitLab or Codeberg."
        ),
    ] = None
    base_url: Annotated[
        BaseUrl | None,
        _for(
            "URL where the catalog is published. Feeds and the plugin marketplace need this"
            " setting. Without it, all links are relative."
        ),
    ] = None
    website_url: Annotated[Page | None, _for("Website of the people behind the catalog.")] = None
    mcp_url: Annotated[
        Endpoint | None,
        _for("URL of your MCP server (skillbuild serve). Pages show how to connect to it."),
    ] = None
    icons: Annotated[
        tuple[Line, ...],
        _for(
            "Icon files of the catalog, in PNG, JPEG or SVG format. Include a PNG or JPEG, because"
            " link previews do not show SVG images. By default, an icon is generated from the"
            " title."
        ),
    ] = ()
    accent: Annotated[
        str,
        Meta(pattern="^#[0-9a-fA-F]{6}$"),
        Must("a color in the form #rrggbb", str.lower),
        _for("Color of links and highlights."),
    ] = ""
    links: Annotated[
        Mapping[Line, Page],
        Meta(max_length=8),
        Must('a table of at most 8 links, each written as "label" = "https://..."'),
        _for('Links at the top of every page, written as "label" = "https://...".'),
    ] = {}
    templates: Annotated[
        Folder,
        _for(
            "Folder in the repository that contains page templates. Each template replaces the"
            " built-in template of the same name."
        ),
    ] = ""
    roots: Annotated[
        tuple[Glob, ...],
        _for(
            "Globs of the directories to search for skills, in .gitignore syntax. Defaults to all"
            " directories except dot-directories."
        ),
    ] = ()
    exclude: Annotated[
        tuple[Glob, ...],
        _for("Globs of files and directories to leave out, in .gitignore syntax."),
    ] = ()
    formats: Annotated[
        tuple[Format, ...],
        Must(f"a list of {', '.join(FORMATS)}", _formats),
        _for(
            "Formats to write in addition to the index. `discovery` and `marketplace` require"
            " `zip`."
        ),
    ] = _USUAL_FORMATS
    listing: Annotated[
        Literal["safe", "all"],
        _for(
            '"safe" omits a skill from the MCP list if the TypeScript SDK or FastMCP 4.1 would'
            ' reject the whole list because of this skill. "all" lists every skill.'
        ),
    ] = "safe"
    pages: Annotated[Pages, _for("Settings for the HTML catalog.")] = Pages()
    search: Annotated[Search, _for("Synonyms for the search.")] = Search()
    keep: Annotated[
        int, Meta(ge=1, le=100), _for("Number of earlier releases whose files stay published.")
    ] = 2
    paths: Annotated[
        Mapping[Folder, Folder],
        Must('a table of "directory" = "skill/path"'),
        _for('Skill paths for directories, written as "directory" = "skill/path".'),
    ] = {}
    rules: Annotated[
        Mapping[RuleCode, Level],
        Meta(
            description='Severity of rules, written as code = "off", "warning" or "error".',
            extra_json_schema={
                "properties": _RULE_LEVELS,
            },
        ),
        Must("a table of rule = level", _levels),
    ] = {}
    ignore: Annotated[
        tuple[
            Annotated[
                Ignore,
                Must('a table with rule = "..." and reason = "..."', _ignored),
                Meta(
                    extra_json_schema={
                        "if": {"required": ["rule"], "properties": {"rule": {"const": ACCEPTABLE}}},
                        "then": {
                            "required": ["fingerprint"],
                            "properties": {"fingerprint": {"pattern": "^[0-9a-f]{16}$"}},
                        },
                        "else": {"properties": {"fingerprint": {"const": ""}}},
                    }
                ),
            ],
            ...,
        ],
        Must("entries that begin with [[ignore]]"),
        _for("Findings to accept, each with a reason."),
    ] = ()
    versions: Annotated[
        VersionSettings | None,
        _for(
            "Settings for older versions. If this table exists, even if it is empty, older versions"
            " of each skill stay published."
        ),
    ] = None
    moved: Annotated[
        Mapping[Address, Address],
        Must('a table of "old/path" = "new/path"', _without_circles),
        _for(
            'Skills that moved, written as "old/path" = "new/path". The old page redirects to the'
            " new one."
        ),
    ] = {}
    """Maps each old path of a skill to its new path, which may itself be the old path of a later
    move."""
    deprecated: Annotated[
        Mapping[SkillPath, Annotated[Deprecated, Must('a table with reason = "..."')]],
        Must('a table of "skill/path" = { reason = "...", use = "..." }', _others),
        _for(
            'Deprecated skills, written as "skill/path" = { reason = "...", use = "..." }. They'
            " stay published and are marked as deprecated."
        ),
    ] = {}
    yanked: Annotated[
        Mapping[YankedDigest, Reason],
        Must('a table of "sha256:..." = "reason"'),
        _for('Versions to withdraw, written as "skill digest" = "reason".'),
    ] = {}
    """Maps skill digests, as hex digits, to reasons."""
    limits: Annotated[Limits, _for("Limits on the size of skills.")] = Limits()
    plugins: Annotated[
        PluginSettings, _for("Groups of skills, and settings for `skillbuild plugins`.")
    ] = PluginSettings()
    trust: Annotated[
        TrustSettings,
        Must("a table", _consistent),
        Meta(
            description="Settings for signatures and scanner reports.",
            extra_json_schema={
                "allOf": [
                    _needs("identities", {"minItems": 1}, "roots"),
                    _needs("gate", {"not": {"const": "off"}}, "verdicts"),
                ]
            },
        ),
    ] = TrustSettings()

    @property
    def has_pages(self) -> bool:
        """Whether the build writes an HTML catalog."""
        return "pages" in self.formats

    @property
    def has_marketplace(self) -> bool:
        """Whether the build writes a marketplace. Its plugins need absolute https URLs."""
        return "marketplace" in self.formats and (self.base_url or "").startswith("https://")

    @property
    def listings(self) -> tuple[Listing, ...]:
        """The listings that this build writes, in the order of `Listing`."""
        discovery = "discovery" in self.formats
        absent = {
            Listing.DISCOVERY_01: not discovery,
            Listing.DISCOVERY_02: not discovery,
            Listing.MARKETPLACE: not self.has_marketplace,
        }
        return tuple(listing for listing in Listing if not absent.get(listing))

    def as_json(self) -> dict[str, Any]:
        """Return every setting by key, including defaults. The record contains a digest of the
        result.
        """
        values: dict[str, Any] = plain(self)
        return values

    def but(self, **values: object) -> Config:
        """Return a copy of the settings with these values replaced."""
        return changed(self, **values)


def config_schema() -> str:
    """Return the JSON Schema of `skillbuild.toml`, for completion and validation in editors."""
    title = "skillbuild.toml: the settings of a catalog of Agent Skills"
    return schema_of(Config, "config", title)


# Reading the file


def parse(data: bytes) -> Config:
    """Parse the bytes of a `skillbuild.toml`. A mistake raises a `ConfigError` that names the
    line.
    """
    table = _read_toml(data, CONFIG_FILE)
    config: Config = _settings(Config, table, data, CONFIG_FILE)
    return config if "title" in table else config.but(title=default_title(config.repository))


def parse_trust(data: bytes, name: str) -> TrustSettings:
    """Parse a file that contains only the `[trust]` table. `name` is the file name to use in error
    messages.
    """
    file: TrustFile = _settings(TrustFile, _read_toml(data, name), data, name)
    return file.trust


def _settings(kind: type[Struct], table: Mapping[str, object], data: bytes, name: str) -> Any:
    """Convert `table`, parsed from `data`, to the settings type `kind`; errors name the file and
    line.
    """
    try:
        return _table(kind, table, "")
    except SettingError as error:
        raise located(error, data, name) from error


def _read_toml(data: bytes, name: str) -> Mapping[str, object]:
    import tomllib

    try:
        return tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        raise ConfigError(f"{name}: byte {error.start + 1} is not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{name}{of_syntax(str(error))}") from error


def has_versions(data: bytes) -> bool:
    """Return whether the settings contain a `[versions]` table. Returns False if the settings
    cannot be parsed.
    """
    import tomllib

    try:
        return isinstance(tomllib.loads(data.decode()).get("versions"), dict)
    except (ValueError, RecursionError):
        return False


def located(error: SettingError, data: bytes, name: str = CONFIG_FILE) -> ConfigError:
    """Convert a `SettingError` to a `ConfigError` for users, with the line of the setting in
    `data`.
    """
    import tomllib

    return ConfigError(f"{name}{of_setting(error, data.decode(), tomllib.loads)}")


def with_base_url(config: Config, base_url: str | None) -> Config:
    """Return the settings with the value of `--base-url`, if given."""
    if base_url is None:
        return config
    return config.but(base_url=_value(BaseUrl, base_url, "--base-url"))


def with_repository(config: Config, repository: str | None) -> Config:
    """Apply the value of `--repository`, if given. If no title is set, derive the title from the
    repository.
    """
    if repository is None:
        return config
    address = _value(Repository, repository, "--repository")
    if config.title != default_title(config.repository):
        return config.but(repository=address)
    return config.but(repository=address, title=default_title(address))


def default_title(repository: str) -> str:
    """Return the last segment of the repository's URL, or a generic title if there is no
    repository.
    """
    segment = unquote(urlsplit(repository).path).rstrip("/").rpartition("/")[2]
    return segment if segment and segment.isprintable() else UNTITLED


def deprecation_of(path: str, config: Config) -> Deprecation | None:
    """Return the deprecation of the skill at `path`; None if it is not deprecated."""
    skill = config.deprecated.get(path)
    return None if skill is None else Deprecation(skill.reason, skill.use or None)


def moved_to(path: str, moved: Mapping[str, str]) -> str:
    """Follow the moves of `path`, and return the last path of the chain. A path that did not move
    is returned unchanged.
    """
    while (new := moved.get(path)) is not None:
        path = new
    return path


def _value(kind: Any, value: object, key: str) -> Any:
    """Convert a value from the file to type `kind`; raise `SettingError` if the value is invalid.

    `key` is the name of the value in messages. For a nested value, the error has the whole path of
    keys.
    """
    kind, notes = _parts(kind)
    musts = (note for note in notes if isinstance(note, Must))
    must = next(musts, None) or Must(_expected(kind, notes))
    try:
        return must.kept(_typed(kind, notes, value, key))
    except ValueError as error:
        said = "" if isinstance(error, msgspec.ValidationError) else str(error)
        raise SettingError(f"{key} must be {said or must.words}{_hint(kind, value)}") from None


def _parts(kind: Any) -> tuple[Any, list[object]]:
    """Split a type into the plain type, without `| None`, and its annotations."""
    notes: list[object] = []
    if get_origin(kind) is Annotated:
        kind, *notes = get_args(kind)
    if get_origin(kind) in (Union, UnionType) and type(None) in get_args(kind):
        kind, inner = _parts(get_args(kind)[0])
        notes += inner
    return kind, notes


def _expected(kind: Any, notes: Sequence[object]) -> str:
    """Return what the value must be, in words, derived only from the type."""
    if get_origin(kind) is Literal:
        return f"one of {', '.join(get_args(kind))}"
    if get_origin(kind) is tuple:
        return "a list of strings"
    if kind is int:
        limits = next(note for note in notes if isinstance(note, Meta) and note.ge)
        return f"a whole number from {limits.ge} to {limits.le}"
    return {bool: "true or false", str: "a string"}.get(kind, "a table")


def _hint(kind: Any, value: object) -> str:
    """Return a suggestion for a misspelled choice, such as `; did you mean error?`, or nothing."""
    known = get_args(kind) if get_origin(kind) is Literal else ()
    close = difflib.get_close_matches(value, known, n=1) if isinstance(value, str) else ()
    return f"; did you mean {close[0]}?" if close else ""


def _typed(kind: Any, notes: Sequence[object], value: object, key: str) -> Any:
    """Convert a value and everything nested in it; check each nested value under its own key."""
    origin = Struct if isinstance(kind, type) and issubclass(kind, Struct) else get_origin(kind)
    shells = {Struct: dict[str, Any], Mapping: dict[str, Any], tuple: list[Any]}
    limits = (note for note in notes if isinstance(note, Meta))
    given = msgspec.convert(value, Annotated[(shells.get(origin, kind), Meta(), *limits)])
    if origin is Struct:
        return _table(kind, given, key)
    if origin is Mapping:
        names, values = get_args(kind)
        return _map(names, values, given, key)
    return tuple(_items(get_args(kind)[0], given, key)) if origin is tuple else given


def _table(kind: type[Struct], table: Mapping[str, object], key: str) -> Any:
    """Convert a table whose keys are the fields of `kind`; values are checked in file order."""
    known = {item.name: item for item in msgspec.structs.fields(kind)}
    where = key if key.startswith("[[") else f"[{key}]"
    refuse_unknown(table, known, f"key of {where}" if key else "key")
    values = {}
    for name in (*table, *(item.name for item in known.values() if item.required)):
        with within(name):
            called = f"{name} of {key}" if key.startswith("[[") else f"{key}.{name}".lstrip(".")
            values[name] = _value(known[name].type, table.get(name), called)
    return kind(**values)


def _map(names: Any, kind: Any, table: Mapping[str, object], key: str) -> dict[str, Any]:
    """Convert a table whose keys are chosen by the user."""
    values = dict[str, Any]()
    for given, value in table.items():
        with within(given):
            name = _value(names, given, f"the key {given!r} of [{key}]")
            if name in values:
                raise SettingError(f"{key}.{given} is given twice")
            values[name] = _value(kind, value, f"{key}.{given}")
    return values


def _items(kind: Any, values: Sequence[object], key: str) -> Iterator[Any]:
    """Convert the items of a list; messages count its tables from 1."""
    for index, value in enumerate(values):
        if isinstance(_parts(kind)[0], type(Struct)):
            with within(index):
                yield _value(kind, value, f"[[{key}]] {index + 1}")
        else:
            yield _value(kind, value, key)

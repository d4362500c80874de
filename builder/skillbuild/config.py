"""The settings in `skillbuild.toml`: what they are, their defaults, and how they are read.

Every slip is an error that names the key, and where it can the likely spelling.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from skillbuild.errors import ConfigError
from skillbuild.model import Deprecation, Listing
from skillbuild.rules.registry import RULES
from skillbuild.setting_errors import SettingError, of_setting, of_syntax, within
from skillbuild.setting_identity import (
    UNTITLED,
    Owner,
    color_of,
    default_title,
    language_of,
    links_of,
    owner_of,
    repository_of,
)
from skillbuild.setting_lifecycle import (
    VersionSettings,
    deprecated_of,
    moved_of,
    versions_of,
    yanked_of,
)
from skillbuild.setting_search import Search, search_of
from skillbuild.setting_values import (
    number_of,
    page_url_of,
    refuse_unknown,
    text_of,
    texts_of,
    url_of,
    wrong_value,
)

CONFIG_FILE = "skillbuild.toml"

FORMATS = ("discovery", "marketplace", "pages", "tar.gz", "zip")
"""What a build can write beside the index and the blobs."""

LISTINGS = ("safe", "all")
"""What `listing` can be: whether the MCP listing protects its clients from single skills."""

LEVELS = ("off", "warning", "error")
"""What `[rules]` can make of a rule."""

_LONGEST_PATTERN = 256
"""Characters of a glob in `roots` or `exclude`."""
ACCEPTABLE = "secret"
"""The one error that `[[ignore]]` can silence."""
_FINGERPRINT = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Limits:
    """Beyond `files` and `bytes` a skill is refused; beyond the other limits it has a warning.

    The limits of the protocol are the first two defaults, and can only be lowered.
    """

    files: int = 512
    bytes: int = 16 * 1024 * 1024
    """Of all files together."""
    file_bytes: int = 1024 * 1024
    body_lines: int = 500
    body_tokens: int = 5000


@dataclass(frozen=True, slots=True)
class Pages:
    """What the HTML catalog consists of."""

    files: bool = True
    """Whether every file of every skill has a page."""


@dataclass(frozen=True, slots=True)
class Ignore:
    """An entry of `[[ignore]]`: findings of a rule that are accepted, and why."""

    rule: str
    reason: str
    paths: tuple[str, ...] = ()
    """Globs; without any, findings about every path."""
    fingerprint: str = ""
    """Of the one secret that is accepted; empty with other rules."""


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one build, by the keys of `skillbuild.toml`.

    With the commit and the version of skillbuild they determine every byte of a release.
    """

    title: str = UNTITLED
    tagline: str = ""
    lang: str = "en"
    """Of the texts of skills that do not say their own."""
    owner: Owner = field(default_factory=Owner)
    repository: str = ""
    """The page of the repository of the source; it gives the default of `title`."""
    base_url: str | None = None
    website_url: str | None = None
    icons: tuple[str, ...] = ()
    accent: str = ""
    links: Mapping[str, str] = field(default_factory=dict)
    templates: str = ""
    roots: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    formats: tuple[str, ...] = FORMATS
    listing: str = "safe"
    pages: Pages = field(default_factory=Pages)
    search: Search = field(default_factory=Search)
    keep: int = 2
    paths: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, str] = field(default_factory=dict)
    ignore: tuple[Ignore, ...] = ()
    versions: VersionSettings | None = None
    """Without them no older versions are published."""
    moved: Mapping[str, str] = field(default_factory=dict)
    """By the path that a skill had, the one that it has now, or that it had next."""
    deprecated: Mapping[str, Deprecation] = field(default_factory=dict)
    """By skill path."""
    yanked: Mapping[str, str] = field(default_factory=dict)
    """By the hex digits of a skill digest, why this version is published no more."""
    limits: Limits = field(default_factory=Limits)

    @property
    def has_pages(self) -> bool:
        """Whether there will be an HTML catalog, which renders the texts of skills."""
        return "pages" in self.formats

    @property
    def has_marketplace(self) -> bool:
        """Whether there will be a marketplace, whose plugins need absolute https addresses."""
        return "marketplace" in self.formats and (self.base_url or "").startswith("https://")

    @property
    def listings(self) -> tuple[Listing, ...]:
        """The listings that come out, in their order."""
        discovery = "discovery" in self.formats
        absent = {
            Listing.DISCOVERY_01: not discovery,
            Listing.DISCOVERY_02: not discovery,
            Listing.MARKETPLACE: not self.has_marketplace,
        }
        return tuple(listing for listing in Listing if not absent.get(listing))

    def as_json(self) -> dict[str, object]:
        """Every setting, defaults included, by key; the record holds the digest of this."""
        return asdict(self)


def parse(data: bytes) -> Config:
    """The settings in the bytes of a `skillbuild.toml`; a `ConfigError` names the line."""
    import tomllib

    try:
        text = data.decode()
        table = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{CONFIG_FILE}: byte {error.start + 1} is not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{CONFIG_FILE}{of_syntax(str(error))}") from error
    try:
        return _config_of(table)
    except SettingError as error:
        raise located(error, data) from error


def has_versions(data: bytes) -> bool:
    """Whether settings have the table `[versions]`; False for what cannot be read as settings."""
    import tomllib

    try:
        return isinstance(tomllib.loads(data.decode()).get("versions"), dict)
    except (ValueError, RecursionError):
        return False


def located(error: SettingError, data: bytes) -> ConfigError:
    """The error for people, with the line in `data`, the settings that were read."""
    import tomllib

    return ConfigError(f"{CONFIG_FILE}{of_setting(error, data.decode(), tomllib.loads)}")


def _config_of(table: Mapping[str, object]) -> Config:
    refuse_unknown(table, [item.name for item in fields(Config)], "key")
    values = {}
    for key, value in table.items():
        with within(key):
            values[key] = _READERS[key](key, value)
    title = default_title(values.get("repository", ""))
    return replace(Config(), **{"title": title, **values})


def with_base_url(config: Config, base_url: str | None) -> Config:
    """The settings with the value of `--base-url`, if it is given, in place of `base_url`."""
    return config if base_url is None else replace(config, base_url=url_of("--base-url", base_url))


def with_repository(config: Config, repository: str | None) -> Config:
    """The settings with the value of `--repository`, if it is given, and the title it gives."""
    if repository is None:
        return config
    address = repository_of("--repository", repository)
    by_default = config.title == default_title(config.repository)
    return replace(
        config,
        repository=address,
        title=default_title(address) if by_default else config.title,
    )


def _patterns(key: str, value: object) -> tuple[str, ...]:
    patterns = texts_of(key, value)
    if any(len(pattern) > _LONGEST_PATTERN or pattern.startswith("!") for pattern in patterns):
        raise wrong_value(
            key, f"a list of globs of at most {_LONGEST_PATTERN} characters, none negated"
        )
    return patterns


def _formats(key: str, value: object) -> tuple[str, ...]:
    formats = texts_of(key, value)
    refuse_unknown(dict.fromkeys(formats), list(FORMATS), "format")
    if {"discovery", "marketplace"} & set(formats) and "zip" not in formats:
        raise wrong_value(key, "with zip where discovery or marketplace is wanted")
    return tuple(sorted(set(formats)))


def _listing(key: str, value: object) -> str:
    if value not in LISTINGS:
        raise wrong_value(key, f"one of {', '.join(LISTINGS)}")
    return str(value)


def _paths(key: str, value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise wrong_value(key, 'a table of "directory" = "skill/path"')
    mapped = {}
    for directory, path in value.items():
        with within(directory):
            if directory.strip("/") in mapped:
                raise wrong_value(f"{key}.{directory}", "given once")
            mapped[directory.strip("/")] = text_of(f"{key}.{directory}", path).strip("/")
    return mapped


def _folder(key: str, value: object) -> str:
    return text_of(key, value).strip("/")


def _rules(key: str, value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise wrong_value(key, "a table of rule = level")
    refuse_unknown(value, list(RULES), "rule")
    for code, level in value.items():
        with within(code):
            if level not in LEVELS:
                raise wrong_value(f"{key}.{code}", f"one of {', '.join(LEVELS)}")
            if RULES[code].severity == "error" and level != "error":
                raise SettingError(f"{key}.{code} is an error and cannot be lowered")
    return dict(value)


def _ignore(key: str, value: object) -> tuple[Ignore, ...]:
    if not isinstance(value, list):
        raise wrong_value(key, "entries that begin with [[ignore]]")
    entries = []
    for index, item in enumerate(value):
        with within(index):
            entries.append(_ignored(f"of [[ignore]] {index + 1}", item))
    return tuple(entries)


def _ignored(where: str, value: object) -> Ignore:
    """One entry; `where` says which."""
    if not isinstance(value, dict):
        raise wrong_value(where.removeprefix("of "), 'a table with rule = "..." and reason = "..."')
    refuse_unknown(value, [item.name for item in fields(Ignore)], f"key {where}")
    with within("rule"):
        rule = text_of(f"rule {where}", value.get("rule"))
        refuse_unknown({rule: None}, list(RULES), f"rule {where}")
        if RULES[rule].severity == "error" and rule != ACCEPTABLE:
            raise SettingError(f"rule {where}: {rule} is an error; it cannot be ignored")
    with within("reason"):
        reason = text_of(f"reason {where}", value.get("reason"))
        if not reason.strip():
            raise wrong_value(f"reason {where}", "a text that says why")
    with within("paths"):
        paths = _patterns(f"paths {where}", value.get("paths", []))
    with within("fingerprint"):
        return Ignore(rule, reason, paths, _fingerprint(where, rule, value.get("fingerprint", "")))


def _fingerprint(where: str, rule: str, value: object) -> str:
    if rule != ACCEPTABLE and value != "":
        raise wrong_value(f"fingerprint {where}", f"left out, or the rule {ACCEPTABLE}")
    if rule == ACCEPTABLE and not (isinstance(value, str) and _FINGERPRINT.fullmatch(value)):
        raise wrong_value(f"fingerprint {where}", "the 16 hex digits that the finding tells")
    return str(value)


def _limits(key: str, value: object) -> Limits:
    if not isinstance(value, dict):
        raise wrong_value(key, "a table of limits")
    refuse_unknown(value, [item.name for item in fields(Limits)], "limit")
    protocol = {"files": Limits().files, "bytes": Limits().bytes}
    limits = {}
    for name, number in value.items():
        with within(name):
            limits[name] = number_of(f"{key}.{name}", number, most=protocol.get(name, 2**40))
    return replace(Limits(), **limits)


def _pages(key: str, value: object) -> Pages:
    if not isinstance(value, dict):
        raise wrong_value(key, "a table")
    refuse_unknown(value, [item.name for item in fields(Pages)], "key of [pages]")
    files = value.get("files", True)
    if not isinstance(files, bool):
        raise SettingError(f"{key}.files must be true or false", "files")
    return Pages(files)


# For each key, what checks its value and gives the field of `Config`; raises `ConfigError`.
_READERS: dict[str, Callable[[str, object], Any]] = {
    "title": text_of,
    "tagline": text_of,
    "lang": language_of,
    "owner": owner_of,
    "repository": repository_of,
    "base_url": url_of,
    "website_url": page_url_of,
    "icons": texts_of,
    "accent": color_of,
    "links": links_of,
    "templates": _folder,
    "roots": _patterns,
    "exclude": _patterns,
    "formats": _formats,
    "listing": _listing,
    "pages": _pages,
    "search": search_of,
    "keep": lambda key, value: number_of(key, value, most=100),
    "paths": _paths,
    "rules": _rules,
    "ignore": _ignore,
    "versions": versions_of,
    "moved": moved_of,
    "deprecated": deprecated_of,
    "yanked": yanked_of,
    "limits": _limits,
}

"""The door to `skillbuild.toml`: defaults, types, and an error with a suggestion for every slip."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any
from urllib.parse import urlsplit

from skillbuild.errors import ConfigError
from skillbuild.rules.registry import RULES

CONFIG_FILE = "skillbuild.toml"

FORMATS = ("discovery", "marketplace", "pages", "tar.gz", "zip")
"""What a build can write beside the index and the blobs."""

LEVELS = ("off", "warning", "error")


@dataclass(frozen=True, slots=True)
class Limits:
    """When a skill is refused (`files`, `bytes`; never above the protocol's own) or remarked on."""

    files: int = 512
    bytes: int = 16 * 1024 * 1024
    file_bytes: int = 1024 * 1024
    body_lines: int = 500
    body_tokens: int = 5000


@dataclass(frozen=True, slots=True)
class Pages:
    """What the HTML catalog consists of; `files` is a page for each file of each skill."""

    files: bool = True


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one build; with the commit and the version they determine every byte."""

    title: str = "Agent Skills"
    tagline: str = ""
    base_url: str | None = None
    website_url: str | None = None
    icons: tuple[str, ...] = ()
    accent: str = ""
    links: Mapping[str, str] = field(default_factory=dict)
    templates: str = ""
    roots: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    formats: tuple[str, ...] = FORMATS
    pages: Pages = field(default_factory=Pages)
    keep: int = 2
    paths: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)

    def as_json(self) -> dict[str, object]:
        """The effective settings, for the config digest: comments and order do not matter."""
        return asdict(self)


def parse(data: bytes) -> Config:
    """Read a configuration file; raises `ConfigError` naming the key and a likely spelling."""
    try:
        table = tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        raise ConfigError(f"{CONFIG_FILE}: byte {error.start + 1} is not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{CONFIG_FILE}: {error}") from error
    _known(table, [item.name for item in fields(Config)], "key")
    given = {key: _READERS[key](key, value) for key, value in table.items()}
    return replace(Config(), **given)


def with_base_url(config: Config, base_url: str | None) -> Config:
    """The configuration with `--base-url` in place of `base_url`."""
    return config if base_url is None else replace(config, base_url=_url("--base-url", base_url))


def _known(given: Mapping[str, object], known: list[str], what: str) -> None:
    for key in given:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1)
            remedy = f"did you mean {close[0]}?" if close else f"known: {', '.join(sorted(known))}"
            raise ConfigError(f"{CONFIG_FILE}: unknown {what} {key!r}; {remedy}")


def _fail(key: str, wanted: str) -> ConfigError:
    where = "" if key.startswith("--") else f"{CONFIG_FILE}: "
    return ConfigError(f"{where}{key} must be {wanted}")


def _text(key: str, value: object) -> str:
    if not isinstance(value, str) or not value.isprintable():
        raise _fail(key, "a text in one line")
    return value


def _url(key: str, value: object) -> str:
    text = _page_url(key, value)
    if "?" in text or "#" in text or "@" in urlsplit(text).netloc:
        raise _fail(key, "an absolute http(s) URL without user, query or fragment")
    return text.rstrip("/") + "/"


def _page_url(key: str, value: object) -> str:
    text = _text(key, value)
    try:
        parts = urlsplit(text)
    except ValueError:
        raise _fail(key, _WEB) from None
    if parts.scheme not in ("https", "http") or not parts.hostname or " " in text:
        raise _fail(key, _WEB)
    return text


_WEB = "an absolute http(s) URL"


def _texts(key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _fail(key, "a list of texts")
    return tuple(_text(key, item) for item in value)


_LONGEST_PATTERN = 256


def _patterns(key: str, value: object) -> tuple[str, ...]:
    patterns = _texts(key, value)
    if any(len(pattern) > _LONGEST_PATTERN or pattern.startswith("!") for pattern in patterns):
        raise _fail(key, f"a list of globs of at most {_LONGEST_PATTERN} characters, none negated")
    return patterns


def _formats(key: str, value: object) -> tuple[str, ...]:
    formats = _texts(key, value)
    _known(dict.fromkeys(formats), list(FORMATS), "format")
    if {"discovery", "marketplace"} & set(formats) and "zip" not in formats:
        raise _fail(key, "with zip where discovery or marketplace is wanted")
    return tuple(sorted(set(formats)))


def _number(key: str, value: object, least: int = 1, most: int = 2**40) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise _fail(key, f"a whole number from {least} to {most}")
    return value


def _paths(key: str, value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise _fail(key, 'a table of "directory" = "skill/path"')
    mapped = {}
    for directory, path in value.items():
        if directory.strip("/") in mapped:
            raise _fail(f"{key}.{directory}", "given once")
        mapped[directory.strip("/")] = _text(f"{key}.{directory}", path).strip("/")
    return mapped


_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_MOST_LINKS = 8


def _colour(key: str, value: object) -> str:
    text = _text(key, value)
    if not _COLOUR.fullmatch(text):
        raise _fail(key, "a colour as # and six hex digits")
    return text.lower()


def _links(key: str, value: object) -> dict[str, str]:
    if not isinstance(value, dict) or len(value) > _MOST_LINKS:
        raise _fail(key, f'a table of at most {_MOST_LINKS} "label" = "https://..."')
    return {_text(key, name): _page_url(f"{key}.{name}", url) for name, url in value.items()}


def _folder(key: str, value: object) -> str:
    return _text(key, value).strip("/")


def _rules(key: str, value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise _fail(key, "a table of rule = level")
    _known(value, list(RULES), "rule")
    for code, level in value.items():
        if level not in LEVELS:
            raise _fail(f"{key}.{code}", f"one of {', '.join(LEVELS)}")
        if RULES[code].severity == "error" and level != "error":
            raise ConfigError(f"{CONFIG_FILE}: {key}.{code} is an error and cannot be lowered")
    return dict(value)


def _limits(key: str, value: object) -> Limits:
    if not isinstance(value, dict):
        raise _fail(key, "a table of limits")
    _known(value, [item.name for item in fields(Limits)], "limit")
    protocol = {"files": Limits().files, "bytes": Limits().bytes}
    read = {
        name: _number(f"{key}.{name}", number, most=protocol.get(name, 2**40))
        for name, number in value.items()
    }
    return replace(Limits(), **read)


def _pages(key: str, value: object) -> Pages:
    if not isinstance(value, dict):
        raise _fail(key, "a table")
    _known(value, [item.name for item in fields(Pages)], "key of [pages]")
    files = value.get("files", True)
    if not isinstance(files, bool):
        raise _fail(f"{key}.files", "true or false")
    return Pages(files)


_READERS: dict[str, Callable[[str, object], Any]] = {
    "title": _text,
    "tagline": _text,
    "base_url": _url,
    "website_url": _page_url,
    "icons": _texts,
    "accent": _colour,
    "links": _links,
    "templates": _folder,
    "roots": _patterns,
    "exclude": _patterns,
    "formats": _formats,
    "pages": _pages,
    "keep": lambda key, value: _number(key, value, most=100),
    "paths": _paths,
    "rules": _rules,
    "limits": _limits,
}

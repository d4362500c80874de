"""Readers of single values of `skillbuild.toml`: texts, addresses, numbers.

Each takes the key, or the option of the command line, that its error names.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from urllib.parse import urlsplit

from skillbuild.setting_errors import SettingError

_WEB = "an absolute http(s) URL"


def refuse_unknown(given: Mapping[str, object], allowed: list[str], noun: str) -> None:
    """Raise for a key that is not allowed; `noun` says what kind of key it is."""
    for key in given:
        if key not in allowed:
            close = difflib.get_close_matches(key, allowed, n=1)
            known = ", ".join(sorted(allowed))
            remedy = f"did you mean {close[0]}?" if close else f"known: {known}"
            raise SettingError(f"unknown {noun} {key!r}; {remedy}", key)


def wrong_value(key: str, wanted: str) -> SettingError:
    """The error for a value that is not what is wanted; `key` may be a command line option."""
    return SettingError(f"{key} must be {wanted}")


def text_of(key: str, value: object) -> str:
    if not isinstance(value, str) or not value.isprintable():
        raise wrong_value(key, "a text in one line")
    return value


def url_of(key: str, value: object) -> str:
    """An address that others are appended to; it ends in `/`."""
    text = page_url_of(key, value)
    if "?" in text or "#" in text or "@" in urlsplit(text).netloc:
        raise wrong_value(key, "an absolute http(s) URL without user, query or fragment")
    return text.rstrip("/") + "/"


def page_url_of(key: str, value: object) -> str:
    """An address that people open."""
    text = text_of(key, value)
    try:
        parts = urlsplit(text)
    except ValueError:
        raise wrong_value(key, _WEB) from None
    if parts.scheme not in ("https", "http") or not parts.hostname or " " in text:
        raise wrong_value(key, _WEB)
    return text


def texts_of(key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise wrong_value(key, "a list of texts")
    return tuple(text_of(key, item) for item in value)


def number_of(key: str, value: object, least: int = 1, most: int = 2**40) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise wrong_value(key, f"a whole number from {least} to {most}")
    return value

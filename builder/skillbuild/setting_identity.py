"""The settings about whose catalog it is: title, owner, repository, language, links and color."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from urllib.parse import unquote, urlsplit

from skillbuild.setting_errors import within
from skillbuild.setting_values import page_url_of, refuse_unknown, text_of, url_of, wrong_value

UNTITLED = "Agent Skills"
"""The title of a catalog that has no other and names no repository."""
_MOST_LINKS = 8
_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_LONGEST_LANGUAGE = 35


@dataclass(frozen=True, slots=True)
class Owner:
    """Who publishes the catalog."""

    name: str = ""
    url: str = ""


def owner_of(key: str, value: object) -> Owner:
    """The table `[owner]`."""
    if not isinstance(value, dict):
        raise wrong_value(key, 'a table with name = "..." and url = "https://..."')
    refuse_unknown(value, [item.name for item in fields(Owner)], f"key of [{key}]")
    with within("name"):
        name = text_of(f"{key}.name", value.get("name"))
        if not name.strip():
            raise wrong_value(f"{key}.name", "a text that says who")
    with within("url"):
        return Owner(name, page_url_of(f"{key}.url", value["url"]) if "url" in value else "")


def repository_of(key: str, value: object) -> str:
    """The page of the repository, without a final `/` or `.git`."""
    return url_of(key, value).rstrip("/").removesuffix(".git")


def default_title(repository: str) -> str:
    """The last segment of the repository's address; a name for any catalog without one."""
    segment = unquote(urlsplit(repository).path).rstrip("/").rpartition("/")[2]
    return segment if segment and segment.isprintable() else UNTITLED


def language_of(key: str, value: object) -> str:
    text = text_of(key, value)
    if not is_language(text):
        raise wrong_value(key, "a language tag, such as en or zh-Hans")
    return text


def is_language(text: str) -> bool:
    """Whether a text has the form of a language tag (BCP 47)."""
    return len(text) <= _LONGEST_LANGUAGE and _LANGUAGE.fullmatch(text) is not None


def links_of(key: str, value: object) -> dict[str, str]:
    """The table `[links]`: addresses by label."""
    if not isinstance(value, dict) or len(value) > _MOST_LINKS:
        raise wrong_value(key, f'a table of at most {_MOST_LINKS} "label" = "https://..."')
    links = {}
    for name, url in value.items():
        with within(name):
            links[text_of(key, name)] = page_url_of(f"{key}.{name}", url)
    return links


def color_of(key: str, value: object) -> str:
    text = text_of(key, value)
    if not _COLOR.fullmatch(text):
        raise wrong_value(key, "a color as # and six hex digits")
    return text.lower()

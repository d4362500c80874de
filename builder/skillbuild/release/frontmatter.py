"""Reads fields of a skill's frontmatter, such as `allowed-tools` and `metadata.tags`.

A field of an unexpected type is treated as missing and raises no error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from skillbuild.model import is_language

SPECIFIED_FIELDS = frozenset(
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools"]
)
"""The fields that the specification defines. Other fields are published unchanged."""

NOT_DECLARED = "not declared"
"""The words that lists show for a skill without tags."""
NONE_FOUND = "none found"
"""The words that lists show for a skill without a license."""
UNSAID = frozenset([NOT_DECLARED, NONE_FOUND])
"""Values that come last in a facet."""
LONGEST_DESCRIPTION = 1024
"""Maximum length of a description in UTF-16 code units."""

_TOOL = re.compile(r"[^\s,()]+(?:\([^)]*\))?")
_TAG_SEPARATOR = re.compile(r"[,;\n]")
_LONGEST_TAG = 40
_MOST_TAGS = 20
_LONGEST_AUTHOR = 80


def is_internal(frontmatter: Mapping[str, object]) -> bool:
    """Whether the skill is internal: published, but never listed. This is the case if
    `metadata.internal` is true, as a boolean or a string.
    """
    internal = _metadata(frontmatter).get("internal")
    return internal is True or internal == "true"


def tags_of(frontmatter: Mapping[str, object]) -> tuple[str, ...]:
    """Return the tags in lower case, without duplicates: at most 20, each of at most 40 characters.

    Tags are read from `tags` and then from `metadata.tags`. Each of these is a list, or a string
    separated by commas, semicolons or line breaks.
    """
    tags: list[str] = []
    for value in (frontmatter.get("tags"), _metadata(frontmatter).get("tags")):
        if isinstance(value, str):
            tags += _TAG_SEPARATOR.split(value.strip("[] "))
        elif isinstance(value, Sequence):
            tags += [tag for tag in value if isinstance(tag, str)]
    plain = (" ".join(tag.split()).strip("\"'").lower() for tag in tags)
    unique = dict.fromkeys(tag for tag in plain if tag and len(tag) <= _LONGEST_TAG)
    return tuple(unique)[:_MOST_TAGS]


def tools_of(frontmatter: Mapping[str, object]) -> tuple[str, ...] | None:
    """Return the tools of `allowed-tools` in order, or None if the field is missing.

    A string is split at spaces and commas outside parentheses: `Bash(git add *) Read` has two
    tools.
    """
    declared = frontmatter.get("allowed-tools")
    if isinstance(declared, str):
        return tuple(_TOOL.findall(declared))
    return tuple(map(str, declared)) if isinstance(declared, list) else None


def declared_version(frontmatter: Mapping[str, object]) -> str:
    """Return the `version` field, or else `metadata.version`; empty if there is neither."""
    declared = frontmatter.get("version", _metadata(frontmatter).get("version"))
    return str(declared) if isinstance(declared, str | int | float) else ""


def author_of(frontmatter: Mapping[str, object]) -> str:
    """Return the author from `metadata.author` or `author`; empty if neither is given."""
    return " ".join(_first_text(frontmatter, "author").split())[:_LONGEST_AUTHOR]


def language_of(frontmatter: Mapping[str, object]) -> str:
    """Return the language from `metadata.lang` or `lang`; empty if neither is a valid language
    tag.
    """
    text = _first_text(frontmatter, "lang").replace("_", "-")
    return text if is_language(text) else ""


def _first_text(frontmatter: Mapping[str, object], key: str) -> str:
    values = (_metadata(frontmatter).get(key), frontmatter.get(key))
    return next((value for value in values if isinstance(value, str) and value.strip()), "")


def _metadata(frontmatter: Mapping[str, object]) -> Mapping[str, object]:
    metadata = frontmatter.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}

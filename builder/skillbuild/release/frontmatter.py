"""What the fields of a frontmatter mean (Agent Skills specification, Frontmatter).

Authors may leave out a field or give it another type: then it says nothing, and no error is raised.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from skillbuild.model import is_language

SPECIFIED_FIELDS = frozenset(
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools"]
)
"""The fields that the specification defines; every other one is published as it is."""

NOT_DECLARED = "not declared"
"""What lists say of a skill that has no tag."""
NONE_FOUND = "none found"
"""What lists say of a skill that has no license."""
UNSAID = frozenset([NOT_DECLARED, NONE_FOUND])
"""Values that stand last among those of a facet."""
LONGEST_DESCRIPTION = 1024
"""UTF-16 units."""

_TOOL = re.compile(r"[^\s,()]+(?:\([^)]*\))?")
_TAG_SEPARATOR = re.compile(r"[,;\n]")
_LONGEST_TAG = 40
_MOST_TAGS = 20
_LONGEST_AUTHOR = 80


def is_internal(frontmatter: Mapping[str, object]) -> bool:
    """True for `metadata.internal: true`, as a boolean or as text: published, but never listed."""
    internal = _metadata(frontmatter).get("internal")
    return internal is True or internal == "true"


def tags_of(frontmatter: Mapping[str, object]) -> tuple[str, ...]:
    """The tags of a skill in lower case, each once, at most 20 of at most 40 characters.

    They stand in `tags` and then in `metadata.tags`: a list, or a text with commas, semicolons or
    line breaks between them.
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
    """The tools of `allowed-tools` in order, or None if none are declared.

    A text is split at blanks and commas outside brackets: `Bash(git add *) Read` has two tools.
    """
    declared = frontmatter.get("allowed-tools")
    if isinstance(declared, str):
        return tuple(_TOOL.findall(declared))
    return tuple(map(str, declared)) if isinstance(declared, list) else None


def declared_version(frontmatter: Mapping[str, object]) -> str:
    """The field `version`, or else `metadata.version`; empty if there is none."""
    declared = frontmatter.get("version", _metadata(frontmatter).get("version"))
    return str(declared) if isinstance(declared, str | int | float) else ""


def author_of(frontmatter: Mapping[str, object]) -> str:
    """Who wrote the skill, by `metadata.author` or `author`; empty if nobody is named."""
    return " ".join(_first_text(frontmatter, "author").split())[:_LONGEST_AUTHOR]


def language_of(frontmatter: Mapping[str, object]) -> str:
    """The language of the skill by `metadata.lang` or `lang`; empty if it does not say one."""
    text = _first_text(frontmatter, "lang").replace("_", "-")
    return text if is_language(text) else ""


def _first_text(frontmatter: Mapping[str, object], key: str) -> str:
    values = (_metadata(frontmatter).get(key), frontmatter.get(key))
    return next((value for value in values if isinstance(value, str) and value.strip()), "")


def _metadata(frontmatter: Mapping[str, object]) -> Mapping[str, object]:
    metadata = frontmatter.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}

"""The settings about the search: what they are, and their readers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from skillbuild.setting_errors import within
from skillbuild.setting_values import refuse_unknown, text_of, texts_of, wrong_value

_MOST_SYNONYMS = 500
_LONGEST_PHRASE = 64
"""Characters of a synonym."""


@dataclass(frozen=True, slots=True)
class Search:
    """What the search of a catalog knows beside its skills."""

    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Phrases, and those that mean the same."""


def search_of(key: str, value: object) -> Search:
    """The table `[search]`."""
    if not isinstance(value, dict):
        raise wrong_value(key, "a table")
    refuse_unknown(value, [item.name for item in fields(Search)], "key of [search]")
    with within("synonyms"):
        return Search(_synonyms(f"{key}.synonyms", value.get("synonyms", {})))


def _synonyms(key: str, value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict) or len(value) > _MOST_SYNONYMS:
        raise wrong_value(key, f'a table of at most {_MOST_SYNONYMS} "phrase" = "phrase"')
    synonyms = {}
    for typed, others in value.items():
        with within(typed):
            synonyms[typed] = _phrases(f"{key}.{typed}", typed, others)
    return synonyms


def _phrases(key: str, typed: str, others: object) -> tuple[str, ...]:
    """The phrases that mean the same as one that is typed."""
    texts = (text_of(key, others),) if isinstance(others, str) else texts_of(key, others)
    for text in (typed, *texts):
        if not text.strip() or len(text) > _LONGEST_PHRASE:
            raise wrong_value(key, f"made of phrases of at most {_LONGEST_PHRASE} characters")
    return texts

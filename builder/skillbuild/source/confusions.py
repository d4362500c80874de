"""Which skills an agent cannot tell apart, as it chooses by names and descriptions alone."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from skillbuild.diagnostics import Finding, finding
from skillbuild.model import Place
from skillbuild.rules import fields

_WORD = re.compile(r"[^\W_]+")
_LIMIT = re.compile(r"\b(not|never|instead|rather)\b|n['\u2019]t\b|[\u4e0d\u975e]")
"""Who says what a skill is not for has pairs it from others, which words alone do not show."""
_FEWEST = 3
"""Words of a description; one with fewer is a placeholder."""
_MOST_ALIKE = 200
"""What more skills have in common leads to none of them: so many are made from one template."""
_BITS = 256
"""Of a mask, which rules out most texts without having their words in memory."""


class Described(NamedTuple):
    """What an agent reads of a skill before it chooses, and where the description stands."""

    name: str
    description: str
    place: Place | None


def confusions(skills: Mapping[str, Described]) -> Iterator[Finding]:
    """A note for each skill that another one covers; `skills` are by the path of their SKILL.md.

    It is covered if the other one has all words of its name and of its description, or the same
    description. Of two that cover each other, the first has the note; those of one name have other
    findings.
    """
    texts = {path: " ".join(each.description.split()).lower() for path, each in skills.items()}
    pairs: set[tuple[str, str]] = set()
    masks: dict[str, int] = {}
    for path, others in _candidates(skills, texts):
        words = _words(texts[path])
        if _LIMIT.search(texts[path]) or len(words) < _FEWEST:
            continue
        own = _mask(words)
        for other in others:
            if other not in masks:
                masks[other] = _mask(_words(texts[other]))
            if own & ~masks[other] or (other, path) in pairs or not words <= _words(texts[other]):
                continue
            pairs.add((path, other))
            is_same = texts[path] == texts[other]
            yield _finding(path, skills[path].place, other, is_same=is_same)
            break


def _candidates(
    skills: Mapping[str, Described], texts: Mapping[str, str]
) -> Iterator[tuple[str, Sequence[str]]]:
    """The skills that may cover one by their names, or have its text, for each that has any.

    It reads no description: in most sources that is all there is to do.
    """
    names = {path: frozenset(_WORD.findall(each.name.lower())) for path, each in skills.items()}
    every = [(_mask(names[path]), each.name, path) for path, each in skills.items()]
    having: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for each in every:
        for key in (texts[each[2]], *names[each[2]]):
            having[key].append(each)
    for own, name, path in every:
        words = names[path]
        wider = min((having[word] for word in words), key=len, default=[])[:_MOST_ALIKE]
        others = dict.fromkeys(
            other
            for mask, called, other in wider
            if not own & ~mask and called != name and words <= names[other]
        )
        same = having[texts[path]][:_MOST_ALIKE]
        others.update((other, None) for _, called, other in same if called != name)
        if others:
            yield path, [*others]


def _words(text: str) -> frozenset[str]:
    """The words of a description that tell anything, by their stems."""
    from skillbuild.text import terms  # Takes longer to load than all else here takes.

    return frozenset(
        terms.stem(word) for word in _WORD.findall(text) if word not in terms.STOP_WORDS
    )


def _mask(words: frozenset[str]) -> int:
    """A number with a bit set for each word, by its hash.

    Words whose mask lacks one of these bits cannot have all of these words.
    """
    mask = 0
    for word in words:
        mask |= 1 << hash(word) % _BITS
    return mask


def _finding(path: str, place: Place | None, other: str, *, is_same: bool) -> Finding:
    more = "says in its name and description all that this one says"
    message = f"{other} {'has the same description' if is_same else more}"
    hint = "say what this skill is for and the other one is not"
    return finding(fields.DESCRIPTION_COVERED, path, place, message, hint)

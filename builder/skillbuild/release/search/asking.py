"""Asks an index: the skills for a query, the best first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from skillbuild.release.search.matching import levels
from skillbuild.release.search.ranking import Ranking
from skillbuild.release.search.reading import Index
from skillbuild.text.terms import Query, parse


@dataclass(frozen=True, slots=True)
class Answer:
    """What an index says to a query."""

    query: Query
    ranking: Ranking


def ask(index: Index, text: str, proceed: Callable[[], None] = lambda: None) -> Answer | None:
    """The skills that have words of a query; None if it has no words.

    `proceed` is called before each word is looked for, and may raise.
    """
    query = parse(text, index.manifest.synonyms)
    if not query.terms and not query.ignored:
        return None
    every = []
    for term in query.terms:
        proceed()
        every.append(levels(index, term))
    return Answer(query, Ranking.of(every, index.manifest.count))

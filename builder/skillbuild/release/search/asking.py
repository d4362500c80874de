"""Asks an index: the skills for a query, the best first."""

from __future__ import annotations

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


def ask(index: Index, text: str) -> Answer | None:
    """The skills that have words of a query; None if it has no words."""
    query = parse(text, index.manifest.synonyms)
    if not query.terms and not query.ignored:
        return None
    every = [levels(index, term) for term in query.terms]
    return Answer(query, Ranking.of(every, index.manifest.count))

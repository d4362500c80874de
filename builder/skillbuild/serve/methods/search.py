"""Searching skills, for the tool `search_skills` and for `GET /api/search`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skillbuild.release.search.ranking import Answer
from skillbuild.serve.state.entries import JsonObject, ServedEntry
from skillbuild.serve.state.release import ServedRelease
from skillbuild.text.terms import stem_start

LONGEST_QUERY = 8000
"""Characters; those that follow are not looked at."""
MOST_RESULTS = 50
"""Of one answer."""
_MOST_PLACES = 1000
"""Of the ranking that can be paged through: it is made anew for every page."""
_SNIPPET = 240
"""Characters."""
_BEFORE = 60
"""Characters of a snippet before the first match."""


@dataclass(frozen=True, slots=True)
class SkillQuery:
    """What is asked for: words, and perhaps the group or the tag that skills must have."""

    text: str
    group: str = ""
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Results:
    """Skills by rank; each with its line, and its tokens as an estimate."""

    skills: Sequence[tuple[ServedEntry, str, int]]
    total: int
    """Of skills, as far as they can be paged through."""
    remarks: Mapping[str, object]
    """What was added to the query and what was left out of it, if anything."""


def search(release: ServedRelease, query: SkillQuery, start: int, count: int) -> Results:
    """Runs in a thread: a query takes milliseconds, and the first ones read files."""
    text = query.text[:LONGEST_QUERY]
    most = max(0, min(count, _MOST_PLACES - start))
    hits = release.search.find(text, start, most, query.group, query.tag)
    entries = ((release.hit_of(hit.path), hit.tokens) for hit in hits.part)
    skills = [
        (entry, snippet(entry.description, hits.answer), tokens)
        for entry, tokens in entries
        if entry is not None
    ]
    is_cut = len(query.text) > LONGEST_QUERY
    return Results(skills, min(hits.total, _MOST_PLACES), _remarks(hits.answer, is_cut=is_cut))


def _remarks(answer: Answer | None, *, is_cut: bool) -> JsonObject:
    remarks: JsonObject = {}
    if answer is not None and answer.query.synonyms:
        remarks["also"] = [f"{typed}: {meant}" for typed, meant in answer.query.synonyms]
    if answer is not None and answer.query.ignored:
        words = "word" if answer.query.ignored == 1 else "words"
        remarks["ignored"] = f"{answer.query.ignored} more {words}"
    if is_cut:
        remarks["ignored"] = f"all after {LONGEST_QUERY:,} characters"
    return remarks


def snippet(description: str, answer: Answer | None = None) -> str:
    """The description on one line; of a long one the part around the first word that matches."""
    line = " ".join(description.split())
    if len(line) <= _SNIPPET:
        return line
    place = _first_match(line, answer) if answer is not None else 0
    start = 0 if place < _SNIPPET - _BEFORE else line.find(" ", place - _BEFORE) + 1
    part = line[start : start + _SNIPPET]
    is_end = start + _SNIPPET >= len(line)
    return ("…" if start else "") + (part if is_end else f"{part.rpartition(' ')[0] or part}…")


def _first_match(line: str, answer: Answer) -> int:
    """Where the first word of the query begins, in the whole or by its stem; 0 for none."""
    starts = (re.escape(stem_start(term.word)) for term in answer.query.terms)
    match = re.search("|".join(starts), line, re.IGNORECASE)
    return match.start() if match else 0

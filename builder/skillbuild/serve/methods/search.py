"""Searches skills for the `search_skills` tool, completion, and `GET /api/search`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skillbuild.release.search.numbers import Field
from skillbuild.release.search.quoting import first_match, quote
from skillbuild.release.search.ranking import Answer
from skillbuild.serve.state.entries import JsonObject, ServedEntry
from skillbuild.serve.state.release import ServedRelease
from skillbuild.storage.files import DamagedError, UnavailableError

LONGEST_QUERY = 8000
"""Characters of a query that are used; the rest is ignored."""
MOST_RESULTS = 50
"""Number of results in one answer."""
_MOST_PLACES = 1000
"""Number of results that can be paged through; each page computes the ranking again."""
_SNIPPET = 240
"""Length of a snippet in characters."""
_BEFORE = 60
"""Characters of a snippet before the first match."""
_IN_TEXT = frozenset([Field.HEADINGS, Field.BODY])


@dataclass(frozen=True, slots=True)
class SkillQuery:
    """The words of a query, and the group or tag that skills must have, if any."""

    text: str
    group: str = ""
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """A skill that a search found."""

    entry: ServedEntry
    line: str
    """Its description, cut to one line."""
    tokens: int
    """Estimated number of tokens of its SKILL.md."""
    fields: Sequence[str]
    """The fields that contain words from the query, in the order of the words."""
    quote: str
    """A line of its SKILL.md if no other field contains words of the query; else empty."""


@dataclass(frozen=True, slots=True)
class Results:
    """One page of the skills that a query finds, the best first."""

    skills: Sequence[Result]
    total: int
    """The number of skills that can be paged through."""
    remarks: Mapping[str, object]
    """Synonyms that were added to the query, and words that were ignored."""


def search(
    release: ServedRelease, query: SkillQuery, start: int, count: int, *, quoted: int = 0
) -> Results:
    """Return at most `count` skills that a query finds, starting at rank `start`.

    Only the first `quoted` results of the query can have a `Result.quote`, because each quote
    requires reading a SKILL.md. The function blocks, so call it in a thread.
    """
    text = query.text[:LONGEST_QUERY]
    most = max(0, min(count, _MOST_PLACES - start))
    hits = release.search.find(text, start, most, query.group, query.tag)
    skills = []
    for place, hit in enumerate(hits.part, start):
        entry = release.entry_of(hit.path)
        if entry is not None:
            fields = [*dict.fromkeys(filter(None, hit.fields))]
            is_quoted = place < quoted and _IN_TEXT.issuperset(fields)
            text = _quote(release, entry, hits.answer) if is_quoted else ""
            line = snippet(entry.description, hits.answer)
            skills.append(Result(entry, line, hit.tokens, fields, text))
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


def _quote(release: ServedRelease, entry: ServedEntry, answer: Answer | None) -> str:
    """Return a line of SKILL.md that contains words of the query; empty if there is none."""
    if answer is None:
        return ""
    content = entry.skill_md.content
    try:
        text = release.read(content.path, content.digest, content.size)
    except (DamagedError, UnavailableError):
        return ""  # A search is complete without it, and reading the skill reports the fault.
    return snippet(quote(text.decode(), answer.found), answer)


def snippet(text: str, answer: Answer | None = None) -> str:
    """Return a text as one line. A long text is shortened to an excerpt around the first word that
    matches the query. Without a match, the excerpt is the start of the text.
    """
    line = " ".join(text.split())
    if len(line) <= _SNIPPET:
        return line
    place = (first_match(line, answer.found) if answer is not None else None) or 0
    start = 0 if place < _SNIPPET - _BEFORE else line.find(" ", place - _BEFORE) + 1
    part = line[start : start + _SNIPPET]
    is_end = start + _SNIPPET >= len(line)
    return ("…" if start else "") + (part if is_end else f"{part.rpartition(' ')[0] or part}…")

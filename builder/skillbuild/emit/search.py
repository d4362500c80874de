"""`search/`: the index that browsers and the server search, in every release.

The line of a skill has its row, its values of facets, and its words; `release/search/` makes files
of them, and says how they are ranked.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skillbuild.emit.emitter import EmittedSkill, Emitter, SkillOutput, Unchanged
from skillbuild.emit.site.cards import Card
from skillbuild.emit.site.facets import values_of
from skillbuild.emit.site.licences import NOT_DECLARED
from skillbuild.emit.site.signals import LOUD
from skillbuild.model import Catalog, Change, Listing, OutputFile
from skillbuild.release.layout import DATES_FILE, SEARCH_FILE
from skillbuild.release.search import files, writing
from skillbuild.release.search.numbers import MOST_BODY_WORDS, MOST_FILE_WORDS, Field, synonyms
from skillbuild.release.search.writing import SkillWords
from skillbuild.text import terms
from skillbuild.text.invisible import code_points, invisible
from skillbuild.text.json import json_line, valid_text

_FACETS = ("tags", "groups", "licences", "contents")
_FENCED = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+)", re.MULTILINE)
_SEPARATOR = b"\t"
"""Between the parts of a line: JSON escapes it, and no word has one."""
_DAY = 24 * 60 * 60


@dataclass(frozen=True)
class SearchEmitter(Emitter):
    """The index of all skills that are listed on the site."""

    path = SEARCH_FILE
    listing = Listing.SITE

    synonyms: tuple[tuple[str, ...], ...] = ()
    """Groups of phrases that mean the same in this catalog, beside our own."""

    def emit_skill(self, emitted: EmittedSkill) -> SkillOutput:
        if emitted.entry.is_internal:
            return SkillOutput()
        card = emitted.card
        facets = [values_of(card, key) for key in _FACETS]
        parts = (json_line(_row(card)), json_line(facets), _encode(_words(emitted)))
        return SkillOutput(line=_SEPARATOR.join(parts))

    def emit_catalog(
        self, catalog: Catalog, lines: Sequence[bytes], unchanged: Unchanged
    ) -> Iterator[OutputFile]:
        rows = [json.loads(line[: line.index(_SEPARATOR)]) for line in lines]
        words = [_decode(line) for line in lines]
        groups = [*synonyms(), *map(list, self.synonyms)]
        yield from writing.write(words, rows, _facets(lines), groups)
        if catalog.changes:
            days = [_day(catalog.changes.get(row[0])) for row in rows]
            yield OutputFile(DATES_FILE, files.encode(days))


def _row(card: Card) -> list[object]:
    """What the list shows of a skill; the scripts know the columns by their places."""
    return [
        card.path,
        _shown(card.title) if card.title != card.name else "",
        _shown(card.brief),
        card.licence,
        card.files,
        card.tokens,
        [f"!{signal}" if signal in LOUD else signal for signal in card.signals],
        card.picture.code,
    ]


def _shown(text: str) -> str:
    """The text with hidden characters spelled out: scripts show it as it is."""
    parts, end = [], 0
    for match in invisible(text):
        parts += [text[end : match.start()], f"[{code_points(match[0])}]"]
        end = match.end()
    return "".join([*parts, text[end:]])


def _words(emitted: EmittedSkill) -> SkillWords:
    """The words by which a skill is searched."""
    entry, card, body = emitted.entry, emitted.card, emitted.skill.body
    names = (item.path.rpartition("/")[2] for item in entry.resources if item.path != "SKILL.md")
    headings = _HEADING.findall(_FENCED.sub("", body))
    return SkillWords.of(
        {
            Field.NAME: terms.words(card.name),
            Field.PATH: terms.words(card.group),
            Field.TITLE: terms.words(card.title),
            Field.TAGS: terms.words(" ".join(card.tags)),
            Field.DESCRIPTION: terms.words(entry.text("description")),
            Field.HEADINGS: terms.words(" ".join(headings)),
            Field.FILES: terms.words(valid_text(" ".join(names)), MOST_FILE_WORDS),
            Field.LICENCE: terms.words(card.licence),
            Field.BODY: terms.first_words(body, MOST_BODY_WORDS),
        }
    )


def _encode(skill: SkillWords) -> bytes:
    """The words of a skill, kind by kind and weight by weight, as the rest of its line."""
    lists = (" ".join(words) for by_weight in skill.words for words in by_weight)
    return "\t".join(lists).encode()


def _decode(line: bytes) -> SkillWords:
    lists = iter(line.decode().split("\t")[2:])
    return SkillWords(
        tuple(tuple(next(lists).split() for _ in weights) for weights in writing.WEIGHTS)
    )


def _facets(lines: Sequence[bytes]) -> dict[str, dict[str, list[int]]]:
    """The skills that have each value of each facet, in the order in which lists show the values.

    That is most used values first, and `not declared` last.
    """
    every: dict[str, dict[str, list[int]]] = {key: defaultdict(list) for key in _FACETS}
    for number, line in enumerate(lines):
        values_by_facet = json.loads(line.split(_SEPARATOR, 2)[1])
        for key, values in zip(_FACETS, values_by_facet, strict=True):
            for value in values:
                every[key][value].append(number)
    return {key: _by_use(values) for key, values in every.items()}


def _by_use(values: dict[str, list[int]]) -> dict[str, list[int]]:
    def place(value: str) -> tuple[bool, int, str]:
        return value == NOT_DECLARED, -len(values[value]), value

    return {value: values[value] for value in sorted(values, key=place)}


def _day(change: Change | None) -> int:
    """The day of a change since 1970 in UTC; 0 where none is known."""
    return change.seconds // _DAY if change else 0

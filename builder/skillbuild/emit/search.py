"""`search/`: the search index for browsers and the server. Every release contains it.

The line of a skill contains its row in the index, its facet values and its words. `release/search/`
writes the index files from these lines, and documents the ranking.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from skillbuild.config import Config
from skillbuild.emit.emitter import EmittedSkill, Emitter, SkillOutput
from skillbuild.emit.site.cards import LOUD
from skillbuild.emit.site.lists import values_of
from skillbuild.model import Catalog, Listing, OutputFile
from skillbuild.paths import SKILL_FILE
from skillbuild.release.layout import DATES_FILE, SEARCH_FILE
from skillbuild.release.search import encoding, writing
from skillbuild.release.search.numbers import (
    MOST_FILE_WORDS,
    Field,
    synonyms,
)
from skillbuild.text import terms
from skillbuild.text.invisible import visible_text
from skillbuild.text.json import valid_text

_SENTENCE_END = re.compile(r"[.!?](?=\s)|[\n\u3002\uff01\uff1f\uff1b]")
_LONGEST_OPENING = 160
_DAY = 24 * 60 * 60


@dataclass(frozen=True)
class SearchEmitter(Emitter):
    """Writes the search index of all skills that the site lists."""

    path = SEARCH_FILE
    listing = Listing.SITE

    synonyms: tuple[tuple[str, ...], ...] = ()
    """Groups of phrases with the same meaning, from the settings; built-in groups are added to
    them."""

    @classmethod
    def of(cls, config: Config) -> SearchEmitter:
        return cls(config.search.groups)

    @property
    def renderers(self) -> Mapping[str, str]:
        return {"snowballstemmer": terms.stemmer_release()}

    def emit_skill(self, emitted: EmittedSkill) -> SkillOutput:
        if emitted.entry.is_internal:
            return SkillOutput()
        card = emitted.card
        facets = [values_of(card, key) for key in writing.FACETS]
        return SkillOutput(line=writing.line_of(_row(emitted), facets, _words(emitted)))

    def emit_catalog(self, catalog: Catalog, lines: Sequence[bytes]) -> Iterator[OutputFile]:
        # A group that contains every skill does not help a search.
        groups = catalog.groups if len(catalog.groups) > 1 else ()
        words = {group.name: terms.words(f"{group.name} {group.title}") for group in groups}
        yield from writing.write(lines, [*synonyms(), *self.synonyms], words)
        if catalog.changes:
            yield _dates(catalog, lines)


def _dates(catalog: Catalog, skills: Sequence[bytes]) -> OutputFile:
    """Return the file with the day of each skill's last change, counted from 1970 in UTC; 0 if
    unknown.
    """
    changes = (catalog.changes.get(writing.path_of(line)) for line in skills)
    days = [change.seconds // _DAY if change else 0 for change in changes]
    return OutputFile(DATES_FILE, encoding.encode(days))


def _row(emitted: EmittedSkill) -> list[object]:
    """Return the columns of a search result, which scripts read by position.

    Scripts show these strings unchanged, so hidden characters are replaced by their code points
    here. The last column is the digest of SKILL.md, because scripts quote from this file.
    """
    card, entry = emitted.card, emitted.entry
    text = next(item for item in entry.resources if item.path == SKILL_FILE)
    return [
        card.path,
        visible_text(card.title) if card.title != card.name else "",
        visible_text(card.brief),
        card.license,
        card.files,
        card.tokens,
        [f"!{signal}" if signal in LOUD else signal for signal in card.signals],
        card.picture.code,
        card.group,
        text.digest.hex,
    ]


def _words(emitted: EmittedSkill) -> Mapping[Field, Sequence[str]]:
    """Return the words that find the skill, by field."""
    entry, card = emitted.entry, emitted.card
    names = (item.path.rpartition("/")[2] for item in entry.resources if item.path != SKILL_FILE)
    text = next(file.data for file in emitted.skill.files if file.path == SKILL_FILE)
    document = emitted.documents.of(SKILL_FILE)
    headings = (heading.text for heading in document.headings) if document else ()
    description = entry.text("description")
    return {
        Field.NAME: terms.words(card.name),
        Field.PATH: terms.words(card.folder),
        Field.TITLE: terms.words(card.title),
        Field.TAGS: terms.words(" ".join(card.tags)),
        Field.OPENING: terms.words(_opening(description)),
        Field.DESCRIPTION: terms.words(description),
        Field.HEADINGS: terms.words(" ".join(headings)),
        Field.FILES: terms.words(valid_text(" ".join(names)), MOST_FILE_WORDS),
        Field.LICENSE: terms.words(card.license),
        Field.BODY: terms.text_words(text.decode()),
    }


def _opening(description: str) -> str:
    """Return the first sentence of a description."""
    start = description.lstrip()[:_LONGEST_OPENING]
    return _SENTENCE_END.split(start, maxsplit=1)[0]

"""The numbers of the search. The index carries them, so that every reader ranks alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

SHOWN, BODY = 0, 1
"""The two kinds of words: those that a skill is listed by, and those that its files hold beside.

Each kind has shards of its own: to type two letters need not load the words of all bodies."""


class Field(StrEnum):
    """Where in a skill a word stands."""

    NAME = "name"
    PATH = "path"
    TITLE = "title"
    TAGS = "tags"
    DESCRIPTION = "description"
    HEADINGS = "headings"
    FILES = "files"
    LICENCE = "licence"
    BODY = "body"


WEIGHTS: Sequence[Sequence[int]] = ((8, 16, 32), (1, 2, 4, 6))
"""By kind; of a word only the largest weight in each skill is kept, over both kinds."""

FIELDS: Mapping[Field, tuple[int, int]] = {
    Field.NAME: (SHOWN, 32),
    Field.PATH: (SHOWN, 16),
    Field.TITLE: (SHOWN, 16),
    Field.TAGS: (SHOWN, 16),
    Field.DESCRIPTION: (SHOWN, 8),
    Field.HEADINGS: (BODY, 6),
    Field.FILES: (BODY, 4),
    Field.LICENCE: (BODY, 2),
    Field.BODY: (BODY, 1),
}
"""Kind and weight of the words of each field, the largest weight first."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """What scores are made of; the index has these fields by name."""

    exact: int = 8
    stem: int = 6
    """Of a word with the same stem, or a synonym."""
    prefix: int = 4
    edit: int = 2
    """Of a word with one slip."""
    shortest_prefix: int = 2
    """Characters of a word from which on it is taken for the beginning of another."""
    shortest_edit: int = 5
    """Characters of a word from which on it is taken for a slip."""

    def json(self) -> Mapping[str, int]:
        return asdict(self)


MOST_BODY_WORDS = 256
"""Distinct words of the body of a SKILL.md, from its start."""
MOST_FILE_WORDS = 256

SYNONYMS_TEXT = """
    a11y = accessibility
    adr = architecture decision record
    ai = artificial intelligence
    auth = authentication
    aws = amazon web services
    ci = continuous integration
    cli = command line
    config = configuration
    ddd = domain driven design
    docs = documentation
    e2e = end to end
    excel = xlsx = spreadsheet
    gcp = google cloud
    i18n = internationalization = internationalisation
    iac = infrastructure as code
    js = javascript
    k8s = kubernetes
    l10n = localization = localisation
    llm = large language model
    ml = machine learning
    nlp = natural language processing
    ocr = optical character recognition
    postgres = postgresql
    powerpoint = pptx = ppt = slides
    pr = pull request
    prd = product requirements document
    py = python
    rag = retrieval augmented generation
    regex = regular expression
    repo = repository
    seo = search engine optimization
    tdd = test driven development
    ts = typescript
    ui = user interface
    ux = user experience
    word = docx
"""


def synonyms() -> list[list[str]]:
    """Our own groups of phrases that mean the same."""
    lines = SYNONYMS_TEXT.strip().splitlines()
    return [[phrase.strip() for phrase in line.split("=")] for line in lines]

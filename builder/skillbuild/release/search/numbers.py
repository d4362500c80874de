"""The numbers of the search. The index carries them, so that every reader ranks alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from skillbuild.model import JsonStruct

SHOWN, BODY = 0, 1
"""The two kinds of words: those that a skill is listed by, and those that its files hold beside.

Each kind has shards of its own: to type two letters need not load the words of all bodies."""


class Field(StrEnum):
    """Where in a skill a word stands."""

    NAME = "name"
    PATH = "path"
    TITLE = "title"
    TAGS = "tags"
    OPENING = "opening"
    """The first sentence of the description, which says what a skill is for."""
    DESCRIPTION = "description"
    HEADINGS = "headings"
    FILES = "files"
    LICENSE = "license"
    BODY = "body"


WEIGHTS: Sequence[Sequence[int]] = ((8, 12, 16, 32), (1, 2, 4, 6))
"""By kind; of a word only the largest weight in each skill is kept, over both kinds."""

FIELDS: Mapping[Field, tuple[int, int]] = {
    Field.NAME: (SHOWN, 32),
    Field.PATH: (SHOWN, 16),
    Field.TITLE: (SHOWN, 16),
    Field.TAGS: (SHOWN, 16),
    Field.OPENING: (SHOWN, 12),
    Field.DESCRIPTION: (SHOWN, 8),
    Field.HEADINGS: (BODY, 6),
    Field.FILES: (BODY, 4),
    Field.LICENSE: (BODY, 2),
    Field.BODY: (BODY, 1),
}
"""Kind and weight of the words of each field, the largest weight first."""


class Numbers(JsonStruct, frozen=True, omit_defaults=False):
    """What scores are made of; the index has these fields by name."""

    whole: int = 10
    """Of the compound that a word of the query is a part of."""
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


MOST_IN_BODY = 1024
"""Skills that have a word of their files at one weight. Of more, no index says which they are: the
word tells skills little apart, and in a large catalog its set is longer than all else of a query.
"""
MOST_BODY_WORDS = 64
"""Distinct words of the body of a SKILL.md, from its start; stop words count, and are left out."""
MOST_FILE_WORDS = 64

_SYNONYMS = """
    k8s = kubernetes
    tdd = test driven development
    ppt = pptx = powerpoint
    xls = xlsx = excel
    js = javascript
    ts = typescript
    py = python
    golang = go
    postgres = postgresql
    db = database
    i18n = internationalization = internationalisation
    l10n = localization = localisation
    a11y = accessibility
    o11y = observability
    e2e = end to end
    tf = terraform
    iac = infrastructure as code
    gh = github
    pr = pull request
    repo = repository
    auth = authentication
    mfa = 2fa = two factor
    sso = single sign-on
    xss = cross-site scripting
    ml = machine learning
    nlp = natural language processing
    llm = large language model
    config = configuration
    docs = documentation
    regex = regular expression
"""


def synonyms() -> list[list[str]]:
    """Our own groups of phrases that mean the same."""
    lines = _SYNONYMS.strip().splitlines()
    return [[phrase.strip() for phrase in line.split("=")] for line in lines]

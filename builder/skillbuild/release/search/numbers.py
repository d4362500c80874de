"""The numbers of the search. The index carries them, so that every reader ranks alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from skillbuild.model import JsonStruct

WORDS, BODY, STARTS = 0, 1, 2
"""The kinds of shards, each a tree of its own.

WORDS has the words of all fields but the body, BODY those that stand in the body alone, which are
many and seldom needed: both by stem, so that one look-up finds a word and its relatives. STARTS has
the words that a skill is listed by in their order, for words that are half typed or misspelled."""


class Field(StrEnum):
    """Where in a skill a word stands."""

    NAME = "name"
    TITLE = "title"
    TAGS = "tags"
    PATH = "path"
    GROUP = "group"
    """Name and title of the group that the skill belongs to."""
    OPENING = "opening"
    """The first sentence of the description, which says what a skill is for."""
    DESCRIPTION = "description"
    HEADINGS = "headings"
    FILES = "files"
    LICENSE = "license"
    BODY = "body"
    """All of SKILL.md."""


WEIGHTS: Mapping[Field, int] = {
    Field.NAME: 32,
    Field.TITLE: 17,
    Field.TAGS: 16,
    Field.PATH: 15,
    Field.GROUP: 14,
    Field.OPENING: 12,
    Field.DESCRIPTION: 8,
    Field.HEADINGS: 6,
    Field.FILES: 4,
    Field.LICENSE: 2,
    Field.BODY: 1,
}
"""The largest first, and none twice: the weight of a hit tells its field.

Of a word only the largest weight in each skill is kept."""

_SHOWN = (
    Field.DESCRIPTION,
    Field.OPENING,
    Field.NAME,
    Field.TAGS,
    Field.PATH,
    Field.GROUP,
    Field.TITLE,
)
FIELDS: Sequence[Sequence[Field]] = (
    (*_SHOWN, Field.HEADINGS, Field.FILES, Field.LICENSE),
    (Field.BODY,),
    _SHOWN,
)
"""By kind, the fields that each word has a set of skills for, those first that most words need."""


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
    few: int = 10
    """Bodies are searched for a word that fewer skills than this have in their other fields."""
    full: int = 8
    """The weight from which on a term counts in full; one of the body counts an eighth."""
    rare: int = 6
    """A word is rare if at most this many skills have it in their body alone."""
    lift: int = 24
    """What an exact hit of a rare word adds to the weight of its field where nothing else is asked
    for: a hit in a body comes before those of stems and prefixes, and after exact ones elsewhere.
    """


COMMON = 1024
"""Skills that have a word in one of the fields that no list shows. Of more, no index says which
they are: the word tells skills little apart, and in a large catalog its set is longer than all else
of a query."""
SHOWN = frozenset(_SHOWN)
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

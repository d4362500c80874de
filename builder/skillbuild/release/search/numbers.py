"""The parameters that rank search results. The index stores them, so that pages and the server rank
results in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from skillbuild.model import JsonStruct

WORDS, BODY, STARTS = 0, 1, 2
"""The kinds of shards; each has its own tree.

WORDS has the words of all fields except the body. BODY has the words that are only in the body,
which are many and seldom needed. Both are sorted by stem, so that one look-up finds a word and
related words. STARTS has the words of the fields that lists show, sorted alphabetically, for words
that are half typed or misspelled."""


class Field(StrEnum):
    """A searchable field of a skill."""

    NAME = "name"
    TITLE = "title"
    TAGS = "tags"
    PATH = "path"
    GROUP = "group"
    """Name and title of the group of the skill."""
    OPENING = "opening"
    """The first sentence of the description, which says what the skill is for."""
    DESCRIPTION = "description"
    HEADINGS = "headings"
    FILES = "files"
    LICENSE = "license"
    BODY = "body"
    """The whole SKILL.md."""


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
"""The weight of each field, sorted and without duplicates, so that the weight of a hit identifies
its field. Only the largest weight of a word in each skill is stored."""

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
"""For each kind of shard, the fields that have a set for each word; the fields with the most words
come first."""


class Numbers(JsonStruct, frozen=True, omit_defaults=False):
    """The parameters of the score; the index stores them by name."""

    whole: int = 20
    """Weight of a compound that contains the query word."""
    exact: int = 16
    stem: int = 12
    """Weight of a word with the same stem, or of a synonym."""
    prefix: int = 2
    """Weight of a longer word that begins with the query word. In a name, it counts less than the
    query word itself in a description or heading.
    """
    edit: int = 1
    """Weight of a word with one typo."""
    shortest_prefix: int = 2
    """Length from which a query word also matches longer words that start with it."""
    shortest_edit: int = 5
    """Length from which a query word also matches words with one typo."""
    few: int = 10
    """Bodies are searched for a word if fewer skills than this have it in other fields."""
    full: int = 8
    """Terms with at least this weight count in full; a term in the body counts as an eighth."""
    rare: int = 6
    """A word is rare if at most this many skills have it, all only in the body."""
    lift: int = 24
    """A number added to the weight of an exact hit of a rare word that is the whole query. A hit in
    a body then ranks before stems and prefixes, and after exact hits in other fields."""


COMMON = 1024
"""If more skills than this have a word in a field that lists do not show, the index stores only
their number. Such a word hardly tells skills apart, and in a large catalog its set is larger than
everything else that a query reads."""
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
    """Return the built-in groups of phrases with the same meaning."""
    lines = _SYNONYMS.strip().splitlines()
    return [[phrase.strip() for phrase in line.split("=")] for line in lines]

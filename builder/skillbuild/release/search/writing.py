"""Writes the search index: for each word, the skills that contain the word; for each skill, the row
that is shown in lists of skills; and the facets.

For each skill, the compiler makes one line with the row, facet values and words of the skill. This
module combines the lines of all skills into files named by their digests, and a manifest at a fixed
path.
"""

from __future__ import annotations

import functools
import json
import zlib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from skillbuild.model import Digest, OutputFile, plain
from skillbuild.release.frontmatter import UNSAID
from skillbuild.release.layout import SEARCH_FILE, search_path
from skillbuild.release.search import encoding
from skillbuild.release.search.encoding import Named
from skillbuild.release.search.manifest import Facets, Manifest, Rows, Tree
from skillbuild.release.search.numbers import (
    BODY,
    COMMON,
    FIELDS,
    SHOWN,
    STARTS,
    WEIGHTS,
    WORDS,
    Field,
    Numbers,
)
from skillbuild.text.json import json_line
from skillbuild.text.terms import stem, stemmer_release

MOST_BYTES = 2 * 1024
"""Maximum bytes of a leaf; a single item may be larger."""
_FEW_SKILLS = 1000
_TIMES_OF_FEW = 2
MOST_NAMES = 96
"""Maximum number of files of each tree that the manifest lists; larger trees get directories."""
NAMES_IN_DIRECTORY = 16
"""Maximum number of files in a directory."""
_ROWS_IN_LEAF = 4
_ROWS_IN_LEAF_OF_FEW = 8
_ROW_FILES_IN_DIRECTORY = 12
_MOST_VALUES = 12
"""Number of values of each facet in the common file; the others are in the files of a tree."""
MOST_VALUES_OF_FEW = 96
"""The same for at most `_FEW_SKILLS` skills, so that filters show all groups of a typical
catalog.
"""
FACETS = ("tags", "groups", "licenses", "contents")
_STRETCH_BELOW = 2**32 // 1024

Synonyms = Sequence[Sequence[str]]
"""Groups of phrases with the same meaning."""
_Table = dict[str, list[int]]
"""Maps each word to the numbers of the skills that have it."""
_Having = Mapping[str, Mapping[str, Sequence[int]]]
"""The numbers of the skills with each value of each facet; values that lists show first come
first."""


# The line of a skill.

_BETWEEN_SECTIONS = b"\t"
"""Separates the sections of a line: JSON escapes it, and no word contains it."""
_GROUP_STARTS = ("", *"abcdegimnprstu", "\x80")
_GROUPS = range(len(_GROUP_STARTS))
"""The groups in which words are processed, by their first letter, which a word and its stem share.
Only the words of one group are in memory at a time."""
_PLACES = {
    field: (kind, FIELDS[kind].index(field))
    for field in WEIGHTS
    for kind in (WORDS, BODY)
    if field in FIELDS[kind]
}
_NAMES = {Field.OPENING: Field.DESCRIPTION}
"""Maps fields to the name of another field, under which results show them."""
_FIRST_OF_WORDS = 2
_PATH_START = b'["'


def line_of(
    row: Sequence[object], facets: Sequence[Sequence[str]], fields: Mapping[Field, Iterable[str]]
) -> bytes:
    """Return the line of a skill. A word that is in several fields is stored only in the one with
    the largest weight.
    """
    sections: list[list[list[list[str]]]] = [
        [[[] for _ in FIELDS[kind]] for _ in _GROUPS] for kind in (WORDS, BODY)
    ]
    seen: set[str] = set()
    for own_field, (kind, position) in _PLACES.items():
        for word in fields.get(own_field, ()):
            if word not in seen:
                seen.add(word)
                group, key = _placed(word)
                sections[kind][group][position].append(key)
    texts = (
        encoding.BETWEEN_FIELDS.join(map(encoding.BETWEEN_WORDS.join, by_field))
        for kind in sections
        for by_field in kind
    )
    parts = (json_line(row), json_line(facets), *(text.encode() for text in texts))
    return _BETWEEN_SECTIONS.join(parts)


@functools.lru_cache(maxsize=1 << 17)
def _placed(word: str) -> tuple[int, str]:
    """Return the index in `_GROUPS` of a word, and its key."""
    return bisect_right(_GROUP_STARTS, word[0]) - 1, encoding.key_of(word, stem(word))


def _row_of(line: bytes) -> bytes:
    """Return the row that lists show, as JSON."""
    return line[: line.index(_BETWEEN_SECTIONS)]


def path_of(line: bytes) -> str:
    """Return the skill path, which is the first column of the row in a line."""
    path = line[len(_PATH_START) : line.index(b'"', len(_PATH_START))]
    return path.decode() if b"\\" not in path else str(json.loads(_row_of(line))[0])


def _facets_of(line: bytes) -> Sequence[Sequence[str]]:
    """Return the values of each facet in `FACETS`."""
    values: Sequence[Sequence[str]] = json.loads(line.split(_BETWEEN_SECTIONS, _FIRST_OF_WORDS)[1])
    return values


def _words_of(line: bytes, group: int) -> Sequence[str]:
    """Return the keys of the words of one group in each field of WORDS, then of BODY."""
    first = _FIRST_OF_WORDS + group
    sections = line.split(_BETWEEN_SECTIONS, first + len(_GROUPS) + 1)
    return [
        words
        for section in (sections[first], sections[first + len(_GROUPS)])
        for words in section.decode().split(encoding.BETWEEN_FIELDS)
    ]


# The files.


@dataclass(slots=True)
class _Files:
    """Collects the index files that are named by their digest."""

    files: dict[str, OutputFile] = field(default_factory=dict)
    """The files that were not taken yet, by path."""

    def add(self, value: object) -> str:
        """Make an index file with this value; return the 64 hex digits that name it."""
        return self.add_bytes(encoding.encode(value))

    def add_list(self, items: Sequence[bytes]) -> str:
        """Make an index file with a list of values that are already JSON; return the 64 hex digits
        that name the file.
        """
        return self.add_bytes(b"%b[%b]\n" % (encoding.PREFIX, b",".join(items)))

    def add_bytes(self, data: bytes) -> str:
        digest = Digest.of(data)
        path = search_path(digest)
        self.files[path] = OutputFile(path, data)
        return digest.hex

    def take(self) -> Sequence[OutputFile]:
        """Return the files added since the last call."""
        files, self.files = [*self.files.values()], {}
        return files

    def tree(self, named: Sequence[Named]) -> Tree:
        """Group index files into directories until the top level is short enough for the manifest.

        `named` lists the files to group: the first key and the name of each file, sorted by key.
        """
        depth = 0
        while len(named) > MOST_NAMES:
            ranges = _cut([first for first, _ in named], [1] * len(named), NAMES_IN_DIRECTORY)
            inner = [list(map(list, named[each.start : each.stop])) for each in ranges]
            named = [(str(files[0][0]), self.add(files)) for files in inner]
            depth += 1
        return Tree(depth, named)


def write(
    skills: Sequence[bytes], synonyms: Synonyms, groups: Mapping[str, Iterable[str]]
) -> Iterator[OutputFile]:
    """Yield all files of the index, the manifest last.

    `skills` are the lines of all skills, sorted by path; `groups` maps the name of each group of
    skills to its words.
    """
    files, count, in_groups = _Files(), len(skills), _in_groups(skills, groups)
    shards = [_Shards(files, _most_bytes(count)) for _ in FIELDS]
    for group in _GROUPS:
        words, bodies = _tables(group, skills)
        words[FIELDS[WORDS].index(Field.GROUP)] = in_groups[group]
        starts = [
            {encoding.word_of(key): numbers for key, numbers in table.items()}
            for _, table in zip(FIELDS[STARTS], words, strict=False)
        ]
        shards[WORDS].add(_sets(WORDS, words, count))
        shards[STARTS].add(_sets(STARTS, starts, count))
        shards[BODY].add(_sets(BODY, bodies, count))
        yield from files.take()
    trees = [files.tree(each.finish()) for each in shards]
    rows, facets = _write_rows(files, skills), _write_facets(files, _having(skills), count)
    yield from files.take()
    manifest = Manifest(
        format=encoding.FORMAT,
        count=count,
        numbers=Numbers(),
        stemmer=stemmer_release(),
        fields=[[(_NAMES.get(field, field), WEIGHTS[field]) for field in own] for own in FIELDS],
        synonyms=synonyms,
        words=trees,
        rows=rows,
        facets=facets,
    )
    yield OutputFile(SEARCH_FILE, encoding.encode(plain(manifest)))


# Words.


def _in_groups(skills: Iterable[bytes], groups: Mapping[str, Iterable[str]]) -> list[_Table]:
    """Return the words of skill groups, as one table for each word group; a table maps words to
    skills.
    """
    keys = {name: list(map(_placed, own)) for name, own in groups.items()}
    tables: list[_Table] = [defaultdict(list) for _ in _GROUPS]
    for number, line in enumerate(skills if groups else ()):
        for name in _facets_of(line)[FACETS.index("groups")]:
            for group, key in keys.get(name, ()):
                tables[group][key].append(number)
    return tables


def _tables(group: int, lines: Iterable[bytes]) -> list[list[_Table]]:
    """Return the words of one word group, as one table for each field; a table maps words to
    skills.

    The tables are in two lists, for WORDS and for BODY.
    """
    kinds: list[list[_Table]] = [[defaultdict(list) for _ in FIELDS[k]] for k in (WORDS, BODY)]
    tables = [table for own in kinds for table in own]
    for number, line in enumerate(lines):
        for table, words in zip(tables, _words_of(line, group), strict=True):
            for word in words.split():
                table[word].append(number)
    return kinds


def _sets(kind: int, tables: Sequence[_Table], count: int) -> dict[str, str]:
    """Return all words, sorted, each with its encoded sets of skills.

    There is one set for each field; empty sets at the end are left out. `count` is the number of
    all skills.
    """
    codes = [
        {word: _set_code(field, numbers, count) for word, numbers in table.items()}
        for field, table in zip(FIELDS[kind], tables, strict=True)
    ]
    between = encoding.BETWEEN_FIELDS
    every = sorted(set[str]().union(*codes))
    texts = (between.join(own.get(word, "") for own in codes) for word in every)
    return {word: text.rstrip(between) for word, text in zip(every, texts, strict=True)}


def _set_code(field: Field, numbers: Sequence[int], count: int) -> str:
    """Encode the skills that have a word in a field; for a common word, only their number."""
    if len(numbers) > COMMON and field not in SHOWN:
        return encoding.encode_size(len(numbers))
    return encoding.encode_set(numbers, count)


@dataclass(slots=True)
class _Shards:
    """Writes the shards of one kind; words must be added in order.

    One word in 1,024, chosen by its hash, always begins a shard. The words between two of these are
    cut independently of all others, so changing one word changes few shards.
    """

    files: _Files
    most: int
    """Maximum bytes of text in a shard."""
    _named: list[Named] = field(default_factory=list)
    """The name of each shard and its first word."""
    _waiting: dict[str, str] = field(default_factory=dict)
    """The words since the last word that began a shard, with their sets."""

    def add(self, sets: Mapping[str, str]) -> None:
        for word, text in sets.items():
            if _hash(word) < _STRETCH_BELOW:
                self._write()
            self._waiting[word] = text

    def finish(self) -> Sequence[Named]:
        self._write()
        return self._named

    def _write(self) -> None:
        words, texts = [*self._waiting], [*self._waiting.values()]
        self._waiting = {}
        sizes = [len(word) + len(text) for word, text in zip(words, texts, strict=True)]
        for leaf in _cut(words, sizes, self.most):
            own = slice(leaf.start, leaf.stop)
            value = [encoding.encode_words(words[own]), encoding.BETWEEN_WORDS.join(texts[own])]
            self._named.append((words[leaf.start], self.files.add(value)))


# Rows and facets.


def _write_rows(files: _Files, skills: Sequence[bytes]) -> Rows:
    """Write the rows that lists show."""
    in_leaf = _ROWS_IN_LEAF_OF_FEW if len(skills) <= _FEW_SKILLS else _ROWS_IN_LEAF
    names = [
        files.add_list([_row_of(line) for line in skills[start : start + in_leaf]])
        for start in range(0, len(skills), in_leaf)
    ]
    depth = 0
    while len(names) > MOST_NAMES:
        starts = range(0, len(names), _ROW_FILES_IN_DIRECTORY)
        names = [files.add(names[start : start + _ROW_FILES_IN_DIRECTORY]) for start in starts]
        depth += 1
    return Rows(in_leaf, _ROW_FILES_IN_DIRECTORY, depth, names)


def _having(skills: Sequence[bytes]) -> _Having:
    """Return the skills with each value of each facet."""
    every: dict[str, dict[str, list[int]]] = {key: defaultdict(list) for key in FACETS}
    for number, line in enumerate(skills):
        for key, values in zip(FACETS, _facets_of(line), strict=True):
            for value in values:
                every[key][value].append(number)
    return {key: _by_use(values) for key, values in every.items()}


def _by_use(values: Mapping[str, Sequence[int]]) -> Mapping[str, Sequence[int]]:
    """Sort values by frequency, most frequent first; the values that mean none come last."""

    def place(value: str) -> tuple[bool, int, str]:
        return value in UNSAID, -len(values[value]), value

    return {value: values[value] for value in sorted(values, key=place)}


def _write_facets(files: _Files, facets: _Having, count: int) -> Facets:
    """Write one file with the first values of each facet, and a tree of all others."""
    most = MOST_VALUES_OF_FEW if count <= _FEW_SKILLS else _MOST_VALUES
    frequent: list[object] = []
    others: dict[str, str] = {}
    for key, values in facets.items():
        sets = [(value, encoding.encode_set(own, count)) for value, own in values.items()]
        frequent.append([key, sets[:most]])
        others |= {f"{key} {value}": own for value, own in sets[most:]}
    names = sorted(others)
    sizes = [len(name) + len(others[name]) for name in names]
    named: list[Named] = []
    for own in _cut(names, sizes, _most_bytes(count)):
        leaf = [[name, others[name]] for name in names[own.start : own.stop]]
        named.append((names[own.start], files.add(leaf)))
    return Facets(files.add(frequent), files.tree(named))


# The size of files.


def _most_bytes(count: int) -> int:
    """Return the maximum bytes of a leaf in an index of `count` skills.

    A query reads a few lines of each leaf, so leaves are small if there are many skills. With few
    skills the sets are short, and fewer, larger files answer faster.
    """
    return MOST_BYTES * _TIMES_OF_FEW if count <= _FEW_SKILLS else MOST_BYTES


def _hash(key: str) -> int:
    return zlib.crc32(key.encode())


def _cut(keys: Sequence[str], sizes: Sequence[int], most: int) -> Iterator[range]:
    """Split items into ranges of at most `most` bytes, in order; a larger item is a range of its
    own.

    A range that is too large is cut at the smallest hash of a key in its middle half, so a new item
    usually changes only one range.
    """
    hashes = list(map(_hash, keys))
    ends = [0, *accumulate(sizes)]
    waiting = [range(len(keys))] if keys else []
    while waiting:
        own = waiting.pop()
        if len(own) < 2 or ends[own.stop] - ends[own.start] <= most:
            yield own
            continue
        quarter = len(own) // 4
        middle = range(max(own.start + quarter, own.start + 1), own.stop - quarter)
        at = min(middle, key=hashes.__getitem__)
        waiting += [range(at, own.stop), range(own.start, at)]

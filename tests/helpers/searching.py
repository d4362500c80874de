"""Small indexes of the search, and the scripts that answer from them in Node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from helpers import scripts
from skillbuild.release.layout import SEARCH_FILE, search_path
from skillbuild.release.search import writing
from skillbuild.release.search.numbers import Field
from skillbuild.release.search.ranking import ask
from skillbuild.release.search.reading import Index

SCRIPTS = tuple(
    f"search/{name}.js"
    for name in ("letters", "snowball", "terms", "shards", "matching", "ranking", "engine", "spans")
)
LOAD = """
    const parts = new Map(Object.entries(given.files).map(([path, text]) => {
        return [path.replace("search/", ""), JSON.parse(text.slice("skillbuild.part=".length))];
    }));
    const load = async (name) => {
        if (!parts.has(name)) throw new Error(`no ${name}`);
        return parts.get(name);
    };
    const index = await skillbuild.openIndex(load);
"""
Fields = Mapping[Field, Sequence[str]]
Files = Mapping[str, bytes]


@contextmanager
def small_files() -> Iterator[None]:
    """Let files of the index be so small that few words make many, with directories of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "MOST_BYTES", 120)
        patch.setattr(writing, "MOST_NAMES", 3)
        patch.setattr(writing, "NAMES_IN_DIRECTORY", 3)
        patch.setattr(writing, "MOST_VALUES_OF_FEW", 12)
        yield


def line(number: int, fields: Fields, facets: Sequence[Sequence[str]] = ((), (), (), ())) -> bytes:
    """The line of a skill; its row begins with its number as a path."""
    row = [f"group/{number}", "", "", "MIT", 1, 2, [], "x", "", "0" * 64]
    return writing.line_of(row, facets, fields)


def written(skills: Sequence[Fields], synonyms: writing.Synonyms = ()) -> Files:
    """The files of an index by path."""
    return files_of([line(number, fields) for number, fields in enumerate(skills)], synonyms)


def files_of(
    skills: Sequence[bytes],
    synonyms: writing.Synonyms = (),
    groups: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Files:
    """The files of the index of these lines, by path."""
    return {file.path: file.data for file in writing.write(skills, synonyms, groups)}


def opened(index_files: Files) -> Index:
    return Index(index_files[SEARCH_FILE], lambda digest: index_files[search_path(digest)])


def published(out: Path) -> Files:
    """The files of the index of an output."""
    return {f"search/{path.name}": path.read_bytes() for path in (out / "search").iterdir()}


def in_script(index_files: Files, code: str, given: object = None) -> Any:
    """What a piece of code says that has `index`, and `given.value`."""
    texts = {path: data.decode() for path, data in index_files.items()}
    return scripts.run(SCRIPTS, LOAD + code, {"files": texts, "value": given})


Order = tuple[list[int], list[int]] | None
"""Skills with more than half of the terms, and the others; None for a query without words."""


def order(index: Index, query: str) -> Order:
    """All skills that Python finds, in its order."""
    answer = ask(index, query)
    return ([*answer.matches], [*answer.also]) if answer else None


def orders_in_script(index_files: Files, queries: Sequence[str]) -> list[Order]:
    """All skills that the scripts find, in their order."""
    code = """
        const orders = [];
        for (const query of given.value) {
            const result = await index.find(query);
            orders.push(result && [result.matches, result.also]);
        }
        return orders;
    """
    answers = in_script(index_files, code, list(queries))
    return [(each[0], each[1]) if each else None for each in answers]

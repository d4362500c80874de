"""What is told of a skill before it is installed, by cases: `cases/facts/*.txt`.

A case is files, and the wanted lines: of each skill its sentence, and a line for each fact. How
files are written is told in `test_check.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from helpers import CASES, case_files
from helpers.gathered import facts_in_source
from helpers.support import MemorySource
from skillbuild.check.facts.addresses import NETWORK_PYTHON
from skillbuild.check.facts.gather import MOST_FACTS
from skillbuild.model import Facts, RunFact

FACTS_CASES = CASES / "facts"
NAMES = sorted(path.stem for path in FACTS_CASES.glob("*.txt") if path.stem != "license-fields")


def lines_of(directory: str, facts: Facts) -> Iterator[str]:
    yield f"{directory}: {facts.sentence}"
    yield from map(line_of, facts.runs)
    yield from (f"  {each.kind}: {each.path}:{each.line}" for each in facts.hidden)


def line_of(fact: RunFact) -> str:
    words = " ".join(filter(None, (fact.words, fact.host)))
    what = f"{fact.kind} ({words})" if words else fact.kind
    place = f"{fact.path}:{fact.line}" if fact.line else fact.path
    return f"  {what}: {place}{' [not to do]' if fact.not_to_do else ''}"


@pytest.mark.parametrize("name", NAMES)
def test_a_case_has_the_facts_that_it_wants(name: str, *, update: bool) -> None:
    path = FACTS_CASES / f"{name}.txt"
    case = case_files.read(path)
    facts = facts_in_source(case.files)
    output = "".join(f"{line}\n" for each in facts.items() for line in lines_of(*each))
    if update and output != case.want:
        case_files.write_want(path, case, output)
    else:
        assert output == case.want


def test_many_subcommands_of_a_program_leave_room_for_others() -> None:
    lines = [
        *(f"one-tool sub{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(200)),
        "two-tool x",
    ]
    body = "\n".join(["```bash", *lines, "```"])
    source = MemorySource(
        {"a/SKILL.md": f"---\nname: a\ndescription: Does one thing.\n---\n{body}\n".encode()}
    )
    runs = facts_in_source(source)["a"].runs
    assert len(runs) == MOST_FACTS
    assert {fact.words for fact in runs} == {"one-tool", "two-tool"}


def test_a_list_of_imports_with_many_spaces_is_read_once() -> None:
    """A pattern that tries each division of the spaces would not end within a day."""
    assert NETWORK_PYTHON.search("import " + f"a,{' ' * 60}" * 8 + "x!") is None
    assert NETWORK_PYTHON.search("import os,  json, requests") is not None

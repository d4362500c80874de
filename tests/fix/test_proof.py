"""Which drafts may be written: those that change what they declare, and nothing else."""

from __future__ import annotations

import pytest

from skillbuild.diagnostics import finding
from skillbuild.fix.edits import Draft, Edit, Value
from skillbuild.fix.plan import _with_all
from skillbuild.fix.proof import fault_of
from skillbuild.rules.fields import METADATA_TYPE

TEXT = "---\nname: a\ndescription: x # y\nmetadata:\n  n: 1\n---\nBody.\n"
COLON = TEXT.replace("x # y", "x: y")
ELSEWHERE = "the new value would be in the wrong place"


def edit(text: str, old: str, new: str, value: Value = None, value_at: int = 0) -> Edit:
    start = text.index(old)
    return Edit(start, start + len(old), new, value, value_at)


@pytest.mark.parametrize(
    ("text", "change", "fault"),
    [
        (TEXT, edit(TEXT, "1", '"1"', "1"), ""),
        (TEXT, edit(TEXT, "1", '"2"', "1"), "another field would change"),
        (TEXT, edit(TEXT, "1", '"1"'), "another field would change"),
        (TEXT, edit(TEXT, "1", '"1"\n  m: 2', "1"), "another field would change"),
        (TEXT, edit(TEXT, "1", '"1"', "1", 1), ELSEWHERE),
        (TEXT, edit(TEXT, "x # y", "x # z", "x"), ""),
        (TEXT, edit(TEXT, "n: 1", "n: [", "["), "the frontmatter would still be invalid"),
        (TEXT, edit(TEXT, "Body", "body"), "the body would change"),
        (TEXT, edit(TEXT, "---\nB", "---\n\nB"), "the body would change"),
        (COLON, edit(COLON, "x: y", '"x: y"', "x: y"), ""),
        (COLON, edit(COLON, "x: y", '"x: z"', "x: y"), "another field would change"),
        (COLON, edit(COLON, "x: y", '"x: y"\nmore: 1', "x: y"), "another field would change"),
        (COLON, edit(COLON, "x: y\nm", '"x: y"\nM', "x: y"), ELSEWHERE),
    ],
)
def test_a_draft_is_proved_by_what_is_read_from_it(text: str, change: Edit, fault: str) -> None:
    assert fault_of(Draft(text, (change,))) == fault


def test_an_edit_that_cannot_be_proved_does_not_keep_others_from_being_made() -> None:
    item = finding(METADATA_TYPE, "a/SKILL.md", None, "x", "write x")
    text = "---\nname: a\nmetadata:\n  k: 1\n  l: 2\n  m: 3\n---\n"
    edits = [edit(text, "1", '"1"', "1"), edit(text, "2", '"0"', "2"), edit(text, "3", '"3"', "3")]
    draft, left = _with_all(Draft(text), [(each, item) for each in edits])
    assert draft.text == text.replace("1", '"1"').replace("3", '"3"')
    assert [each.reason for each in left] == ["another field would change"]


def test_an_edit_stands_for_those_within_it() -> None:
    quoted = Draft(COLON).add(edit(COLON, "x: y", '"x: y"', "x: y"))
    assert quoted is not None
    cut = quoted.add(edit(quoted.text, '"x: y"', '"x"', "x"))
    assert cut == Draft(COLON, (edit(COLON, "x: y", '"x"', "x"),))
    assert quoted.add(edit(quoted.text, "x: y", "x")) is None

"""Which drafts may be written: those that change what they declare, and nothing else."""

from __future__ import annotations

import pytest

from skillbuild.fix.changes import Draft, Edit
from skillbuild.fix.proof import fault_of
from skillbuild.model import Json

TEXT = "---\nname: a\ndescription: x # y\nmetadata:\n  n: 1\n---\nBody.\n"
COLON = TEXT.replace("x # y", "x: y")
ELSEWHERE = "the mended value is not where it should be"


def edit(text: str, old: str, new: str, value: Json = None, value_at: int = 0) -> Edit:
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
        (TEXT, edit(TEXT, "n: 1", "n: [", "["), "the frontmatter would still not be readable"),
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

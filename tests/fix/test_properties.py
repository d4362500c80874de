"""Any SKILL.md can be fixed twice: nothing crashes, other fields stay, the second is idle."""

from __future__ import annotations

import json

from hypothesis import example, given
from hypothesis import strategies as st

from helpers.fixing import applied, plan_of
from helpers.support import MemorySource
from skillbuild.fix.edits import Draft, Edit
from skillbuild.fix.plan import NewText
from skillbuild.source.skill_md import read_skill_md

_KEYS = st.sampled_from(
    [
        "name",
        "description",
        "license",
        "metadata",
        "allowed-tools",
        "argument-hint",
        "yes",
        "1",
        "x",
    ]
)
_PIECES = st.sampled_from(
    [
        *(
            "a",
            "b: c",
            ": ",
            " # d",
            " #e",
            "'",
            '"',
            "\\",
            "@f",
            "[g",
            "[h, 'i']",
            "{j: 1}",
            "]",
            "}",
        ),
        *(
            "yes",
            "1.10",
            "010",
            "0x1f",
            "1e3",
            ".inf",
            "~",
            "12:30",
            "true",
            "- ",
            "*k",
            "&l m",
            "!!n o",
        ),
        *("|", ">-", "%", "`", "\t", "  ", "é😀", "\u2028", "---", "...", "p. q", "x" * 600 + ". "),
        *(".license: r", " license: s", ". version: 2"),
    ]
)
_VALUES = st.lists(_PIECES, max_size=4).map("".join)
_BREAKS = st.sampled_from(
    ["\n", "\r\n", "\n  ", "\n    ", "\n- ", "\n  - ", "\n\n", "\r", "\n# r\n"]
)
_FIELDS = st.tuples(_KEYS, st.sampled_from([": ", ":", " : "]), _VALUES, _BREAKS, _VALUES)
_ENDS = st.sampled_from(["\n---\n", "\r\n--- \r\n", "\n----\n", "\n", "", "\n\n# s\n", "\n---"])
_STARTS = st.sampled_from(["---\n", "---\r\n", "--- \n", "\ufeff---\n", "---\nname: a\n", ""])


def _text(start: str, fields: list[tuple[str, ...]], end: str, body: str) -> bytes:
    return (start + "\n".join(map("".join, fields)) + end + body).encode()


TEXTS = st.builds(
    _text, _STARTS, st.lists(_FIELDS, max_size=5), _ENDS, st.sampled_from(["", "Do it.\n"])
)


@given(st.one_of(TEXTS, st.binary(max_size=200)), st.booleans())
@example(b"---\nname: a\ndescription: b: c\nmetadata:\n  x: [y, z] \n---\n", True)
@example(b"---\nname: a\ndescription: b: c. " + 600 * b"d. " + b"\n---\n", True)
def test_mending_is_done_at_once_and_keeps_what_is_not_mended(data: bytes, unsafe: bool) -> None:
    files = MemorySource({"a_b/SKILL.md": data})
    plan = plan_of(files, unsafe=unsafe)
    drafts = [step.draft for step in plan.steps if isinstance(step, NewText)]
    for draft in drafts:
        before = read_skill_md(data, "")
        after = read_skill_md(draft.text.encode(), "")
        assert after.frontmatter is not None
        changed = {edit.value for edit in draft.edits if isinstance(edit.value, str | bool)}
        if before.frontmatter is not None:
            assert after.body == before.body
            new = dict(after.frontmatter.value)
            if "name" not in before.frontmatter.value and new.get("name") in changed:
                del new["name"]
            assert list(new) == list(before.frontmatter.value)
            for key, value in before.frontmatter.value.items():
                same = json.dumps(new[key]) == json.dumps(value)
                assert same or any(_holds(new[key], each) for each in changed)
    again = applied(files, plan)
    assert plan_of(again, unsafe=unsafe).steps == []


def _holds(value: object, part: object) -> bool:
    if isinstance(value, dict):
        return any(_holds(each, part) for each in value.values())
    if isinstance(value, list):
        return any(_holds(each, part) for each in value)
    return value == part and type(value) is type(part)


_EDITS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5), st.text("xy\n", max_size=4)))


@given(st.text(min_size=40, max_size=40), _EDITS)
def test_edits_one_after_another_are_edits_of_the_original(
    text: str, edits: list[tuple[int, int, str]]
) -> None:
    """Whatever was added, the draft is the text with all of its edits, and they do not overlap."""
    draft, now = Draft(text), text
    for start, length, new in edits:
        end = min(start + length, len(now))
        if start > end:
            continue
        added = draft.add(Edit(start, end, new))
        if added is not None:
            draft, now = added, now[:start] + new + now[end:]
        assert draft.text == now
        places = [place for edit in draft.edits for place in (edit.start, edit.end)]
        assert places == sorted(places)

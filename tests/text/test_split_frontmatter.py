"""Splitting a text at its fences: the parts are the whole text, and a wrong fence is one fault."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbuild.model import Place
from skillbuild.text.faults import FaultKind, TextFaultError
from skillbuild.text.frontmatter import SplitText, decode_utf8, split_frontmatter


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("---\na: b\n---\nbody\n", SplitText("a: b\n", "body\n", 4)),
        ("---\n---", SplitText("", "", 3)),
        ("---\r\na: b\r\nc\r\n---\r\none\r\n", SplitText("a: b\nc\n", "one\r\n", 5)),
        ("---\na\n---\n---\nb\n---\n", SplitText("a\n", "---\nb\n---\n", 4)),
        ("---\n ---\n----\n---\n", SplitText(" ---\n----\n", "", 5)),
        ("---\na\n---\n\rb", SplitText("a\n", "\rb", 4)),
    ],
)
def test_a_text_is_taken_apart_at_its_first_line_and_the_next_fence(
    text: str, parts: SplitText
) -> None:
    assert split_frontmatter(text) == parts


@pytest.mark.parametrize(
    ("text", "kind", "place"),
    [
        ("", FaultKind.FENCE_MISSING, Place(1, 1)),
        ("a: b\n---\n", FaultKind.FENCE_MISSING, Place(1, 1)),
        ("----\n---\n", FaultKind.FENCE_MISSING, Place(1, 1)),
        ("---\na: b\n", FaultKind.FENCE_UNCLOSED, Place(1, 1)),
        ("---\ra\r---\r", FaultKind.LINE_BREAK, Place(1, 4)),
        ("---\na\r\nbc\rd\n---\n", FaultKind.LINE_BREAK, Place(3, 3)),
    ],
)
def test_a_wrong_fence_is_one_fault_at_its_place(text: str, kind: FaultKind, place: Place) -> None:
    with pytest.raises(TextFaultError) as caught:
        split_frontmatter(text)
    assert (caught.value.fault.kind, caught.value.fault.place) == (kind, place)


@pytest.mark.parametrize(
    ("data", "kind", "place"),
    [
        (b"a\n\xc3\xa9\xff", FaultKind.NOT_UTF8, Place(2, 2)),
        (b"a\n\xc3\xa9\0", FaultKind.NUL_BYTE, Place(2, 2)),
        (b"\xef\xbb\xbf---\n", FaultKind.BYTE_ORDER_MARK, Place(1, 1)),
        (b"\xef\xbb\xbfa", FaultKind.FENCE_MISSING, Place(1, 1)),
    ],
)
def test_bytes_that_are_no_plain_text_are_one_fault(
    data: bytes, kind: FaultKind, place: Place
) -> None:
    with pytest.raises(TextFaultError) as caught:
        decode_utf8(data)
    assert (caught.value.fault.kind, caught.value.fault.place) == (kind, place)


@given(st.lists(st.sampled_from(["---", "a: b", " ", "é", ""])), st.text())
def test_the_parts_put_together_are_the_text(lines: list[str], body: str) -> None:
    head = "".join(f"{line}\n" for line in lines if not line.startswith("---"))
    parts = split_frontmatter(f"---\n{head}---\n{body}")
    assert parts == SplitText(head, body, head.count("\n") + 3)

"""Dropping the paragraphs that cannot hold a link changes neither the links nor their lines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillbuild.model import Place
from skillbuild.text.markdown import references
from skillbuild.text.markdown.references import Reference, without_plain_paragraphs

PARTS = (
    *("words", "`a/b.c`", "`x`", "[t](u/v.md)", "[t][x]", "[x]", "[x]: y/z.md", "![i](p.png)"),
    *("<script>", "</script>", "<!--", "-->", "<div>", "> ", "- ", "    ", "\t", "```", "~~~"),
    *("\n", "\n", "\n\n", "\n\n", "\n \n", "\r\n", "# h", "---", "\\", "`", "](", "]:", "[", "<"),
)


def test_paragraphs_without_a_link_are_left_out_and_the_others_keep_their_numbers() -> None:
    text = "plain `code`\nand more\n\n[t](a.md)\n![](b.png)\n\nplain\n\n\n> quote"
    short, numbers = without_plain_paragraphs(text)
    assert short == "[t](a.md)\n![](b.png)\n\n\n> quote"
    assert [text.split("\n")[number] for number in numbers[:5]] == short.split("\n")


def test_a_fence_around_several_paragraphs_still_hides_the_links_in_it() -> None:
    text = "```\n\nplain\n\n[t](a.md)\n\n```\n\n[t](b.md)\n"
    assert list(references.references(text)) == [Reference("link", "b.md", Place(9, 5))]


def test_a_name_in_brackets_is_a_link_where_names_are_given() -> None:
    text = "see [x]\n\nplain\n\n[x]: a.md\n"
    assert [link.target for link in references.references(text)] == ["a.md"]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=30).map("".join))
def test_a_text_without_plain_paragraphs_has_the_references_of_the_whole(text: str) -> None:
    of_less = [list(references.references(text, with_paths=each)) for each in (True, False)]
    whole = (text, list(range(len(text) + 2)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(references, "without_plain_paragraphs", lambda _, **__: whole)
        of_whole = [list(references.references(text, with_paths=each)) for each in (True, False)]
    assert of_whole == of_less
    links = [[each for each in some if each.kind != "code"] for some in of_less]
    assert links[0] == links[1]

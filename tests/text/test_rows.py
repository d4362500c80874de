"""Rows of tables are measured without a parser as if they had been parsed."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from skillbuild.text.markdown import render
from skillbuild.text.markdown.rows import Measured, without_simple_rows

HEAD = "| a | b |\n|---|:-:|\n| 1 | 2 |\n"
PARTS = (
    *(HEAD, "| a | b |\n", "|---|---|\n", "|:--|--:|\n", "|-|-|\n", "|a|b\n", "| a |\n", "||\n"),
    *("| x | `c d` |\n", "| w`c`w | |\n", "|  |  |\n", "| ` a ` | `` |\n", "| a | b | c |\n"),
    *(
        "| *b* | c |\n",
        "| a | [x](y) |\n",
        "| p: | http://x.y |\n",
        "| \\| | c |\n",
        "| <b> | & |\n",
    ),
    *("text\n", "\n", "\n\n", "```\n", "~~~\n", "- x\n", "  ", "    ", "> ", "# h\n", "|", "`"),
    "[x]: y\n",
)


def parsed_weight(text: str) -> int:
    return render._weight(render._parser().parse(text, render._environment()))


def html_size(text: str) -> int:
    return len(str(render._parser().render(text)))


def test_rows_of_words_and_code_are_taken_out_but_for_the_first() -> None:
    simple, other = "| x `c` | y |\n", "| *x* | y |\n"
    measured = without_simple_rows(HEAD + simple * 2 + other)
    row = parsed_weight(HEAD + simple) - parsed_weight(HEAD)
    assert measured == Measured(HEAD + other, 2 * row, measured.size)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=14).map("".join))
def test_measuring_rows_changes_neither_weight_nor_the_bound_of_size(text: str) -> None:
    measured = without_simple_rows(text)
    assert parsed_weight(measured.text) + measured.weight == parsed_weight(text)
    assert html_size(text) <= html_size(measured.text) + measured.size

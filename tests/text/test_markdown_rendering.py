"""Rendered Markdown: headings, links, tables, and texts too large to render."""

import pytest

from skillbuild.text.markdown.render import is_shown_plain, render_markdown


def test_headings_skip_no_level_and_repeat_no_id() -> None:
    rendered = render_markdown("#### A\n# A\n### B\n#\n# [](x)\n", lambda kind, target: None)
    assert [(heading.level, heading.id) for heading in rendered.headings] == [
        (2, "user-content-a"),
        (2, "user-content-a-1"),
        (3, "user-content-b"),
    ]


def test_links_to_headings_that_are_not_there_are_dropped() -> None:
    rendered = render_markdown("# One\n[a](#one) [b](#two)\n", lambda kind, target: None)
    assert '<a href="#user-content-one">a</a> b' in rendered.html


def test_tables_and_code_can_be_reached_by_keyboard() -> None:
    rendered = render_markdown("|a||\n|:-:|-|\n|1|2|\n\n```py\nx = 1\n```\n", lambda k, t: None)
    assert '<div class="wide" role="group" aria-label="Table" tabindex="0">' in rendered.html
    assert '<th class="align-center">a</th>\n<td></td>' in rendered.html
    assert '<pre class="code" tabindex="0" data-language="py">' in rendered.html


def test_a_text_that_would_grow_too_much_is_shown_plain() -> None:
    text = "|a" * 2_000 + "|\n" + "|-" * 2_000 + "|\n" + "|\n" * 2_000
    rendered = render_markdown(text, lambda kind, target: None)
    assert rendered.plain
    assert len(rendered.html) < 2 * len(text)


GROWING = {
    "code, each character with its color": ("```py\n" + "1+" * 4_000 + "\n```\n") * 6,
    "headings": "# a\n" * 4_000,
    "marks": "<&> " * 20_000,
    "hidden characters": "a\u200b" * 20_000,
    "a wide table": "|a" * 900 + "|\n" + "|-" * 900 + "|\n" + "|\n" * 60,
    "a wider one": "|a" * 2_000 + "|\n" + "|-" * 2_000 + "|\n" + "|\n" * 2_000,
    "bare addresses": "www.a.b " * 20_000,
    "too long": "word " * 60_000,
}


@pytest.mark.parametrize("text", GROWING.values(), ids=GROWING.keys())
def test_a_text_too_large_to_render_is_recognised_before_rendering(text: str) -> None:
    rendered = render_markdown(text, lambda kind, target: None)
    assert is_shown_plain(text) is rendered.plain

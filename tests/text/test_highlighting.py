"""Highlighted code: every character is shown, and no text takes long."""

import time

import pytest

from skillbuild.text.highlighting import LONGEST_FILE, highlight_fence, highlight_file
from skillbuild.text.invisible import visible_html


@pytest.mark.parametrize("name", ["x.py", "x.sh", "x.json", "x.md", "x.html", "Dockerfile", "x"])
def test_highlighting_changes_no_character(name: str) -> None:
    text = "\n\n def f(x): return '<&>' # é\n\tx \\\n<!-- a -->\n```py\nx\n```\n{\"a\": [1]}\n\n"
    shown = highlight_file(text, name)
    plain = shown.replace("</i>", "")
    while '<i class="t-' in plain:
        start = plain.index('<i class="t-')
        plain = plain[:start] + plain[plain.index(">", start) + 1 :]
    assert plain == visible_html(text)


@pytest.mark.parametrize(
    "unit",
    ["(", "[", "{", '"', "'", "/*", "<", "<!--", "`", "#", "$(", 'r#"', "\n", "a\n", "a ", "_"],
)
@pytest.mark.parametrize(
    "language",
    [
        *("html", "python", "bash", "javascript", "yaml", "rust", "terraform", "make"),
        *("c", "cpp", "csharp", "java", "markdown"),
    ],
)
@pytest.mark.nightly
def test_no_fence_takes_long_to_highlight(unit: str, language: str) -> None:
    text = f"{unit * 80}\n" * (16_000 // (80 * len(unit)))
    before = time.process_time()
    shown = highlight_fence(text, language)
    assert len(shown) < 100 * len(text)
    assert time.process_time() - before < 5


def test_a_byte_order_mark_stays_and_takes_no_colors_away() -> None:
    assert highlight_file("\ufeff# a\n", "a.py") == '\ufeff<i class="t-c"># a</i>\n'


def test_a_text_whose_colors_are_longer_than_a_page_may_be_has_none() -> None:
    dense = "+".join("1" * 30) + "\n"
    few, many = dense * 200, dense * 3000
    assert "<i" in highlight_file(few, "a.py")
    assert len(many) < LONGEST_FILE
    assert highlight_file(many, "a.py") == many


def test_frontmatter_of_markdown_is_yaml_and_no_heading() -> None:
    html = highlight_file("---\nname: x\n---\n\n# H\n", "a.md")
    assert '<i class="t-k">name</i>' in html
    assert html.count("t-h") == 1

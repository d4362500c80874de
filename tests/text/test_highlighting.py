"""Highlighted code: every character is shown, and no text takes long."""

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
    "unit", ["(", "[", "{", '"', "'", "/*", "<", "<!--", "`", "#", "$(", 'r#"']
)
def test_no_fence_takes_long_to_highlight(unit: str) -> None:
    for language in ("html", "python", "bash", "javascript", "yaml", "rust", "terraform", "make"):
        text = f"{unit * 80}\n" * (16_000 // (80 * len(unit)))
        shown = highlight_fence(text, language)
        assert len(shown) < 100 * len(text)


def test_a_text_whose_colors_are_longer_than_a_page_may_be_has_none() -> None:
    dense = "+".join("1" * 30) + "\n"
    few, many = dense * 200, dense * 3000
    assert "<i" in highlight_file(few, "a.py")
    assert len(many) < LONGEST_FILE
    assert highlight_file(many, "a.py") == many

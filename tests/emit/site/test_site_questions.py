"""*Before you install*: rows in a few words, each with what it was found in."""

from __future__ import annotations

import re

import pytest

from helpers import repos
from skillbuild.emit.site.facts import DeclaredTool, declared

FILES: repos.Files = {
    "skills/a/SKILL.md": (
        "---\nname: a\ndescription: Does a thing.\nauthor: Ada Example\nlang: zh-Hans\n"
        "allowed-tools: Bash Read\n---\n"
        "Run !`date`. See https://text.dev/, and [b](missing.md).\n"
    ),
    "skills/a/run.sh": "#!/bin/sh\ncurl https://both.dev/\n",
}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("questions")
    repos.build(repos.repository(folder / "repo", FILES), folder / "out")
    return (folder / "out/skills/a/index.html").read_text()


def test_each_row_says_something_in_a_few_words_and_has_its_places(page: str) -> None:
    box = page.partition('id="before"')[2].partition("</section>")[0]
    summary = r"<summary(.*?)><span>(.*?)</span> <span>(.*?)</span></summary>"
    assert re.findall(summary, box) == [
        (' class="mark"', "Runs", "commands when it is loaded"),
        ("", "Has", "1 script (Bash)"),
        ("", "Reaches", "both.dev"),
        ("", "Also", "problems"),
        (' class="mark"', "Tools", "Bash, Read without asking"),
    ]
    assert re.findall(r"<code>(.*?)</code> <a href=\"([^\"]*)\">", box) == [
        ("date", "-/files/SKILL.md.html#L8"),
        ("both.dev", "-/files/run.sh.html#L2"),
        (
            "the link leads to missing.md, which does not exist in the skill",
            "-/files/SKILL.md.html#L8",
        ),
    ]
    assert '<code class="mark">Bash <span class="n">any command</span></code>' in box
    assert "<code>Read</code>" in box


def test_author_and_language_are_those_of_the_frontmatter(page: str) -> None:
    assert "<span>by Ada Example</span>" in page
    assert re.findall(r'<(\w+)[^>]* lang="zh-Hans"', page) == ["h1", "div", "article"]


@pytest.mark.parametrize(
    ("label", "means", "alarming"),
    [
        ("Bash", "any command", True),
        ("Bash(*)", "any command", True),
        ("Bash(:*)", "any command", True),
        ("*", "any tool", True),
        ("Bash(git add *)", "", False),
        ("Read", "", False),
        ("Write", "changes files", False),
        ("WebFetch(domain:a.org)", "reaches the network", False),
    ],
)
def test_a_tool_says_what_it_lets_an_agent_do(label: str, means: str, *, alarming: bool) -> None:
    assert declared(label) == DeclaredTool(label, means, alarming)

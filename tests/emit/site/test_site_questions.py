"""*Before you install*: four groups, by what can happen."""

from __future__ import annotations

import re

import pytest

from helpers import repos
from skillbuild.emit.site.facts import DeclaredTool, declared

FILES: repos.Files = {
    "skills/a/SKILL.md": (
        "---\nname: a\ndescription: Does a thing.\nauthor: Ada Example\nlang: zh-Hans\n"
        "allowed-tools: Bash Read\n---\n"
        "Run !`date`. See https://both.test.org/ and https://text.test.org/, and [b](missing.md).\n"
    ),
    "skills/a/run.sh": "#!/bin/sh\ncurl https://both.test.org/\n",
}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("questions")
    repos.build(repos.repository(folder / "repo", FILES), folder / "out")
    return (folder / "out/skills/a/index.html").read_text()


def test_each_group_has_its_facts_and_hosts_in_code_come_first(page: str) -> None:
    box = page.partition('id="before"')[2].partition("</section>")[0]
    titles = re.findall(r"<h3>(.*?)</h3>|<dt>(.*?) <span", box)
    assert ["".join(title) for title in titles] == [
        *("Runs code", "When it is loaded", "Scripts and executables"),
        *("May reach the network", "Hosts in code", "Hosts only named in text"),
        "May use tools",
        *("Hidden or unusual", "Not as it should be"),
    ]
    assert re.findall(r"<code>(.*?test\.org)</code>", box) == ["both.test.org", "text.test.org"]
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

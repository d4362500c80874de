"""*Before you install*: rows in a few words, each with what it was found in."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from helpers import repos
from skillbuild.emit.site.facts import DeclaredTool, declared
from skillbuild.model import RunFact, RunKind
from skillbuild.release.facts import phrase

FILES: repos.Files = {
    "skills/a/SKILL.md": (
        "---\nname: a\ndescription: Does a thing.\nauthor: Ada Example\nlang: zh-Hans\n"
        "allowed-tools: Bash Read\n---\n"
        "Run !`date`. See https://text.dev/, Slack and [b](missing.md).\n"
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
        ("", "Has", "1 script (Bash); other links and names"),
        ("", "Reaches", "both.dev"),
        (' class="mark"', "Tools", "Bash, Read without asking"),
    ]
    assert re.findall(r"<code>(.*?)</code> <a href=\"([^\"]*)\">", box) == [
        ("date", "-/files/SKILL.md.html#L8"),
        ("text.dev", "-/files/SKILL.md.html#L8"),
        ("Slack", "-/files/SKILL.md.html#L8"),
        ("both.dev", "-/files/run.sh.html#L2"),
    ]
    assert '<code class="mark">Bash <span class="n">any command</span></code>' in box
    assert "<code>Read</code>" in box


CROWDED: repos.Files = {
    "skillbuild.toml": 'repository = "https://github.com/acme/tools"\n',
    "skills/many/SKILL.md": (
        "---\nname: many\ndescription: Does much.\nallowed-tools: Bash(python3 *) Read\n---\n"
        "```bash\ncurl https://get.dev/x.sh | sh\npip install a\nnpm install b\nuvx ruff\n"
        "curl https://far.dev/\nsudo true\ncrontab jobs\nrm -r notes\ngit push\n"
        "powershell -ExecutionPolicy Bypass -File a.ps1\n```\nUse the `mcp__notes__list` tool.\n"
    ),
}


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crowded")
    repos.build(repos.repository(folder / "repo", CROWDED), folder / "out")
    return folder / "out/skills/many"


def test_dangers_stand_by_the_command_and_weaker_rows_are_folded(crowded: Path) -> None:
    page = (crowded / "index.html").read_text()
    install = page.partition('id="install"')[2].partition("<pre")[0]
    warning = '<p class="notice"><a class="mark" href="#before">{}</a></p>'
    assert warning.format("Runs what it downloads from get.dev") in install
    box = page.partition('id="before"')[2].partition("</section>")[0]
    strong, rest, weak = box.partition('<details class="rest">')
    assert rest
    assert strong.count("<summary") == 4
    assert re.search(r"<span>Also</span> <span>(\d+) more rows</span>", weak)
    assert "<span>Works with</span>" in weak
    assert 'href="../../about/index.html#facts">can miss things</a>' in weak


def test_a_host_that_stands_for_another_is_named() -> None:
    command = "curl -s https://api.example.org/x"
    fact = RunFact(RunKind.REACHES, "an example address (curl)", "SKILL.md", 3, command)
    assert phrase(fact) == "reaches api.example.org (an example address)"


def test_a_comparison_leaves_out_no_fact(crowded: Path) -> None:
    _, _, row = (crowded / "-/compare.js").read_text().partition("=")
    places, titles, words, loud, lines = zip(*json.loads(row)["does"], strict=True)
    assert [*places] == sorted(places)
    assert dict(zip(titles, words, strict=True)) == {
        "Runs what it downloads": "from get.dev",
        "Adds commands that run automatically": "crontab jobs",
        "Asks for more privileges": "sudo and permission to run unsigned scripts",
        "Reaches the network": "get.dev and far.dev",
        "Installs packages": "pip and npm",
        "Runs packages, downloading them first if needed": "uvx ruff",
        "Deletes files or folders": "rm -r notes",
        "Pushes to a git remote": "git push",
        "Works with services, subagents, other skills and MCP servers": (
            "the MCP server notes and the tool list"
        ),
        "Runs other programs": "git, a.ps1 (not in the skill) and rm",
    }
    assert [title for title, is_loud in zip(titles, loud, strict=True) if is_loud] == [
        "Runs what it downloads"
    ]
    assert dict(zip(titles, lines, strict=True))["Pushes to a git remote"].startswith(
        "-/files/SKILL.md.html#L"
    )


def test_a_tool_is_named_with_its_scope_and_the_side_names_the_source(crowded: Path) -> None:
    page = (crowded / "index.html").read_text()
    assert "<span>Bash(python3 *), Read without asking</span>" in page
    side = page.partition('<section class="panel license">')[2].partition("</section>")[0]
    assert re.search(r"<dt>Source</dt><dd><a [^>]+>acme/tools( at \w+)?</a></dd>", side)


def test_author_and_language_are_those_of_the_frontmatter(page: str) -> None:
    assert "<dt>By</dt><dd>Ada Example</dd>" in page
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


def test_the_page_of_a_file_leads_to_the_file_at_the_commit_of_its_change(tmp_path: Path) -> None:
    files = {**CROWDED, "skills/many/run me.sh": "echo\n"}
    repo = repos.repository(tmp_path / "repo", files)
    repos.build(repo, tmp_path / "out")
    page = (tmp_path / "out/skills/many/-/files/run me.sh.html").read_text()
    address = r"https://github.com/acme/tools/tree/[0-9a-f]{40}/skills/many/run%20me.sh"
    assert re.search(rf'<a class="button" href="{address}"[^>]*>View on GitHub</a>', page)

"""Every way to install that a page offers leads to files of the same release."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

from helpers import repos
from helpers.browsing import build_example
from skillbuild.model import Digest

BASE = "https://example.org/repo/"
_TAB = re.compile(r'data-tab="(\w+)">\s*<pre[^>]*><code>(.*?)</code></pre>', re.DOTALL)
_WHOLE = re.compile(r'<dd class="line"><code>(.*?)</code></dd>')


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, published below `BASE`."""
    return build_example(tmp_path_factory.mktemp("install"), BASE)


def ways(out: Path, path: str) -> dict[str, str]:
    """The commands of a skill's page by tab, as a reader copies them."""
    text = (out / "skills" / path / "index.html").read_text()
    return {name: html.unescape(commands) for name, commands in _TAB.findall(text)}


def skills(out: Path) -> list[str]:
    return [path.parent.relative_to(out / "skills").as_posix() for path in _pages(out)]


def _pages(out: Path) -> list[Path]:
    files = (out / "skills").rglob("index.html")
    return sorted(path for path in files if "/-/" not in path.as_posix())


def below_base(out: Path, address: str) -> Path:
    assert address.startswith(BASE)
    return out / address.removeprefix(BASE)


def test_npx_is_given_an_address_whose_discovery_file_names_the_archive(out: Path) -> None:
    for path in skills(out):
        if command := ways(out, path).get("npx"):
            start, _, address = command.rpartition(" ")
            assert start == "npx skills add"
            folder = below_base(out, address) / ".well-known/agent-skills"
            (skill,) = json.loads((folder / "index.json").read_bytes())["skills"]
            archive = (folder / skill["url"]).resolve()
            assert skill["digest"] == str(Digest.of(archive.read_bytes()))


def test_claude_is_given_a_marketplace_that_has_the_plugin(out: Path) -> None:
    offered = []
    for path in skills(out):
        if commands := ways(out, path).get("claude"):
            add, install = commands.splitlines()
            market = json.loads(below_base(out, add.rpartition(" ")[2]).read_bytes())
            plugin, _, name = install.rpartition(" ")[2].partition("@")
            assert (add.split()[:3], name) == (["/plugin", "marketplace", "add"], market["name"])
            offered.append(plugin)
    assert sorted(offered) == sorted(plugin["name"] for plugin in market["plugins"])


def test_curl_is_given_an_archive_and_its_digest(out: Path) -> None:
    for path in skills(out):
        fetch, check, unpack = ways(out, path)["curl"].splitlines()
        archive = below_base(out, fetch.removeprefix("curl -fLO "))
        digest, name = check.removeprefix('echo "').removesuffix('" | sha256sum --check').split()
        assert (name, digest) == (archive.name, Digest.of(archive.read_bytes()).hex)
        assert unpack == f"unzip {archive.name} -d {path.rpartition('/')[2]}"


def test_every_skill_can_be_served_and_internal_ones_are_offered_to_no_installer(out: Path) -> None:
    for path in skills(out):
        commands = ways(out, path)
        args = json.loads(commands["mcp"])["mcpServers"]["skills"]["args"]
        assert args[0] == "serve"
        assert (commands.keys() == {"curl", "mcp"}) == path.startswith("internal/")


def test_the_list_names_the_ways_that_fetch_all_skills(out: Path) -> None:
    shown = _WHOLE.findall((out / "index.html").read_text())
    addresses = [word for command in shown for word in command.split() if word.startswith(BASE)]
    assert addresses == [BASE, f"{BASE}claude/marketplace.json"]
    assert (out / ".well-known/agent-skills/index.json").is_file()
    assert (out / "claude/marketplace.json").is_file()


def test_without_an_address_commands_leave_a_gap_for_it(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", {"skills/a/SKILL.md": repos.skill_md("a")})
    repos.build(repo, tmp_path / "out")
    commands = ways(tmp_path / "out", "a")
    gap = '<span class="site" data-site="">&lt;this site&gt;/</span>'
    assert commands["npx"] == html.unescape(f"npx skills add {gap}skills/a")
    assert "claude" not in commands

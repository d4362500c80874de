"""Every way to install that a page offers leads to files of the same release."""

from __future__ import annotations

import html
import json
import re
import shlex
import zipfile
from itertools import pairwise
from pathlib import Path

import pytest

from helpers import facts, repos
from helpers.browsing import build_example
from skillbuild.cli import main
from skillbuild.emit.site.clients import CLIENTS, PLUGIN_CLIENTS
from skillbuild.emit.site.upload import upload_faults, upload_remarks
from skillbuild.model import Digest, changed

BASE = "https://example.org/repo/"
INTERNAL = "---\nname: own\ndescription: Ours.\nmetadata:\n  internal: true\n---\nDo it.\n"
_CLIENT = re.compile(r'<details name="client" data-client="([^"]*)".*?</details>', re.DOTALL)
_COMMANDS = re.compile(r'<pre class="code" tabindex="0"><code>(.*?)</code></pre>', re.DOTALL)
_KEPT = re.compile(r'<span class="num">(.*?)</span>|<wbr>')
_GAP = '<span class="site" data-site="">&lt;this site&gt;/</span>'


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, published below `BASE`."""
    return build_example(tmp_path_factory.mktemp("install"), BASE)


def ways(page: Path) -> dict[str, list[str]]:
    """The commands of a page by client, as a reader copies them."""
    return {
        client[1]: [html.unescape(_KEPT.sub(r"\1", each)) for each in _COMMANDS.findall(client[0])]
        for client in _CLIENT.finditer(page.read_text())
    }


def ways_of(out: Path, path: str) -> dict[str, list[str]]:
    return ways(out / "skills" / path / "index.html")


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
        if "codex" not in (shown := ways_of(out, path)):
            continue
        for client in CLIENTS:
            for_project, for_person, *_ = shown[client.key]
            assert for_person == f"{for_project} --global"
            assert re.fullmatch(rf"npx skills add \S+ --agent {client.key}", for_project)
            folder = below_base(out, for_project.split()[3]) / ".well-known/agent-skills"
            (skill,) = json.loads((folder / "index.json").read_bytes())["skills"]
            archive = (folder / skill["url"]).resolve()
            assert skill["digest"] == str(Digest.of(archive.read_bytes()))


def test_claude_is_given_a_marketplace_that_has_the_plugin(out: Path) -> None:
    offered = []
    for path in skills(out):
        if commands := ways_of(out, path).get("claude-code"):
            add, install = commands[-1].splitlines()
            market = json.loads(below_base(out, add.rpartition(" ")[2]).read_bytes())
            plugin, _, name = install.rpartition(" ")[2].partition("@")
            assert (add.split()[:3], name) == (["/plugin", "marketplace", "add"], market["name"])
            offered.append(plugin)
    assert sorted(offered) == sorted(plugin["name"] for plugin in market["plugins"])


def test_curl_is_given_an_archive_its_digest_and_a_folder_of_clients(out: Path) -> None:
    for path in skills(out):
        [commands] = ways_of(out, path)["folder"]
        fetch, check, make, unpack = commands.splitlines()
        archive = below_base(out, fetch.removeprefix("curl -fLO "))
        digest, name = check.removeprefix('echo "').removesuffix('" | sha256sum --check').split()
        assert (name, digest) == (archive.name, Digest.of(archive.read_bytes()).hex)
        folder = f".agents/skills/{path.rpartition('/')[2]}"
        assert (make, unpack) == (f"mkdir -p {folder}", f"unzip {archive.name} -d {folder}")


def test_every_skill_can_be_served_and_internal_ones_are_offered_to_no_installer(out: Path) -> None:
    every = {*(client.key for client in CLIENTS), "folder", "mcp"}
    for path in skills(out):
        shown = ways_of(out, path)
        assert shown["mcp"] == [f"skillbuild serve --only {path} /path/to/a/copy"]
        assert {*shown} == ({"folder", "mcp"} if path.startswith("internal/") else every)


def test_the_list_names_the_ways_that_fetch_all_skills(out: Path) -> None:
    shown = ways(out / "index.html")
    assert {*shown} == {*(client.key for client in CLIENTS), "mcp", "check"}
    assert shown["claude-code"][-1] == f"/plugin marketplace add {BASE}claude/marketplace.json"
    assert shown["goose"] == [
        f"npx skills add {BASE} --skill '*' --agent goose",
        f"npx skills add {BASE} --skill '*' --agent goose --global",
    ]
    assert (out / ".well-known/agent-skills/index.json").is_file()
    assert (out / "claude/marketplace.json").is_file()


def test_without_an_address_commands_leave_a_gap_for_it(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", {"skills/a/SKILL.md": repos.skill_md("a")})
    repos.build(repo, tmp_path / "out")
    commands = ways_of(tmp_path / "out", "a")
    gap = html.unescape(_GAP)
    assert commands["codex"][0] == f"npx skills add {gap}skills/a --agent codex"
    assert commands["claude-code"][0] == f"npx skills add {gap}skills/a --agent claude-code"


def test_no_name_of_a_folder_can_end_a_command(tmp_path: Path) -> None:
    hostile = "a;$(touch x)'&b"
    text = repos.skill_md("a").replace("name: a", "name: Some title")
    repo = repos.repository(tmp_path / "repo", {f"skills/{hostile}/SKILL.md": text})
    repos.build(repo, tmp_path / "out")
    [page] = _pages(tmp_path / "out")
    for commands in ways(page).values():
        for command in commands:
            left = command.replace(shlex.quote(hostile), "")
            assert not {";", "$", "'&"} & {*left, *map("".join, pairwise(left))}, command


def test_the_zip_for_uploads_is_offered_under_both_names(out: Path) -> None:
    page = (out / "skills/data/csv-profile/index.html").read_text()
    links = re.findall(r'href="([^"]*)" download="(csv-profile[^"]*)"', page)
    assert [name for _, name in links] == ["csv-profile.zip", "csv-profile.skill"]
    [path] = {address for address, _ in links}
    with zipfile.ZipFile(out / path.removeprefix("../" * 3)) as archive:
        assert {name.partition("/")[0] for name in archive.namelist()} == {"csv-profile"}


UPLOADS: dict[str, tuple[dict[str, object], list[str]]] = {
    "good": ({}, []),
    "a title": ({"name": "My Skill"}, ["its name"]),
    "a name of Claude": ({"name": "claude-skill"}, ["its name"]),
    "markup": ({"description": "Makes <b>."}, ["its description"]),
    "long": ({"description": "x" * 1025}, ["its description"]),
    "compatibility": ({"compatibility": "x" * 501}, ["its compatibility"]),
    "a field": ({"version": "1"}, ["the field version"]),
    "fields": ({"version": 1, "tags": []}, ["the fields version and tags"]),
    "many": (
        {"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1},
        ["the fields a, b, c, d, e and 2 more"],
    ),
}


@pytest.mark.parametrize(("fields", "faults"), UPLOADS.values(), ids=UPLOADS)
def test_what_an_upload_is_refused_for_is_known(
    fields: dict[str, object], faults: list[str]
) -> None:
    entry = facts.entry("a", frontmatter={"name": "a", "description": "Does it.", **fields})
    assert list(upload_faults(entry)) == faults
    remarks = upload_remarks(entry)
    assert len(remarks) == bool(faults) + (len(entry.text("description")) > 200)


def test_a_skill_that_is_too_large_to_upload_says_so() -> None:
    small = facts.entry("a", frontmatter={"name": "a", "description": "Does it."})
    remarks = []
    for size in (30_000_000, 45_200_000):
        [file] = small.resources
        remarks += upload_remarks(changed(small, resources=(changed(file, size=size),)))
    assert remarks == ["The Skills API accepts at most 30 MB; this skill is 45.2 MB."]


def test_plugins_come_from_the_branch_that_the_settings_name(tmp_path: Path) -> None:
    settings = 'repository = "https://forge.example/us/tools"\nplugins.branch = "plugins"\n'
    files = {
        "skillbuild.toml": settings,
        "skills/data/review/SKILL.md": repos.skill_md("review"),
        "skills/data/more/review/SKILL.md": repos.skill_md("review", "Another one."),
        "skills/own/SKILL.md": INTERNAL,
    }
    out, tree = tmp_path / "out", tmp_path / "tree"
    repos.build(repos.repository(tmp_path / "repo", files), out)
    assert main.main(["plugins", str(out), str(tree), "--quiet"]) == 0
    market = json.loads((tree / ".claude-plugin/marketplace.json").read_bytes())["name"]
    given = {"url": "https://forge.example/us/tools.git", "branch": "plugins", "market": market}
    plugins = {path: ways_of(out, path) for path in skills(out) if path != "own"}
    assert len(plugins) == 2
    for path, shown in plugins.items():
        plugin = shown["apm"][0].rpartition(" ")[2].partition("@")[0]
        [text] = (tree / "plugins" / plugin).glob("skills/*/SKILL.md")
        [source] = [text for place, text in files.items() if place.endswith(f"{path}/SKILL.md")]
        assert text.read_text() == source
        for client in PLUGIN_CLIENTS:
            lines = f"{client.add}\n{client.install}"
            wanted = lines.format_map({**given, "repository": "tools", "plugin": plugin})
            assert shown[client.key][-1] == wanted
    assert {*ways_of(out, "own")} == {"folder", "mcp"}
    whole = ways(out / "index.html")
    assert whole["codex"][-1].endswith(f"\ncodex plugin add PLUGIN@{market}")

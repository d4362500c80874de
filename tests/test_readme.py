"""The README is true: its commands run, and everything the program offers is named in it."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from skillbuild import __version__
from skillbuild.cli.grammar import parser
from skillbuild.config import FORMATS, Config, Limits
from skillbuild.emit.site.clients import ANY_HOST, CLIENTS, PLUGIN_CLIENTS
from skillbuild.model import Listing, label
from skillbuild.rules.registry import RULES
from skillbuild.text.wording import joined

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
_CLIENTS = re.compile(r"(<!-- clients -->\n)(.*)(<!-- /clients -->)", re.DOTALL)
_RULES = re.compile(r"(<!-- rules -->\n)(.*)(<!-- /rules -->)", re.DOTALL)


def _blocks(language: str) -> list[str]:
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return [text for name, text in blocks if name == language]


def _commands() -> dict[str, argparse.ArgumentParser]:
    top = parser()
    action = next(item for item in top._actions if isinstance(item, argparse._SubParsersAction))
    return dict(action.choices)


def _rules_table() -> str:
    head = ["<details><summary>All rules</summary>", "", "| code | outcome | what |"]
    head.append("|---|---|---|")
    rows = [f"| `{code}` | {_outcome(code)} | {rule.summary} |" for code, rule in RULES.items()]
    return "\n".join([*head, *rows, "", "</details>", ""])


def _write(old: str, new: str) -> None:
    """Replace a table in the file, where another one may have been replaced since it was read."""
    file = ROOT / "README.md"
    file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")


def _outcome(code: str) -> str:
    rule = RULES[code]
    names = dict.fromkeys("MCP" if each is Listing.MCP else label(each) for each in rule.unlists)
    return f"{rule.severity}, not in {joined(list(names))}" if names else str(rule.severity)


def test_every_rule_is_in_the_table(request: pytest.FixtureRequest) -> None:
    match = _RULES.search(README)
    assert match is not None
    if request.config.getoption("--update"):
        _write(match[0], match[1] + _rules_table() + match[3])
    else:
        assert match[2] == _rules_table()


def _clients_table() -> str:
    head = "| client | folders of a project, of a person | tried in them | MCP server | text |"
    rows = [
        f"| {client.name} | `{client.project}`, `{client.personal}` | {client.tried or 'no'} "
        f"| {_place(client.mcp_place)} | `{client.mcp}` |"
        for client in CLIENTS
    ]
    others = f"| others | | | {ANY_HOST.mcp_place} | `{ANY_HOST.mcp}` |"
    return "\n".join([head, "|---|---|---|---|---|", *rows, others, ""])


def _place(place: str) -> str:
    """A place with its file as code."""
    file, comma, more = place.partition(", ")
    return f"{file if file == 'shell' else f'`{file}`'}{comma}{more}"


def test_every_client_is_in_the_table(request: pytest.FixtureRequest) -> None:
    match = _CLIENTS.search(README)
    assert match is not None
    if request.config.getoption("--update"):
        _write(match[0], match[1] + _clients_table() + match[3])
    else:
        assert match[2] == _clients_table()


def _plugins_table() -> str:
    head = "| client | once | for each plugin | tried in |"
    rows = [
        f"| {client.name} | `{client.add}` | `{client.install}` | {client.tried or 'not tried'} |"
        for client in PLUGIN_CLIENTS
    ]
    return "\n".join([head, "|---|---|---|---|", *rows, ""])


def test_every_client_of_plugins_is_in_the_guide(request: pytest.FixtureRequest) -> None:
    guide = ROOT / ".github/PUBLISHING.md"
    text = guide.read_text("utf-8")
    match = _CLIENTS.search(text)
    assert match is not None
    if request.config.getoption("--update"):
        guide.write_text(text.replace(match[0], match[1] + _plugins_table() + match[3]), "utf-8")
    else:
        assert match[2] == _plugins_table()


def test_every_command_and_option_is_documented() -> None:
    options = {"--help", "-h", "--version"}
    for name, command in _commands().items():
        assert f"`skillbuild {name}" in README
        options |= {option for argument in command._actions for option in argument.option_strings}
    missing = {option for option in options if not re.search(rf"`{re.escape(option)}[ `]", README)}
    assert missing == set()


def test_every_documented_option_exists() -> None:
    options = {"--help", "-h", "--version"}
    for command in _commands().values():
        options |= {option for argument in command._actions for option in argument.option_strings}
    tables = "\n".join(line for line in README.splitlines() if line.startswith("|"))
    named = {cell.split()[0] for cell in re.findall(r"`(--?[a-z][^`]*)`", tables)}
    assert named <= options | {"--check"}


def test_every_setting_is_documented() -> None:
    settings = {*Config.__struct_fields__}
    tables = {"links", "owner", "paths", "rules", "limits", "search"}
    tables |= {"versions", "moved", "deprecated", "yanked", "trust"}
    settings.remove("ignore")
    assert "`[[ignore]]`" in README
    assert {name for name in settings - tables if f"`{name}`" not in README} == set()
    assert {name for name in tables if f"`[{name}]`" not in README} == set()
    [row] = [line for line in README.splitlines() if line.startswith("| `formats` |")]
    assert {name for name in FORMATS if f"`{name}`" not in row} == set()
    assert {name for name in Limits.__struct_fields__ if f"`{name}`" not in README} == set()


def test_one_version_is_published() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        assert tomllib.load(file)["project"]["version"] == __version__


def test_ci_runs_the_commands_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    set_up = [block.strip() for block in _blocks("bash") if block.startswith("python3 -m venv")]
    assert len(set_up) == 2
    assert [command for command in set_up if command not in script] == []


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment in which `skillbuild` is this checkout, and git knows who commits."""
    programs = tmp_path / "bin"
    programs.mkdir()
    launcher = programs / "skillbuild"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m skillbuild "$@"\n')
    launcher.chmod(0o755)
    identity = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "A"), ("EMAIL", "a@example.com"))
    }
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    return {**os.environ, **identity, "PATH": path, "PYTHONPATH": str(ROOT / "builder")}


def _run(script: str, folder: Path, environment: dict[str, str]) -> str:
    bash = shutil.which("bash")
    assert bash is not None
    done = subprocess.run(
        [bash, "-euc", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_commands_for_your_own_repository_work(shell: dict[str, str], tmp_path: Path) -> None:
    repository = tmp_path / "own"
    shutil.copytree(ROOT / "tests" / "example", repository)
    _run("git init --quiet . && git add . && git commit --quiet -m skills", repository, shell)
    [own] = (block for block in _blocks("bash") if block.startswith("skillbuild "))
    printed = _run(own, repository, shell)
    assert "10 skills found, all published; 0 errors, 0 warnings" in printed
    assert (repository / "my-skills" / "skillbuild.toml").is_file()


def test_the_example_prints_the_line_of_the_readme(shell: dict[str, str], tmp_path: Path) -> None:
    command = next(block for block in _blocks("bash") if "tests/example" in block)
    build = command.partition(".venv/bin/skillbuild")[2].strip()
    printed = _run(f"skillbuild {build} --out {tmp_path / 'out'}", ROOT, shell)
    last = printed.strip().splitlines()[-1]
    expected = _blocks("")[0].strip()
    counts = "10 skills found, all published; 0 errors, 0 warnings, 1 note (-v shows it)"
    assert last.startswith(counts)
    assert expected.startswith(counts)

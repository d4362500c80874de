"""The README is short and true: its commands run, and what it shows is what the program prints."""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from pathlib import Path

import pytest

from helpers.commands import run, shell_variables
from skillbuild import __version__
from skillbuild.emit.site.clients import PLUGIN_CLIENTS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
_CLIENTS = re.compile(r"(<!-- clients -->\n)(.*)(<!-- /clients -->)", re.DOTALL)
_SKILLS = {
    "skills/refunds/SKILL.md": """---
name: refunds
description: Refund a customer: find the order, check the policy, issue the refund.
---
Find the order.
""",
    "skills/release-notes/SKILL.md": """---
name: release-notes
description: Write release notes from merged pull requests.
metadata:
  version: 1.10
---
Collect the pull requests:
Run `python scripts/collect.py`.
""",
    "skills/release-notes/scripts/format.py": "print()\n",
    "skills/pdf-forms/fill.py": "print()\n",
    "skills/pdf-forms/SKILL.md": """---
name: pdf-forms
description: Fill in PDF forms.
---
Fill in the form.
""",
}
"""The skills that the README shows what `check` says about."""

posix = pytest.mark.skipif(os.name == "nt", reason="the commands are for POSIX shells")


def _blocks(language: str) -> list[str]:
    blocks = re.findall(r"^```([^\n]*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return [text for name, text in blocks if name == language]


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 120
    assert len(README.encode()) <= 9_000


def _plugins_table() -> str:
    head = "| client | once | for each plugin | tested with |"
    rows = [
        f"| {client.name} | `{client.add}` | `{client.install}` | {client.tried or 'not tested'} |"
        for client in PLUGIN_CLIENTS
    ]
    return "\n".join([head, "|---|---|---|---|", *rows, ""])


def test_every_client_of_plugins_is_in_the_guide(request: pytest.FixtureRequest) -> None:
    guide = ROOT / "site_src/docs/plugins.md"
    text = guide.read_text("utf-8")
    match = _CLIENTS.search(text)
    assert match is not None
    if request.config.getoption("--update"):
        guide.write_text(text.replace(match[0], match[1] + _plugins_table() + match[3]), "utf-8")
    else:
        assert match[2] == _plugins_table()


def test_one_version_is_published() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        assert tomllib.load(file)["project"]["version"] == __version__


def test_ci_runs_the_commands_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    set_up = [block.strip() for block in _blocks("bash") if block.startswith("python3 -m venv")]
    assert len(set_up) == 2
    assert [command for command in set_up if command not in script] == []


@posix
def test_the_commands_for_your_own_repository_work(tmp_path: Path) -> None:
    repository = tmp_path / "own"
    shutil.copytree(ROOT / "tests" / "example", repository)
    [own] = (block for block in _blocks("bash") if block.startswith("skillbuild "))
    script = "git init --quiet . && git add . && git commit --quiet -m skills\n" + own
    printed = run(script, repository, shell_variables(tmp_path))
    assert "10 skills found, all published; 0 errors, 0 warnings" in printed


@posix
def test_check_says_what_the_readme_shows(tmp_path: Path) -> None:
    for path, text in _SKILLS.items():
        (tmp_path / "own" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "own" / path).write_text(text, "utf-8")
    script = "git init --quiet . && ! skillbuild check"
    printed = run(script, tmp_path / "own", shell_variables(tmp_path))
    [shown] = (block for block in _blocks("") if "error[" in block)
    without_time = re.compile(r" in \d[\d.]* s$", re.MULTILINE)
    assert without_time.sub("", printed) == without_time.sub("", shown)

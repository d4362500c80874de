"""Do clients install the plugins of a branch by the commands that pages show?

    python tests/clients/plugins.py REPO|OUT...

The tree of plugins is the only commit of a branch of a local repository, to which git leads what is
asked of an address that is nowhere. The client must then know each skill: it says so, or its copy
of the files is whole. What it does with updates and removals is not asked.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import arrivals
import folders
import tools
from arrivals import Output, Row

from skillbuild.cli import main
from skillbuild.emit.site.clients import PLUGIN_CLIENTS, PluginClient

_URL = "https://git.invalid/us/skills.git"
_BRANCH = "plugins"
_PROGRAMS = {
    "claude-code": ("@anthropic-ai/claude-code", "2.1.330", "claude"),
    "codex": ("@openai/codex", "0.169.0", "codex"),
    "github-copilot": ("@github/copilot", "1.0.102", "copilot"),
    "gemini-cli": ("@google/gemini-cli", "0.61.0", "gemini"),
    "qwen-code": ("@qwen-code/qwen-code", "0.24.4", "qwen"),
    "droid": ("droid", "0.215.0", "droid"),
}
_QUIET = {"gemini-cli": "--consent", "qwen-code": "--consent"}
"""Options of those that would ask a person."""
_COPIES = {
    "qwen-code": ".qwen/extensions",
    "droid": ".factory/plugins/cache",
    "apm": "w/.claude/skills",
}
"""Below the home, where a client keeps the skills that it cannot list."""


def judge(output: Output, work: Path) -> Iterator[Row]:
    tree = work / "tree"
    assert main.main(["plugins", str(output.folder), str(tree), "--quiet"]) == 0
    market = arrivals.plugin_tree(output.folder)["name"]
    names = sorted(folder.name for folder in (tree / "plugins").iterdir())
    bare = _pushed(tree, work)
    for client in PLUGIN_CLIENTS:
        home = work / client.key
        project = home / "w"
        project.mkdir(parents=True)
        _prepare(home, bare)
        given = {"url": _URL, "branch": _BRANCH, "repository": "skills", "market": market}
        _run(client, home, client.add.format_map(given))
        for name in names:
            _run(client, home, client.install.format_map({**given, "plugin": name}))
        yield _seen(client, output, tree, home, project)


def _pushed(tree: Path, work: Path) -> Path:
    bare, index = work / "bare.git", ["git", "-C", str(tree)]
    subprocess.run(["git", "init", "--quiet", "--bare", str(bare)], check=True)
    for words in (
        ["init", "--quiet"],
        ["-c", "core.autocrlf=false", "add", "--all", "--force"],
        ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "Plugins"],
        ["push", "--quiet", str(bare), f"HEAD:refs/heads/{_BRANCH}"],
    ):
        subprocess.run([*index, *words], check=True)
    return bare


def _prepare(home: Path, bare: Path) -> None:
    (home / ".gitconfig").write_text(
        f'[url "file://{bare}"]\ninsteadOf = {_URL}\n[protocol "file"]\nallow = always\n'
        "[user]\nname = t\nemail = t@example.org\n"
    )
    for name in (".gemini", ".qwen"):
        (home / name).mkdir()
        (home / name / "settings.json").write_text(folders.TRUSTING)
    subprocess.run(["git", "init", "--quiet", str(home / "w")], check=True)


def _run(client: PluginClient, home: Path, line: str) -> None:
    program, *words = shlex.split(line)
    if program == "git":
        found = tools.Client("git", "", ("git",), os.defpath)
    elif client.key == "apm":
        found = tools.pypi("apm", "apm-cli==0.35.0")
        words += ["--target", "claude"] if words[0] == "install" else []
    else:
        found = tools.npm(*_PROGRAMS[client.key])
    if client.key in _QUIET and program != "git":
        words.append(_QUIET[client.key])
    tools.run(found, home, *words, cwd=home / "w")


def _seen(client: PluginClient, output: Output, tree: Path, home: Path, project: Path) -> Row:
    """Skills by name: a client may keep one of several with one name."""
    places = sorted(tree.glob("plugins/*/skills/*/SKILL.md"))
    if client.key == "apm":  # All its skills are in one folder.
        uses = Counter(path.parent.name for path in places)
        places = [path for path in places if uses[path.parent.name] == 1]
    if client.key in _COPIES:
        have = {path.read_bytes() for path in (home / _COPIES[client.key]).rglob("SKILL.md")}
        wanted = [str(path.relative_to(tree)) for path in places]
        seen = [str(path.relative_to(tree)) for path in places if path.read_bytes() in have]
        return arrivals.same(f"{client.name}: files in {_COPIES[client.key]}", wanted, seen)
    case = f"{client.name}: as {client.tried} says"
    return folders.known(output, case, folders.ASK[client.key](home, project))


if __name__ == "__main__":
    sys.exit(arrivals.main(__doc__ or "", "clients of plugins, from a branch", judge))

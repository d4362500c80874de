"""Nobody can be made to run a stranger's code: what texts say to install is pinned or local."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import skillbuild
from skillbuild.assets import asset_root

ROOT = Path(__file__).parents[1]
SHIPPED = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "action.yml", ".ci", ".github")),
    *(ROOT / name for name in (".pre-commit-hooks.yaml", "tests/README.md", "tests/helpers")),
    Path(skillbuild.__file__).parent,
    Path(str(asset_root("templates"))),
    Path(str(asset_root("site_src"))),
]
"""Files, and folders of files, that somebody reads who wants to use or change the program."""
TEXT = {"", ".css", ".html", ".js", ".json", ".md", ".mjs", ".py", ".toml", ".txt", ".yaml", ".yml"}

_INSTALLS = re.compile(
    r"(?:\b(?:pip3?|pipx|uv pip|uv tool|npm|pnpm|yarn|cargo|go|gem|brew)"
    r" (?:install|run|exec|add|dlx|inject|i)|\b(?:uvx|npx|bunx))(?= )([^\n`;|&)]*)"
)
_USES = re.compile(r"\b(?:uses: |rev: )(\S+)")
_PINNED = re.compile(r".*(==[0-9]|@v?[0-9]+\.[0-9]|@[0-9a-f]{40}$|@COMMIT$)|COMMIT$|[0-9a-f]{40}$")
_LOCAL = re.compile(r"[.$/\"'{]|.*\.txt$|.*\$")
_NAMES = re.compile(r'\b_?words\(\s*("""|").*?\1', re.DOTALL)
"""In a program, names of commands that it reads in skills."""
_CHOSEN = {"skills"}
"""Clients of catalogs that a reader has chosen, whose version a page of a catalog cannot know."""


def unpinned(text: str) -> list[str]:
    """What a text says to install, run or call that is neither of one version nor a local path."""
    joined = _NAMES.sub("", re.sub(r"\\\n\s*", " ", text))
    names = [name for match in _INSTALLS.finditer(joined) for name in _named(match)]
    names += [name for name in _USES.findall(joined) if not name.startswith("./")]
    return [name for name in names if not _PINNED.match(name) and name not in _CHOSEN]


def _named(command: re.Match[str]) -> Iterator[str]:
    """The packages of a command; of one that runs a program, the first word alone."""
    try:
        words = shlex.split(command[1], comments=True)
    except ValueError:
        words = command[1].split()
    packages = [word for word in words if not word.startswith("-") and not _LOCAL.match(word)]
    runs = re.match(r"(uvx|npx|bunx|pipx run|npm exec|pnpm dlx)", command[0]) is not None
    yield from packages[:1] if runs else packages


def _texts() -> Iterator[tuple[str, str]]:
    for top in SHIPPED:
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            if path.is_file() and path.suffix in TEXT and "__pycache__" not in path.parts:
                yield str(path), path.read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("pipx install skillbuild\n", ["skillbuild"]),
        ("`pip install 'skillbuild[browser]'`", ["skillbuild[browser]"]),
        ("python -m pip install --quiet \\\n  a==1 b", ["b"]),
        ("pip install git+https://git.example/a/b@main", ["git+https://git.example/a/b@main"]),
        ("uvx skillbuild check && npx left-pad x", ["skillbuild", "left-pad"]),
        ("uv tool install skillbuild", ["skillbuild"]),
        ("    uses: a/b/.github/workflows/c.yml@v1\n", ["a/b/.github/workflows/c.yml@v1"]),
        ("  rev: main\n", ["main"]),
        ("pip install --quiet . && pip install -e '.[test]' -r lock.txt \"$work/x.whl\"", []),
        ('npx skills add https://a.example; npm install --prefix "$w" a@1.2.3', []),
        ('_RUNNERS = _words("npx pnpm yarn")\nB = words(\n    """\n    uvx a\n    """\n)', []),
        (f"uses: ./x\n- uses: a/b@COMMIT\n- uses: a/b@{'0' * 40}\n  rev: COMMIT\n", []),
    ],
)
def test_an_unpinned_name_is_noticed(text: str, names: list[str]) -> None:
    assert unpinned(text) == names


def test_no_text_says_to_install_an_unpinned_name() -> None:
    texts = dict(_texts())
    assert len(texts) > 200
    assert {path: names for path, text in texts.items() if (names := unpinned(text))} == {}


def test_no_text_names_a_home_that_the_project_does_not_have() -> None:
    """`[project.urls]` says where the project lives; until then texts say OWNER/skillbuild."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    home = project.get("urls", {}).get("Source", "https://github.com/OWNER/skillbuild")
    ours = re.compile(r"(?:uses: |github\.com/|repository )(\w[\w.-]*/skillbuild)\b")
    named = {
        name
        for path, text in _texts()
        if path.endswith((".md", ".yml", ".yaml", ".toml"))
        for name in ours.findall(text)
    }
    assert named == {"/".join(home.split("/")[-2:])}

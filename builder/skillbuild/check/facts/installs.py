"""Recognizes commands that install packages, and the package manager that they use."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from skillbuild.check.facts.found import words as _words

_PIP, _NPM, _SYSTEM = "pip", "npm", "system"
INSTALLS: Mapping[str, Mapping[str, str]] = {
    "pip": {"install": _PIP, "download": _PIP},
    "pip3": {"install": _PIP},
    "pipx": {"install": _PIP, "inject": _PIP},
    "uv": {
        "add": _PIP,
        "sync": _PIP,
        "pip install": _PIP,
        "tool install": _PIP,
        "python install": "Python",
    },
    "cabal": {"install": "Haskell"},
    "opam": {"install": "OCaml"},
    "tlmgr": {"install": "TeX Live"},
    "poetry": {"add": _PIP, "install": _PIP},
    "pdm": {"add": _PIP, "install": _PIP},
    "pixi": {"add": "conda", "install": "conda"},
    "npm": dict.fromkeys(["install", "i", "add", "ci", "pack"], _NPM),
    "pnpm": dict.fromkeys(["install", "i", "add"], _NPM),
    "yarn": dict.fromkeys(["install", "add", "global add"], _NPM),
    "bun": dict.fromkeys(["install", "i", "add"], _NPM),
    "deno": {"install": _NPM, "add": _NPM},
    "brew": dict.fromkeys(["install", "tap", "bundle", "cask install"], "Homebrew"),
    "apt": {"install": _SYSTEM},
    "apt-get": {"install": _SYSTEM},
    "yum": {"install": _SYSTEM},
    "dnf": {"install": _SYSTEM},
    "zypper": {"install": _SYSTEM, "in": _SYSTEM},
    "apk": {"add": _SYSTEM},
    "pacman": dict.fromkeys(["-S", "-Sy", "-Syu"], _SYSTEM),
    "snap": {"install": _SYSTEM},
    "flatpak": {"install": _SYSTEM},
    "port": {"install": _SYSTEM},
    "dpkg": {"-i": _SYSTEM, "--install": _SYSTEM},
    "rpm": dict.fromkeys(["-i", "-ivh", "-Uvh", "--install"], _SYSTEM),
    "nix-env": {"-i": _SYSTEM, "-iA": _SYSTEM},
    "nix": {"profile install": _SYSTEM},
    "installer": {"-pkg": _SYSTEM},
    "cargo": dict.fromkeys(["install", "add", "binstall"], "Cargo"),
    "go": {"install": "Go", "get": "Go"},
    "gem": {"install": "gem"},
    "bundle": {"install": "gem", "add": "gem"},
    "composer": dict.fromkeys(["require", "install", "global require"], "Composer"),
    "luarocks": {"install": "LuaRocks"},
    "conda": dict.fromkeys(["install", "create", "env create"], "conda"),
    "mamba": dict.fromkeys(["install", "create", "env create"], "conda"),
    "micromamba": {"install": "conda", "create": "conda"},
    "dotnet": dict.fromkeys(["add package", "tool install", "package add"], "NuGet"),
    "nuget": {"install": "NuGet"},
    "install-module": {"": "PowerShell"},
    "install-package": {"": "NuGet"},
    "flutter": dict.fromkeys(["pub add", "pub global activate"], "Dart"),
    "dart": dict.fromkeys(["pub add", "pub global activate"], "Dart"),
    "quarto": {"add": "Quarto", "install extension": "Quarto"},
    "winget": {"install": "Windows"},
    "choco": {"install": "Windows"},
    "scoop": {"install": "Windows"},
    "code": {"--install-extension": "VS Code"},
    "claude": {"plugin install": "Claude plugin", "plugin add": "Claude plugin"},
    "plugin": {"install": "Claude plugin"},
    "gemini": {"extensions install": "Gemini extension"},
    "gh": {"extension install": "GitHub CLI extension"},
    "helm": {"install": "Helm", "upgrade": "Helm"},
    "asdf": {"install": "asdf", "plugin add": "asdf"},
    "mise": {"use": "mise", "install": "mise"},
    "rustup": dict.fromkeys(["install", "default", "target add", "component add"], "Rust"),
    "nvm": {"install": "Node.js"},
    "playwright": {"install": "browser"},
}
"""The package manager, by program and subcommand."""
RUNS_PACKAGES: Mapping[str, Sequence[str]] = {
    "npx": [""],
    "bunx": [""],
    "uvx": [""],
    "pipx": ["run"],
    "uv": ["tool run"],
    "npm": ["exec", "x", "create", "init"],
    "pnpm": ["dlx", "create"],
    "yarn": ["dlx", "create"],
    "bun": ["x", "create"],
}
"""The subcommands, by program, that run a package and download it if it is not there."""
_FROM = _words("--from -p --package")
"""Options of these that name the package, if it is not the name of the command."""
_VERSION = re.compile(r"(?<=\w)(?:@|==)[^/]*")
_NAME = re.compile(r"[\w@][\w@./:+-]*")
_WITHOUT_OPERAND = frozenset(
    [
        *("npm install", "npm i", "npm ci", "pnpm install", "pnpm i", "yarn install", "bun i"),
        *("bun install", "uv sync", "poetry install", "pdm install", "bundle install"),
        *("composer install", "brew bundle", "pixi install", "playwright install", "nvm install"),
        "mise install",
    ]
)
"""Commands that install the dependencies of a project; prose usually only mentions them."""
_FILE_OPTIONS = _words("-r -e -f --file --requirement --requirements --editable")
_PYTHON = re.compile(r"(?:python|pypy|py)[\d.]*|\$\{?\w*python\w*\}?", re.IGNORECASE)
_REDIRECT = re.compile(r"\d?[<>&|]")
_LEFT_OUT = re.compile(r"\.{3}|\u2026|<\.{3}>|\[\.{3}\]")
_NO_PACKAGE = re.compile(
    r"(?:(?:your|my|some|the|new)[-_]?)?(?:package|pkg|library|module)s?[-_]?(?:names?|\d)?"
    r"(?:\[[^\]]*\]|[=<>~!@].*)?",
    re.IGNORECASE,
)
"""Placeholders for the name of a package."""
_RUNNING = _words("uv poetry pipenv pdm pixi conda mamba micromamba")
"""Programs that run the command after `run`."""
_WITH_VALUE = _words(
    "-n --name -p --prefix --python --extra --group --project --directory --env-file --from --with"
    " --with-requirements --with-editable --package"
)
_RUNNERS = _words("npx pnpm yarn bunx")
_MOST_OPTIONS = 3
"""Maximum number of words of Python in which `-m` is sought; later ones are of a script."""


def manager_of(name: str, words: Sequence[str], *, is_span: bool) -> str:
    """Return the package manager that a command installs with, such as `pip`; empty if none."""
    if name == "uv" and "run" in words[:1] and "--with" in words:
        return _PIP
    name, words = unwrapped(name, words)
    if name in _RUNNERS and "playwright" in words[:2] and "install" in words:
        return "browser"
    for subcommand, manager in INSTALLS.get(name, {}).items():
        parts = subcommand.split()
        plain = _operands(words) if not subcommand.startswith("-") else list(words)
        if plain[: len(parts)] == parts:
            has_file = not is_span and not _FILE_OPTIONS.isdisjoint(words)
            is_whole = not is_span and f"{name} {subcommand}" in _WITHOUT_OPERAND
            operands = _operands(plain[len(parts) :])
            is_left_out = (len(operands) < 3 and any(map(_LEFT_OUT.fullmatch, operands))) or (
                bool(operands) and all(map(_NO_PACKAGE.fullmatch, operands))
            )
            names_some = has_file or is_whole or bool(operands)
            return manager if names_some and not is_left_out else ""
    return ""


def unwrapped(name: str, words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the program, and its arguments, that a command runs by `uv run` or `python -m`."""
    while name:
        if name in _RUNNING and words[:1] == ["run"]:
            words = _after_options(words[1:])
        elif _PYTHON.fullmatch(name) and "-m" in words[:_MOST_OPTIONS]:
            words = words[words.index("-m") + 1 :]
        else:
            break
        name, words = (words[:1] or [""])[0], words[1:]
    return name, words


def package_run(name: str, words: Sequence[str]) -> str:
    """Return the program and the package that a command such as `npx` runs; empty for others."""
    for subcommand in RUNS_PACKAGES.get(name, ()):
        parts = subcommand.split()
        if words[: len(parts)] != parts:
            continue
        rest = _after_options(words[len(parts) :])
        options = words[: len(words) - len(rest)]
        named = [after for option, after in pairwise(options) if option in _FROM]
        package = _VERSION.sub("", (named or rest or [""])[0])
        is_name = _NAME.fullmatch(package) and not _NO_PACKAGE.fullmatch(package)
        run = [name, *parts, *([package] if is_name else [])]
        return " ".join(run) if rest and rest != ["..."] else ""
    return ""


def _after_options(words: Sequence[str]) -> Sequence[str]:
    """Return the words from the first one that is neither an option nor the value of an option."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _WITH_VALUE else 1
    return words[at:]


def _operands(words: Sequence[str]) -> list[str]:
    return [word for word in words if not word.startswith("-") and not _REDIRECT.match(word)]

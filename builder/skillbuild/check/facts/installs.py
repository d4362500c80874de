"""Recognizes commands that install packages, and the package managers that these commands use."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from skillbuild.check.facts.found import words as _words

_MANAGERS: Mapping[str, str] = {
    "pip": (
        "pip install, pip download, pip3 install, pipx install, pipx inject, uv add, uv sync, uv "
        "pip install, uv tool install, poetry add, poetry install, pdm add, pdm install"
    ),
    "Python": "uv python install",
    "conda": (
        "pixi add, pixi install, conda install, conda create, conda env create, mamba install, "
        "mamba create, mamba env create, micromamba install, micromamba create"
    ),
    "npm": (
        "npm install, npm i, npm add, npm ci, pnpm install, pnpm i, pnpm add, yarn "
        "install, yarn add, yarn global add, bun install, bun i, bun add, deno install, deno add"
    ),
    "Homebrew": "brew install, brew tap, brew bundle, brew cask install",
    "system": (
        "apt install, apt-get install, yum install, dnf install, zypper install, zypper in, apk "
        "add, pacman -S, pacman -Sy, pacman -Syu, snap install, flatpak install, port install, "
        "dpkg -i, dpkg --install, rpm -i, rpm -ivh, rpm -Uvh, rpm --install, nix-env -i, nix-env "
        "-iA, nix profile install, installer -pkg"
    ),
    "Cargo": "cargo install, cargo add, cargo binstall",
    "Go": "go install, go get",
    "gem": "gem install, bundle install, bundle add",
    "Composer": "composer require, composer install, composer update, composer global require",
    "NuGet": (
        "dotnet add package, dotnet tool install, dotnet package add, nuget install, "
        "install-package"
    ),
    "PowerShell": (
        "install-module, install-script, install-windowsfeature, install-packageprovider, "
        "install-windowsupdate"
    ),
    "Dart": "flutter pub add, flutter pub global activate, dart pub add, dart pub global activate",
    "Quarto": "quarto add, quarto install extension",
    "Windows": "winget install, choco install, scoop install",
    "VS Code": "code --install-extension",
    "Claude plugin": "claude plugin install, claude plugin add, plugin install",
    "GitHub CLI extension": "gh extension install",
    "Helm": "helm install, helm upgrade",
    "asdf": "asdf install, asdf plugin add",
    "mise": "mise use, mise install",
    "Rust": (
        "rustup install, rustup toolchain install, rustup default, rustup target add,"
        " rustup component add"
    ),
    "Node.js": "nvm install",
    "browser": "playwright install",
    "CocoaPods": "pod install, pod update",
    "Packer": "packer init",
    "Terraform": "terraform init, tofu init",
}
"""The commands, by package manager, that install packages."""
_RUNS_PACKAGES = (
    "npx, bunx, uvx, pipx run, uv tool run, npm exec, npm x, npm create, npm init, pnpm dlx, "
    "pnpm create, yarn dlx, yarn create, bun x, bun create"
)
"""The commands that run a package and download it if it is not there."""


def _by_program(managers: Mapping[str, str]) -> Mapping[str, Mapping[str, str]]:
    """Return the subcommands by program, each with its package manager."""
    table: dict[str, dict[str, str]] = {}
    for manager, commands in managers.items():
        for command in commands.split(", "):
            program, _, subcommand = command.partition(" ")
            table.setdefault(program, {})[subcommand] = manager
    return table


INSTALLS, RUNS_PACKAGES = _by_program(_MANAGERS), _by_program({"": _RUNS_PACKAGES})
"""The subcommands that install packages, or run them, by program."""
_FROM = _words("--from -p --package")
"""Options of these that name the package, if it is not the name of the command."""
_VERSION = re.compile(r"(?<=\w)(?:@|==)[^/]*")
_NAME = re.compile(r"[\w@][\w@./:+-]*")
_WITHOUT_OPERAND = frozenset(
    [
        *("npm install", "npm i", "npm ci", "pnpm install", "pnpm i", "yarn install", "bun i"),
        *("bun install", "uv sync", "poetry install", "pdm install", "bundle install"),
        *("composer install", "composer update", "brew bundle", "pixi install", "nvm install"),
        *("playwright install", "mise install", "pod install", "pod update"),
        *("packer init", "terraform init", "tofu init"),
    ]
)
"""Commands that install the dependencies of a project; prose usually only mentions them."""
_FILE_OPTIONS = _words("-r -e -f --file --requirement --requirements --editable")
_PYTHON = re.compile(r"(?:python|pypy|py)[\d.]*|\$\{?\w*python\w*\}?", re.IGNORECASE)
_REDIRECT = re.compile(r"\d?[<>&|]")
_NO_PACKAGE = re.compile(
    r"(?:(?:your|my|some|the|new)[-_]?)?(?:package|pkg|library|module)s?[-_]?(?:names?|\d)?"
    r"(?:\[[^\]]*\]|[=<>~!@].*)?"
    r"|[<\[]?\.{3}[>\]]?|\u2026",
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
    """Return the package manager that a command uses, such as `pip`; empty if the command installs
    nothing.
    """
    if name == "uv" and "run" in words[:1] and "--with" in words:
        return "pip"
    name, words = unwrapped(name, words)
    if name == "xcode-select" and list(words[:1]) == ["--install"]:
        return "Xcode"
    if name in _RUNNERS and (by_package := _manager_of_package(words)):
        return by_package
    for subcommand, manager in INSTALLS.get(name, {}).items():
        parts = subcommand.split()
        plain = _operands(words) if not subcommand.startswith("-") else list(words)
        if plain[: len(parts)] == parts:
            has_file = not is_span and not _FILE_OPTIONS.isdisjoint(words)
            is_whole = not is_span and f"{name} {subcommand}" in _WITHOUT_OPERAND
            operands = _operands(plain[len(parts) :])
            named = [each for each in operands if not _NO_PACKAGE.fullmatch(each)]
            return manager if has_file or named or (is_whole and not operands) else ""
    return ""


_BY_PACKAGE: Mapping[str, tuple[str, str]] = {
    "playwright": ("browser", "install"),
    "expo": ("npm", "install"),
    "shadcn": ("npm", "add init"),
    "skills": ("agent skill", "add"),
}
"""For packages: the kind of what they install, and their subcommands that do."""


def _manager_of_package(words: Sequence[str]) -> str:
    """Return the kind of packages that a package installs which `npx` runs; empty for none."""
    plain = [
        _VERSION.sub("", word) for word in _operands(words) if word not in ("dlx", "exec", "x")
    ]
    manager, subcommands = _BY_PACKAGE.get((plain or [""])[0], ("", ""))
    return manager if plain[1:2] and plain[1] in subcommands.split() else ""


_OWN = re.compile(
    r"(?:[a-z-]+ )?install (?!.*\.(?:apk|app|ipa)\b)(?:-\S+ )*+([\w@][\w@./:+-]*)(?: .*)?"
)
"""The arguments with which most package managers install a package; apps go to another device."""


def own_manager(name: str, words: Sequence[str]) -> str:
    """Return `name` if the command installs something and the program is not a known package
    manager; otherwise an empty string.
    """
    match = _OWN.fullmatch(" ".join(words)) if "install" in words[:2] else None
    is_own = match and not (name in INSTALLS or name in RUNS_PACKAGES)
    return name if is_own and match and not _NO_PACKAGE.fullmatch(match[1]) else ""


def unwrapped(name: str, words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the program that `uv run` or `python -m` runs in a command, and the arguments of the
    program.

    Any other command is returned unchanged.
    """
    while name:
        if (name in _RUNNING and words[:1] == ["run"]) or (
            name == "bundle" and words[:1] == ["exec"]
        ):
            words = _after_options(words[1:])
        elif _PYTHON.fullmatch(name) and "-m" in words[:_MOST_OPTIONS]:
            at = words.index("-m")
            if any(word.endswith(".py") for word in words[:at]):
                break  # The option belongs to the program.
            words = words[at + 1 :]
        else:
            break
        name, words = (words[:1] or [""])[0], words[1:]
    return name, words


def package_run(name: str, words: Sequence[str]) -> str:
    """Return a command such as `npx`, followed by the name of the package that it runs.

    The result is empty for any other command.
    """
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

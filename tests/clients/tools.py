"""The clients themselves: pinned exactly, installed once, run in a home of their own.

Installed in `$SKILLBUILD_CLIENTS`, or below the user's cache folder. Nothing of the caller's
environment reaches a client: no account, no settings, no proxy, and telemetry is off.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

NODE = "node@22.23.3"
_LONGEST_RUN = 600
"""Seconds after which a client is killed."""
_QUIET = {
    "CI": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "COPILOT_AUTO_UPDATE": "false",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "GEMINI_CLI_DISABLE_AUTO_UPDATE": "1",
    "GEMINI_TELEMETRY_ENABLED": "false",
    "LANG": "C.UTF-8",
    "NO_COLOR": "1",
    "NO_PROXY": "127.0.0.1,localhost",
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
}


@dataclass(frozen=True, slots=True)
class Client:
    """An installed program. `command` begins every call, `path` holds the Node it wants."""

    name: str
    version: str
    command: tuple[str, ...]
    path: str


@dataclass(frozen=True, slots=True)
class Result:
    """Exit status and output of a run. A status other than 0 is no error here."""

    status: int
    out: str
    err: str


def npm(package: str, version: str, program: str) -> Client:
    """A program of an npm package, with its optional platform package."""
    folder = _install(package, version)
    node = _install(*NODE.rsplit("@", 1)) / "node_modules" / "node" / "bin"
    launcher = folder / "node_modules" / ".bin" / program
    path = os.pathsep.join([str(node), "/usr/local/bin", "/usr/bin", "/bin"])
    return Client(package, version, (str(launcher),), path)


def _install(package: str, version: str) -> Path:
    folder = _cache() / f"{package.replace('/', '-').lstrip('@')}-{version}"
    if not (folder / "node_modules").is_dir():
        command = ["npm", "install", "--silent", "--no-save", "--no-audit", "--no-fund"]
        subprocess.run([*command, "--prefix", folder, f"{package}@{version}"], check=True)
    return folder


def pypi(program: str, *pinned: str) -> Client:
    """A program of PyPI packages; the first one pinned names the version."""
    name, _, version = pinned[0].partition("==")
    folder = _cache() / f"{name}-{version}"
    if not (folder / "bin" / program).is_file():
        venv.create(folder, with_pip=True, clear=True)
        python = folder / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", *pinned], check=True)
    return Client(name, version, (str(folder / "bin" / program),), os.defpath)


def _cache() -> Path:
    given = os.environ.get("SKILLBUILD_CLIENTS")
    folder = Path(given) if given else Path.home() / ".cache" / "skillbuild-clients"
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


def run(
    client: Client, home: Path, *arguments: str, cwd: Path, more: Mapping[str, str] | None = None
) -> Result:
    """Run a client with nothing on its standard input.

    It writes to files: one client ends without waiting until a pipe has taken its output.
    """
    variables = {**_QUIET, "HOME": str(home), "PATH": client.path, **(more or {})}
    home.mkdir(parents=True, exist_ok=True)
    with TemporaryFile() as out, TemporaryFile() as err:
        done = subprocess.run(
            [*client.command, *arguments],
            cwd=cwd,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            timeout=_LONGEST_RUN,
            check=False,
        )
        result = Result(done.returncode, *(_written(file) for file in (out, err)))
    if os.environ.get("SKILLBUILD_CLIENTS_VERBOSE"):
        print(f"$ {client.name} {' '.join(arguments)}\n{result.out}{result.err}", file=sys.stderr)
    return result


def _written(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")

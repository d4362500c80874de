"""Somebody at a terminal: what is typed, what is seen, and the end where something is wrong."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_PATIENCE = 600
"""Seconds for which a person waits for one command."""


class AwkwardError(Exception):
    """Something on the way that is not as it should be."""


@dataclass(frozen=True, slots=True)
class Person:
    """Types commands into bash with these variables, and reads all that is printed."""

    variables: Mapping[str, str]

    def types(self, command: str, where: Path, *, status: int = 0) -> str:
        """Run a command line, show it as a terminal would, and return what was printed."""
        print(f"$ {command}", flush=True)
        started = time.monotonic()
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=where,
            env=self.variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_PATIENCE,
            check=False,
        )
        printed = done.stdout.decode(errors="replace")
        took = time.monotonic() - started
        sys.stdout.write(printed if printed.endswith("\n") or not printed else f"{printed}\n")
        if took >= 1:
            print(f"({took:.0f} s)", flush=True)
        if done.returncode != status:
            raise AwkwardError(f"exit status {done.returncode} where {status} is right")
        return printed


def part(title: str) -> None:
    """The heading of the next part of the way."""
    print(f"\n== {title}", flush=True)


def sees(printed: str, pattern: str) -> re.Match[str]:
    """What a person looks for in what was printed; each line is one for `^` and `$`."""
    match = re.search(pattern, printed, re.MULTILINE)
    if match is None:
        raise AwkwardError(f"nowhere is what a person looks for: {pattern}")
    return match


def holds(what: str, *, truth: bool) -> None:
    """Say what was looked at beside the terminal, and that it is so."""
    if not truth:
        raise AwkwardError(f"it does not hold: {what}")
    print(f"- {what}", flush=True)


def variables(work: Path, programs: Path) -> dict[str, str]:
    """The environment of somebody with git and pip set up, and with no trace of skillbuild."""
    settings = work / "gitconfig"
    settings.write_text(
        "[user]\nname = New Comer\nemail = new@example.org\n[init]\ndefaultBranch = main\n"
    )
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "SKILLBUILD", "GIT_", "VIRTUAL_ENV"))
    }
    pip = {"PIP_CACHE_DIR": _pip_cache()} if "PIP_CACHE_DIR" not in kept else {}
    return {
        **kept,
        **pip,
        "CI": "1",
        "DISABLE_TELEMETRY": "1",
        "GIT_CONFIG_GLOBAL": str(settings),
        "NO_COLOR": "1",
        "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
        "PIP_QUIET": "2",
        "XDG_CACHE_HOME": str(work / "cache"),
    }


def _pip_cache() -> str:
    """The cache of packages stays that of the user, though that of skillbuild is a fresh one."""
    asked = [sys.executable, "-m", "pip", "cache", "dir"]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()

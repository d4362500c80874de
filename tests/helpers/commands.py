"""Runs the commands of documents in bash: `skillbuild` is this checkout, git knows who commits."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from helpers import repos


def shell_variables(folder: Path) -> dict[str, str]:
    """Variables of a shell; `folder` gets the programs that stand first in its path."""
    programs = folder / "bin"
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
    return repos.environment(**identity, PATH=path, PYTHONPATH=str(repos.BUILDER))


def run(script: str, folder: Path, variables: dict[str, str]) -> str:
    """What a script prints; one that fails fails the test with all that it said."""
    bash = shutil.which("bash")
    assert bash is not None
    done = subprocess.run(
        [bash, "-eu", "-o", "pipefail", "-c", script],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout

"""Scripts of an Action's or a workflow's steps, run by bash as GitHub's runner does it."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Ran:
    """How a script ended, and what it printed, set as outputs and wrote to the summary."""

    status: int
    log: str
    outputs: Mapping[str, str]
    summary: str


def run_script(script: str, folder: Path, variables: Mapping[str, str]) -> Ran:
    """Run the script of a step in a folder, with the files and options that the runner gives."""
    temp = Path(tempfile.mkdtemp(prefix="step-", dir=folder))
    files = {name: temp / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    (temp / "script.sh").write_text(script)
    for file in files.values():
        file.touch()
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(temp / "script.sh")],
        cwd=folder,
        env={**environment(), **{name: str(file) for name, file in files.items()}, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    outputs, summary = (file.read_text() for file in files.values())
    return Ran(done.returncode, done.stdout.decode(), outputs_in(outputs), summary)


def outputs_in(text: str) -> dict[str, str]:
    """The file of `GITHUB_OUTPUT`: `name=value`, or `name<<end` and lines up to that end."""
    outputs, lines = {}, iter(text.splitlines())
    for line in lines:
        head = re.match(r"([\w-]+)(<<|=)(.*)", line)
        assert head is not None, line
        value = [head[3]]
        if head[2] == "<<":
            value = []
            while (more := next(lines)) != head[3]:
                value.append(more)
        outputs[head[1]] = "\n".join(value)
    return outputs


@dataclass(frozen=True)
class Command:
    """A workflow command the runner obeys."""

    name: str
    properties: str
    message: str


def commands_in(log: str) -> list[Command]:
    """What the runner would obey: `::name::` at the start of a line, `##[name]` anywhere."""
    commands, stopped = [], ""
    for line in log.splitlines():
        match = re.match(r"\s*::([^\s:]+)( .*?)?::(.*)", line)
        if stopped:
            stopped = "" if line.strip() == f"::{stopped}::" else stopped
        elif match and match[1] == "stop-commands":
            stopped = match[3]
        elif match:
            commands.append(Command(match[1], (match[2] or "").strip(), match[3]))
        elif inner := re.search(r"##\[([^\]]+)\](.*)", line):
            commands.append(Command(inner[1], "", inner[2]))
    assert not stopped, "commands are stopped at the end"
    return commands


def environment(**more: str) -> dict[str, str]:
    """The variables of a runner: nothing of this machine but what programs need to run."""
    names = ("PATH", "HOME", "SYSTEMROOT", "TMPDIR", "LANG")
    return {name: os.environ[name] for name in names if name in os.environ} | more

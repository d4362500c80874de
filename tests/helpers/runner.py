"""GitHub's runner, as far as this project's workflows use it: expressions, files, steps, commands.

Every `run:` is run by bash as the runner does it; what a step `uses` is a function of the test.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Context = dict[str, Any]
Used = Callable[[Context, Context], dict[str, str]]
"""A function in place of an action: its inputs and the contexts in, its outputs out."""

_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<name>[A-Za-z_][\w-]*(?:\.[\w-]+)*)"
    r"|(?P<sign>==|!=|&&|\|\||!|\(|\)|,))"
)
_HOLE = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)


class _Expression:
    """A recursive-descent reading of GitHub's expressions; unknown parts fail the test."""

    def __init__(self, source: str, contexts: Context) -> None:
        self._contexts, self._left = contexts, list(_tokens(source))

    def value(self) -> Any:
        value = self._either()
        assert not self._left, self._left
        return value

    def _either(self) -> Any:
        value = self._both()
        while self._taken("||"):
            other = self._both()
            value = value or other
        return value

    def _both(self) -> Any:
        value = self._equal()
        while self._taken("&&"):
            other = self._equal()
            value = value and other
        return value

    def _equal(self) -> Any:
        value = self._single()
        if self._taken("=="):
            return _same(value, self._single())
        if self._taken("!="):
            return not _same(value, self._single())
        return value

    def _single(self) -> Any:
        if self._taken("!"):
            return not self._single()
        if self._taken("("):
            value = self._either()
            assert self._taken(")")
            return value
        token = self._left.pop(0)
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        return self._call(token) if self._taken("(") else self._lookup(token)

    def _call(self, name: str) -> Any:
        arguments = []
        while not self._taken(")"):
            arguments.append(self._either())
            self._taken(",")
        if name == "format":
            return re.sub(r"\{(\d)\}", lambda hole: str(arguments[int(hole[1]) + 1]), arguments[0])
        return {
            "always": True,
            "cancelled": False,
            "success": not self._contexts["failed"],
            "failure": self._contexts["failed"],
        }[name]

    def _lookup(self, name: str) -> Any:
        if name in {"true", "false"}:
            return name == "true"
        value: Any = self._contexts
        head, *keys = name.split(".")
        assert head in value, f"there is no context {head}"
        for key in [head, *keys]:
            value = value.get(key, "") if isinstance(value, Mapping) else ""
        return value

    def _taken(self, sign: str) -> bool:
        if self._left and self._left[0] == sign:
            self._left.pop(0)
            return True
        return False


def _tokens(source: str) -> Iterator[str]:
    end = 0
    while source[end:].strip():
        match = _TOKEN.match(source, end)
        assert match is not None, source[end:]
        end = match.end()
        yield match[0].strip()


def _same(left: Any, right: Any) -> bool:
    return _text(left) == _text(right)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def filled(template: Any, contexts: Context) -> str:
    """A value of a workflow with its expressions put in, as the text an environment holds."""
    return _HOLE.sub(lambda hole: _text(_Expression(hole[1], contexts).value()), _text(template))


def holds(condition: str | None, contexts: Context) -> bool:
    """An `if:`, which without a status function means success as well."""
    source = "success()" if condition is None else condition.strip()
    if match := re.fullmatch(r"\$\{\{(.*)\}\}", source, re.DOTALL):
        source = match[1]
    if not re.search(r"\b(always|success|failure|cancelled)\(", source):
        source = f"success() && ({source})"
    return bool(_Expression(source, contexts).value())


@dataclass
class Ran:
    """What steps printed, wrote to the summary and set as outputs."""

    log: str = ""
    summary: str = ""
    steps: dict[str, Any] = field(default_factory=dict)
    failed: bool = False
    names: list[str] = field(default_factory=list)
    """Names of the steps that ran."""


@dataclass(frozen=True)
class Machine:
    """Where steps run: a folder, the variables of every step, and functions in place of actions.

    The variables name `RUNNER_TEMP`, where the runner keeps its own files as well.
    """

    folder: Path
    variables: Mapping[str, str]
    used: Mapping[str, Used]
    given: Mapping[str, dict[str, str]] = field(default_factory=dict)
    """Outputs of steps that need a package index, by id; they do not run."""

    def run(self, steps: Sequence[Context], contexts: Context) -> Ran:
        ran = Ran()
        here = {**contexts, "steps": ran.steps, "failed": False}
        for number, step in enumerate(steps):
            here["failed"] = ran.failed
            if holds(step.get("if"), here):
                self._step(step, here, ran, f"{id(ran):x}-{number}")
        return ran

    def _step(self, step: Context, here: Context, ran: Ran, key: str) -> None:
        ran.names.append(step.get("name") or step["uses"].partition("@")[0])
        name = step.get("id", key)
        if name in self.given:
            outputs, worked = self.given[name], True
        elif "uses" in step:
            inputs = {key: filled(value, here) for key, value in step.get("with", {}).items()}
            outputs, worked = self._use(step["uses"], inputs, here, ran)
        else:
            outputs, worked = self._shell(step, here, ran, key)
        ran.steps[name] = {"outputs": outputs, "outcome": "success" if worked else "failure"}
        forgiven = filled(step.get("continue-on-error", "false"), here) == "true"
        ran.failed |= not worked and not forgiven

    def _use(
        self, action: str, inputs: Context, here: Context, ran: Ran
    ) -> tuple[dict[str, str], bool]:
        outputs = self.used[action.partition("@")[0]](inputs, here)
        inner = outputs.pop("log", ""), outputs.pop("summary", "")
        ran.log, ran.summary = ran.log + inner[0], ran.summary + inner[1]
        return outputs, not outputs.pop("failed", "")

    def _shell(
        self, step: Context, here: Context, ran: Ran, key: str
    ) -> tuple[dict[str, str], bool]:
        assert step.get("shell", "bash") == "bash"
        temp = Path(self.variables["RUNNER_TEMP"])
        files = {name: temp / f"{name}-{key}" for name in ("OUTPUT", "STEP_SUMMARY", "ENV")}
        script = temp / f"script-{key}.sh"
        script.write_text(step["run"])
        for file in files.values():
            file.touch()
        own = {name: filled(value, here) for name, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.folder,
            env={
                **self.variables,
                **{f"GITHUB_{name}": str(file) for name, file in files.items()},
                "GITHUB_ACTION_PATH": str(here.get("action_path", "")),
                **own,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        ran.log += done.stdout.decode()
        ran.summary += files["STEP_SUMMARY"].read_text()
        assert files["ENV"].read_text() == ""
        return outputs_in(files["OUTPUT"].read_text()), done.returncode == 0


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

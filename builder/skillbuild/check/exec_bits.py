"""Executable bits that do not fit, in one finding a rule: they are seldom wrong just once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from skillbuild.check.commands import given_to_program, run_by_path
from skillbuild.diagnostics import Finding, Rule, finding, in_command
from skillbuild.model import File
from skillbuild.paths import SKILL_FILE, base_name, inside
from skillbuild.rules import files as rules
from skillbuild.source.documents import Documents
from skillbuild.text.wording import are

_MOST_IN_COMMAND = 20
"""Paths in the command of one hint."""


def check_bits(directory: str, contents: Sequence[File], documents: Documents) -> Iterator[Finding]:
    """Findings about the files of the skill in this directory of the source."""
    texts = [file for file in contents if file.path.endswith(".md")]
    if wrong := sorted(file.path for file in texts if file.executable):
        yield _finding(rules.EXEC_MARKDOWN, directory, wrong, "Markdown is not a program", "-x")
    if scripts := {file.path for file in contents if _is_script(file) and not file.executable}:
        yield from _check_scripts(directory, texts, documents, scripts)


def _is_script(file: File) -> bool:
    return file.data.startswith(b"#!/") and not file.path.endswith(".md")


def _check_scripts(
    directory: str, texts: Sequence[File], documents: Documents, scripts: Set[str]
) -> Iterator[Finding]:
    """One finding about scripts that SKILL.md runs, one about those that only other texts run."""
    of_agents: dict[str, str] = {}
    of_others: dict[str, str] = {}
    left = set(scripts)
    for file in sorted(texts, key=lambda each: (each.path != SKILL_FILE, each.path)):
        document, is_first = documents.of(file.path), file.path == SKILL_FILE
        if document is None:
            continue
        given = given_to_program(document.text, left)
        calls = run_by_path(document, left - given, base_name(directory))
        where = {path: f"run by its path in {file.path} (line {calls[path]})" for path in calls}
        (of_agents if is_first else of_others).update(where)
        left -= calls.keys() | (given if is_first else set())
    for rule, calls_of in (
        (rules.SCRIPT_NOT_EXECUTABLE, of_agents),
        (rules.SCRIPT_MODE, of_others),
    ):
        if calls_of:
            wrong = sorted(calls_of)
            message = f"{calls_of[wrong[0]]}, without an exec bit"
            yield _finding(rule, directory, wrong, message, "+x")


def _finding(rule: Rule, directory: str, paths: Sequence[str], message: str, bit: str) -> Finding:
    """One finding about all these files of a skill; `message` is about the first."""
    wrong = [inside(directory, path) for path in paths]
    item = finding(rule, wrong[0], None, message + _like(paths), _chmod(bit, wrong))
    return replace(item, others=tuple(wrong[1:]))


def _like(paths: Sequence[str]) -> str:
    _, *others = paths
    named = ", ".join(others[:3]) + (", ..." if len(others) > 3 else "")
    return f", like {len(others)} more of the skill: {named}" if others else ""


def _chmod(bit: str, paths: Sequence[str]) -> str:
    """A hint that sets or clears the bit of files.

    To change git's index alone would not do: the next `git commit -a` would take it back.
    """
    rest = len(paths) - _MOST_IN_COMMAND
    more = f"; {are(rest, 'more')} to follow" if rest > 0 else ""
    words = in_command(paths[:_MOST_IN_COMMAND])
    return f"chmod {bit} {words}; on Windows git add --chmod={bit} in its place{more}"

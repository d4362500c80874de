"""What a person does who takes each hint of `check` by its word, and thinks no further."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from newcomer.person import AwkwardError, Person, sees

_FINDING = re.compile(
    r"^(?P<path>\S[^:\n]*)(?::(?P<line>\d+):(?P<column>\d+))?:"
    r" (?:error|warning)\[(?P<code>[a-z-]+)\]: (?P<message>.*)\n    hint: (?P<hint>.*)$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Told:
    """A finding as it is read on the terminal; line and column are 0 where it has none."""

    path: str
    line: int
    column: int
    code: str
    message: str
    hint: str


def told(printed: str) -> Iterator[Told]:
    """The findings that `check` printed."""
    for match in _FINDING.finditer(printed):
        line, column = (int(match[name] or 0) for name in ("line", "column"))
        yield Told(match["path"], line, column, match["code"], match["message"], match["hint"])


def follow(finding: Told, person: Person, repo: Path) -> None:
    """Do what the hint says; `AwkwardError` if a person would not know what that is."""
    if finding.code not in _FOLLOWED:
        raise AwkwardError(f"nobody awaits the finding {finding.code}")
    print(f"{finding.path}: {finding.hint}", flush=True)
    _FOLLOWED[finding.code](finding, person, repo)


def _type_it(finding: Told, person: Person, repo: Path) -> None:
    """The hint begins with a command, up to a semicolon."""
    person.types(finding.hint.partition("; ")[0], repo)


def _save_without_mark(finding: Told, _: Person, repo: Path) -> None:
    sees(finding.hint, "^save the file as UTF-8 without BOM$")
    file = repo / finding.path
    file.write_text(file.read_text("utf-8-sig"), "utf-8")


def _write_line(finding: Told, _: Person, repo: Path) -> None:
    """The hint ends in a line to write in place of the one that is named, with its indent."""
    line = sees(finding.hint, "^(?:write|put the value in double quotes:) (.*)$")[1]
    lines, index = _lines(repo, finding)
    indent = re.match(" *", lines[index])
    lines[index] = f"{indent[0] if indent else ''}{line}\n"
    (repo / finding.path).write_text("".join(lines))


def _write_list(finding: Told, _: Person, repo: Path) -> None:
    """The hint has one line for the field whose first item is named."""
    line = sees(finding.hint, "^write the tools on one line: (.*)$")[1]
    lines, index = _lines(repo, finding)
    end = next(number for number in range(index, len(lines)) if "- " not in lines[number])
    lines[index - 1 : end] = [f"{line}\n"]
    (repo / finding.path).write_text("".join(lines))


def _shorten(finding: Told, _: Person, repo: Path) -> None:
    """Whole sentences from the end go to the body until it is as much as the hint says."""
    least = int(
        sees(finding.hint, r"^shorten the text by ([\d,]+) characters?; move details to the body$")[
            1
        ]
    )
    lines, index = _lines(repo, finding)
    sentences = re.findall(r".*?\.(?: |\n)", lines[index])
    moved: list[str] = []
    while sum(map(len, moved)) < least:
        moved.insert(0, sentences.pop())
    lines[index] = "".join(sentences).rstrip() + "\n"
    (repo / finding.path).write_text("".join([*lines, "\n", *moved]))


def _rename(finding: Told, person: Person, repo: Path) -> None:
    name = sees(finding.hint, "^rename the skill and its directory, for example to ([a-z0-9-]+)$")[
        1
    ]
    lines, index = _lines(repo, finding)
    lines[index] = f"name: {name}\n"
    (repo / finding.path).write_text("".join(lines))
    folder = Path(finding.path).parent
    person.types(f"mv {shlex.quote(str(folder))} {shlex.quote(str(folder.parent / name))}", repo)


def _correct_link(finding: Told, _: Person, repo: Path) -> None:
    written = sees(finding.message, r"^the link points to (\S+), which does not exist")[1]
    right = sees(finding.hint, r"^write (\S+)$")[1]
    lines, index = _lines(repo, finding)
    before, after = lines[index][: finding.column - 1], lines[index][finding.column - 1 :]
    lines[index] = before + after.replace(written, right, 1)
    (repo / finding.path).write_text("".join(lines))


def _remove_secret(finding: Told, _: Person, repo: Path) -> None:
    sees(
        finding.hint,
        "^revoke the secret, remove it from the history, and write a placeholder instead",
    )
    lines, index = _lines(repo, finding)
    before, after = lines[index][: finding.column - 1], lines[index][finding.column - 1 :]
    lines[index] = before + re.sub(r"^\S+", "YOUR_TOKEN", after)
    (repo / finding.path).write_text("".join(lines))


def _lines(repo: Path, finding: Told) -> tuple[list[str], int]:
    """The lines of the file, and the index of the one that is named."""
    return (repo / finding.path).read_text().splitlines(keepends=True), finding.line - 1


_FOLLOWED: Mapping[str, Callable[[Told, Person, Path], None]] = {
    "allowed-tools-type": _write_list,
    "byte-order-mark": _save_without_mark,
    "description-too-long": _shorten,
    "link-broken": _correct_link,
    "metadata-type": _write_line,
    "name-invalid": _rename,
    "script-not-executable": _type_it,
    "secret": _remove_secret,
    "skill-file-case": _type_it,
    "yaml-unquoted-colon": _write_line,
}

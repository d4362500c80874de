"""Findings of real repositories, drawn at random, to be judged one by one.

    python tests/judges/sample.py REPO... [--seed N] [--each N] [--most CODE=N]...

REPO is a git repository, bare or not, whose HEAD is checked. Of each rule `--each` findings are
drawn; `--most` says it for one rule. Each is printed as Markdown with the lines around its place,
so that a reader can say whether it is worth fixing. The repositories give theirs in turn, as long
as they have any. The same seed and commits give the same sample.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_BEFORE, _AFTER = 4, 3
_LONGEST_LINE = 300


@dataclass(frozen=True, slots=True)
class Place:
    """One finding in one repository."""

    repo: Path
    code: str
    path: str
    line: int | None
    column: int | None
    severity: str
    message: str
    hint: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("repos", metavar="REPO", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=10)
    parser.add_argument("--most", metavar="CODE=N", action="append", default=[])
    options = parser.parse_args()
    most = {code: int(number) for code, _, number in (each.partition("=") for each in options.most)}
    by_code: dict[str, list[Place]] = defaultdict(list)
    for repo in options.repos:
        for place in findings(repo):
            by_code[place.code].append(place)
    print(f"seed {options.seed}, {len(options.repos)} repositories")
    for code, places in sorted(by_code.items()):
        drawn = draw(places, most.get(code, options.each), random.Random(f"{options.seed}{code}"))
        print(f"\n# {code}: {len(drawn)} of {len(places)}")
        for number, place in enumerate(drawn, 1):
            print(f"\n## {code} {number}", *shown(place), sep="\n")


def findings(repo: Path) -> Iterator[Place]:
    """All findings about HEAD, in the order of the report."""
    command = [sys.executable, "-m", "skillbuild", "check", str(repo), "--rev", "HEAD"]
    done = subprocess.run([*command, "--format", "json"], stdout=subprocess.PIPE, check=False)
    for item in json.loads(done.stdout)["diagnostics"]:
        yield Place(repo, **{key: item[key] for key in Place.__slots__ if key != "repo"})


def draw(places: Sequence[Place], most: int, chance: random.Random) -> list[Place]:
    """Some of the places, in random order, taken from the repositories in turn."""
    waiting: Mapping[Path, list[Place]] = defaultdict(list)
    for place in chance.sample(places, len(places)):
        waiting[place.repo].append(place)
    drawn: list[Place] = []
    while len(drawn) < min(most, len(places)):
        for mine in waiting.values():
            if mine and len(drawn) < most:
                drawn.append(mine.pop())
    return drawn


def shown(place: Place) -> Iterator[str]:
    """A finding as Markdown, with the lines around it."""
    where = f"{place.repo.parent.name or place.repo.name}: {place.path}"
    yield f"{where}:{place.line or ''}:{place.column or ''} {place.severity}"
    yield f"- {place.message}"
    yield f"- hint: {place.hint}"
    if place.line is None:
        return
    command = ["git", "-C", str(place.repo), "cat-file", "blob", f"HEAD:{place.path}"]
    done = subprocess.run(command, capture_output=True, check=False)
    lines = done.stdout.decode(errors="replace").split("\n")
    for number in range(max(1, place.line - _BEFORE), min(len(lines), place.line + _AFTER) + 1):
        mark = ">" if number == place.line else " "
        yield f"    {mark}{number} {lines[number - 1][:_LONGEST_LINE]}"


if __name__ == "__main__":
    main()

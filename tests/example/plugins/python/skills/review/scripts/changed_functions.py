#!/usr/bin/env python3
"""List the Python functions that a unified diff on standard input touches.

Paths in the diff are read from the current directory, so run it where the new
version of the files is checked out.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
MODULE_LEVEL = "(module level)"


class Scope(NamedTuple):
    first: int
    last: int
    name: str


def changed_lines(diff: Iterable[str]) -> dict[str, list[int]]:
    """Return for each new path its added lines and one line for each pure removal."""
    changed: dict[str, list[int]] = {}
    lines: list[int] = []
    line = old_left = new_left = 0
    removed = False
    for text in diff:
        if old_left > 0 or new_left > 0:
            match text[:1]:
                case "+":
                    line, new_left, removed = line + 1, new_left - 1, False
                    lines.append(line)
                case "-":
                    old_left, removed = old_left - 1, True
                case "\\":
                    continue
                case _:
                    if removed:
                        lines.append(max(line, 1))
                    line, removed = line + 1, False
                    old_left, new_left = old_left - 1, new_left - 1
            if removed and old_left <= 0 and new_left <= 0:
                lines.append(max(line, 1))
        elif text.startswith("+++ "):
            path = text[4:].split("\t")[0].rstrip("\r\n").removeprefix("b/")
            lines = [] if path == "/dev/null" else changed.setdefault(path, [])
        elif hunk := HUNK.match(text):
            removed = False
            old_left, new_left = int(hunk[1] or 1), int(hunk[3] or 1)
            # A hunk without new lines names the line before the removal.
            line = int(hunk[2]) - (1 if new_left else 0)
    return changed


def scopes(tree: ast.AST, outer: str = "") -> Iterator[Scope]:
    """Yield functions and classes, outer ones first."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{outer}.{node.name}" if outer else node.name
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            yield Scope(first, node.end_lineno or first, name)
            yield from scopes(node, name)
        else:
            yield from scopes(node, outer)


def innermost(found: list[Scope], line: int) -> Scope:
    around = [scope for scope in found if scope.first <= line <= scope.last]
    return around[-1] if around else Scope(line, line, MODULE_LEVEL)


def report(path: str, lines: list[int]) -> Iterator[tuple[str, str, str]]:
    try:
        found = list(scopes(ast.parse(Path(path).read_bytes(), filename=path)))
    except FileNotFoundError:
        yield f"{path}:1", "(not in this directory)", ""
        return
    except SyntaxError as problem:
        yield f"{path}:{problem.lineno}", "(syntax error)", problem.msg
        return
    starts: dict[str, int] = {}
    counts: Counter[str] = Counter()
    for line in lines:
        scope = innermost(found, line)
        starts.setdefault(scope.name, scope.first)
        counts[scope.name] += 1
    for name, start in starts.items():
        count = counts[name]
        yield f"{path}:{start}", name, f"{count} line{'' if count == 1 else 's'}"


def is_test(path: str) -> bool:
    pure = PurePosixPath(path)
    in_folder = not {"test", "tests"}.isdisjoint(pure.parts)
    return in_folder or pure.name.startswith("test_") or pure.stem.endswith("_test")


def main() -> int:
    if sys.stdin.isatty():
        print("usage: git diff -U0 main...HEAD | changed_functions.py", file=sys.stderr)
        return 2
    changed = changed_lines(sys.stdin)
    python = {path: lines for path, lines in changed.items() if path.endswith(".py")}
    rows = [row for path, lines in python.items() for row in report(path, lines)]
    place_width = max((len(place) for place, _, _ in rows), default=0)
    name_width = max((len(name) for _, name, _ in rows), default=0)
    for place, name, amount in rows:
        print(f"{place:<{place_width}}  {name:<{name_width}}  {amount}".rstrip())
    if python and not any(is_test(path) for path in python):
        print("no test file changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())

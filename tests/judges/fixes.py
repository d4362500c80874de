"""Does `check --fix` change what it declares, and nothing else?

    python tests/judges/fixes.py REPO... [--unsafe-fixes] [--node-modules DIR]

Each repository is cloned, and `check --fix` is run twice in the clone; nothing of skillbuild is
imported. A fault is: a byte that no declared fix changed; a mode that changed without one; a file
that came or went; a fixed SKILL.md that npm `yaml` does not read; in one, a field that has not its
value of before, or of a fixed one that is not declared; and whatever the second run changes. A text
that was no YAML is compared with itself without the fixed values, one with a secret, of which
nothing is declared, not at all. Printed are the fixes by rule and how
many skills were refused before and after; exit status 1 if there is a fault.

DIR is a node_modules directory with `yaml` in it; without it, the newest version is installed into
a temporary directory with npm.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

Typed = list[object]
"""A value as fixes.mjs prints it: its type, and its text, items or pairs of key and value."""


class Answer(TypedDict, total=False):
    """What fixes.mjs says about one SKILL.md: its frontmatter, or why there is none."""

    faults: list[str]
    value: Typed


class Fix(TypedDict):
    """One fix as the report of `check --fix` declares it."""

    code: str
    path: str
    line: int | None
    field: list[str | int]
    old: str
    new: str
    value: str | bool | None


Read = Callable[[Sequence[str]], Sequence[Answer]]


@dataclass(frozen=True, slots=True)
class Tree:
    """The files and links below a folder: contents and whether one may be executed, by path."""

    contents: Mapping[str, bytes]
    executable: Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class Fixes:
    """What one run declared: its fixes, and how many skills it refused after them."""

    fixes: Sequence[Fix]
    refused: int


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("repos", metavar="REPO", nargs="+", type=Path)
    parser.add_argument("--unsafe-fixes", action="store_true")
    parser.add_argument("--node-modules", metavar="DIR", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        modules = options.node_modules or _install(Path(scratch))
        option = "--unsafe-fixes" if options.unsafe_fixes else "--fix"
        return max([_judge(repo, option, _reader(modules)) for repo in options.repos])


def _install(scratch: Path) -> Path:
    command = ["npm", "install", "--prefix", str(scratch), "--ignore-scripts", "--no-audit"]
    subprocess.run([*command, "yaml@latest"], check=True, stdout=subprocess.DEVNULL)
    return scratch / "node_modules"


def _reader(modules: Path) -> Read:
    def read(texts: Sequence[str]) -> Sequence[Answer]:
        command = ["node", str(Path(__file__).with_suffix(".mjs")), str(modules.resolve())]
        done = subprocess.run(
            command, input=json.dumps(texts).encode(), check=True, capture_output=True
        )
        answers: list[Answer] = json.loads(done.stdout)
        return answers

    return read


def _judge(repo: Path, option: str, read: Read) -> int:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "clone"
        # A clone of a partial one ends with status 128, but its other files are checked out.
        subprocess.run(["git", "clone", "--quiet", str(repo), str(folder)], check=False)
        faults = list(judge(folder, option, read))
    for fault in faults:
        print(f"{repo}: {fault}")
    print(f"{repo}: {len(faults)} faults")
    return 1 if faults else 0


def judge(folder: Path, option: str, read: Read) -> Iterator[str]:
    """Fix a working tree twice, print what was fixed, and give what is wrong about it."""
    refused = _fix(folder, "--jobs=2").refused
    before = tree_of(folder)
    first = _fix(folder, option)
    after = tree_of(folder)
    counts = Counter(fix["code"] for fix in first.fixes)
    print(", ".join(f"{number} {code}" for code, number in sorted(counts.items())) or "no fixes")
    print(f"{refused} skills refused before, {first.refused} after")
    yield from compare(before, after, first.fixes, read)
    second = _fix(folder, option)
    if second.fixes or tree_of(folder) != after:
        yield f"the second run has {len(second.fixes)} fixes"


def _fix(folder: Path, option: str) -> Fixes:
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "report.json"
        command = [sys.executable, "-m", "skillbuild", "check", "--quiet", option]
        subprocess.run(
            [*command, f"--report=json={file}", str(folder)],
            check=False,
            stdout=subprocess.DEVNULL,
        )
        report = json.loads(file.read_bytes())
    return Fixes(report.get("fixes", []), len(report["invalid"]))


def tree_of(folder: Path) -> Tree:
    """Everything below a folder but what git keeps."""
    contents, executable = {}, {}
    for top, directories, names in os.walk(folder):
        directories[:] = sorted(name for name in directories if name != ".git")
        links = [name for name in directories if (Path(top) / name).is_symlink()]
        for path in (Path(top) / name for name in [*names, *links]):
            is_link = path.is_symlink()
            name = path.relative_to(folder).as_posix()
            contents[name] = os.fsencode(path.readlink()) if is_link else path.read_bytes()
            executable[name] = not is_link and bool(path.stat().st_mode & 0o100)
    return Tree(contents, executable)


# What is compared.


def compare(before: Tree, after: Tree, fixes: Sequence[Fix], read: Read) -> Iterator[str]:
    """What the trees differ in that is not declared, and what is declared and is not so."""
    texts: defaultdict[str, list[Fix]] = defaultdict(list)
    executable = dict(before.executable)
    for fix in fixes:
        if fix["line"] is not None:
            texts[fix["path"]].append(fix)
        else:
            executable[fix["path"]] = fix["new"] == "100755"
    expected: dict[str, bytes] = {}
    hidden = {path for path, items in texts.items() if any(_is_hidden(item) for item in items)}
    for path, data in before.contents.items():
        if path in hidden:
            expected[path] = after.contents.get(path, b"")
            del texts[path]
        else:
            expected[path] = fixed(data, texts[path]) if path in texts else data
    for path in sorted(expected.keys() ^ after.contents.keys()):
        yield f"{path}: only {'before' if path in expected else 'after'} the fixes"
    for path in sorted(expected.keys() & after.contents.keys()):
        if expected[path] != after.contents[path]:
            yield f"{path}: other bytes than declared"
        if executable[path] != after.executable[path]:
            yield f"{path}: another mode than declared"
    shown = {path: data for path, data in before.contents.items() if path not in hidden}
    yield from _compare_fields(shown, expected, texts, read)


def _is_hidden(fix: Fix) -> bool:
    """Whether a fix does not say what it changed, as its file holds a secret; nobody can judge."""
    return fix["old"].startswith("(not shown")


def fixed(data: bytes, fixes: Sequence[Fix], *, with_values: bool = True) -> bytes:
    """A text in which each fix stands in its line; without the values, empty texts for them."""
    text = data.decode()
    starts = [0]
    for each in text.split("\n"):
        starts.append(starts[-1] + len(each) + 1)
    parts: list[str] = []
    end = 0
    for fix in sorted(fixes, key=lambda fix: fix["line"] or 0):
        line = starts[(fix["line"] or 1) - 1]
        start = text.find(fix["old"], max(line, end)) if fix["old"] else min(line, len(text))
        if start < 0 or (fix["old"] and "\n" in text[line:start]):
            raise ValueError(f"{fix['old']!r} is not on line {fix['line']}")
        if not fix["old"] and fix["new"].startswith(("\n", "\r\n")):
            start = len(text)
        parts += [text[end:start], fix["new"] if with_values else _without_value(fix)]
        end = start + len(fix["old"])
    return "".join([*parts, text[end:]]).encode()


def _without_value(fix: Fix) -> str:
    """What is in the place of a fixed value in a text that was no YAML before."""
    new = fix["new"]
    if fix["value"] is None:
        return new
    if not fix["old"]:
        return new
    return (" " if new.startswith(" ") else "") + '""' + new[len(new.rstrip()) :]


def _compare_fields(
    before: Mapping[str, bytes],
    expected: Mapping[str, bytes],
    texts: Mapping[str, Sequence[Fix]],
    read: Read,
) -> Iterator[str]:
    """Whether another parser reads in each SKILL.md what it read before, but for the fixes."""
    paths = [
        path
        for path in sorted(before)
        if path.lower().rpartition("/")[2] == "skill.md" and _is_utf8(before[path])
    ]
    olds = read([before[path].decode() for path in paths])
    gaps = read([_gapped(before[path], texts.get(path, [])) for path in paths])
    news = read([expected[path].decode() for path in paths])
    for path, old, gap, new in zip(paths, olds, gaps, news, strict=True):
        fixes = texts.get(path, [])
        if "value" not in new:
            if fixes or "value" in old:
                yield f"{path}: not readable: {'; '.join(new['faults'])}"
            continue
        base = old if "value" in old else gap
        if fixes and "value" not in base:
            yield f"{path}: was not readable, and is not without the fixed values"
            continue
        wanted = base["value"]
        for fix in fixes:
            if fix["value"] is not None:
                wanted = _with_value(wanted, fix["field"], _typed(fix["value"]))
        if wanted != new["value"]:
            yield f"{path}: {_difference(wanted, new['value'])}"


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _gapped(data: bytes, fixes: Sequence[Fix]) -> str:
    return fixed(data, fixes, with_values=False).decode()


def _typed(value: str | bool) -> Typed:
    return ["boolean", str(value).lower()] if isinstance(value, bool) else ["string", value]


def _with_value(typed: Typed, keys: Sequence[str | int], value: Typed) -> Typed:
    """A value with another one inside; a key that a mapping lacks comes first."""
    if not keys:
        return value
    key, *rest = keys
    kind, inner = typed
    if not isinstance(inner, list):
        raise TypeError(f"{key} leads into a {kind}")
    if kind == "list" and isinstance(key, int):
        return [kind, [*inner[:key], _with_value(inner[key], rest, value), *inner[key + 1 :]]]
    pairs = [
        [name, _with_value(item, rest, value) if name == key else item] for name, item in inner
    ]
    return [kind, pairs if key in [name for name, _ in inner] else [[key, value], *pairs]]


def _difference(wanted: Typed, read: Typed) -> str:
    """The first field that differs."""
    for left, right in zip(_pairs(wanted), _pairs(read), strict=False):
        if left != right:
            return f"{left[0]} should be {left[1]!r:.200}, is {right[1]!r:.200} of {right[0]}"
    return "other fields"


def _pairs(typed: Typed) -> list[list[object]]:
    pairs = typed[1]
    return pairs if isinstance(pairs, list) else []


if __name__ == "__main__":
    sys.exit(main())

"""Does `check --fix` change what it declares, and nothing else?

    python tests/judges/fixes.py REPO... [--unsafe-fixes] [--node-modules DIR]

Each repository is cloned, and `check --fix` is run twice in the clone; nothing of skillbuild is
imported. A fault is: a byte that no declared mend changed; a mode or a name that changed without
one; a mended SKILL.md that npm `yaml` does not read; in one, a field that has not its value of
before, or of a mended one that is not declared; and whatever the second run changes. A text that
was no YAML is compared with itself without the mended values, one with a secret, of which nothing
is declared, not at all. Printed are the mends by rule and how
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


class Mend(TypedDict):
    """One mend as the report of `check --fix` declares it."""

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
    """What one run declared: its mends, and how many skills it refused after them."""

    mends: Sequence[Mend]
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
    """Mend a work tree twice, print what was mended, and give what is wrong about it."""
    refused = _fix(folder, "--jobs=2").refused
    before = tree_of(folder)
    first = _fix(folder, option)
    after = tree_of(folder)
    counts = Counter(mend["code"] for mend in first.mends)
    print(", ".join(f"{number} {code}" for code, number in sorted(counts.items())) or "no mends")
    print(f"{refused} skills refused before, {first.refused} after")
    yield from compare(before, after, first.mends, read)
    second = _fix(folder, option)
    if second.mends or tree_of(folder) != after:
        yield f"the second run has {len(second.mends)} mends"


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
    return Fixes(report.get("mends", []), len(report["invalid"]))


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


def compare(before: Tree, after: Tree, mends: Sequence[Mend], read: Read) -> Iterator[str]:
    """What the trees differ in that is not declared, and what is declared and is not so."""
    texts: defaultdict[str, list[Mend]] = defaultdict(list)
    renames, bits = [], {}
    for mend in mends:
        if mend["line"] is not None:
            texts[mend["path"]].append(mend)
        elif mend["new"] in ("100644", "100755"):
            bits[mend["path"]] = mend["new"] == "100755"
        else:
            renames.append((mend["old"], mend["new"]))
    expected: dict[str, bytes] = {}
    executable: dict[str, bool] = {}
    hidden = {path for path, items in texts.items() if any(_is_hidden(item) for item in items)}
    for path, data in before.contents.items():
        name = _renamed(path, renames)
        if path in hidden:
            expected[name] = after.contents.get(name, b"")
            del texts[path]
        else:
            expected[name] = mended(data, texts[path]) if path in texts else data
        executable[name] = bits.get(path, before.executable[path])
    for path in sorted(expected.keys() ^ after.contents.keys()):
        yield f"{path}: only {'before' if path in expected else 'after'} the mends"
    for path in sorted(expected.keys() & after.contents.keys()):
        if expected[path] != after.contents[path]:
            yield f"{path}: other bytes than declared"
        if executable[path] != after.executable[path]:
            yield f"{path}: another mode than declared"
    shown = {path: data for path, data in before.contents.items() if path not in hidden}
    yield from _compare_fields(shown, expected, texts, renames, read)


def _is_hidden(mend: Mend) -> bool:
    """Whether a mend does not say what it changed, as its file holds a secret; nobody can judge."""
    return mend["old"].startswith("(not shown")


def _renamed(path: str, renames: Sequence[tuple[str, str]]) -> str:
    """The path after all renamings, in the order in which they are declared."""
    for old, new in renames:
        if path == old or path.startswith(f"{old}/"):
            path = new + path[len(old) :]
    return path


def mended(data: bytes, mends: Sequence[Mend], *, with_values: bool = True) -> bytes:
    """A text in which each mend stands in its line; without the values, empty texts for them."""
    text = data.decode()
    starts = [0]
    for each in text.split("\n"):
        starts.append(starts[-1] + len(each) + 1)
    parts: list[str] = []
    end = 0
    for mend in sorted(mends, key=lambda mend: mend["line"] or 0):
        line = starts[(mend["line"] or 1) - 1]
        start = text.find(mend["old"], max(line, end)) if mend["old"] else min(line, len(text))
        if start < 0 or (mend["old"] and "\n" in text[line:start]):
            raise ValueError(f"{mend['old']!r} is not in line {mend['line']}")
        if not mend["old"] and mend["new"].startswith(("\n", "\r\n")):
            start = len(text)
        parts += [text[end:start], mend["new"] if with_values else _without_value(mend)]
        end = start + len(mend["old"])
    return "".join([*parts, text[end:]]).encode()


def _without_value(mend: Mend) -> str:
    """What is in the place of a mended value in a text that was no YAML before."""
    new = mend["new"]
    if mend["value"] is None:
        return new
    return (" " if new.startswith(" ") else "") + '""' if mend["old"] else new


def _compare_fields(
    before: Mapping[str, bytes],
    expected: Mapping[str, bytes],
    texts: Mapping[str, Sequence[Mend]],
    renames: Sequence[tuple[str, str]],
    read: Read,
) -> Iterator[str]:
    """Whether another parser reads in each SKILL.md what it read before, but for the mends."""
    paths = [
        (path, _renamed(path, renames))
        for path in sorted(before)
        if path.lower().rpartition("/")[2] == "skill.md" and _is_utf8(before[path])
    ]
    olds = read([before[path].decode() for path, _ in paths])
    gaps = read([_gapped(before[path], texts.get(path, [])) for path, _ in paths])
    news = read([expected[name].decode() for _, name in paths])
    for (path, _), old, gap, new in zip(paths, olds, gaps, news, strict=True):
        mends = texts.get(path, [])
        if "value" not in new:
            if mends or "value" in old:
                yield f"{path}: not readable: {'; '.join(new['faults'])}"
            continue
        base = old if "value" in old else gap
        if mends and "value" not in base:
            yield f"{path}: was not readable, and is not without the mended values"
            continue
        wanted = base["value"]
        for mend in mends:
            if mend["value"] is not None:
                wanted = _with_value(wanted, mend["field"], _typed(mend["value"]))
        if wanted != new["value"]:
            yield f"{path}: {_difference(wanted, new['value'])}"


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _gapped(data: bytes, mends: Sequence[Mend]) -> str:
    return mended(data, mends, with_values=False).decode()


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

"""Do two checkouts of this project build the same bytes?

    python tests/judges/same_bytes.py BEFORE AFTER [--repository NAME=PATH]... [--show N]

BEFORE and AFTER are checkouts; both run with this Python. Builds: the example, each PATH (a git
repository, bare or not, at its HEAD, with `--skip-invalid`), a Chinese catalog with values that
JSON writers write differently, a repository with `[versions]`, and a second release over
`--previous`. Each output is compared file by file. Prints one row a build, below it one row for
each folder with differences, and with `--show` the first differing line of N files a folder. Exit
status 1 if a file differs.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile, zip_longest
from pathlib import Path

_GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}
_SETTINGS = 'title = "技能目录"\ntagline = "Über alles hinaus"\n'
_METADATA = "  big: 1e16\n  small: 1e-7\n  huge: 1000000000000000000000000000000\n  emoji: 😀 é\n"
_CHINESE = {
    "翻译": ("translate-zh", "把文字翻译成中文。需要翻译时使用。", '  line: "a\\u2028b\\x7f"\n'),
    "招聘": ("recruitment", "招聘流程的说明、面试、录用。", "  tags: [人事, 招聘]\n"),
    "numbers": ("numbers", "Numbers that JSON writers write in different ways.", _METADATA),
    "café": ("menu", "Écrire un menu de café, déjà vu.", '  price: "½ €"\n'),
}


@dataclass(frozen=True)
class Build:
    """A name and what makes the output: called with a command and an empty folder."""

    name: str
    run: Callable[[Command, Path], Path]


class Command:
    """`skillbuild` of one checkout."""

    def __init__(self, checkout: Path) -> None:
        self._environment = {**os.environ, "PYTHONPATH": str(checkout / "builder")}

    def __call__(self, *arguments: str | Path) -> None:
        command = [sys.executable, "-m", "skillbuild", *map(str, arguments)]
        done = subprocess.run(
            command, env=self._environment, check=False, capture_output=True, text=True
        )
        if done.returncode:
            raise SystemExit(
                f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}"
            )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=_Formatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--repository", action="append", default=[], metavar="NAME=PATH")
    parser.add_argument("--show", type=int, default=0, metavar="N")
    options = parser.parse_args()
    before, after = options.before.resolve(), options.after.resolve()
    with tempfile.TemporaryDirectory() as folder:
        pairs = [_compared(each, before, after, Path(folder)) for each in _builds(options, folder)]
        for name, old, new in pairs:
            _print(name, old, new, options.show)
        return int(any(_digests(old) != _digests(new) for _, old, new in pairs))


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """The text above as it is written."""


def _compared(build: Build, before: Path, after: Path, folder: Path) -> tuple[str, Path, Path]:
    """The name of a build, and the output of each checkout."""
    old, new = folder / f"{build.name}-before", folder / f"{build.name}-after"
    old.mkdir()
    new.mkdir()
    return build.name, build.run(Command(before), old), build.run(Command(after), new)


def _builds(options: argparse.Namespace, folder: str) -> Iterator[Build]:
    # One example for both, as settings and skills of the checkouts may differ.
    example = _repository(Path(folder) / "example", _files_below(options.before / "tests/example"))
    yield _plain("example", example, "--base-url", "https://example.org/c/")
    for each in options.repository:
        name, _, path = each.partition("=")
        yield _plain(name, Path(path), "--skip-invalid", "--base-url", "https://example.org/c/")
    yield _plain("chinese", _repository(Path(folder) / "chinese", _chinese()))
    history = _history(Path(folder) / "history")
    yield _plain("versions", history, "--base-url", "https://example.org/c/")

    def over_previous(command: Command, place: Path) -> Path:
        first, second = place / "first", place / "second"
        command("build", history, "--rev", "HEAD~1", "--out", first)
        command("build", history, "--previous", first, "--out", second)
        return second

    yield Build("previous", over_previous)


def _plain(name: str, repository: Path, *options: str) -> Build:
    def run(command: Command, place: Path) -> Path:
        command("build", repository, "--out", place / "out", *options)
        return place / "out"

    return Build(name, run)


def _files_below(folder: Path) -> dict[str, bytes | None]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=folder, capture_output=True, check=True
    ).stdout
    paths = [each for each in listed.decode().split("\0") if each]
    return {path: (folder / path).read_bytes() for path in paths}


def _chinese() -> dict[str, bytes | None]:
    files: dict[str, bytes | None] = {"skillbuild.toml": _SETTINGS.encode()}
    for directory, (name, description, metadata) in _CHINESE.items():
        text = f"---\nname: {name}\ndescription: {description}\nmetadata:\n{metadata}---\n"
        text += f"# {directory}\n\n{description} 见 [说明](references/说明.md)。\n"
        files[f"skills/{directory}/SKILL.md"] = text.encode()
        files[f"skills/{directory}/references/说明.md"] = f"{description * 40}\n".encode()
    return files


def _history(folder: Path) -> Path:
    """Five commits: two skills that change, one that moves, one that goes."""
    skill = "---\nname: {0}\ndescription: Does {0}, state {1}. Use it for {0}.\n---\n# {1}\n"

    def files(name: str, state: str) -> dict[str, bytes | None]:
        return {f"skills/{name}/SKILL.md": skill.format(name, state).encode()}

    first: dict[str, bytes | None] = {"skillbuild.toml": b"[versions]\n"}
    first |= files("alpha", "1") | files("beta", "1") | files("gone", "1")
    repository = _repository(folder, first)
    for number, change in enumerate(
        (
            files("alpha", "2") | {"skills/alpha/scripts/run.sh": b"#!/bin/sh\necho 2\n"},
            {"skills/gone/SKILL.md": None, "old/gone/SKILL.md": first["skills/gone/SKILL.md"]},
            files("alpha", "1") | files("beta", "3") | {"old/gone/SKILL.md": None},
            files("alpha", "4"),
        )
    ):
        _commit(repository, change, number + 1)
    return repository


def _repository(folder: Path, files: Mapping[str, bytes | None]) -> Path:
    folder.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=folder, check=True)
    _commit(folder, files, 0)
    return folder


def _commit(folder: Path, files: Mapping[str, bytes | None], number: int) -> None:
    for path, data in files.items():
        place = folder / path
        if data is None:
            place.unlink()
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
    when = f"{1_700_000_000 + number * 86_400} +0000"
    environment = {**os.environ, **_GIT, "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    for command in (["add", "-A"], ["commit", "-q", "-m", f"Commit {number}"]):
        subprocess.run(["git", *command], cwd=folder, env=environment, check=True)


def _digests(out: Path) -> dict[str, str]:
    """Digest of every file by its path below `out`."""
    return {
        path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }


def _print(name: str, old: Path, new: Path, show: int) -> None:
    before, after = _digests(old), _digests(new)
    paths = sorted({*before, *after})
    differing = [path for path in paths if before.get(path) != after.get(path)]
    print(f"{name}: {len(paths)} files, {len(differing)} differ")
    kinds = Counter(_kind(path, before, after) for path in differing)
    for kind, number in sorted(kinds.items()):
        print(f"  {kind}: {number}")
        some = [path for path in differing if _kind(path, before, after) == kind]
        for path in some[:show]:
            print(f"    {path}{_first_difference(old / path, new / path)}")


def _kind(path: str, before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Where a file lies and what became of it, such as `skills/*.html changed`."""
    folder, slash, _ = path.partition("/")
    where = f"{folder}/*{Path(path).suffix}" if slash else path
    change = "changed" if path in before and path in after else "new"
    return f"{where} {change if path in after else 'gone'}"


def _first_difference(old: Path, new: Path) -> str:
    if not (old.exists() and new.exists()):
        return ""
    before, after = old.read_bytes().splitlines(), new.read_bytes().splitlines()
    for number, (one, other) in enumerate(zip_longest(before, after, fillvalue=b""), 1):
        if one != other:
            pairs = zip(one, other, strict=False)
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            start = max(same - 40, 0)
            return f":{number}\n      - {_cut(one, start)}\n      + {_cut(other, start)}"
    return ""


def _cut(line: bytes, start: int) -> str:
    return line[start : start + 160].decode(errors="replace")


if __name__ == "__main__":
    raise SystemExit(main())

"""Writes a synthetic repository of skills, with the same bytes and commit ids everywhere.

    python tests/bench/corpus.py REPO --skills 1000 [--seed 1]
    python tests/bench/corpus.py REPO --touch 10

A skill has about six files and 42 kB: instructions with tables, code and links, references,
scripts, data, and sometimes a font or a trace that does not compress. Each skill depends only on
the seed and its number, so a larger repository starts with the same skills as a smaller one.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

GROUP = 80
"""Skills below one directory."""
_PARTS_OF_WORDS = "ab er in or ta mi lo ven dar ki sul pe ran tos qui bel nim fu gri zu hol ca"
_SUBJECTS = "billing charts deploys forms graphs images ledgers logs mail maps notes queues"
_SYLLABLES, _TOPICS = _PARTS_OF_WORDS.split(), _SUBJECTS.split()
_LICENSES = ("MIT", "MIT", "Apache-2.0", "CC-BY-4.0", "")
_PERSON = "Bench <bench@example.org>"
_START = 1_750_000_000
_BRANCH = "refs/heads/main"
_SETTINGS = b"[pages]\nfiles = false\n"
START, WITH_FILE_PAGES = "start", "with-file-pages"
"""The first commit of the branch, and one without settings, which has a page for every file."""


@dataclass(frozen=True, slots=True)
class File:
    path: str
    data: bytes
    executable: bool = False


class Corpus:
    """Words and sentences of one seed, and the skills written with them."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        rng = random.Random(f"words {seed}")
        self._words = sorted({"".join(rng.choices(_SYLLABLES, k=2)) for _ in range(900)})
        rng.shuffle(self._words)
        weights = [1 / (rank + 3) for rank in range(len(self._words))]
        self._sentences = [
            " ".join(rng.choices(self._words, weights, k=rng.randint(5, 16))).capitalize() + "."
            for _ in range(6000)
        ]

    def skill(self, number: int) -> list[File]:
        """Every file of a skill; paths are relative to the repository."""
        rng = random.Random(f"{self._seed} {number}")
        folder = directory(number)
        files = list(self._supporting(rng, number))
        names = [file.path for file in files]
        main = File("SKILL.md", self._instructions(rng, number, names).encode())
        return [
            File(f"{folder}/{item.path}", item.data, item.executable) for item in (main, *files)
        ]

    def _supporting(self, rng: random.Random, number: int) -> Iterator[File]:
        for part in range(rng.choice((1, 1, 2, 3, 4))):
            text = f"# Reference {part} of skill {number}\n\n" + self._prose(rng, _size(rng, 6000))
            yield File(f"references/part-{part}.md", text.encode())
        for part in range(rng.choice((0, 1, 1, 2, 3))):
            yield File(f"scripts/step_{part}.py", self._script(rng).encode(), executable=True)
        if rng.random() < 0.5:
            rows = [f"{rng.random():.6f},{rng.choice(self._words)}\n" for _ in range(200)]
            yield File("data/table.csv", "".join(rows).encode())
        if rng.random() < 0.4:
            yield File("LICENSE.txt", self._prose(random.Random(self._seed), 1100).encode())
        if rng.random() < 0.05:
            yield File("assets/trace.bin", b"\0" + rng.randbytes(rng.randint(40_000, 160_000)))

    def _instructions(self, rng: random.Random, number: int, names: list[str]) -> str:
        about = " ".join(rng.choices(self._sentences, k=2))
        terms, topic = rng.choice(_LICENSES), rng.choice(_TOPICS)
        head = [f"name: {name_of(number)}", f"description: {about} Use it for {topic}."]
        head += [f"license: {terms}"] if terms else []
        head += ["metadata:", f"  tags: {topic}, {rng.choice(self._words)}"]
        if rng.random() < 0.3:
            head.append("allowed-tools: Read Bash(python:*)")
        links = "".join(f"- [{name}]({name}) {self._sentence(rng)}\n" for name in names)
        if number % 5 == 4:
            other = f"../{name_of(number - 1)}/SKILL.md"
            links += f"- the skill [beside it]({other})\n" if number % GROUP else ""
        prose = self._prose(rng, _size(rng, 4000))
        start = "---\n" + "\n".join(head) + f"\n---\n\n# {name_of(number)}\n\n"
        return f"{start}{prose}\n## Files\n\n{links}\n{self._table(rng)}"

    def _sentence(self, rng: random.Random) -> str:
        return rng.choice(self._sentences)

    def _prose(self, rng: random.Random, size: int) -> str:
        parts, length = [], 0
        while length < size:
            parts.append(self._block(rng))
            length += len(parts[-1])
        return "\n".join(parts)

    def _block(self, rng: random.Random) -> str:
        sentences = rng.choices(self._sentences, k=rng.randint(3, 7))
        match rng.randrange(8):
            case 0:
                return f"## {sentences[0][:-1]}\n"
            case 1:
                return "".join(f"- {sentence}\n" for sentence in sentences)
            case 2:
                return "".join(
                    f"1. **{sentence[:-1]}**: `{sentence.split()[0]}`\n" for sentence in sentences
                )
            case 3:
                return f"```python\n{self._code(rng)}```\n"
            case _:
                return " ".join(sentences) + "\n"

    def _table(self, rng: random.Random) -> str:
        rows = [f"| {self._sentence(rng)} | {rng.randrange(1000)} |\n" for _ in range(6)]
        return "| what | how often |\n|---|---|\n" + "".join(rows)

    def _code(self, rng: random.Random) -> str:
        verb, noun, unit = rng.choices(self._words, k=3)
        return (
            f"def {verb}_{noun}({unit}: int = {rng.randrange(100)}) -> list[int]:\n"
            f"    # {self._sentence(rng)}\n"
            f'    known = {{"{noun}": {rng.random():.4f}, "{unit}": None}}\n'
            f"    return [len(key) * {unit} for key in sorted(known)]\n"
        )

    def _script(self, rng: random.Random) -> str:
        parts = [self._code(rng) for _ in range(_size(rng, 6000) // 240 + 1)]
        return "#!/usr/bin/env python3\n" + "\n\n".join(parts)


def _size(rng: random.Random, median: int) -> int:
    """Most files are short, some are ten times as long."""
    return min(60_000, int(median * rng.lognormvariate(0, 0.9)))


def name_of(number: int) -> str:
    return f"skill-{number:06}"


def directory(number: int) -> str:
    return f"skills/{_TOPICS[number // GROUP % len(_TOPICS)]}-{number // GROUP}/{name_of(number)}"


def write(repo: Path, skills: int, seed: int) -> None:
    """Write a repository with a working tree, unless it exists."""
    if not (repo / ".git").exists():
        corpus = Corpus(seed)
        subprocess.run(["git", "init", "-q", "-b", "main", str(repo)], check=True)
        _import(repo, _commit("Skills", 0), (corpus.skill(n) for n in range(skills)))
        _git(repo, "tag", WITH_FILE_PAGES)
        _import(repo, _commit("Settings", 1), iter([[File("skillbuild.toml", _SETTINGS)]]))
        _git(repo, "tag", START)
    reset(repo)


def reset(repo: Path) -> None:
    """Undo every edit."""
    _git(repo, "reset", "-q", "--hard", START)


def touch(repo: Path, count: int) -> None:
    """Commit one more line in the instructions of `count` skills, evenly spread."""
    paths = sorted(path.relative_to(repo) for path in repo.glob("skills/*/*/SKILL.md"))
    chosen = [paths[index * len(paths) // count] for index in range(count)]
    number = int(_git(repo, "rev-list", "--count", "HEAD"))
    line = f"\nEdit {number}.\n".encode()
    edited = ([File(path.as_posix(), (repo / path).read_bytes() + line)] for path in chosen)
    _import(repo, _commit(f"Edit {number}", number), edited)


def _commit(subject: str, number: int) -> bytes:
    who = f"{_PERSON} {_START + 60 * number} +0000"
    above = f"from {_BRANCH}^0\n" if number else ""
    data = f"data {len(subject)}\n{subject}\n"
    return f"commit {_BRANCH}\ncommitter {who}\n{data}{above}".encode()


def _import(repo: Path, head: bytes, skills: Iterator[list[File]]) -> None:
    command = ["git", "-C", str(repo), "fast-import", "--quiet", "--date-format=raw"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(head)
        for files in skills:
            for file in files:
                mode = "100755" if file.executable else "100644"
                process.stdin.write(f"M {mode} inline {file.path}\n".encode())
                process.stdin.write(f"data {len(file.data)}\n".encode() + file.data + b"\n")
        process.stdin.close()
    if process.returncode:
        sys.exit("git fast-import failed")
    _git(repo, "reset", "-q", "--hard", "main")


def _git(repo: Path, *arguments: str) -> str:
    command = ["git", "-C", str(repo), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repo", type=Path)
    parser.add_argument("--skills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--touch", type=int, metavar="K", help="commit an edit of K skills")
    options = parser.parse_args()
    if options.touch:
        touch(options.repo, options.touch)
    else:
        write(options.repo, options.skills, options.seed)
    print(_git(options.repo, "rev-parse", "HEAD"))


if __name__ == "__main__":
    main()

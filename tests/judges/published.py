"""Is every skill of a commit that the specification allows published?

    python tests/judges/published.py REPO... [--keep DIR]

REPO is a git repository, bare or not. Which SKILL.md of its HEAD are skills is decided from the
text of the Agent Skills specification with py-yaml12, another YAML parser than the one of
skillbuild; nothing of skillbuild is imported. Then HEAD is built with `--skip-invalid` and the
output compared.

A SKILL.md conforms if its frontmatter is a mapping whose `name` and `description` keep the rules
of the specification; "strict" also wants the name of the directory. One whose name is another
text (a title) or whose description is too long is usable. A conforming skill is published, is a
copy of one that is, or is missing for a reason of `EXCUSES` that is seen in the commit as well.
Everything else is a fault: exit status 1. Every skill that is missing is named.

With DIR, outputs and reports stay in DIR, and a second run builds only what has changed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

import yaml12

EXCUSES = {
    "file-unreadable": "files missing in the repository",
    "file-lfs": "files that are only LFS pointers",
    "secret": "secrets",
    "skill-too-large": "limits",
    "too-many-files": "limits",
    "file-special": "submodules",
    "file-submodule": "submodules",
    "file-collision": "names that some file systems do not hold",
    "file-name": "names that some file systems do not hold",
    "file-name-git": "names that some file systems do not hold",
}
"""By the code of a finding, why a skill may be missing."""
_SECRETS = "secrets"
_MOST_FILES, _MOST_BYTES = 10_000, 100 * 1024 * 1024
_DISCOVERY_BAR = 0.97
"""The smallest part of the published skills that discovery v0.2.0 must offer."""

_FRONTMATTER = re.compile(r"---[ \t]*\r?\n(.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_NOT_PRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no YAML text may contain (YAML 1.2.2, 5.1 Character Set)."""
_HARD_SEGMENT = re.compile(
    r'.*[\0-\x1f\x7f<>:"|?*\\].*|.*[. ]|(con|prn|aux|nul|com[0-9]|lpt[0-9]) *(\..*)?|\.git|git~\d+',
    re.IGNORECASE | re.DOTALL,
)
_LFS = b"version https://git-lfs"


class Form(StrEnum):
    """What the specification says of one SKILL.md."""

    STRICT = "strictly conforming"
    CONFORMING = "conforming but for the name of the directory"
    USABLE = "usable"
    NO_SKILL = "no skill"


_CONFORMING = (Form.STRICT, Form.CONFORMING)


@dataclass(frozen=True, slots=True)
class Leaf:
    """One line of the tree of a commit. `size` is None for an object that is missing."""

    mode: str
    object_id: str
    size: int | None = None


@dataclass(frozen=True)
class Commit:
    """The tree of a commit by path, and the directories in it that hold a SKILL.md."""

    repo: Path
    leaves: Mapping[str, Leaf]
    forms: Mapping[str, Form]

    @cached_property
    def below(self) -> Mapping[str, Mapping[str, Leaf]]:
        """For each directory with a SKILL.md the leaves below it, by their path from there."""
        trees: dict[str, dict[str, Leaf]] = {directory: {} for directory in self.forms}
        for path, leaf in self.leaves.items():
            for directory in _parents(path):
                if directory in trees:
                    trees[directory][path[len(directory) + 1 if directory else 0 :]] = leaf
        return trees


@dataclass(frozen=True, slots=True)
class Output:
    """What a build says of itself: its findings, and the skills it offers in each way."""

    published: Set[str]
    """Directories of the skills, without those that are copies of another."""
    copies: Mapping[str, str]
    """By its directory, each skill that is a copy, and the directory that is published for it."""
    ignored: Mapping[str, str]
    """By the path of a SKILL.md, why it makes no skill."""
    errors: Sequence[tuple[str, str]]
    """Path and code."""
    flat_names: Sequence[str | None]
    listed: int
    """Entries of `index.json`, which is what `skills/list` answers."""
    discovery: Sequence[str]
    """Names in the index of discovery v0.2.0."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of the skills of one commit."""

    forms: Counter[Form]
    """How many SKILL.md there are of each form."""
    published: Counter[Form]
    """How many of them are published, or are copies of a published one."""
    primary: int
    """Published skills without copies."""
    listed: int
    discovery: int
    missing: Mapping[str, str]
    """By the directory of each conforming skill that is not published, the excuse."""
    faults: Sequence[str]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("repos", metavar="REPO", nargs="+", type=Path)
    parser.add_argument("--keep", metavar="DIR", type=Path)
    arguments = parser.parse_args()
    failed = False
    for repo in arguments.repos:
        with tempfile.TemporaryDirectory() as scratch:
            work = (arguments.keep or Path(scratch)) / _label(repo)
            work.mkdir(parents=True, exist_ok=True)
            verdict = judge(repo, work)
        print(*lines(_label(repo), verdict), sep="\n", flush=True)
        failed = failed or bool(verdict.faults)
    return 1 if failed else 0


def judge(repo: Path, work: Path) -> Verdict:
    """Build HEAD of a repository below `work`, and say what became of its skills."""
    return compare(read_commit(repo), build(repo, work))


def compare(commit: Commit, output: Output) -> Verdict:
    published = output.published | output.copies.keys()
    codes = _codes(commit, output)
    missing, faults = {}, list(_faults_of(output, commit))
    for directory, form in sorted(commit.forms.items()):
        if form in _CONFORMING and directory not in published:
            excuse, fault = _excuse(directory, commit, output, codes[directory])
            if fault:
                faults.append(f"{_inside(directory, 'SKILL.md')}: {fault}")
            else:
                missing[directory] = excuse
    return Verdict(
        forms=Counter(commit.forms.values()),
        published=Counter(commit.forms[item] for item in published & commit.forms.keys()),
        primary=len(output.published),
        listed=output.listed,
        discovery=len(output.discovery),
        missing=missing,
        faults=tuple(faults),
    )


def lines(label: str, verdict: Verdict) -> Iterator[str]:
    """A verdict for people."""
    forms, published, primary = verdict.forms, verdict.published, verdict.primary
    conforming = sum(forms[form] for form in _CONFORMING)
    there = sum(published[form] for form in _CONFORMING)
    strict = forms[Form.STRICT]
    yield f"{label}: {forms.total()} SKILL.md, {conforming} conforming, {strict} strictly"
    yield f"  published/conforming  {_ratio(there, conforming)}"
    yield f"  but for excuses       {_ratio(there, conforming - len(verdict.missing))}, bar 100 %"
    yield f"  published/strict      {_ratio(published[Form.STRICT], strict)}"
    yield f"  published/usable      {_ratio(published[Form.USABLE], forms[Form.USABLE])}"
    yield f"  published, no skill   {published[Form.NO_SKILL]} of {forms[Form.NO_SKILL]}"
    yield f"  published, no copies  {primary}"
    yield f"  discovery/published   {_ratio(verdict.discovery, primary)}, bar {_DISCOVERY_BAR:.0%}"
    yield f"  listed/published      {_ratio(verdict.listed, primary)}"
    for excuse, count in sorted(Counter(verdict.missing.values()).items()):
        yield f"  {count} missing: {excuse}"
        yield from (f"    {path}" for path, why in verdict.missing.items() if why == excuse)
    yield f"  {len(verdict.faults)} faults"
    yield from (f"    {fault}" for fault in verdict.faults)


def _ratio(part: int, whole: int) -> str:
    return f"{part}/{whole} = {part / whole:.2%}" if whole else f"{part}/{whole}"


def _label(repo: Path) -> str:
    path = repo.resolve()
    return path.parent.name if path.name in ("repo", ".git") else path.name


def _parents(path: str) -> list[str]:
    """The directories above a path, the top as an empty text."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(len(parts))]


def _inside(directory: str, path: str) -> str:
    return f"{directory}/{path}" if directory else path


# What the specification says, and what is in the commit.


def form_of(data: bytes, directory: str) -> Form:
    """Judge the bytes of a SKILL.md by the specification (SKILL.md format: frontmatter)."""
    try:
        fenced = _FRONTMATTER.match(data.decode())
        if fenced is None or _NOT_PRINTABLE.search(fenced[1]):
            return Form.NO_SKILL
        fields = yaml12.parse_yaml(fenced[1])
    except ValueError:
        return Form.NO_SKILL
    if not isinstance(fields, dict) or not all(isinstance(key, str) for key in _keys(fields)):
        return Form.NO_SKILL
    name, description = fields.get("name"), fields.get("description")
    if not isinstance(name, str) or not isinstance(description, str) or not description.strip():
        return Form.NO_SKILL
    if len(name) > 64 or not _NAME.fullmatch(name) or len(description) > 1024:
        return Form.USABLE
    return Form.STRICT if directory.rpartition("/")[2] == name else Form.CONFORMING


def _keys(value: object) -> Iterator[object]:
    """The keys of all mappings in a value."""
    if isinstance(value, dict):
        yield from value
    inner = value.values() if isinstance(value, dict) else value
    if isinstance(inner, list) or isinstance(value, dict):
        for item in inner:  # type: ignore[attr-defined]
            yield from _keys(item)


def read_commit(repo: Path) -> Commit:
    listing = _git(repo, "ls-tree", "-r", "-z", "--full-tree", "HEAD")
    rows = [line.partition("\t") for line in os.fsdecode(listing).split("\0") if line]
    plain = {path: Leaf(about.split()[0], about.split()[2]) for about, _, path in rows}
    sizes = _sizes(repo, {leaf.object_id for leaf in plain.values() if leaf.mode != "160000"})
    leaves = {
        path: Leaf(leaf.mode, leaf.object_id, sizes.get(leaf.object_id))
        for path, leaf in plain.items()
    }
    skill_files = {
        path: leaf
        for path, leaf in leaves.items()
        if path.rpartition("/")[2] == "SKILL.md" and leaf.mode.startswith("100")
    }
    texts = _contents(repo, [leaf for leaf in skill_files.values() if leaf.size is not None])
    forms = {}
    for path, leaf in skill_files.items():
        directory = path.rpartition("/")[0]
        forms[directory] = form_of(texts.get(leaf.object_id, b""), directory)
    return Commit(repo, leaves, forms)


def _git(repo: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    command = ["git", "-C", str(repo), *arguments]
    environment = {**os.environ, "GIT_NO_LAZY_FETCH": "1"}
    done = subprocess.run(command, check=True, capture_output=True, input=stdin, env=environment)
    return done.stdout


def _sizes(repo: Path, object_ids: Iterable[str]) -> dict[str, int]:
    asked = "".join(f"{object_id}\n" for object_id in sorted(object_ids)).encode()
    answers = _git(repo, "cat-file", "--batch-check", stdin=asked).decode().splitlines()
    rows = [answer.split() for answer in answers]
    return {row[0]: int(row[2]) for row in rows if row[1] != "missing"}


def _contents(repo: Path, leaves: Iterable[Leaf]) -> dict[str, bytes]:
    """Contents by object id, of objects that are there."""
    sizes = {leaf.object_id: leaf.size or 0 for leaf in leaves}
    asked = "".join(f"{object_id}\n" for object_id in sizes).encode()
    answer = _git(repo, "cat-file", "--batch", stdin=asked)
    contents, start = {}, 0
    for object_id, size in sizes.items():
        start = answer.index(b"\n", start) + 1
        contents[object_id] = answer[start : start + size]
        start += size + 1
    return contents


# What the output says.


def build(repo: Path, work: Path) -> Output:
    """Build HEAD into a folder of `work`."""
    out = work / "out"
    command = [sys.executable, "-m", "skillbuild", "build", str(repo), "-o", str(out)]
    options = ["--skip-invalid", "--format", "json", "--allow-empty"]
    done = subprocess.run([*command, *options], check=True, stdout=subprocess.PIPE)
    (work / "report.json").write_bytes(done.stdout)
    report = json.loads(done.stdout)
    lines = [line for part in _parts(out) for line in part.read_bytes().splitlines()]
    entries = [json.loads(line) for line in lines]
    index = json.loads((out / "index.json").read_bytes())
    discovery = json.loads((out / ".well-known/agent-skills/index.json").read_bytes())
    return Output(
        published={entry["directory"] for entry in entries},
        copies={copy: entry["directory"] for entry in entries for copy in entry.get("copies", ())},
        ignored=report["ignored"],
        errors=[
            (item["path"], item["code"])
            for item in report["diagnostics"]
            if item["severity"] == "error"
        ],
        flat_names=[entry["flatName"] for entry in entries],
        listed=len(index["skills"]),
        discovery=[item["name"] for item in discovery["skills"]],
    )


def _parts(out: Path) -> list[Path]:
    """The files that the entries of the record stand in."""
    release = json.loads((out / "catalog.json").read_bytes())["release"]
    digests = [part["digest"].removeprefix("sha256:") for part in release["parts"]]
    return [out / "record" / digest[:2] / f"{digest}.jsonl" for digest in digests]


# What became of each skill.


def _faults_of(output: Output, commit: Commit) -> Iterator[str]:
    """What is wrong with the output whatever skills are missing."""
    for directory in sorted((output.published | output.copies.keys()) - commit.forms.keys()):
        yield f"{directory} is published, but is no directory with a SKILL.md"
    for copy, primary in sorted(output.copies.items()):
        if copy in commit.below and _files(commit, copy) != _files(commit, primary):
            yield f"{copy} is published as a copy of {primary}, but has other files"
    for what, names in (("flat name", output.flat_names), ("name in discovery", output.discovery)):
        for name, count in Counter(names).items():
            if name is None:
                yield f"{what}: {count} skills have none"
            elif count > 1:
                yield f"{what}: {count} skills have {name}"
    if len(output.discovery) < _DISCOVERY_BAR * len(output.published):
        yield f"discovery offers {len(output.discovery)} of {len(output.published)} skills"


def _files(commit: Commit, directory: str) -> Mapping[str, tuple[str, str]]:
    leaves = commit.below.get(directory, {})
    return {path: (leaf.mode, leaf.object_id) for path, leaf in leaves.items()}


def _excuse(directory: str, commit: Commit, output: Output, codes: Set[str]) -> tuple[str, str]:
    """Why a conforming skill may be missing, and what is wrong about it; one of them is empty."""
    path = _inside(directory, "SKILL.md")
    if reason := output.ignored.get(path):
        allowed = _may_ignore(path, reason, commit, output)
        return (f"ignored: {reason}", "") if allowed else ("", f"ignored: {reason}")
    if not codes:
        return "", "missing without an error"
    seen = {*_seen(directory, commit), _SECRETS} if codes & EXCUSES.keys() else set()
    unexplained = sorted(code for code in codes if EXCUSES.get(code) not in seen)
    if unexplained:
        return "", ", ".join(unexplained)
    return ", ".join(sorted({EXCUSES[code] for code in codes})), ""


def _may_ignore(path: str, reason: str, commit: Commit, output: Output) -> bool:
    """Whether the stated policy, which ignores SKILL.md for some reasons, covers this one."""
    folders = path.split("/")[:-1]
    match reason:
        case "dot-directory":
            elsewhere = any(not _is_hidden(directory) for directory in output.published)
            return _is_hidden(path) and (elsewhere or "skills" not in folders)
        case "junk":
            return not {"node_modules", "__pycache__"}.isdisjoint(folders)
        case "output":
            return any(f"{folder}/catalog.json" in commit.leaves for folder in _parents(path))
        case "excluded" | "outside roots":
            return "skillbuild.toml" in commit.leaves
        case _:
            return False


def _is_hidden(path: str) -> bool:
    return path.startswith(".") or "/." in path


def _codes(commit: Commit, output: Output) -> Mapping[str, Set[str]]:
    """The errors of each skill: of what is in an inner skill only those that its files have."""
    codes: dict[str, set[str]] = {directory: set() for directory in commit.forms}
    for path, code in output.errors:
        around = [folder for folder in reversed(_parents(path)) if folder in codes]
        for directory in around if code in EXCUSES else around[:1]:
            codes[directory].add(code)
    return codes


def _seen(directory: str, commit: Commit) -> Iterator[str]:
    """The excuses for which there is a cause in the tree of a skill."""
    leaves = commit.below[directory]
    blobs = [leaf for leaf in leaves.values() if leaf.mode.startswith("100")]
    if any(leaf.mode == "160000" for leaf in leaves.values()):
        yield EXCUSES["file-submodule"]
    if any(leaf.size is None for leaf in blobs):
        yield EXCUSES["file-unreadable"]
    if len(blobs) > _MOST_FILES or sum(leaf.size or 0 for leaf in blobs) > _MOST_BYTES:
        yield EXCUSES["too-many-files"]
    small = [leaf for leaf in blobs if leaf.size is not None and leaf.size < 1024]
    if any(data.startswith(_LFS) for data in _contents(commit.repo, small).values()):
        yield EXCUSES["file-lfs"]
    if _is_hard_to_hold(leaves):
        yield EXCUSES["file-name"]


def _is_hard_to_hold(paths: Iterable[str]) -> bool:
    """Whether some usual file system cannot hold files of these names, or takes two for one."""
    names = {_inside("/".join(_parents(path)[-1:]), path.rpartition("/")[2]) for path in paths}
    every = {folder for path in names for folder in _parents(path)[1:]} | names
    alike = Counter(unicodedata.normalize("NFKC", path).casefold() for path in every)
    if max(alike.values()) > 1:
        return True
    for segment in {segment for path in every for segment in path.split("/")}:
        invisible = any(unicodedata.category(char) in ("Cc", "Cf", "Cs") for char in segment)
        long = len(os.fsencode(segment)) > 255
        composed = unicodedata.normalize("NFC", segment) == segment
        if invisible or long or not composed or _HARD_SEGMENT.fullmatch(segment):
            return True
    return max(len(os.fsencode(path)) for path in every) > 512


if __name__ == "__main__":
    sys.exit(main())

"""Is every SKILL.md of a repository accounted for?

    python tests/judges/accounting.py REPO...

REPO is a git repository, bare or not; its HEAD is built with `--skip-invalid` into a temporary
directory. Every path named SKILL.md in the tree of HEAD must be exactly one of: published,
published with warnings, refused with an error at its place, a copy of one of these with the very
same files, ignored with a reason (the same in `catalog.json` and in the report). What is ignored
under another name must be a link or a submodule. Prints one row a repository; exit status 1 if a
SKILL.md is in none or in two of them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skillbuild.model import Entry
from skillbuild.output import verify

_HEAD = ("SKILL.md", "clean", "warned", "refused", "copies", "ignored", "unlisted", "repository")


@dataclass(frozen=True, slots=True)
class Reported:
    """The report of a build: entries, refused directories, and ignored files with the reason."""

    entries: Sequence[Entry]
    skills: int
    refused: frozenset[str]
    erring: frozenset[str]
    """Paths with at least one error."""
    ignored: Mapping[str, str]
    copies: Mapping[str, str]
    """By each directory that is a copy, the directory of its skill."""
    reported: Mapping[str, str]
    """The ignored files as the report lists them."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("repos", metavar="REPO", nargs="+", type=Path)
    repos = parser.parse_args().repos
    print(" ".join(f"{word:>8}" for word in _HEAD))
    return max([_judge(repo) for repo in repos])


def _judge(repo: Path) -> int:
    blobs = _blobs(repo)
    leaves = {path: blob[0] for path, blob in blobs.items()}
    modes = {path: mode for path, mode in leaves.items() if _is_skill_file(path)}
    report = _build(repo)
    published = {_inside(entry.directory): entry for entry in report.entries}
    refused = {path for path in modes if path.rpartition("/")[0] in report.refused}
    copies = set(map(_inside, report.copies))
    rest = set(modes) - set(published) - refused - copies
    warned = sum(bool(entry.findings) for entry in report.entries)
    unlisted = sum(bool(entry.unlisted) for entry in report.entries)
    counts = (len(modes), len(published) - warned, warned, len(refused), len(copies), len(rest))
    numbers = (*counts, unlisted)
    print(" ".join(f"{number:>8}" for number in numbers), repo)
    for reason, count in sorted(Counter(report.ignored.values()).items()):
        print(f"{'':8} {count} ignored: {reason}")
    faults = _faults(leaves, report, set(published), refused, rest)
    faults += _copy_faults(blobs, report, set(published) | refused)
    for fault in faults:
        print(f"{repo}: {fault}")
    return 1 if faults else 0


def _faults(
    modes: Mapping[str, str],
    report: Reported,
    published: set[str],
    refused: set[str],
    rest: set[str],
) -> list[str]:
    faults = [f"{path} is published and refused" for path in sorted(published & refused)]
    faults += [f"{path} is published, but not in the tree" for path in published - set(modes)]
    for path in sorted(refused):
        folder = path.removesuffix("SKILL.md")
        if not any(place.startswith(folder) for place in report.erring):
            faults.append(f"{path} is refused without an error")
    if report.skills != len(report.entries):
        faults.append(
            f"{report.skills} skills are reported, {len(report.entries)} are in the catalog"
        )
    faults += [f"{path} is in no class" for path in sorted(rest - set(report.ignored))]
    skill_files = set(filter(_is_skill_file, report.ignored))
    faults += [f"{path} is ignored and more" for path in sorted(skill_files - rest)]
    for path, reason in sorted(report.ignored.items() ^ report.reported.items()):
        faults.append(f"{path} is ignored as {reason} in the report or the catalog, not in both")
    for path, reason in report.ignored.items():
        if _is_unread(reason, path) == modes.get(path, "").startswith("100"):
            faults.append(f"{path} is ignored as {reason}, with mode {modes.get(path)}")
        if reason == "dot-directory" and not any(map(_is_hidden, path.split("/"))):
            faults.append(f"{path} is ignored as {reason}")
    return faults


def _is_unread(reason: str, path: str) -> bool:
    """Whether what is ignored has to be a link or a submodule."""
    return reason in ("link", "submodule") or not _is_skill_file(path)


def _copy_faults(
    blobs: Mapping[str, tuple[str, str]], report: Reported, skills: set[str]
) -> list[str]:
    """What is wrong with the copies; `skills` are the SKILL.md of published and refused ones."""
    faults = [f"{copy} is a copy and more" for copy in report.copies if _inside(copy) in skills]
    of_entries = {copy: entry.directory for entry in report.entries for copy in entry.copies}
    named = {copy: skill for copy, skill in report.copies.items() if not report.refused & {skill}}
    if named != of_entries:
        faults.append("the report and the catalog name other copies")
    below: dict[str, dict[str, tuple[str, str]]] = {
        folder: {} for folder in {*report.copies, *report.copies.values()}
    }
    for path, blob in blobs.items():
        parts = path.split("/")
        for cut in range(len(parts)):
            folder = "/".join(parts[:cut])
            if folder in below:
                below[folder]["/".join(parts[cut:])] = blob
    for copy, skill in report.copies.items():
        if _inside(skill) not in skills:
            faults.append(f"{copy} is a copy of {skill}, which is no skill")
        if below[copy] != below[skill]:
            faults.append(f"{copy} has other files than {skill}")
    return faults


def _is_hidden(segment: str) -> bool:
    return segment.startswith(".")


def _is_skill_file(path: str) -> bool:
    return path.rpartition("/")[2] == "SKILL.md"


def _blobs(repo: Path) -> dict[str, tuple[str, str]]:
    """Path to mode and object id of everything in the tree of HEAD."""
    command = ["git", "-C", str(repo), "ls-tree", "-r", "-z", "--full-tree", "HEAD"]
    listing = subprocess.run(command, check=True, capture_output=True).stdout
    blobs = {}
    for line in filter(None, listing.decode(errors="surrogateescape").split("\0")):
        about, _, path = line.partition("\t")
        mode, _, object_id = about.split()
        blobs[path] = (mode, object_id)
    return blobs


def _build(repo: Path) -> Reported:
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "out"
        command = [sys.executable, "-m", "skillbuild", "build", str(repo), "-o", str(out)]
        options = ["--skip-invalid", "--format", "json", "--allow-empty"]
        done = subprocess.run([*command, *options], check=True, stdout=subprocess.PIPE)
        catalog = verify.load(out).catalog
        entries = tuple(catalog.entries)
    report = json.loads(done.stdout)
    erring = {item["path"] for item in report["diagnostics"] if item["severity"] == "error"}
    return Reported(
        entries=entries,
        skills=report["skills"],
        refused=frozenset(report["invalid"]),
        erring=frozenset(erring),
        ignored=catalog.ignored,
        copies=report["copies"],
        reported=report["ignored"],
    )


def _inside(directory: str) -> str:
    return f"{directory}/SKILL.md" if directory else "SKILL.md"


if __name__ == "__main__":
    sys.exit(main())

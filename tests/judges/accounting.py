"""Is every SKILL.md of a repository accounted for?

    python tests/judges/accounting.py REPO...

REPO is a git repository, bare or not; its HEAD is built with `--skip-invalid` into a temporary
directory. Every path named SKILL.md in the tree of HEAD must be exactly one of: published,
published with warnings, refused with an error at its place, ignored with a reason (the same in
`catalog.json` and in the report). What is ignored under another name must be a link or a submodule.
Prints one row a repository; exit status 1 if a SKILL.md is in none or in two of them.
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

_HEAD = ("SKILL.md", "clean", "warned", "refused", "ignored", "unlisted", "repository")


@dataclass(frozen=True, slots=True)
class Reported:
    """The report of a build: entries, refused directories, and ignored files with the reason."""

    entries: Sequence[Entry]
    skills: int
    refused: frozenset[str]
    erring: frozenset[str]
    """Paths with at least one error."""
    ignored: Mapping[str, str]
    reported: Mapping[str, str]
    """The ignored files as the report lists them."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("repos", metavar="REPO", nargs="+", type=Path)
    repos = parser.parse_args().repos
    print(" ".join(f"{word:>8}" for word in _HEAD))
    return max([_judge(repo) for repo in repos])


def _judge(repo: Path) -> int:
    leaves = _leaves(repo)
    modes = {path: mode for path, mode in leaves.items() if _is_skill_file(path)}
    report = _build(repo)
    published = {_inside(entry.directory): entry for entry in report.entries}
    refused = {path for path in modes if path.rpartition("/")[0] in report.refused}
    rest = set(modes) - set(published) - refused
    warned = sum(bool(entry.findings) for entry in report.entries)
    unlisted = sum(bool(entry.unlisted) for entry in report.entries)
    numbers = (len(modes), len(published) - warned, warned, len(refused), len(rest), unlisted)
    print(" ".join(f"{number:>8}" for number in numbers), repo)
    for reason, count in sorted(Counter(report.ignored.values()).items()):
        print(f"{'':8} {count} ignored: {reason}")
    faults = _faults(leaves, report, set(published), refused, rest)
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


def _is_hidden(segment: str) -> bool:
    return segment.startswith(".")


def _is_skill_file(path: str) -> bool:
    return path.rpartition("/")[2] == "SKILL.md"


def _leaves(repo: Path) -> dict[str, str]:
    """Path to mode of everything in the tree of HEAD."""
    command = ["git", "-C", str(repo), "ls-tree", "-r", "-z", "--full-tree", "HEAD"]
    listing = subprocess.run(command, check=True, capture_output=True).stdout
    modes = {}
    for line in listing.decode(errors="surrogateescape").split("\0"):
        about, _, path = line.partition("\t")
        modes[path] = about.partition(" ")[0]
    return modes


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
        reported=report["ignored"],
    )


def _inside(directory: str) -> str:
    return f"{directory}/SKILL.md" if directory else "SKILL.md"


if __name__ == "__main__":
    sys.exit(main())

"""Stores a stamp after each build, so that the next build knows whether there is anything to do.

The stamp records the inputs of the build, the state of the output afterwards, and the report. When
in doubt, the next build runs. This module imports little, because it runs at the start of every
build.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from skillbuild import __version__
from skillbuild.cache import own_files
from skillbuild.cache.reports import REPORT, StoredReport, encode
from skillbuild.errors import SkillbuildError
from skillbuild.output.signature import signature
from skillbuild.report.run import Report
from skillbuild.source import git_process
from skillbuild.source.work_tree import changes_since

KIND = "stamp"
_PACKAGES = ("site-packages", "dist-packages")


class Given(msgspec.Struct, frozen=True):
    """The inputs of a build: everything that the release depends on."""

    commit: str
    """The id of the commit."""
    prefix: str
    """The directory of the source in its repository: empty, or with a final `/`."""
    others: tuple[str, ...]
    """Further inputs as strings: the repository, the program, the arguments."""


class Stamp(msgspec.Struct, frozen=True):
    """The inputs of a build, and the signature of its output afterwards."""

    given: Given
    signature: str


def repeated(options: argparse.Namespace, given: Given) -> Report | None:
    """Return the report of the last build if repeating it would change nothing, otherwise None."""
    if options.recheck or options.report or options.previous or options.trust:
        return None
    out = Path(options.out)
    file = own_files.read(out, KIND)
    if file is None:
        return None
    stamp, report = file.data[file.start : file.end].split(b"\n")
    if msgspec.json.decode(stamp, type=Stamp) != Stamp(given, signature(out) or ""):
        return None
    return REPORT.decode(report).report()


def remember(options: argparse.Namespace, given: Given, report: Report) -> None:
    """Store a stamp of a successful build; `given` was read before the build began."""
    out = Path(options.out)
    seen = signature(out)
    if seen is not None:
        with suppress(UnicodeEncodeError):  # Names that are not UTF-8 are not stored.
            parts = [encode(Stamp(given, seen)), b"\n", encode(StoredReport.of(report))]
            own_files.write(out, KIND, parts)


def given_to(options: argparse.Namespace) -> Given | None:
    """Return the inputs of a build with these options; None if some are unknown."""
    revision = "HEAD" if options.rev is None else options.rev
    try:
        repository = git_process.find(Path(options.repo))
        if repository is None or revision.startswith("-"):
            return None
        git_dir, work_tree, prefix = repository
        query = ("rev-parse", "--is-shallow-repository", f"{revision}^{{commit}}")
        command = git_process.command(git_dir, work_tree, *query)
        status, output, _ = git_process.run(command, work_tree)
    except (SkillbuildError, OSError, ValueError):
        return None
    answers = output.decode(errors="replace").split()
    if status or len(answers) != 2:
        return None
    shallow, commit = answers
    others = (shallow, str(git_dir), *_program(), *_arguments(options))
    return Given(commit, prefix, others)


def warning_of_changes(folder: Path, commit: str) -> str:
    """Return a warning about changes in the working tree that are not in the commit; empty if there
    are no changes.
    """
    changes = changes_since(folder, commit)
    if changes is None:
        return ""
    # Imported here because it loads what a build loads, which is not needed without changes.
    from skillbuild.diagnostics import takes_utf8
    from skillbuild.source.uncommitted import in_skills

    return in_skills(changes, folder, commit).warning(utf8=takes_utf8(sys.stderr))


def _code() -> str:
    """Return names, sizes and times of our files; empty if the program is installed, because then
    the version suffices.
    """
    if any(folder.name in _PACKAGES for folder in Path(__file__).parents):
        return ""
    # Imported here because an installed copy does not need it.
    from skillbuild import assets

    return str(assets.fingerprint())


def _arguments(options: argparse.Namespace) -> Sequence[str]:
    return [f"{key}={value}" for key, value in sorted(vars(options).items())]


def _program() -> Sequence[str]:
    """Return the properties that identify the program: its version, its code, Python, and each
    package folder with its modification time, which changes when a package is installed or removed.
    """
    folders = [path for path in map(Path, sys.path) if path.name in _PACKAGES and path.is_dir()]
    packages = [f"{path} {path.stat().st_mtime_ns}" for path in folders]
    return (__version__, sys.version, _code(), *packages)

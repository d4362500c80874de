"""The stamp of a whole build, by which the next one sees that it has nothing to do.

It says what the build was given, what its output looked like when it was done, and how it ended.
Whatever is in doubt is left to the build itself. Imports little: it is asked before all else.
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
    """All that the release of a build depends on."""

    commit: str
    """Its id."""
    prefix: str
    """Where the source lies in its repository: empty, or a directory with a final `/`."""
    others: tuple[str, ...]
    """Texts to compare: the repository, the program, the arguments."""


class Stamp(msgspec.Struct, frozen=True):
    """What a build was given, and the signature of its output afterwards."""

    given: Given
    signature: str


def repeated(options: argparse.Namespace, given: Given) -> Report | None:
    """How the same build would end, if its release is still there and nothing has changed."""
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
    """Store a build that went through; `given` was read before it began."""
    out = Path(options.out)
    seen = signature(out)
    if seen is not None:
        with suppress(UnicodeEncodeError):  # Names that are not UTF-8 are not stored.
            parts = [encode(Stamp(given, seen)), b"\n", encode(StoredReport.of(report))]
            own_files.write(out, KIND, parts)


def given_to(options: argparse.Namespace) -> Given | None:
    """The commit, and all else that shapes the release; None in doubt."""
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
    """The warning that the work tree has what the commit lacks; empty if it has not."""
    changes = changes_since(folder, commit)
    if changes is None:
        return ""
    # Loads what a build loads; without a change there is no need for it.
    from skillbuild.diagnostics import takes_utf8
    from skillbuild.source.uncommitted import in_skills

    return in_skills(changes, folder, commit).warning(utf8=takes_utf8(sys.stderr))


def _code() -> str:
    """Names, sizes and times of our files; empty for an installed copy, where the version tells."""
    if any(folder.name in _PACKAGES for folder in Path(__file__).parents):
        return ""
    # Loads what no installed copy needs here.
    from skillbuild import assets

    return str(assets.fingerprint())


def _arguments(options: argparse.Namespace) -> Sequence[str]:
    return [f"{key}={value}" for key, value in sorted(vars(options).items())]


def _program() -> Sequence[str]:
    """What builds; a package that comes or goes changes the folder that it is in."""
    folders = [path for path in map(Path, sys.path) if path.name in _PACKAGES and path.is_dir()]
    packages = [f"{path} {path.stat().st_mtime_ns}" for path in folders]
    return (__version__, sys.version, _code(), *packages)

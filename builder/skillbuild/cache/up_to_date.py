"""Is there anything to build? Answered before anything heavy is loaded.

After each build it is stored what the build was given, the signature of its output when it was
done, and what the same build will print when it finds nothing to do. Whatever is in doubt is left
to the build itself.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from skillbuild import __version__
from skillbuild.cache import signed_files
from skillbuild.errors import SkillbuildError
from skillbuild.output.signature import signature
from skillbuild.source import git_process
from skillbuild.source.work_tree import changes_since

KIND = "up-to-date"
SECONDS = "\0"
"""Stands in stored text for the time that a build took; nothing that is printed holds a NUL."""
_PACKAGES = ("site-packages", "dist-packages")

Given = tuple[str, ...]
"""All that a build depends on, as texts to compare: the commit, the code, and the rest."""


def repeat_build(options: argparse.Namespace) -> bool:
    """Print what the same build would print, if its release is still there; else do nothing."""
    started = time.monotonic()
    if options.recheck or options.no_cache or options.report or options.previous:
        return False
    out = Path(options.out)
    stored = _read(out)
    if stored is None:
        return False
    given, seen, output, errors = stored
    if given_to(options) != given or signature(out) != seen:
        return False
    warning = "" if options.quiet else warning_of_changes(Path(options.repo), commit_of(given))
    for text, stream in ((output, sys.stdout), (errors, sys.stderr)):
        seconds = f"{time.monotonic() - started:.1f}"
        print(text.replace(SECONDS, seconds), end="", file=stream, flush=True)
    if warning:
        print(f"skillbuild: {warning}", file=sys.stderr)
    return True


def remember_build(
    options: argparse.Namespace, given: Given | None, output: str, errors: str
) -> None:
    """Store a build that went through; `given` was read before it began.

    `output` and `errors` are what the same build will print, with `SECONDS` in them.
    """
    out = Path(options.out)
    seen = signature(out)
    if given is not None and seen is not None:
        texts = [text.encode(errors="backslashreplace") for text in (output, errors)]
        head = {"given": given, "signature": seen, "outputBytes": len(texts[0])}
        signed_files.write(out, KIND, [json.dumps(head).encode(), b"\n", *texts])


def _read(out: Path) -> tuple[Given, str, str, str] | None:
    data = signed_files.read(out, KIND)
    if data is None:
        return None
    head, _, texts = data.partition(b"\n")
    try:
        stored = json.loads(head)
        length = stored["outputBytes"]
        output, errors = texts[:length].decode(), texts[length:].decode()
        return tuple(stored["given"]), stored["signature"], output, errors
    except (KeyError, TypeError, ValueError):  # Signed by this user, but by another version.
        return None


def given_to(options: argparse.Namespace) -> Given | None:
    """The commit, and all else that shapes the release or what is printed; None in doubt."""
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
    return (commit, _code(), shallow, str(git_dir), prefix, *_host(), *_arguments(options))


def commit_of(given: Given) -> str:
    """The id of the commit that a build was given."""
    return given[0]


def warning_of_changes(folder: Path, commit: str) -> str:
    """The warning that the work tree has what the commit lacks; empty if it has not."""
    changes = changes_since(folder, commit)
    if changes is None:
        return ""
    # Loads what a build loads; without a change there is no need for it.
    from skillbuild.diagnostics import takes_utf8
    from skillbuild.source.uncommitted import in_skills

    return in_skills(changes, folder, commit).warning(utf8=takes_utf8(sys.stderr))


def is_of_other_code(options: argparse.Namespace) -> bool:
    """Whether other code of the same version may have built what the output holds."""
    code = _code()
    stored = _read(Path(options.out)) if code else None
    return code != "" and (stored is None or stored[0][1] != code)


def _code() -> str:
    """Names, sizes and times of our files; empty for an installed copy, where the version tells."""
    if any(folder.name in _PACKAGES for folder in Path(__file__).parents):
        return ""
    # Loads what no installed copy needs here.
    from skillbuild import assets

    return str(assets.fingerprint())


def _arguments(options: argparse.Namespace) -> Sequence[str]:
    return [f"{key}={value}" for key, value in sorted(vars(options).items())]


def _host() -> Sequence[str]:
    """What skillbuild runs on and prints to; a package that comes or goes changes its folder."""
    folders = [path for path in map(Path, sys.path) if path.name in _PACKAGES and path.is_dir()]
    packages = [f"{path} {path.stat().st_mtime_ns}" for path in folders]
    colors = [os.environ.get(name, "") for name in ("NO_COLOR", "FORCE_COLOR")]
    terminal = f"{sys.stdout.isatty()} {sys.stdout.encoding}"
    return (__version__, sys.version, str(Path.cwd()), terminal, *colors, *packages)

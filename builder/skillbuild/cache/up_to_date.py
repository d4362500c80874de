"""Nothing changed? Told from a small stamp, before anything heavy is loaded.

A stamp says what a build was made of, what its output looked like when it was done, and what the
same build will say when it finds nothing to do. Whatever is in doubt is left to the build itself.
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
from skillbuild.cache import sealed_files
from skillbuild.errors import SkillbuildError
from skillbuild.source import git_process

KIND = "stamp"
SECONDS = "\0"
"""Stands in a stamp for the time that a build took; nothing that is printed holds a NUL."""
_PACKAGES = ("site-packages", "dist-packages")

Made = tuple[str, ...]
"""What a build is made of, as texts to compare: the commit, the code, and the rest."""


def repeat_build(options: argparse.Namespace) -> bool:
    """Print what the same build said before, if its release is still there; else do nothing."""
    started = time.monotonic()
    if options.recheck or options.no_cache or options.profile or options.report or options.previous:
        return False
    out = Path(options.out)
    kept = _kept(out)
    if kept is None or made_of(options) != kept[0] or sealed_files.signature(out) != kept[1]:
        return False
    for text, stream in zip(kept[2:], (sys.stdout, sys.stderr), strict=True):
        seconds = f"{time.monotonic() - started:.1f}"
        print(text.replace(SECONDS, seconds), end="", file=stream, flush=True)
    return True


def remember_build(
    options: argparse.Namespace, made: Made | None, output: str, errors: str
) -> None:
    """Remember a build that went through; `made` was asked for before it began."""
    out = Path(options.out)
    seen = sealed_files.signature(out)
    if made is not None and seen is not None:
        said = [output.encode(errors="backslashreplace"), errors.encode(errors="backslashreplace")]
        head = json.dumps([made, seen, len(said[0])])
        sealed_files.write(out, KIND, [head.encode(), b"\n", *said])


def _kept(out: Path) -> tuple[Made, str, str, str] | None:
    data = sealed_files.read(out, KIND)
    if data is None:
        return None
    head, _, said = data.partition(b"\n")
    try:
        made, seen, length = json.loads(head)
        return tuple(made), seen, said[:length].decode(), said[length:].decode()
    except (ValueError, TypeError):  # It is ours, but of another version.
        return None


def made_of(options: argparse.Namespace) -> Made | None:
    """The commit, and all else that shapes the release or what is printed; None in doubt."""
    revision = "HEAD" if options.rev is None else options.rev
    try:
        found = git_process.find(Path(options.repo))
        if found is None or revision.startswith("-"):
            return None
        git_dir, work_tree, prefix = found
        asked = ("rev-parse", "--is-shallow-repository", f"{revision}^{{commit}}")
        status, said, _ = git_process.run(
            git_process.command(git_dir, work_tree, *asked), work_tree
        )
    except (SkillbuildError, OSError, ValueError):
        return None
    answers = said.decode(errors="replace").split()
    if status or len(answers) != 2:
        return None
    shallow, commit = answers
    return (commit, _code(), shallow, str(git_dir), prefix, *_host(), *_words(options))


def is_of_other_code(options: argparse.Namespace) -> bool:
    """Whether the release there may be of other code than ours, though of the same version."""
    code = _code()
    kept = _kept(Path(options.out)) if code else None
    return code != "" and (kept is None or kept[0][1] != code)


def _code() -> str:
    """What the files of a checkout look like; nothing where code changes with its version alone."""
    if any(folder.name in _PACKAGES for folder in Path(__file__).parents):
        return ""
    # Loads what no installed copy needs here.
    from skillbuild import assets

    return str(assets.fingerprint())


def _words(options: argparse.Namespace) -> Sequence[str]:
    return [f"{key}={value}" for key, value in sorted(vars(options).items())]


def _host() -> Sequence[str]:
    """What skillbuild runs on and prints to; a package that comes or goes changes its folder."""
    folders = [path for path in map(Path, sys.path) if path.name in _PACKAGES and path.is_dir()]
    packages = [f"{path} {path.stat().st_mtime_ns}" for path in folders]
    colours = [os.environ.get(name, "") for name in ("NO_COLOR", "FORCE_COLOR")]
    terminal = f"{sys.stdout.isatty()} {sys.stdout.encoding}"
    return (__version__, sys.version, str(Path.cwd()), terminal, *colours, *packages)

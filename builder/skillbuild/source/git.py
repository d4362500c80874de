"""The door to git: plumbing in a scrubbed environment; `objects` reads contents through it.

Only `version`, `rev-parse`, `ls-tree`, `ls-files`, `cat-file` and `log` without patches are run:
other commands execute programs that the config of an untrusted repository names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from skillbuild.errors import GitError
from skillbuild.source import git_process
from skillbuild.source.git_process import OLDEST_GIT, Process

MOST_ENTRIES = 1_000_000

_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class Repository:
    """A git directory found by ourselves; `work_tree` is None for a bare repository."""

    git_dir: Path
    work_tree: Path | None
    prefix: str
    """The part of the work tree that is the source: empty, or a directory with a final `/`."""


@dataclass(frozen=True, slots=True)
class Commit:
    """Ids of a commit and of the tree that is the source (a subtree when REPO is a directory)."""

    commit: str
    tree: str


def find(path: Path) -> Repository | None:
    """The repository that `path` lies in, or None outside git; the path itself may be bare."""
    found = git_process.find(path)
    return Repository(*found) if found else None


def run(repository: Repository, *arguments: str) -> bytes:
    """Standard output of one git command; a failure is a `GitError` with git's own last line."""
    status, output, errors = git_process.run(_command(repository, *arguments), repository.work_tree)
    if status:
        raise GitError(_reason(arguments[0], errors))
    return output


def _records(repository: Repository, *arguments: str) -> Iterator[str]:
    """The parts of a command's output between NULs, as they come; to stop asking ends git.

    What is not UTF-8 keeps its bytes.
    """
    with start(repository, *arguments) as process:
        try:
            rest = b""
            while piece := process.stdout.read(_PIECE) if process.stdout else b"":
                whole, nul, rest = (rest + piece).rpartition(b"\0")
                if nul:
                    yield from whole.decode(errors="surrogateescape").split("\0")
            if process.wait():
                # Only now are its last words of interest, and a full pipe of them would block.
                run(repository, *arguments)
        finally:
            process.kill()


def start(repository: Repository, *arguments: str) -> Process:
    """A git command with pipes to it and from it; it ends when it is killed or has said all."""
    return git_process.start(_command(repository, *arguments), repository.work_tree)


def _reason(command: str, stderr: bytes) -> str:
    lines = stderr.decode(errors="replace").strip().splitlines() or ["no message"]
    return f"git {command} failed: {lines[-1].removeprefix('fatal: ')}"


def _command(repository: Repository, *arguments: str) -> list[str]:
    return git_process.command(repository.git_dir, repository.work_tree, *arguments)


def require_version() -> None:
    """Raise `GitError` when git is missing or older than the plumbing this module relies on."""
    text = git_process.run(["git", "version"])[1].decode(errors="replace")
    match = re.search(r"(\d+)\.(\d+)", text)
    if match is None or (int(match[1]), int(match[2])) < OLDEST_GIT:
        oldest = ".".join(map(str, OLDEST_GIT))
        raise GitError(f"{text.strip() or 'git'} is too old; install git {oldest} or newer")


def resolve(repository: Repository, revision: str) -> Commit:
    """The commit a revision names, and the id of the source's tree in it."""
    try:
        commit = _rev_parse(repository, f"{revision}^{{commit}}")
    except GitError as error:
        remedy = "commit something first" if revision == "HEAD" else "fetch it, or correct --rev"
        raise GitError(f"no commit {revision!r} in {repository.git_dir}; {remedy}") from error
    folder = repository.prefix.rstrip("/")
    try:
        tree = _rev_parse(repository, f"{commit}:{folder}" if folder else f"{commit}^{{tree}}")
    except GitError as error:
        raise GitError(f"commit {commit[:12]} has no directory {folder!r}") from error
    return Commit(commit, tree)


def _rev_parse(repository: Repository, name: str) -> str:
    return run(repository, "rev-parse", "--verify", "--end-of-options", name).decode().strip()


def is_older(repository: Repository, commit: str, other: str) -> bool:
    """True when `commit` is a proper ancestor of `other`; False when that cannot be known."""
    if commit == other:
        return False
    try:
        missing = run(
            repository,
            "log",
            "--no-show-signature",
            "--no-ext-diff",
            "--no-textconv",
            "--max-count=1",
            "--format=%H",
            "--end-of-options",
            f"{other}..{commit}",
        )
    except GitError:
        return False
    return not missing.strip()


def is_shallow(repository: Repository) -> bool:
    """True when the history of the repository ends early."""
    return run(repository, "rev-parse", "--is-shallow-repository").strip() != b"false"


def is_plain(repository: Repository) -> bool:
    """True when commits alone tell the history, and all are here: no grafts, no partial clone."""
    asked = ["--is-shallow-repository", "--git-path", "info/grafts", "--git-path", "objects/pack"]
    shallow, *paths = run(repository, "rev-parse", *asked).splitlines()
    if shallow != b"false" or len(paths) != 2:
        return False
    grafts, packs = (Path(os.fsdecode(path)) for path in paths)
    return not os.path.lexists(grafts) and not any(packs.glob("*.promisor"))


def count_commits(repository: Repository, commit: str, most: int) -> int:
    """How many commits a history has; counting stops at `most`."""
    log = ["log", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-decorate", "-z"]
    form = [f"--max-count={most}", "--format=%h", "--abbrev=4", "--end-of-options", commit]
    return sum(1 for record in _records(repository, *log, *form) if record)


def log_names(repository: Repository, commit: str, since: str = "") -> Iterator[str]:
    """Newest first: `//<commit> <seconds> <parents>`, then the paths it touched in the source.

    With `since`, what that commit does not have, and the commits that touched nothing too.
    """
    log = ["log", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-renames"]
    form = ["--no-decorate", "--no-notes", "--full-history", "--name-only", "-z"]
    form += ["--ignore-submodules=none", "--format=//%H %ct %P", *(["--sparse"] if since else [])]
    form += ["--end-of-options", f"{since}..{commit}" if since else commit]
    below = ["--", repository.prefix] if repository.prefix else []
    for record in _records(repository, *log, *form, *below):
        name = record.removeprefix("\n")
        if name:
            yield name.removeprefix(repository.prefix)


def list_tree(repository: Repository, tree: str) -> Iterator[tuple[str, str, str]]:
    """`(path, mode, object id)` of the leaves below a tree, in git's order.

    The mode is git's (`100644`, `100755`, `120000`, `160000`). There are at most `MOST_ENTRIES` and
    one more: a few nested trees can name billions.
    """
    listed = _records(repository, "ls-tree", "-r", "-z", "--full-tree", tree)
    for record in islice(listed, MOST_ENTRIES + 1):
        head, _, path = record.partition("\t")
        mode, _, object_id = head.split(" ")
        yield path, mode, object_id


def list_work_tree(repository: Repository) -> Iterator[tuple[str, str]]:
    """`(path, mode)` of tracked and of untracked, not ignored files; the mode is "" if untracked.

    Paths are relative to the source; a submodule is one entry of mode `160000`.
    """
    below = ["--", repository.prefix or "."]
    for record in _list_files(repository, "--stage", *below):
        head, _, name = record.partition("\t")
        yield name.removeprefix(repository.prefix), head.split(" ")[0]
    for name in _list_files(repository, "--others", "--exclude-standard", *below):
        yield name.removeprefix(repository.prefix), ""


def _list_files(repository: Repository, *arguments: str) -> list[str]:
    output = run(repository, "ls-files", "-z", "--full-name", *arguments)
    return [name.decode(errors="surrogateescape") for name in output.split(b"\0") if name]

"""The door to git: plumbing in a scrubbed environment; `objects` reads contents through it.

Only `version`, `rev-parse`, `ls-tree`, `ls-files`, `cat-file` and `log` without patches are run:
other commands execute programs that the config of an untrusted repository names.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from skillbuild.errors import GitError

OLDEST_GIT = (2, 25)
MOST_ENTRIES = 1_000_000

Process = subprocess.Popen[bytes]
_PIECE = 1 << 16

_CONFIG = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.alternateRefsCommand": "",
    "protocol.allow": "never",
    "log.showSignature": "false",
    "log.mailmap": "false",
    "gpg.program": os.devnull,
    "gpg.ssh.program": os.devnull,
    "gpg.x509.program": os.devnull,
}
_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "",
    "LC_ALL": "C",
}


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


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One leaf of a tree: `mode` is git's (`100644`, `100755`, `120000`, `160000`)."""

    mode: str
    object_id: str
    path: str


def find(path: Path) -> Repository | None:
    """The repository that `path` lies in, or None outside git; the path itself may be bare."""
    absolute = Path(os.path.normpath(path.absolute()))
    if _is_git_dir(absolute):
        return Repository(absolute, None, "")
    for folder in (absolute, *absolute.parents):
        git_dir = _git_dir_of(folder)
        if git_dir is not None:
            prefix = absolute.relative_to(folder).as_posix()
            return Repository(git_dir, folder, "" if prefix == "." else f"{prefix}/")
    return None


def _git_dir_of(folder: Path) -> Path | None:
    dot_git = folder / ".git"
    if dot_git.is_dir():
        return dot_git if _is_git_dir(dot_git) else None
    if not dot_git.is_file():
        return None
    text = dot_git.read_bytes()[:4096].decode(errors="surrogateescape").strip()
    target = folder / text.removeprefix("gitdir:").strip()
    if not text.startswith("gitdir:") or not target.is_dir():
        raise GitError(f"{dot_git}: does not lead to a git directory; run `git worktree repair`")
    return target


def _is_git_dir(folder: Path) -> bool:
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir()


def run(repository: Repository, *arguments: str) -> bytes:
    """Standard output of one git command; a failure is a `GitError` with git's own last line."""
    try:
        done = subprocess.run(
            _command(repository, *arguments),
            env=_environment(),
            cwd=repository.work_tree,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise _no_git() from error
    if done.returncode:
        raise GitError(_reason(arguments[0], done.stderr))
    return done.stdout


def _records(repository: Repository, *arguments: str) -> Iterator[bytes]:
    """The parts of a command's output between NULs, as they come; to stop asking ends git."""
    with start(repository, *arguments) as process:
        try:
            rest = b""
            while piece := process.stdout.read(_PIECE) if process.stdout else b"":
                *records, rest = (rest + piece).split(b"\0")
                yield from records
            if process.wait():
                # Only now are its last words of interest, and a full pipe of them would block.
                run(repository, *arguments)
        finally:
            process.kill()


def start(repository: Repository, *arguments: str) -> Process:
    """A git command with pipes to it and from it; it ends when it is killed or has said all."""
    try:
        return subprocess.Popen(
            _command(repository, *arguments),
            env=_environment(),
            cwd=repository.work_tree,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except FileNotFoundError as error:
        raise _no_git() from error


def _no_git() -> GitError:
    oldest = ".".join(map(str, OLDEST_GIT))
    return GitError(f"git is not installed or not on PATH; install git {oldest} or newer")


def _reason(command: str, stderr: bytes) -> str:
    lines = stderr.decode(errors="replace").strip().splitlines() or ["no message"]
    return f"git {command} failed: {lines[-1].removeprefix('fatal: ')}"


def _command(repository: Repository, *arguments: str) -> list[str]:
    settings = [part for key, value in _CONFIG.items() for part in ("-c", f"{key}={value}")]
    where = [f"--git-dir={repository.git_dir}"]
    if repository.work_tree is not None:
        where.append(f"--work-tree={repository.work_tree}")
    return ["git", "--no-pager", *where, *settings, *arguments]


def _environment() -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return {**kept, **_ENVIRONMENT}


def require_version() -> None:
    """Raise `GitError` when git is missing or older than the plumbing this module relies on."""
    try:
        text = subprocess.run(
            ["git", "version"], env=_environment(), capture_output=True, text=True, check=False
        ).stdout
    except FileNotFoundError as error:
        raise _no_git() from error
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


def log_names(repository: Repository, commit: str) -> Iterator[str]:
    """Newest first: `//<commit> <seconds>`, then the paths it touched, relative to the source."""
    log = ["log", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-renames"]
    form = ["--no-decorate", "--no-notes", "--full-history", "--name-only", "-z"]
    below = ["--", repository.prefix] if repository.prefix else []
    form += ["--format=//%H %ct", "--end-of-options", commit]
    for record in _records(repository, *log, *form, *below):
        name = record.removeprefix(b"\n").decode(errors="surrogateescape")
        if name:
            yield name.removeprefix(repository.prefix)


def list_tree(repository: Repository, tree: str) -> Iterator[TreeEntry]:
    """The leaves below a tree in git's order; names that are not UTF-8 keep their bytes.

    There are at most `MOST_ENTRIES` and one more: a few nested trees can name billions.
    """
    listed = _records(repository, "ls-tree", "-r", "-z", "--full-tree", tree)
    for record in islice(listed, MOST_ENTRIES + 1):
        head, _, name = record.partition(b"\t")
        mode, _, object_id = head.decode().split(" ")
        yield TreeEntry(mode, object_id, name.decode(errors="surrogateescape"))


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

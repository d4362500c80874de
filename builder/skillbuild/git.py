"""The door to git: objects read by plumbing in a scrubbed environment, every blob re-hashed.

Only `version`, `rev-parse`, `ls-tree`, `ls-files`, `cat-file` and `log` without patches are run:
other commands execute programs that the config of an untrusted repository names.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from skillbuild.errors import GitError

OLDEST_GIT = (2, 25)
MOST_ENTRIES = 1_000_000

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
    absolute = path.absolute()
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
            f"{other}..{commit}",
        )
        reachable = run(repository, "rev-parse", "--verify", "--end-of-options", f"{other}^0")
    except GitError:
        return False
    return bool(reachable) and not missing.strip()


def list_tree(repository: Repository, tree: str) -> Iterator[TreeEntry]:
    """The leaves below a tree in git's order; names that are not UTF-8 keep their bytes."""
    for record in run(repository, "ls-tree", "-r", "-z", "--full-tree", tree).split(b"\0"):
        if record:
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


class Objects:
    """Two long-lived git processes that answer sizes and contents; use it as a context."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in self._processes.values():
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()

    def sizes(self, object_ids: Sequence[str]) -> list[int | None]:
        """Size in bytes of each blob, None for one that is missing; nothing is inflated."""
        sizes: list[int | None] = []
        for part in _chunks(object_ids):
            _, output = self._ask("--batch-check", part)
            sizes += [_size(output.readline()) for _ in part]
        return sizes

    def read(self, object_ids: Sequence[str]) -> Iterator[bytes | None]:
        """Each blob in turn, None for one that is missing or does not hash to its id."""
        for part in _chunks(object_ids):
            _, output = self._ask("--batch", part)
            yield from [_read_one(object_id, output) for object_id in part]

    def _ask(
        self, option: str, object_ids: Sequence[str]
    ) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
        process = self._processes.get(option) or self._start(option)
        if process.stdin is None or process.stdout is None:
            raise GitError("git cat-file has no pipes")
        try:
            process.stdin.write("".join(f"{name}\n" for name in object_ids).encode())
            process.stdin.flush()
        except BrokenPipeError as error:
            raise GitError("git cat-file ended early; run `git fsck`") from error
        return process, process.stdout

    def _start(self, option: str) -> subprocess.Popen[bytes]:
        self._processes[option] = subprocess.Popen(
            _command(self._repository, "cat-file", option),
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        return self._processes[option]


_MOST_IN_FLIGHT = 400
"""Requests written before answers are read: together they stay below the 64 KiB of a pipe."""


def _chunks(items: Sequence[str]) -> Iterator[Sequence[str]]:
    return (items[i : i + _MOST_IN_FLIGHT] for i in range(0, len(items), _MOST_IN_FLIGHT))


def _size(header: bytes) -> int | None:
    if not header:
        raise GitError("git cat-file ended early; run `git fsck`")
    words = header.split()
    return int(words[2]) if len(words) == 3 else None


def _read_one(object_id: str, output: IO[bytes]) -> bytes | None:
    size = _size(output.readline())
    data = None if size is None else output.read(size + 1)[:-1]
    return data if data is not None and _matches(object_id, data) else None


def _matches(object_id: str, data: bytes) -> bool:
    hashed = hashlib.sha1(usedforsecurity=False) if len(object_id) == 40 else hashlib.sha256()
    hashed.update(b"blob %d\0" % len(data))
    hashed.update(data)
    return hashed.hexdigest() == object_id

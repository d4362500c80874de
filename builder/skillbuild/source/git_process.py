"""Runs git without user and system configuration, so that git does not start any other program.

Only `create` and `has_revision` use the user's configuration. This module imports little, so that a
build with nothing to do stays fast.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from skillbuild.errors import GitError

OLDEST_GIT = (2, 25)
"""The first version that has all commands and options used here."""

Process = subprocess.Popen[bytes]

_LONGEST_FETCH = 20.0
"""Seconds to wait for another host to say whether it has a commit."""
_HAS_NOT = (b"not our ref", b"couldn't find remote ref")
"""Messages of git if a repository does not have a commit or tag."""

_CONFIG = {
    # The author of a repository can write a commit-graph that contradicts the commits.
    "core.commitGraph": "false",
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.alternateRefsCommand": "",
    "core.packedGitWindowSize": "16m",
    "core.packedGitLimit": "64m",
    "protocol.allow": "never",
    "log.showSignature": "false",
    "log.mailmap": "false",
    "log.showRoot": "true",
    "gpg.program": os.devnull,
    "gpg.ssh.program": os.devnull,
    "gpg.x509.program": os.devnull,
}
_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "",
    "LC_ALL": "C",
}


def find(path: Path) -> tuple[Path, Path | None, str] | None:
    """Return the git directory, the working tree and the prefix for a directory, or None outside of
    a repository.

    The prefix is the path from the working tree to the directory: empty, or with a final `/`. The
    working tree is None if the directory is itself a git directory, such as a bare repository.
    Raises `GitError` for a `.git` file (of a worktree or submodule) whose target does not exist.
    """
    absolute = Path(os.path.normpath(path.absolute()))
    if _is_git_dir(absolute):
        return absolute, None, ""
    for folder in (absolute, *absolute.parents):
        git_dir = _git_dir_of(folder)
        if git_dir is not None:
            prefix = absolute.relative_to(folder).as_posix()
            return git_dir, folder, "" if prefix == "." else f"{prefix}/"
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
        raise GitError(f"{dot_git} does not point to a git directory; run `git worktree repair`")
    return target


def _is_git_dir(folder: Path) -> bool:
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir()


def run(
    command: Sequence[str], folder: Path | None = None, standard_input: bytes = b""
) -> tuple[int, bytes, bytes]:
    """Run a command in `folder`; return its exit status, standard output and standard error.

    `command` comes from the `command` function. Raises `GitError` if git is not installed.
    """
    try:
        ended = subprocess.run(
            command,
            env=_environment(),
            cwd=folder,
            input=standard_input,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise _no_git() from error
    return ended.returncode, ended.stdout, ended.stderr


def start(command: Sequence[str], folder: Path | None = None) -> Process:
    """Start a command with pipes for its input and output; the caller must stop the process."""
    try:
        return subprocess.Popen(
            command,
            env=_environment(),
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except FileNotFoundError as error:
        raise _no_git() from error


def create(folder: Path) -> None:
    """Run `git init` in a directory, with the user's configuration."""
    ended = _run_as_user(["init", "--quiet"], folder, None)
    if ended.returncode:
        lines = ended.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        raise GitError(f"git init failed: {lines[-1].removeprefix('fatal: ')}")


def has_revision(url: str, revision: str) -> bool | None:
    """Return whether a remote repository has a revision: a commit id, or a tag as `refs/tags/NAME`.

    Git runs with the user's configuration, which may provide credentials, and never prompts.
    Returns None if there is no clear answer within 20 seconds.
    """
    with TemporaryDirectory() as folder:
        _run_as_user(["init", "--quiet", "--bare"], Path(folder), None)
        fetch = ["fetch", "--quiet", "--no-tags", "--depth=1", "--filter=tree:0", url, revision]
        try:
            ended = _run_as_user(fetch, Path(folder), _LONGEST_FETCH)
        except subprocess.TimeoutExpired:
            return None
    if any(words in ended.stderr for words in _HAS_NOT):
        return False
    return None if ended.returncode else True


def _run_as_user(
    arguments: Sequence[str], folder: Path, seconds: float | None
) -> subprocess.CompletedProcess[bytes]:
    variables = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    variables |= {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        return subprocess.run(
            ["git", *arguments],
            env=variables,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=seconds,
        )
    except FileNotFoundError as error:
        raise _no_git() from error


def _no_git() -> GitError:
    oldest = ".".join(map(str, OLDEST_GIT))
    return GitError(f"git is not installed or not on PATH; install git {oldest} or newer")


def command(git_dir: Path, work_tree: Path | None, *arguments: str) -> list[str]:
    """Return the program and arguments of a git command for a repository."""
    settings = [part for key, value in _CONFIG.items() for part in ("-c", f"{key}={value}")]
    where = [f"--git-dir={git_dir}"]
    if work_tree is not None:
        where.append(f"--work-tree={work_tree}")
    return ["git", "--no-pager", *where, *settings, *arguments]


def _environment() -> dict[str, str]:
    others = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return {**others, **_ENVIRONMENT}

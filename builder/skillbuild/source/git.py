"""Questions to git: which repository and commit, which files, which history.

Only `version`, `rev-parse`, `config` to read, `ls-tree`, `ls-files` without `--modified`,
`cat-file`, `check-attr`, `diff-index --cached` and `log` without patches are run: other commands
execute programs that the config of an untrusted repository names.
`git_objects` reads the contents of files.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from skillbuild.errors import GitError
from skillbuild.source import git_process
from skillbuild.source.git_process import OLDEST_GIT, Process

MOST_ENTRIES = 1_000_000
"""Leaves of a source that is read at all."""

_LITTLE_MEMORY = ("-c", "core.deltaBaseCacheLimit=16m")
"""Before a command that reads trees one after another: half the memory, and no slower."""
_PIECE = 1 << 16
"""Bytes that are read from git at once."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository, and the directory in it that is the source.

    It is found without git, which would ask the environment; `work_tree` is None for a bare one.
    """

    git_dir: Path
    work_tree: Path | None
    prefix: str
    """The part of the work tree that is the source: empty, or a directory with a final `/`."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """What files on disk tell about themselves, by the config of the repository.

    Without `links`, a file in place of a link is the link. Without `executable`, the bits on disk
    mean nothing, and those in the index count.
    """

    links: bool
    executable: bool

    def mode_of(self, on_disk: int, indexed: str) -> str:
        """Git's mode for what has the mode `on_disk`; empty for a directory, a socket and the like.

        `indexed` is the mode in git's index, empty for an untracked file.
        """
        if stat.S_ISLNK(on_disk):
            return "120000"
        if not stat.S_ISREG(on_disk):
            return ""
        if indexed == "120000" and not self.links:
            return indexed
        is_executable = on_disk & 0o100 if self.executable else indexed == "100755"
        return "100755" if is_executable else "100644"


@dataclass(frozen=True, slots=True)
class Commit:
    """Ids of a commit and of the tree that is the source (a subtree when REPO is a directory)."""

    commit: str
    tree: str


def find(path: Path) -> Repository | None:
    """The repository around the directory `path`, or at it if bare; None if there is none."""
    location = git_process.find(path)
    return Repository(*location) if location else None


def run(repository: Repository, *arguments: str, standard_input: bytes = b"") -> bytes:
    """The standard output of a git command; raises `GitError` with its last line of errors."""
    status, output, errors = git_process.run(
        _command(repository, *arguments), repository.work_tree, standard_input
    )
    if status:
        command = arguments[2] if arguments[0] == "-c" else arguments[0]
        raise GitError(_reason(command, errors))
    return output


def _records(repository: Repository, *arguments: str) -> Iterator[str]:
    """The records of a command's output, each ended by a NUL, while the command still runs.

    Bytes that are not UTF-8 are surrogates. Closing the iterator ends the command.
    """
    with start(repository, *arguments) as process:
        try:
            rest = b""
            while piece := process.stdout.read(_PIECE) if process.stdout else b"":
                whole, nul, rest = (rest + piece).rpartition(b"\0")
                if nul:
                    yield from whole.decode(errors="surrogateescape").split("\0")
            if process.wait():
                # Run again for its errors: were they read through a pipe, a full one would block.
                run(repository, *arguments)
        finally:
            process.kill()


def start(repository: Repository, *arguments: str) -> Process:
    """A running git command with pipes for its input and output; the caller ends it."""
    return git_process.start(_command(repository, *arguments), repository.work_tree)


def _reason(command: str, stderr: bytes) -> str:
    lines = stderr.decode(errors="replace").strip().splitlines() or ["no message"]
    return f"git {command} failed: {lines[-1].removeprefix('fatal: ')}"


def _command(repository: Repository, *arguments: str) -> list[str]:
    return git_process.command(repository.git_dir, repository.work_tree, *arguments)


def require_version() -> None:
    """Raise `GitError` when git is missing, or older than the commands and options used here."""
    text = git_process.run(["git", "version"])[1].decode(errors="replace")
    match = re.search(r"(\d+)\.(\d+)", text)
    if match is None or (int(match[1]), int(match[2])) < OLDEST_GIT:
        oldest = ".".join(map(str, OLDEST_GIT))
        raise GitError(f"{text.strip() or 'git'} is too old; install git {oldest} or newer")


def resolve(repository: Repository, revision: str) -> Commit:
    """The commit that a revision names.

    Raises `GitError` if there is none, or if it lacks the directory that is the source.
    """
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
    """Whether `commit` is a proper ancestor of `other`; False when history is missing."""
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
    """Whether the repository is a shallow clone, or git cannot tell."""
    return run(repository, "rev-parse", "--is-shallow-repository").strip() != b"false"


def is_plain(repository: Repository) -> bool:
    """Whether the whole history is here, which it is not in a shallow or partial clone."""
    options = ["--is-shallow-repository", "--git-path", "objects/pack"]
    shallow, *paths = run(repository, "rev-parse", *options).splitlines()
    if shallow != b"false" or len(paths) != 1:
        return False
    return not any(Path(os.fsdecode(paths[0])).glob("*.promisor"))


def count_commits(repository: Repository, commit: str, most: int) -> int:
    """How many commits lead to `commit`, itself included; counting stops at `most`."""
    log = ["log", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-decorate", "-z"]
    form = [f"--max-count={most}", "--format=%h", "--abbrev=4", "--end-of-options", commit]
    return sum(1 for record in _records(repository, *log, *form) if record)


def log_names(repository: Repository, commit: str, since: str = "") -> Iterator[str]:
    """The history of the source, newest first: a line for each commit, then the paths it touched.

    The line is `//<commit> <seconds since 1970> <parents>`; paths are relative to the source. With
    `since`, only commits that lead to `commit` and not to `since` are given, those that touched
    nothing in the source included.
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


def count_first_parents(repository: Repository, commit: str, most: int) -> int:
    """How many commits the first-parent line of `commit` has; counting stops at `most`."""
    form = [f"--max-count={most}", "--format=%h", "--abbrev=4", "--end-of-options", commit]
    log = ["log", "--first-parent", "--no-show-signature", "--no-decorate", "-s", "-z"]
    return sum(1 for record in _records(repository, *log, *form) if record)


def log_raw(repository: Repository, commit: str) -> Iterator[str]:
    """The first-parent line of `commit`, newest first, with what each commit changed in the source.

    Each commit begins with `//<commit> <seconds since 1970> <id of its whole tree>`. For each file
    and directory that differs from the first parent two records follow: `:<mode before> <mode>
    <id before> <id> <letter>`, and its path in the repository. Ids of nothing are zeros.
    """
    log = [*_LITTLE_MEMORY, "log", "--first-parent", "-m", "--no-show-signature"]
    log += [
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        "--no-decorate",
        "--no-notes",
        "--full-history",
        "--sparse",
    ]
    form = ["-z", "-r", "-t", "--raw", "--no-abbrev", "--ignore-submodules=none"]
    form += ["--format=//%H %ct %T", "--end-of-options", commit]
    below = ["--", repository.prefix.rstrip("/")] if repository.prefix else []
    for record in _records(repository, *log, *form, *below):
        if text := record.removeprefix("\n"):
            yield text


def list_folders(repository: Repository, tree: str) -> dict[str, str]:
    """The id of every tree below a tree, by its path; the tree itself has an empty path."""
    records = _records(repository, "ls-tree", "-r", "-d", "-z", "--full-tree", tree)
    folders = {"": tree}
    for record in islice(records, MOST_ENTRIES):
        head, _, path = record.partition("\t")
        folders[path] = head.split(" ")[2]
    return folders


def entries_of(tree: bytes, id_bytes: int) -> Iterator[tuple[str, str, str]]:
    """`(mode, name, object id)` of each entry of a tree, as git stores it.

    The mode of a directory is `40000`. Ids have `id_bytes` bytes, 20 or 32.
    """
    start = 0
    while start < len(tree):
        blank = tree.index(b" ", start)
        end = tree.index(b"\0", blank)
        name = tree[blank + 1 : end].decode(errors="surrogateescape")
        yield tree[start:blank].decode(), name, tree[end + 1 : end + 1 + id_bytes].hex()
        start = end + 1 + id_bytes


def list_tree(repository: Repository, tree: str) -> Iterator[tuple[str, str, str]]:
    """`(path, mode, object id)` of the leaves below a tree, in git's order.

    The mode is git's (`100644`, `100755`, `120000`, `160000`). At most `MOST_ENTRIES` + 1 leaves
    are given: a few nested trees can name billions.
    """
    records = _records(repository, "ls-tree", "-r", "-z", "--full-tree", tree)
    for record in islice(records, MOST_ENTRIES + 1):
        head, _, path = record.partition("\t")
        mode, _, object_id = head.split(" ")
        yield path, mode, object_id


def list_work_tree(repository: Repository) -> Iterator[tuple[str, str]]:
    """`(path, mode)` of every tracked file, and of untracked ones that are not ignored.

    Paths are relative to the source. The mode is that of the index, "" for an untracked file; a
    submodule is one path with mode `160000`.
    """
    for record in _names(repository, "ls-files", "-z", "--full-name", "--stage"):
        head, _, name = record.partition("\t")
        yield name.removeprefix(repository.prefix), head.split(" ")[0]
    for name in list_untracked(repository):
        yield name, ""


def list_untracked(repository: Repository) -> list[str]:
    """Files that are not tracked and not ignored, by path relative to the source."""
    options = ["-z", "--full-name", "--others", "--exclude-standard"]
    names = _names(repository, "ls-files", *options)
    return [name.removeprefix(repository.prefix) for name in names]


def list_staged(repository: Repository, commit: str) -> list[str]:
    """Files that git's index has otherwise than `commit`, by path relative to the source."""
    options = ["-z", "--cached", "--name-only", "--no-renames", "--no-ext-diff"]
    names = _names(repository, "diff-index", *options, commit)
    return [name.removeprefix(repository.prefix) for name in names]


def _names(repository: Repository, *arguments: str) -> list[str]:
    """What a command prints of the source, each ended by a NUL."""
    output = run(repository, *arguments, "--", repository.prefix or ".")
    return [name.decode(errors="surrogateescape") for name in output.split(b"\0") if name]


def checkout_of(repository: Repository) -> Checkout:
    """How the work tree of a repository is to be read; where nothing is set, git's defaults."""
    wanted = ("--get-regexp", "^core\\.(filemode|symlinks)$")
    command = _command(repository, "config", "--type=bool", "-z", *wanted)
    output = git_process.run(command, repository.work_tree)[1].decode(errors="replace")
    values = dict(item.partition("\n")[::2] for item in output.split("\0"))
    is_windows = os.name == "nt"
    return Checkout(
        links=values.get("core.symlinks") != "false",
        executable=values.get("core.filemode") != "false" and not is_windows,
    )

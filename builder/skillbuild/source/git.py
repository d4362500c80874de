"""Queries git for repositories, commits, files and history.

Only these commands are run: `version`, `rev-parse`, `config` for reading, `ls-tree`, `ls-files`
without `--modified`, `cat-file`, `check-attr`, `diff-index --cached`, and `log` without patches.
Other commands can run programs that the configuration of an untrusted repository names.

Objects are read in batches, and each one is hashed again, because git does not notice that an
object was replaced, or that a loose object is longer or shorter than it claims. Content is used
only if its hash is the requested id.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from io import BufferedReader
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from skillbuild.errors import GitError
from skillbuild.source import git_process
from skillbuild.source.git_process import OLDEST_GIT, Process

MOST_ENTRIES = 1_000_000
"""Maximum number of files and links in a source; larger sources are not read."""

_PIECE = 1 << 16
"""Number of bytes that are read from git at a time."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository, and the directory in it that is the source.

    The repository is found without running git, because the environment can change what git finds.
    `work_tree` is None for a bare repository.
    """

    git_dir: Path
    work_tree: Path | None
    prefix: str
    """The path from the working tree to the source: empty, or a directory with a final `/`."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """The rules for files on disk, according to the configuration of the repository.

    If `links` is false, git writes each link as a file that contains the target of the link. If
    `executable` is false, executable bits are read from the index, not from the disk.
    """

    links: bool
    executable: bool

    def mode_of(self, on_disk: int, indexed: str) -> str:
        """Return git's mode for a file; empty for anything but files and links.

        `on_disk` is the mode on disk. `indexed` is the mode in git's index, empty for an untracked
        file.
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
    """The id of a commit, and the id of the source's tree in this commit."""

    commit: str
    tree: str


def find(path: Path) -> Repository | None:
    """Return the repository around the directory `path`, or the bare repository at `path`; None if
    there is none.
    """
    location = git_process.find(path)
    return Repository(*location) if location else None


def run(repository: Repository, *arguments: str, standard_input: bytes = b"") -> bytes:
    """Run git and return its standard output; raise `GitError` with the last line of standard
    error.
    """
    status, output, errors = git_process.run(
        _command(repository, *arguments), repository.work_tree, standard_input
    )
    if status:
        command = arguments[2] if arguments[0] == "-c" else arguments[0]
        raise GitError(_reason(command, errors))
    return output


def records(repository: Repository, *arguments: str) -> Iterator[str]:
    """Run a git command and yield the NUL-terminated records of its output as they arrive.

    Bytes that are not UTF-8 become surrogates. Closing the iterator kills the process.
    """
    with start(repository, *arguments) as process:
        try:
            rest = b""
            while piece := process.stdout.read(_PIECE) if process.stdout else b"":
                whole, nul, rest = (rest + piece).rpartition(b"\0")
                if nul:
                    yield from whole.decode(errors="surrogateescape").split("\0")
            if process.wait():
                # Run it again to get its errors: reading them through a second pipe could block.
                run(repository, *arguments)
        finally:
            process.kill()


def start(repository: Repository, *arguments: str) -> Process:
    """Start a git command with pipes for its input and output. The caller must stop the process."""
    return git_process.start(_command(repository, *arguments), repository.work_tree)


def _reason(command: str, stderr: bytes) -> str:
    lines = stderr.decode(errors="replace").strip().splitlines() or ["no message"]
    return f"git {command} failed: {lines[-1].removeprefix('fatal: ')}"


def _command(repository: Repository, *arguments: str) -> list[str]:
    return git_process.command(repository.git_dir, repository.work_tree, *arguments)


def require_version() -> None:
    """Raise `GitError` if git is missing or too old."""
    text = git_process.run(["git", "version"])[1].decode(errors="replace")
    match = re.search(r"(\d+)\.(\d+)", text)
    if match is None or (int(match[1]), int(match[2])) < OLDEST_GIT:
        oldest = ".".join(map(str, OLDEST_GIT))
        raise GitError(f"{text.strip() or 'git'} is too old; install git {oldest} or newer")


def resolve(repository: Repository, revision: str) -> Commit:
    """Return the commit that a revision names.

    Raises `GitError` if there is no such commit, or if the commit lacks the directory of the
    source.
    """
    try:
        commit = _rev_parse(repository, f"{revision}^{{commit}}")
    except GitError as error:
        remedy = (
            "commit something first" if revision == "HEAD" else "fetch the commit, or correct --rev"
        )
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
    """Return whether `commit` is a proper ancestor of `other`; False if history is missing."""
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
    """Return whether the repository is a shallow clone; True if git cannot tell."""
    return run(repository, "rev-parse", "--is-shallow-repository").strip() != b"false"


def is_plain(repository: Repository) -> bool:
    """Return whether the repository has its whole history, unlike a shallow or partial clone."""
    options = ["--is-shallow-repository", "--git-path", "objects/pack"]
    shallow, *paths = run(repository, "rev-parse", *options).splitlines()
    if shallow != b"false" or len(paths) != 1:
        return False
    return not any(Path(os.fsdecode(paths[0])).glob("*.promisor"))


def list_folders(repository: Repository, tree: str) -> dict[str, str]:
    """Return the tree ids of `tree` and all folders below it, by path. The path of `tree` is
    empty.
    """
    listed = records(repository, "ls-tree", "-r", "-d", "-z", "--full-tree", tree)
    folders = {"": tree}
    for record in islice(listed, MOST_ENTRIES):
        head, _, path = record.partition("\t")
        folders[path] = head.split(" ")[2]
    return folders


def entries_of(tree: bytes, id_bytes: int) -> Iterator[tuple[str, str, str]]:
    """Yield the mode, name and object id of each entry of a raw git tree.

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
    """Yield the path, mode and object id of each file, link and submodule below a tree, in git's
    order.

    The mode is git's (`100644`, `100755`, `120000`, `160000`). The iterator stops after
    `MOST_ENTRIES` + 1 entries, because a few nested trees can contain billions of files.
    """
    listed = records(repository, "ls-tree", "-r", "-z", "--full-tree", tree)
    for record in islice(listed, MOST_ENTRIES + 1):
        head, _, path = record.partition("\t")
        mode, _, object_id = head.split(" ")
        yield path, mode, object_id


def list_work_tree(repository: Repository) -> Iterator[tuple[str, str]]:
    """Yield the path and mode of each file that is tracked, or untracked and not ignored.

    Paths are relative to the source. The mode is taken from the index; it is empty for an untracked
    file. A submodule is one path with mode `160000`.
    """
    yield from ((path, mode) for path, mode, _ in list_index(repository))
    for name in list_untracked(repository):
        yield name, ""


def list_index(repository: Repository) -> Iterator[tuple[str, str, str]]:
    """Yield the path, mode and object id of each tracked file as staged; paths are relative to the
    source.
    """
    for record in _names(repository, "ls-files", "-z", "--full-name", "--stage"):
        head, _, name = record.partition("\t")
        mode, object_id, _ = head.split(" ")
        yield name.removeprefix(repository.prefix), mode, object_id


def list_untracked(repository: Repository) -> list[str]:
    """Return the files that are neither tracked nor ignored, relative to the source."""
    options = ["-z", "--full-name", "--others", "--exclude-standard"]
    names = _names(repository, "ls-files", *options)
    return [name.removeprefix(repository.prefix) for name in names]


def list_staged(repository: Repository, commit: str) -> list[str]:
    """Return the files whose staged version differs from `commit`, relative to the source."""
    options = ["-z", "--cached", "--name-only", "--no-renames", "--no-ext-diff"]
    names = _names(repository, "diff-index", *options, commit)
    return [name.removeprefix(repository.prefix) for name in names]


def _names(repository: Repository, *arguments: str) -> list[str]:
    """Return the NUL-terminated output of a command that is limited to the source."""
    output = run(repository, *arguments, "--", repository.prefix or ".")
    return [name.decode(errors="surrogateescape") for name in output.split(b"\0") if name]


def checkout_of(repository: Repository) -> Checkout:
    """Return the rules for files in the working tree of a repository; git's defaults apply if
    nothing is set.
    """
    wanted = ("--get-regexp", "^core\\.(filemode|symlinks)$")
    command = _command(repository, "config", "--type=bool", "-z", *wanted)
    output = git_process.run(command, repository.work_tree)[1].decode(errors="replace")
    values = dict(item.partition("\n")[::2] for item in output.split("\0"))
    is_windows = os.name == "nt"
    return Checkout(
        links=values.get("core.symlinks") != "false",
        executable=values.get("core.filemode") != "false" and not is_windows,
    )


_Answer = TypeVar("_Answer")


class Objects:
    """Reads objects of a repository through two `git cat-file` processes; use it in a `with`
    statement.
    """

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._processes: dict[str, Process] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in self._processes.values():
            self._stop(process)

    @staticmethod
    def _stop(process: Process) -> None:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def sizes(self, object_ids: Sequence[str]) -> list[int | None]:
        """Return the size in bytes of each blob without reading its content; None for a missing
        one.
        """
        return [size for part in _chunks(object_ids) for size in self._all(part, self._size_some)]

    def read(self, object_ids: Sequence[str], kind: str = "blob") -> Iterator[bytes | None]:
        """Yield the content of each object in turn; None for one that is missing or damaged.

        `kind` is git's `blob` or `tree`; an object of another kind is treated as damaged.
        """
        for part in _chunks(object_ids):
            yield from self._all(part, partial(self._read_some, kind))

    @staticmethod
    def _all(
        object_ids: Sequence[str], ask: Callable[[Sequence[str]], list[_Answer | None]]
    ) -> list[_Answer | None]:
        """Call `ask` with the remaining objects until there is an answer for each."""
        answers: list[_Answer | None] = []
        while len(answers) < len(object_ids):
            answers += ask(object_ids[len(answers) :])
        return answers

    def _size_some(self, object_ids: Sequence[str]) -> list[int | None]:
        """Return the sizes of the first objects, up to and including the first missing one.

        In a partial clone, git exits at an object that it would have to fetch; such an object
        counts as missing.
        """
        output = self._ask("--batch-check", object_ids)
        sizes: list[int | None] = []
        for _ in object_ids:
            header = output.readline()
            if not header:
                self._stop(self._processes.pop("--batch-check"))
                return [*sizes, None]
            sizes.append(_size(header))
        return sizes

    def _read_some(self, kind: str, object_ids: Sequence[str]) -> list[bytes | None]:
        """Return the contents up to the first damaged object, and None for the damaged one.

        A loose object is printed as it is, even if it claims another length. After a damaged object
        the answers cannot be matched to requests, so the process is not used again.
        """
        output = self._ask("--batch", [*object_ids, _END])
        contents: list[bytes | None] = []
        for object_id in object_ids:
            try:
                contents.append(_read_one(kind, object_id, output))
            except _DamagedObjectError:
                self._stop(self._processes.pop("--batch"))
                return [*contents, None]
        output.readline()
        return contents

    def _ask(self, option: str, object_ids: Sequence[str]) -> BufferedReader:
        """Send a request for objects to `git cat-file` and return its output."""
        process = self._processes.get(option)
        if process is None:
            process = self._processes[option] = start(self._repository, "cat-file", option)
        if process.stdin is None or not isinstance(process.stdout, BufferedReader):
            raise GitError("git cat-file was started without pipes")
        # If the process has died, its output ends early, which the caller sees.
        with suppress(BrokenPipeError):
            process.stdin.write("".join(f"{name}\n" for name in object_ids).encode())
            process.stdin.flush()
        return process.stdout


_MOST_IN_FLIGHT = 400
"""Maximum number of objects requested before answers are read; such a request fits into a pipe of
64 KiB.
"""


def _chunks(items: Sequence[str]) -> Iterator[Sequence[str]]:
    return (items[i : i + _MOST_IN_FLIGHT] for i in range(0, len(items), _MOST_IN_FLIGHT))


def _size(header: bytes) -> int | None:
    """Return the size in a line `<id> <type> <size>`; None for `<id> missing`."""
    words = header.split()
    return int(words[2]) if len(words) == 3 and words[2].isdigit() else None


_END = f"end-{secrets.token_hex(16)}"
"""The name of an object that does not exist, requested after a batch: its answer marks the end."""
_LAST_ANSWER = f"{_END} missing\n".encode()


class _DamagedObjectError(Exception):
    """An error: git printed something other than the requested object."""


def _read_one(kind: str, object_id: str, output: BufferedReader) -> bytes | None:
    """Return the next object of the output; None if git does not have it.

    Raises `_DamagedObjectError` if it is another object; the rest of the output is then useless.
    """
    header = output.readline()
    size = _size(header)
    if size is None and header == f"{object_id} missing\n".encode():
        return None
    if size is None or not header.startswith(f"{object_id} {kind} ".encode()):
        raise _DamagedObjectError
    data = bytearray()
    while len(data) <= size:
        piece = output.read1(min(size + 1 - len(data), _PIECE))
        data += piece
        if not piece or data.endswith(_LAST_ANSWER):
            raise _DamagedObjectError
    content = bytes(data[:-1])
    if not _is_object(kind, object_id, content):
        raise _DamagedObjectError
    return content


def is_blob(object_id: str, data: bytes) -> bool:
    """Return whether a blob with this content has this id."""
    return _is_object("blob", object_id, data)


def _is_object(kind: str, object_id: str, data: bytes) -> bool:
    hashed = hashlib.sha1(usedforsecurity=False) if len(object_id) == 40 else hashlib.sha256()
    hashed.update(b"%b %d\0" % (kind.encode(), len(data)))
    hashed.update(data)
    return hashed.hexdigest() == object_id

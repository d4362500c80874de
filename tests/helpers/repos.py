"""Real git repositories, written quickly: fixed names and dates, no configuration of the host."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from skillbuild import build as pipeline
from skillbuild.build import Options, Report, Request
from skillbuild.compile.skills import check_source
from skillbuild.output import base
from skillbuild.source import tree

AUTHOR = b"Ada <ada@example.org>"
FIRST_SECOND = 1_700_000_000


@dataclass(frozen=True)
class Program:
    """The content of an executable file."""

    content: str


@dataclass(frozen=True)
class Link:
    target: str


@dataclass(frozen=True)
class Submodule:
    commit: str = "1" * 40


Content = bytes | str | Program | Link | Submodule
Files = Mapping[str, Content]


def environment(**more: str) -> dict[str, str]:
    """The variables of this process without git's own, plus those that turn its settings off."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return inherited | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"} | more


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> str:
    """Standard output of a git command, stripped; a failure fails the test with git's message."""
    done = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *arguments],
        cwd=folder,
        env=environment(),
        input=stdin,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode(errors="surrogateescape").strip()


def skill_md(name: str, description: str = "Does one thing.", body: str = "Do it.\n") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}"


def empty(folder: Path, *, bare: bool = False, object_format: str = "sha1") -> Path:
    """A repository without a commit."""
    made = _made_once(object_format, bare=bare)
    shutil.copytree(made.name, folder, dirs_exist_ok=True)
    return folder


@cache
def _made_once(object_format: str, *, bare: bool) -> TemporaryDirectory[str]:
    made = TemporaryDirectory()
    kind = ["--bare"] if bare else []
    options = ["--quiet", "--template=", "--initial-branch=main", *kind]
    git(Path(made.name), "init", *options, f"--object-format={object_format}")
    return made


def commit(folder: Path, files: Files, *, branch: str = "main", day: int = 0) -> str:
    """Commit exactly these files on top of a branch; returns the id. The working tree stays."""
    stream = _stream(files, branch, day, _tip(folder, branch))
    # One pack is written in less than half of the time that loose objects take.
    return git(
        folder, "-c", "fastimport.unpackLimit=1", "fast-import", "--quiet", "--force", stdin=stream
    )


def _tip(folder: Path, branch: str) -> str:
    """The commit a branch is at, or nothing."""
    loose = git_dir(folder) / "refs/heads" / branch
    if loose.is_file():
        return loose.read_text().strip()
    if not (git_dir(folder) / "packed-refs").is_file():
        return ""
    return git(folder, "for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")


def _stream(files: Files, branch: str, day: int, parent: str) -> bytes:
    when = b"%d +0000" % (FIRST_SECOND + 86_400 * day)
    lines = [b"commit refs/heads/" + branch.encode(), b"mark :1"]
    lines += [b"committer " + AUTHOR + b" " + when]
    lines += [b"data 4", b"Work"]
    lines += [b"from " + parent.encode()] if parent else []
    lines += [b"deleteall", *(_change(path, content) for path, content in files.items())]
    return b"\n".join([*lines, b"get-mark :1", b"done", b""])


def _change(path: str, content: Content) -> bytes:
    mode, data = _mode_and_data(content)
    name = path.encode(errors="surrogateescape")
    quoted = b'"' + b"".join(b"\\%03o" % byte for byte in name) + b'"'
    if mode == b"160000":
        return b"M 160000 " + data + b" " + quoted
    return b"M %s inline %s\ndata %d\n%s" % (mode, quoted, len(data), data)


def _mode_and_data(content: Content) -> tuple[bytes, bytes]:
    match content:
        case Program(text):
            return b"100755", text.encode()
        case Link(target):
            return b"120000", target.encode()
        case Submodule(commit_id):
            return b"160000", commit_id.encode()
        case str():
            return b"100644", content.encode()
        case bytes():
            return b"100644", content


def repository(
    folder: Path, files: Files, *, bare: bool = False, object_format: str = "sha1"
) -> Path:
    """A repository of one commit; unless it is bare, the files are checked out."""
    empty(folder, bare=bare, object_format=object_format)
    commit(folder, files)
    if not bare:
        checkout(folder)
    return folder


def checkout(folder: Path, revision: str = "HEAD") -> None:
    git(folder, "reset", "--quiet", "--hard", revision)


def clone(origin: Path, folder: Path, *options: str) -> Path:
    git(origin.parent, "clone", "--quiet", "--template=", *options, f"file://{origin}", f"{folder}")
    return folder


TreeLine = tuple[str, bytes, str]
"""Mode, name and object id of one line of a tree; they need not be valid."""


def raw_tree(folder: Path, lines: Sequence[TreeLine]) -> str:
    """Write a tree as it is given, sorted or not, valid or not; returns its id."""
    data = b"".join(
        mode.encode() + b" " + name + b"\0" + bytes.fromhex(object_id)
        for mode, name, object_id in lines
    )
    return git(folder, "hash-object", "-t", "tree", "--literally", "-w", "--stdin", stdin=data)


def blob(folder: Path, data: bytes | str) -> str:
    raw = data.encode() if isinstance(data, str) else data
    return git(folder, "hash-object", "-w", "--stdin", stdin=raw)


def commit_tree(folder: Path, tree: str, *, branch: str = "main") -> str:
    """Commit a tree that is already there, and move a branch to it."""
    head = b"tree %s\nauthor %s %d +0000\ncommitter %s %d +0000\n\nWork\n"
    data = head % (tree.encode(), AUTHOR, FIRST_SECOND, AUTHOR, FIRST_SECOND)
    commit_id = git(folder, "hash-object", "-t", "commit", "-w", "--stdin", stdin=data)
    (git_dir(folder) / "refs/heads").mkdir(parents=True, exist_ok=True)
    (git_dir(folder) / "refs/heads" / branch).write_text(f"{commit_id}\n")
    return commit_id


def git_dir(folder: Path) -> Path:
    return folder / ".git" if (folder / ".git").is_dir() else folder


def object_file(folder: Path, object_id: str) -> Path:
    return git_dir(folder) / "objects" / object_id[:2] / object_id[2:]


def unpack(folder: Path) -> None:
    """Make every object a loose file, so that a test can take one away or swap it."""
    packs = sorted((git_dir(folder) / "objects/pack").glob("*.pack"))
    aside = [pack.rename(folder / pack.name) for pack in packs]
    for index in (git_dir(folder) / "objects/pack").iterdir():
        index.unlink()
    for pack in aside:
        git(folder, "unpack-objects", "-q", stdin=pack.read_bytes())
        pack.unlink()


def swap(folder: Path, object_id: str, data: bytes) -> None:
    """Put a valid blob with other content under an object's id."""
    path = object_file(folder, object_id)
    path.chmod(0o644)
    path.write_bytes(zlib.compress(b"blob %d\0" % len(data) + data))


def request_of(repo: Path, revision: str = "HEAD", options: Options | None = None) -> Request:
    origin = tree.open_commit(repo, revision)
    leaves = origin.leaves()
    return Request(origin, leaves, tree.read_config(origin, leaves), options or Options(jobs=1))


def build(
    repo: Path,
    out: Path,
    revision: str = "HEAD",
    options: Options | None = None,
    keep: int = 2,
    previous: object = None,
) -> Report:
    """Build a commit in this process; `previous` is a URL or a directory."""
    request = request_of(repo, revision, options)
    settings = request.config.but(keep=keep)
    remote = None if previous is None else base.opened(f"{previous}")
    return pipeline.build(
        Request(request.source, request.leaves, settings, request.options), out, remote
    )


def check(folder: Path, revision: str | None = None, options: Options | None = None) -> Report:
    origin = tree.open_for_check(folder, revision)
    leaves = origin.leaves()
    settings = tree.read_config(origin, leaves)
    return check_source(Request(origin, leaves, settings, options or Options(jobs=1)))


def codes(report: Report) -> list[tuple[str, str]]:
    """`(path, code)` of every finding."""
    return [(item.path, item.code) for item in report.findings]


def published(report: Report) -> list[str]:
    """Skill paths of the release."""
    assert report.release is not None, codes(report)
    return [entry.path for entry in report.release.catalog.entries]


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file below a folder, by relative path; a link gives its target."""
    return dict(sorted(_digests(folder)))


def _digests(folder: Path) -> Iterator[tuple[str, str]]:
    for parent, folders, names in os.walk(folder):
        for name in [*names, *folders]:
            path = Path(parent, name)
            relative = path.relative_to(folder).as_posix()
            if path.is_symlink():
                yield relative, f"link to {path.readlink()}"
            elif path.is_file():
                yield relative, hashlib.sha256(path.read_bytes()).hexdigest()


BUILDER = Path(pipeline.__file__).parents[1]


def skillbuild(
    *arguments: str,
    python: str = sys.executable,
    cwd: Path | None = None,
    variables: Mapping[str, str] | None = None,
    errors: int = subprocess.PIPE,
) -> subprocess.Popen[bytes]:
    """The command line in a process of its own, with pipes from its output."""
    return subprocess.Popen(
        [python, "-m", "skillbuild", *arguments],
        cwd=cwd,
        env=environment(PYTHONPATH=f"{BUILDER}", PYTHONDONTWRITEBYTECODE="1")
        | dict(variables or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=errors,
    )

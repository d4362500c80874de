"""Does every archive of an output unpack to exactly the resources of its entry?

    python tests/judges/archives.py OUT...

Each zip is read by Python's zipfile, `unzip` and `bsdtar`, each tar.gz by tarfile, GNU `tar` and
`bsdtar`; the .md of a one-file skill is compared as it is. Compared are the set of paths, the
SHA-256 of every file and its exec bit; nothing else may come out, neither links nor directories
that no file needs. Counts are printed; exit status 1 if anything differs.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from skillbuild.media.archive import TAR_TYPE, ZIP_TYPE
from skillbuild.model import Archive, Entry
from skillbuild.output import verify

Content = dict[str, tuple[str, bool]]
"""Path to SHA-256 in hex and exec bit; what is no regular file has its kind for a digest."""

Unpack = Callable[[Path], Content]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("outs", metavar="OUT", nargs="+", type=Path)
    os.umask(0o022)
    return max([_judge(out) for out in parser.parse_args().outs])


def _judge(out: Path) -> int:
    entries = verify.load(out).catalog.entries
    counts: Counter[str] = Counter()
    wrong = 0
    for entry in entries:
        for archive in entry.archives:
            wrong += _compare(out, entry, archive, counts)
    print(f"{out}: {len(entries)} skills, {wrong} archives wrong")
    for what, count in sorted(counts.items()):
        print(f"    {count:7,} {what}")
    return 1 if wrong else 0


def _compare(out: Path, entry: Entry, archive: Archive, counts: Counter[str]) -> int:
    path = out / "archives" / archive.file_name
    data = path.read_bytes()
    faults = []
    if (hashlib.sha256(data).hexdigest(), len(data)) != (archive.digest.hex, archive.size):
        faults.append("digest or size is not the stated one")
    wanted = {item.path: (item.digest.hex, item.executable) for item in entry.resources}
    for name, unpack in _READERS[archive.media_type].items():
        unpacked = unpack(path)
        counts[f"archives by {name}"] += 1
        counts[f"files by {name}"] += len(unpacked)
        if unpacked != wanted:
            odd = sorted(dict(unpacked.items() ^ wanted.items()))
            faults.append(f"{name} differs at {', '.join(odd[:5])}")
    for fault in faults:
        print(f"{path}: {fault}")
    return 1 if faults else 0


def _by_zipfile(path: Path) -> Content:
    content: Content = {}
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            mode = info.external_attr >> 16
            digest = _digest(archive.read(info)) if mode >> 12 == 0o10 else "no regular file"
            _add(content, info.filename, digest, mode)
    return content


def _by_tarfile(path: Path) -> Content:
    content: Content = {}
    with tarfile.open(path, "r:gz") as archive:
        for info in archive:
            stream = archive.extractfile(info) if info.isreg() else None
            digest = _digest(stream.read()) if stream else "no regular file"
            _add(content, info.name, digest, info.mode)
    return content


def _add(content: Content, name: str, digest: str, mode: int) -> None:
    """Add a file; a repeated name gets a second name, so that it shows as a difference."""
    key = f"{name} (again)" if name in content else name
    content[key] = (digest, bool(mode & 0o111))


def _by_program(*command: str) -> Unpack:
    def unpack(path: Path) -> Content:
        with tempfile.TemporaryDirectory() as scratch:
            filled = [part.format(path=path.resolve(), to=scratch) for part in command]
            subprocess.run(filled, check=True, capture_output=True, cwd=scratch)
            return _on_disk(Path(scratch))

    return unpack


def _on_disk(root: Path) -> Content:
    content: Content = {}
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        if not folders and not files:
            content[f"{here.relative_to(root).as_posix()}/"] = ("empty directory", False)
        for name in files + [name for name in folders if (here / name).is_symlink()]:
            path = here / name
            plain = path.is_file() and not path.is_symlink()
            digest = _digest(path.read_bytes()) if plain else "no regular file"
            executable = bool(path.lstat().st_mode & 0o111)
            content[path.relative_to(root).as_posix()] = (digest, executable)
    return content


def _by_copy(path: Path) -> Content:
    return {"SKILL.md": (_digest(path.read_bytes()), False)}


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _programs(*commands: tuple[str, Sequence[str]]) -> dict[str, Unpack]:
    return {name: _by_program(*command) for name, command in commands}


_BSDTAR = ("bsdtar", ["bsdtar", "-xf", "{path}", "-C", "{to}"])
_READERS: dict[str, dict[str, Unpack]] = {
    ZIP_TYPE: {
        "zipfile": _by_zipfile,
        **_programs(("unzip", ["unzip", "-q", "{path}", "-d", "{to}"]), _BSDTAR),
    },
    TAR_TYPE: {
        "tarfile": _by_tarfile,
        **_programs(("GNU tar", ["tar", "-xzf", "{path}", "-C", "{to}"]), _BSDTAR),
    },
    "text/markdown": {"copy": _by_copy},
}


if __name__ == "__main__":
    sys.exit(main())

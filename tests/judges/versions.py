"""Are the versions of every skill those that git has, and does each archive hold exactly its state?

    python tests/judges/versions.py REPO OUT

OUT was built from HEAD of REPO, with `[versions]` from the first commit on. Shares no code with the
builder: trees come from `git rev-parse <commit>:<directory>` along `git rev-list --first-parent`,
and files from `git ls-tree`. A version is of the commit that its skill lists, where the directory
of the skill has exactly the files of its archive. Where that directory was not there yet it is
counted as moved, and some other one of that commit has its files. Prints one line for each skill
that differs, then the numbers; exit status 1 for a version that is no state of the history, and for
one that was lost without being counted as left out.
"""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_JUNK = {".gitignore", ".gitattributes", ".gitkeep", ".gitmodules", ".DS_Store"}
_JUNK_FOLDERS = {"__pycache__", "node_modules"}


class History:
    """Questions to git about one repository; answers about trees are remembered."""

    def __init__(self, repo: Path) -> None:
        self._repo = repo
        self.line = self._git("rev-list", "--first-parent", "HEAD").split()
        self._asked: dict[str, list[str]] = {}

    def _git(self, *arguments: str, stdin: str = "") -> str:
        command = ["git", "-C", str(self._repo), *arguments]
        done = subprocess.run(command, input=stdin.encode(), capture_output=True, check=True)
        return done.stdout.decode(errors="surrogateescape")

    def trees(self, directory: str) -> list[str]:
        """The distinct trees that a directory had, the newest first."""
        if directory not in self._asked:
            names = "".join(f"{commit}:{directory}\n" for commit in self.line)
            answers = self._git("cat-file", "--batch-check", stdin=names).splitlines()
            trees = [each.split()[0] for each in answers if each.split()[1:2] == ["tree"]]
            self._asked[directory] = list(dict.fromkeys(trees))
        return self._asked[directory]

    def folders(self, commit: str) -> list[str]:
        """The tree of a commit and those of all directories in it."""
        lines = self._git("ls-tree", "-r", "-d", "-z", "--format=%(objectname)", commit)
        return [self._git("rev-parse", f"{commit}^{{tree}}").strip(), *lines.split("\0")[:-1]]

    def at(self, commit: str, directory: str) -> list[str]:
        """The tree of a directory at a commit; none if it was not there."""
        answer = self._git("cat-file", "--batch-check", stdin=f"{commit}:{directory}\n").split()
        return answer[:1] if answer[1:2] == ["tree"] else []

    def files(self, tree: str) -> dict[str, str]:
        """Object id of every file of a tree that a skill publishes, by path."""
        files = {}
        for line in self._git("ls-tree", "-r", "-z", tree).split("\0")[:-1]:
            about, _, path = line.partition("\t")
            *folders, name = path.split("/")
            if name in _JUNK or name.endswith(".pyc") or {*folders} & _JUNK_FOLDERS:
                continue
            files[path] = about.split()[2]
        return files


def entries(out: Path) -> Iterator[dict[str, Any]]:
    """The entries of the record, from the parts that its head names."""
    for part in json.loads((out / "catalog.json").read_bytes())["release"]["parts"]:
        name = part["digest"].removeprefix("sha256:")
        for line in (out / "record" / name[:2] / f"{name}.jsonl").read_bytes().splitlines():
            yield json.loads(line)


def archived(out: Path, path: str) -> dict[str, str]:
    """Object id of every file in a zip, by path."""
    with zipfile.ZipFile(io.BytesIO((out / path).read_bytes())) as opened:
        files = {name: opened.read(name) for name in opened.namelist()}
    return {
        name: hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
        for name, data in files.items()
    }


def judge(repo: Path, out: Path) -> int:
    history, faults, count, moved, unpublished = History(repo), 0, 0, 0, 0
    for entry in entries(out):
        if "internal" in entry["unlisted"].get("mcp", []):
            continue  # It has no versions.
        listed = []
        for each in entry.get("versions", []):
            folder = out / "versions" / each["digest"].removeprefix("sha256:")[:16]
            version = json.loads((folder / "version.json").read_bytes())
            [archive] = version["archives"]
            files = archived(out, archive["path"])
            listed.append(files)
            count += 1
            here = history.at(each["commit"], entry["directory"])
            moved += not here
            if all(
                history.files(tree) != files for tree in here or history.folders(each["commit"])
            ):
                print(f"{entry['path']}: {archive['path']} is no state of {each['commit']}")
                faults += 1
        states = map(history.files, history.trees(entry["directory"]))
        unpublished += sum("SKILL.md" in files and files not in listed for files in states)
    totals = json.loads((out / "catalog.json").read_bytes())["release"]["versions"]
    left_out = sum(totals["leftOut"].values())
    print(
        f"{count} versions, {moved} from other places, {unpublished} states not published", end=""
    )
    print(f" ({left_out} left out: {totals['leftOut']}), {faults} faults")
    return 1 if faults or unpublished > left_out else 0


if __name__ == "__main__":
    sys.exit(judge(Path(sys.argv[1]), Path(sys.argv[2])))

"""Is the tree of plugins what the source says, file by file, and nothing more?

    python tests/judges/plugins.py REPO...

It imports nothing of skillbuild. A commit is built twice, the second time without a cache, in
another place, language and time zone and with another seed of hashes: both trees must be equal.
Every file of a skill must have the bytes and the exec bit that git has; each SKILL.md that is
published and not internal must be there; all else are the manifests of clients, which hold texts
alone: no hook, command, server or link.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_HEADS = {
    "README.md",
    ".gitattributes",
    ".claude-plugin/marketplace.json",
    ".cursor-plugin/marketplace.json",
    ".agents/plugins/marketplace.json",
}
_MANIFESTS = {
    ".claude-plugin/plugin.json": set[str](),
    ".cursor-plugin/plugin.json": {"displayName", "skills"},
    ".codex-plugin/plugin.json": {"skills", "interface"},
    "gemini-extension.json": set[str](),
}
"""What a plugin has besides skills, and the keys that only this client reads."""
_KEYS = {
    "name",
    "version",
    "description",
    "author",
    "homepage",
    "repository",
    "license",
    "keywords",
}
_OTHER = {"LANG": "tr_TR.UTF-8", "LC_ALL": "C", "TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "7"}


def judge(repo: Path, work: Path) -> Iterator[str]:
    """Each fault as a line."""
    out, tree = _made(repo, work / "a", {})
    if not tree.is_dir():
        print(f"{repo}: no skills")
        return
    _, again = _made(repo, work / "b", _OTHER, "--no-cache")
    first, second = _files(tree), _files(again)
    yield from (f"{path} differs" for path in sorted({*first} ^ {*second}))
    yield from (f"{path} differs" for path in first if second.get(path, first[path]) != first[path])
    yield from (f"{path} is a link" for path in tree.rglob("*") if path.is_symlink())
    plugins = {path.name for path in (tree / "plugins").iterdir()}
    for path in _HEADS & {path for path in first if path.endswith("marketplace.json")}:
        listed = [plugin["name"] for plugin in json.loads((tree / path).read_bytes())["plugins"]]
        if sorted(listed) != sorted(plugins):
            yield f"{path} lists other plugins"
    yield from _manifest_faults(tree, first)
    yield from _skill_faults(repo, out, tree, first)


def _made(repo: Path, folder: Path, variables: Mapping[str, str], *more: str) -> tuple[Path, Path]:
    """The output and the tree, which are not written if there is no skill to publish."""
    out, tree = folder / "out", folder / "tree"
    for words in (
        ["build", str(repo), "-o", str(out), "--skip-invalid", *more],
        ["plugins", out, tree],
    ):
        command = [sys.executable, "-m", "skillbuild", *map(str, words), "--quiet"]
        done = subprocess.run(command, check=False, env={**os.environ, **variables})
        if done.returncode == 2:
            raise SystemExit(f"cannot {words[0]} {repo}")
        if not (out / "catalog.json").is_file():
            break
    return out, tree


def _files(folder: Path) -> dict[str, tuple[bytes, bool]]:
    """Digest of the content, and exec bit, of each file."""
    return {
        path.relative_to(folder).as_posix(): (
            hashlib.sha256(path.read_bytes()).digest(),
            bool(path.stat().st_mode & 0o111),
        )
        for path in folder.rglob("*")
        if path.is_file()
    }


def _manifest_faults(tree: Path, files: Mapping[str, object]) -> Iterator[str]:
    for path in files:
        top, _, rest = path.partition("/")
        plugin, _, inner = rest.partition("/")
        if path in _HEADS or (top == "plugins" and inner.startswith("skills/")):
            continue
        if top != "plugins" or inner not in _MANIFESTS:
            yield f"{path} is no file that a client looks for"
            continue
        keys = {*json.loads((tree / path).read_bytes())}
        if more := sorted(keys - _KEYS - _MANIFESTS[inner]):
            yield f"{path} of {plugin} has {', '.join(more)}"


def _skill_faults(
    repo: Path, out: Path, tree: Path, files: Mapping[str, tuple[bytes, bool]]
) -> Iterator[str]:
    """Each folder of a skill must be a directory of the commit, file by file."""
    objects = _committed(repo)
    wanted = Counter[str]()
    folders = {
        path.parent.relative_to(tree).as_posix()
        for path in tree.glob("plugins/*/skills/*/SKILL.md")
    }
    left = {folder: {path for path in files if path.startswith(f"{folder}/")} for folder in folders}
    by_content: dict[bytes, list[str]] = {}
    for folder in folders:
        by_content.setdefault(files[f"{folder}/SKILL.md"][0], []).append(folder)
    for entry in _entries(out):
        internal = (
            (entry["frontmatter"].get("metadata") or {})
            if isinstance(entry["frontmatter"].get("metadata"), dict)
            else {}
        )
        if str(internal.get("internal")).lower() == "true":
            wanted["internal"] += 1
            continue
        wanted["skills"] += 1
        start = f"{entry['directory']}/" if entry["directory"] else ""
        own = {item["path"]: objects[start + item["path"]] for item in entry["resources"]}
        same = [
            folder
            for folder in by_content.get(own["SKILL.md"][0], [])
            if {path: files.get(f"{folder}/{path}") for path in own} == own
            and len(left[folder]) == len(own)
        ]
        if not same:
            yield f"{entry['path']} is not there as git has it"
        else:
            by_content[own["SKILL.md"][0]].remove(same[0])
    yield from (
        f"{each} is no skill of the release" for some in by_content.values() for each in some
    )
    print(f"{repo}: {wanted['skills']} skills, {wanted['internal']} internal, {len(files)} files")


def _entries(out: Path) -> Iterator[dict[str, Any]]:
    parts = json.loads((out / "catalog.json").read_bytes())["release"]["parts"]
    for digest in (part["digest"].removeprefix("sha256:") for part in parts):
        lines = (out / "record" / digest[:2] / f"{digest}.jsonl").read_bytes().splitlines()
        yield from map(json.loads, lines)


def _committed(repo: Path) -> dict[str, tuple[bytes, bool]]:
    """Digest of the content, and exec bit, of every file of HEAD."""
    git = ["git", "-C", str(repo)]
    listing = subprocess.run(
        [*git, "ls-tree", "-rz", "HEAD"], check=True, capture_output=True
    ).stdout
    about = [line.partition("\t") for line in os.fsdecode(listing).split("\0")[:-1]]
    blobs = [
        (head.split()[0], head.split()[2], path) for head, _, path in about if " blob " in head
    ]
    asked = "".join(f"{each}\n" for _, each, _ in blobs).encode()
    process = subprocess.Popen(
        [*git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    files = {}
    answer = process.communicate(asked)[0]
    at = 0
    for mode, _, path in blobs:
        end = answer.index(b"\n", at)
        fields = answer[at:end].split()
        size = int(fields[2]) if len(fields) == 3 else 0
        data = answer[end + 1 : end + 1 + size]
        at = end + 2 + size if len(fields) == 3 else end + 1
        files[path] = (hashlib.sha256(data).digest(), mode == "100755")
    return files


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repos", metavar="REPO", nargs="+", type=Path)
    failed = False
    for repo in parser.parse_args().repos:
        with tempfile.TemporaryDirectory(prefix="skillbuild-plugins-") as folder:
            for fault in judge(repo, Path(folder)):
                print(f"  {fault}")
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""What an output offers, what arrived on a disk, and whether every byte of it is right.

Reads `catalog.json` and its parts with the standard library alone: the code under test judges
nothing here. Of a repository the files are those that git has, whatever the output says of them.
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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

LEFT_OUT = "discovery-omitted"
Digests = Mapping[str, str]
"""SHA-256 in hex, by path inside one skill."""
_JUNK_FILES = (".gitignore", ".gitattributes", ".gitkeep", ".gitmodules", ".DS_Store")
_JUNK_FOLDERS = ("__pycache__", "node_modules")


@dataclass(frozen=True, slots=True)
class Offer:
    """One listed skill of an output. `noted` are the codes of its findings."""

    name: str
    path: str
    directory: str
    flat_name: str
    files: Digests
    noted: frozenset[str]
    zip_file: Path


@dataclass(frozen=True, slots=True)
class Output:
    """A built output, and the repository it was built from, if known."""

    folder: Path
    label: str
    offers: tuple[Offer, ...]

    def index(self, path: str, key: str = "skills") -> list[dict[str, Any]]:
        """The entries of one of its indexes."""
        entries: list[dict[str, Any]] = json.loads((self.folder / path).read_bytes())[key]
        return entries

    def by_flat_name(self, without: str | None = None) -> dict[str, Digests]:
        """Files by flat name of the listed skills without a note of code `without`."""
        return {offer.flat_name: offer.files for offer in self.offers if without not in offer.noted}

    def unique(self) -> list[Offer]:
        """The skills whose names are unique, for clients that identify skills by name."""
        uses = Counter(offer.name for offer in self.offers)
        return [offer for offer in self.offers if uses[offer.name] == 1]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: a client's task, and how many skills arrived and were right."""

    case: str
    offered: int
    arrived: int
    right: int
    faults: tuple[str, ...] = ()


def row(case: str, offered: Mapping[str, Digests], arrived: Mapping[str, Digests]) -> Row:
    """Compare by name: exactly the offered skills arrived, and every file is unchanged."""
    right = [name for name in offered if arrived.get(name) == offered[name]]
    faults = [f"{name} did not arrive" for name in sorted(offered.keys() - arrived.keys())]
    faults += [f"{name} was not offered" for name in sorted(arrived.keys() - offered.keys())]
    for name in sorted(offered.keys() & arrived.keys()):
        want, have = offered[name], arrived[name]
        wrong = sorted(path for path in {*want, *have} if want.get(path) != have.get(path))
        faults += [f"{name}: {path} is missing, wrong or too much" for path in wrong[:3]]
    return Row(case, len(offered), len(offered.keys() & arrived.keys()), len(right), tuple(faults))


def same(case: str, wanted: Collection[str], seen: Collection[str]) -> Row:
    """A row for two lists of names that must be equal."""
    faults = [f"{name} is missing" for name in sorted(set(wanted) - set(seen))]
    faults += [f"{name} is too much" for name in sorted(set(seen) - set(wanted))]
    both = len(set(wanted) & set(seen))
    return Row(case, len(wanted), len(seen), both, tuple(faults))


def holds(case: str, *, truth: bool) -> Row:
    """A row for a single condition that must be true."""
    return Row(case, 1, 1, int(truth))


def digests(folder: Path, without: Sequence[str] = ()) -> Digests:
    """Every file below a folder but for a client's own: files, and what is below directories."""
    there = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    return {
        relative.as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for relative, path in there.items()
        if relative.parts[0] not in without
    }


def folders(parent: Path, without: Sequence[str] = ()) -> dict[str, Digests]:
    """Each directory of a folder as one skill, by name."""
    there = parent.iterdir() if parent.is_dir() else ()
    return {path.name: digests(path, without) for path in there if path.is_dir()}


def open_output(folder: Path, label: str) -> Output:
    entries = [each for each in entries_of(folder) if "discovery-0.2" not in each["unlisted"]]
    offers = tuple(_offer(folder, entry) for entry in entries)
    return Output(folder, label, offers)


def plugin_tree(folder: Path) -> dict[str, Any]:
    """What the record says of the tree of plugins."""
    head: dict[str, Any] = json.loads((folder / "catalog.json").read_bytes())
    tree: dict[str, Any] = head["release"]["plugins"]
    return tree


def entries_of(folder: Path) -> list[dict[str, Any]]:
    """The entries of an output, in order, from the parts that `catalog.json` names."""
    parts = json.loads((folder / "catalog.json").read_bytes())["release"]["parts"]
    names = [part["digest"].removeprefix("sha256:") for part in parts]
    contents = [(folder / "record" / name[:2] / f"{name}.jsonl").read_bytes() for name in names]
    return [json.loads(line) for content in contents for line in content.splitlines()]


def _offer(folder: Path, entry: dict[str, Any]) -> Offer:
    zips = [item["path"] for item in entry["archives"] if item["path"].endswith(".zip")]
    return Offer(
        name=entry["frontmatter"]["name"],
        path=entry["path"],
        directory=entry["directory"],
        flat_name=entry["flatName"],
        files={item["path"]: item["digest"].removeprefix("sha256:") for item in entry["resources"]},
        noted=frozenset(item["code"] for item in [*entry["warnings"], *entry["notes"]]),
        zip_file=folder / zips[0],
    )


def build(source: Path, out: Path, *options: str) -> Output:
    """Build what a repository holds at HEAD; invalid skills are left out.

    The files of each skill are those of the commit, without the ones that no skill has.
    """
    command = [sys.executable, "-m", "skillbuild", "build", str(source), "--out", str(out)]
    done = subprocess.run([*command, "--skip-invalid", "--quiet", *options], check=False)
    if done.returncode not in (0, 1) or not (out / "catalog.json").is_file():
        raise SystemExit(f"cannot build {source}")
    folder = source.parent if source.name == "repo" else source
    output = open_output(out, folder.name)
    objects = _objects(source)
    offers = [
        replace(offer, files=_committed(source, objects, offer.directory))
        for offer in output.offers
    ]
    return replace(output, offers=tuple(offers))


def _objects(source: Path) -> dict[str, str]:
    """Object ids by path, of every file of HEAD that may belong to a skill."""
    command = ["git", "-C", str(source), "ls-tree", "-r", "-z", "HEAD"]
    listing = subprocess.run(command, check=True, capture_output=True).stdout
    objects = {}
    for line in os.fsdecode(listing).split("\0")[:-1]:
        about, _, path = line.partition("\t")
        *parents, name = path.split("/")
        if name in _JUNK_FILES or name.endswith(".pyc") or {*parents} & {*_JUNK_FOLDERS}:
            continue
        objects[path] = about.split()[2]
    return objects


def _committed(source: Path, objects: Mapping[str, str], directory: str) -> Digests:
    """The files of one skill as git has them."""
    start = f"{directory}/" if directory else ""
    paths = [path for path in objects if path.startswith(start)]
    asked = "".join(f"{objects[path]}\n" for path in paths).encode()
    command = ["git", "-C", str(source), "cat-file", "--batch"]
    answer = subprocess.run(command, check=True, capture_output=True, input=asked).stdout
    files, end = {}, 0
    for path in paths:
        head, _, _ = answer[end : end + 200].partition(b"\n")
        begin = end + len(head) + 1
        end = begin + int(head.split()[2])
        files[path.removeprefix(start)] = hashlib.sha256(answer[begin:end]).hexdigest()
        end += 1
    return files


def main(
    doc: str, title: str, judge: Callable[[Output, Path], Iterator[Row]], *options: str
) -> int:
    """Judge every REPO of the command line and print the table; 1 if anything is not right."""
    parser = argparse.ArgumentParser(description=doc.partition("\n")[0])
    parser.add_argument("sources", metavar="REPO|OUT", nargs="+", type=Path)
    failed = False
    print(f"{title}\n{'offered':>9} {'arrived':>9} {'right':>9}  case")
    for source in parser.parse_args().sources:
        with tempfile.TemporaryDirectory(prefix="skillbuild-clients-") as folder:
            work = Path(folder).resolve()
            built = (source / "catalog.json").is_file()
            output = (
                open_output(source.resolve(), source.name)
                if built
                else build(source, work / "out", *options)
            )
            for row in judge(output, work):
                counts = f"{row.offered:>9} {row.arrived:>9} {row.right:>9}"
                print(f"{counts}  {output.label}, {row.case}", flush=True)
                for fault in row.faults:
                    print(f"{'':>31}{fault}")
                failed = failed or bool(row.faults) or row.right != row.offered
    return 1 if failed else 0

"""Does npm `yaml` read every published frontmatter as the output states it?

    python tests/judges/frontmatter.py OUT... [--node-modules DIR]

For every entry of each output, the values in `catalog.json` and `index.json` are compared with
what npm `yaml` reads from the SKILL.md blob by YAML 1.2 (core schema): types, numbers, key order.
A difference is allowed at a scalar that carries a `yaml-*` warning. All differences are printed;
exit status 1 if one is not allowed. DIR is a node_modules directory with `yaml` in it; without
it, the version below is installed into a temporary directory with npm.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from skillbuild.model import Entry, Json, Listing
from skillbuild.output import verify
from skillbuild.release.layout import INDEX_FILE, blob_path

YAML_VERSION = "2.8.4"


class Tree(TypedDict, total=False):
    """One node of a document as frontmatter.mjs prints it; which keys are there goes by `kind`."""

    kind: str
    value: list[str | bool]
    items: list[Tree]
    pairs: list[tuple[list[str | bool], Tree]]
    place: tuple[int, int] | None


class Answer(TypedDict, total=False):
    """What frontmatter.mjs says about one SKILL.md: its tree, or why there is none."""

    faults: list[str]
    tree: Tree


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where the output and npm `yaml` differ."""

    way: str
    place: tuple[int, int] | None
    message: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("outs", metavar="OUT", nargs="+", type=Path)
    parser.add_argument("--node-modules", metavar="DIR", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        modules = options.node_modules or _install(Path(scratch))
        return max([_judge(out, modules) for out in options.outs])


def _install(scratch: Path) -> Path:
    command = ["npm", "install", "--prefix", str(scratch), "--ignore-scripts", "--no-audit"]
    subprocess.run([*command, f"yaml@{YAML_VERSION}"], check=True, stdout=subprocess.DEVNULL)
    return scratch / "node_modules"


def _judge(out: Path, modules: Path) -> int:
    entries = verify.load(out).catalog.entries
    texts = [(out / blob_path(entry.skill_md.digest)).read_text("utf-8") for entry in entries]
    answers = _ask(texts, modules)
    listed = {item["url"]: item for item in json.loads((out / INDEX_FILE).read_bytes())["skills"]}
    counts: Counter[str] = Counter()
    wrong = 0
    for entry, answer in zip(entries, answers, strict=True):
        published: list[tuple[str, Mapping[str, Json]]] = [("catalog.json", entry.frontmatter)]
        if entry.is_listed(Listing.INDEX):
            published.append(("index.json", listed.pop(entry.uri)["frontmatter"]))
        for name, value in published:
            wrong += _compare(name, entry, value, answer, counts)
    for url in listed:
        print(f"{url}: in index.json, but no listed entry of catalog.json")
        wrong += 1
    counted = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
    print(f"{out}: {len(entries)} skills, {counted}, {wrong} not allowed")
    return 1 if wrong else 0


def _ask(texts: Sequence[str], modules: Path) -> list[Answer]:
    command = ["node", str(Path(__file__).with_suffix(".mjs")), str(modules.resolve())]
    done = subprocess.run(
        command, input=json.dumps(texts).encode(), check=True, capture_output=True
    )
    answers: list[Answer] = json.loads(done.stdout)
    return answers


def _compare(
    name: str, entry: Entry, frontmatter: Mapping[str, Json], answer: Answer, counts: Counter[str]
) -> int:
    """How many differences are not allowed; all of them are printed and counted."""
    if "tree" not in answer:
        print(f"{name}: {entry.path}: npm yaml refuses it: {'; '.join(answer['faults'])}")
        return 1
    doubted = {
        (note.place.line, note.place.column)
        for note in entry.findings
        if note.place and note.code.startswith("yaml-") and note.path.endswith("SKILL.md")
    }
    wrong = 0
    for difference in _differences(frontmatter, answer["tree"], "", counts):
        allowed = difference.place in doubted
        counts["differences"] += 1
        wrong += not allowed
        verdict = "has a warning" if allowed else "NOT ALLOWED"
        where = f"{name}: {entry.path}: {difference.way} at {difference.place}"
        print(f"{where}: {difference.message} ({verdict})")
    return wrong


def _differences(ours: Json, theirs: Tree, way: str, counts: Counter[str]) -> Iterator[Difference]:
    place = tuple(theirs["place"]) if theirs["place"] else None
    at = place if place is None else (place[0], place[1])
    counts["values compared"] += 1
    if theirs["kind"] == "scalar":
        if not _same(ours, theirs["value"]):
            yield Difference(way, at, f"{ours!r} here, {theirs['value']} there")
    elif theirs["kind"] == "list" and isinstance(ours, list):
        if len(ours) != len(theirs["items"]):
            yield Difference(way, at, f"{len(ours)} items here, {len(theirs['items'])} there")
        for number, (left, right) in enumerate(zip(ours, theirs["items"], strict=False)):
            yield from _differences(left, right, f"{way}[{number}]", counts)
    elif theirs["kind"] == "map" and isinstance(ours, dict):
        keys = [key for key, _ in theirs["pairs"]]
        if [["string", key] for key in ours] != keys:
            yield Difference(way, at, f"keys {list(ours)} here, {keys} there")
            return
        for (key, left), (_, right) in zip(ours.items(), theirs["pairs"], strict=True):
            yield from _differences(left, right, f"{way}.{key}".lstrip("."), counts)
    else:
        yield Difference(way, at, f"{type(ours).__name__} here, {theirs['kind']} there")


def _same(ours: Json, theirs: Sequence[str | bool]) -> bool:
    """Equal in type and value; an integer equals a double only if the double holds it exactly."""
    match ours:
        case None:
            return theirs[0] == "null"
        case bool() | str():
            kind = "boolean" if isinstance(ours, bool) else "string"
            return list(theirs) == [kind, ours]
        case int() | float():
            return theirs[0] == "number" and ours == float(theirs[1])
        case _:
            return False


if __name__ == "__main__":
    sys.exit(main())

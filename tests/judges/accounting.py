"""Is every SKILL.md of a repository accounted for, and every skill that a listing leaves out?

    python tests/judges/accounting.py REPO...

REPO is a git repository, bare or not; its HEAD is built with `--skip-invalid` into a temporary
directory. Every path named SKILL.md in the tree of HEAD must be exactly one of: published,
published with warnings, refused with an error at its place, a copy of one of these with the very
same files, ignored with a reason (the same in `catalog.json` and in the report). What is ignored
under another name must be a link or a submodule.

Each listing must hold every published skill but internal ones and those that the report names
under `unlisted`: `skills/list` as the server answers, `index.json`, both discovery files, the
marketplace and `llms.txt`. `index.json` leaves out internal skills alone. For `skills/list` the
reasons are worked out here from frontmatter and sizes, and must be those of the report. Nothing of
skillbuild is imported. Prints one row a repository; exit status 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_HEAD = ("SKILL.md", "clean", "warned", "refused", "copies", "ignored", "not MCP", "repository")
_SITE = "https://judge.example/"
_FINAL = frozenset(["internal", "name-invalid", "skill-large", "skill-very-large"])
"""Reasons that stay where no other skill is to be protected."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A published skill, as the record has it."""

    path: str
    directory: str
    flat_name: str
    uri: str
    frontmatter: Mapping[str, Any]
    sizes: Sequence[tuple[str, int]]
    """URI and bytes of each file."""
    has_findings: bool
    copies: Sequence[str]
    internal: bool

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> Entry:
        metadata = line["frontmatter"].get("metadata")
        internal = metadata.get("internal") if isinstance(metadata, dict) else None
        return cls(
            line["path"],
            line["directory"],
            line["flatName"],
            line["url"],
            line["frontmatter"],
            [(item["uri"], item["size"]) for item in line["resources"]],
            bool(line["warnings"] or line["notes"]),
            line["copies"],
            internal is True or internal == "true",
        )


@dataclass(frozen=True, slots=True)
class Reported:
    """The report of a build: entries, refused directories, and ignored files with the reason."""

    entries: Sequence[Entry]
    skills: int
    refused: frozenset[str]
    erring: frozenset[str]
    """Paths with at least one error."""
    ignored: Mapping[str, str]
    copies: Mapping[str, str]
    """By each directory that is a copy, the directory of its skill."""
    reported: Mapping[str, str]
    """The ignored files as the report lists them."""
    unlisted: Mapping[str, Mapping[str, Sequence[str]]]
    """By listing and skill path, why it is left out."""
    internal: Sequence[str]
    listed: Mapping[str, set[str]]
    """By listing, the paths of the skills that are in it."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("repos", metavar="REPO", nargs="+", type=Path)
    repos = parser.parse_args().repos
    print(" ".join(f"{word:>8}" for word in _HEAD))
    return max([_judge(repo) for repo in repos])


def _judge(repo: Path) -> int:
    faults = judged(repo)
    for fault in faults:
        print(f"{repo}: {fault}")
    return 1 if faults else 0


def judged(repo: Path) -> list[str]:
    """What is wrong with the account of a repository; prints its numbers."""
    blobs = _blobs(repo)
    leaves = {path: blob[0] for path, blob in blobs.items()}
    modes = {path: mode for path, mode in leaves.items() if _is_skill_file(path)}
    report = reported(repo)
    published = {_inside(entry.directory): entry for entry in report.entries}
    refused = {path for path in modes if path.rpartition("/")[0] in report.refused}
    copies = set(map(_inside, report.copies))
    rest = set(modes) - set(published) - refused - copies
    warned = sum(entry.has_findings for entry in report.entries)
    unlisted = len(report.unlisted.get("mcp", ()))
    counts = (len(modes), len(published) - warned, warned, len(refused), len(copies), len(rest))
    numbers = (*counts, unlisted)
    print(" ".join(f"{number:>8}" for number in numbers), repo)
    for reason, count in sorted(Counter(report.ignored.values()).items()):
        print(f"{'':8} {count} ignored: {reason}")
    faults = _faults(leaves, report, set(published), refused, rest)
    faults += _copy_faults(blobs, report, set(published) | refused)
    return [*faults, *listing_faults(report)]


def _faults(
    modes: Mapping[str, str],
    report: Reported,
    published: set[str],
    refused: set[str],
    rest: set[str],
) -> list[str]:
    faults = [f"{path} is published and refused" for path in sorted(published & refused)]
    faults += [f"{path} is published, but not in the tree" for path in published - set(modes)]
    for path in sorted(refused):
        folder = path.removesuffix("SKILL.md")
        if not any(place.startswith(folder) for place in report.erring):
            faults.append(f"{path} is refused without an error")
    if report.skills != len(report.entries):
        faults.append(
            f"{report.skills} skills are reported, {len(report.entries)} are in the catalog"
        )
    faults += [f"{path} is in no class" for path in sorted(rest - set(report.ignored))]
    skill_files = set(filter(_is_skill_file, report.ignored))
    faults += [f"{path} is ignored and more" for path in sorted(skill_files - rest)]
    for path, reason in sorted(report.ignored.items() ^ report.reported.items()):
        faults.append(f"{path} is ignored as {reason} in the report or the catalog, not in both")
    for path, reason in report.ignored.items():
        if _is_unread(reason, path) == modes.get(path, "").startswith("100"):
            faults.append(f"{path} is ignored as {reason}, with mode {modes.get(path)}")
        if reason == "dot-directory" and not any(map(_is_hidden, path.split("/"))):
            faults.append(f"{path} is ignored as {reason}")
    return faults


def _is_unread(reason: str, path: str) -> bool:
    """Whether what is ignored has to be a link or a submodule."""
    return reason in ("link", "submodule") or not _is_skill_file(path)


def _copy_faults(
    blobs: Mapping[str, tuple[str, str]], report: Reported, skills: set[str]
) -> list[str]:
    """What is wrong with the copies; `skills` are the SKILL.md of published and refused ones."""
    faults = [f"{copy} is a copy and more" for copy in report.copies if _inside(copy) in skills]
    of_entries = {copy: entry.directory for entry in report.entries for copy in entry.copies}
    named = {copy: skill for copy, skill in report.copies.items() if not report.refused & {skill}}
    if named != of_entries:
        faults.append("the report and the catalog name other copies")
    below: dict[str, dict[str, tuple[str, str]]] = {
        folder: {} for folder in {*report.copies, *report.copies.values()}
    }
    for path, blob in blobs.items():
        parts = path.split("/")
        for cut in range(len(parts)):
            folder = "/".join(parts[:cut])
            if folder in below:
                below[folder]["/".join(parts[cut:])] = blob
    for copy, skill in report.copies.items():
        if _inside(skill) not in skills:
            faults.append(f"{copy} is a copy of {skill}, which is no skill")
        if below[copy] != below[skill]:
            faults.append(f"{copy} has other files than {skill}")
    return faults


def _is_hidden(segment: str) -> bool:
    return segment.startswith(".")


def _is_skill_file(path: str) -> bool:
    return path.rpartition("/")[2] == "SKILL.md"


def _blobs(repo: Path) -> dict[str, tuple[str, str]]:
    """Path to mode and object id of everything in the tree of HEAD."""
    command = ["git", "-C", str(repo), "ls-tree", "-r", "-z", "--full-tree", "HEAD"]
    listing = subprocess.run(command, check=True, capture_output=True).stdout
    blobs = {}
    for line in filter(None, listing.decode(errors="surrogateescape").split("\0")):
        about, _, path = line.partition("\t")
        mode, _, object_id = about.split()
        blobs[path] = (mode, object_id)
    return blobs


def listing_faults(report: Reported) -> Iterator[str]:
    """What is wrong with the skills that listings leave out, and with what is said of them."""
    paths = {entry.path for entry in report.entries}
    internal = {entry.path for entry in report.entries if entry.internal}
    if internal != set(report.internal):
        yield f"other skills are internal: {sorted(internal ^ set(report.internal))}"
    for listing, listed in report.listed.items():
        left_out = report.unlisted.get(listing, {})
        wanted = paths - internal - left_out.keys()
        for path in sorted(listed - wanted):
            yield f"{path} is in {listing}, though the report says that it is not"
        for path in sorted(wanted - listed):
            yield f"{path} is not in {listing}, and the report does not name it"
        if empty := [path for path, reasons in left_out.items() if not reasons]:
            yield f"{listing} leaves out without a reason: {empty}"
    yield from _reason_faults(report)


def _reason_faults(report: Reported) -> Iterator[str]:
    """What is wrong with the reasons that are given, which are worked out here once more."""
    if beyond := report.unlisted.keys() - report.listed.keys():
        yield f"listings that are not there leave out skills: {sorted(beyond)}"
    for listing in ("index", "site"):
        if named := report.unlisted.get(listing):
            yield f"{listing} leaves out skills that are not internal: {sorted(named)}"
    own = {entry.path: _reasons(entry) for entry in report.entries if not entry.internal}
    if all(own.values()):  # None is there to be protected.
        own = {path: reasons & _FINAL for path, reasons in own.items()}
    mine = {path: reasons for path, reasons in own.items() if reasons}
    theirs = {path: set(codes) for path, codes in report.unlisted.get("mcp", {}).items()}
    for path in sorted(mine.keys() | theirs.keys()):
        if mine.get(path) != theirs.get(path):
            yield f"{path} is left out of mcp for {theirs.get(path)}; here it is {mine.get(path)}"


def _reasons(entry: Entry) -> set[str]:
    """Why MCP clients could not take a skill, or would refuse all others with it."""
    front = entry.frontmatter
    name, compatibility = front["name"], front.get("compatibility", "")
    is_text = isinstance(compatibility, str)
    files, size = len(entry.sizes), sum(size for _, size in entry.sizes)
    is_large = files > 512 or size > 16 * 2**20
    is_very_large = files > 1000 or size > 50 * 2**20
    met = {
        "name-invalid": not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", name) or len(name) > 64,
        "description-too-long": _units(front["description"]) > 1024,
        "metadata-type": not _is_map_of_texts(front.get("metadata", {})),
        "allowed-tools-type": not isinstance(front.get("allowed-tools", ""), str),
        "compatibility-type": not is_text,
        "compatibility-too-long": is_text and _units(compatibility) > 500,
        "skill-very-large": is_very_large,
        "skill-large": is_large and not is_very_large,
        "skill-path-authority": not re.fullmatch("[a-z0-9._-]+", entry.path.partition("/")[0]),
        "uri-too-long": any(len(uri) > 2048 for uri, _ in entry.sizes),
    }
    return {code for code, is_met in met.items() if is_met}


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _is_map_of_texts(value: object) -> bool:
    """`internal` may be a boolean: it keeps a skill out of every listing, if it is true."""
    return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())


def reported(repo: Path) -> Reported:
    """The report of a build of HEAD, and what its output holds."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "out"
        command = [sys.executable, "-m", "skillbuild", "build", str(repo), "-o", str(out)]
        options = ["--skip-invalid", "--format", "json", "--allow-empty", "--base-url", _SITE]
        done = subprocess.run([*command, *options], check=True, stdout=subprocess.PIPE)
        release = json.loads((out / "catalog.json").read_bytes())["release"]
        lines = [
            line
            for part in release["parts"]
            for line in _part(out, part["digest"]).read_text().splitlines()
        ]
        entries = [Entry.of(json.loads(line)) for line in lines]
        listed = _listed(out, entries)
        ignored = _list_of(out, release["ignored"])
    report = json.loads(done.stdout)
    errors = [item for item in report["diagnostics"] if item["severity"] == "error"]
    places = [place for item in errors for place in (item, *item.get("others", ()))]
    return Reported(
        entries=entries,
        skills=report["skills"],
        refused=frozenset(report["invalid"]),
        erring=frozenset(place["path"] for place in places),
        ignored=ignored,
        copies=report["copies"],
        reported=report["ignored"],
        unlisted=report["unlisted"],
        internal=report["internal"],
        listed=listed,
    )


def _part(out: Path, digest: str) -> Path:
    digits = digest.removeprefix("sha256:")
    return out / "record" / digits[:2] / f"{digits}.jsonl"


def _list_of(out: Path, value: Any) -> Mapping[str, str]:
    """By path the reasons in a list of a release: in the head, or if it is long in a blob."""
    if isinstance(value, dict):
        blob = out / "blobs/sha256" / value["digest"].removeprefix("sha256:")
        value = json.loads(blob.read_bytes())
    return {item["path"]: item["reason"] for item in value}


def _listed(out: Path, entries: Sequence[Entry]) -> dict[str, set[str]]:
    by_uri = {entry.uri: entry.path for entry in entries}
    by_name = {entry.flat_name: entry.path for entry in entries}
    files = {
        "discovery-0.1": ".well-known/skills/index.json",
        "discovery-0.2": ".well-known/agent-skills/index.json",
        "marketplace": "claude/marketplace.json",
    }
    index = json.loads((out / "index.json").read_bytes())["skills"]
    listed = {
        "mcp": {by_uri[uri] for uri in _asked(out)},
        "index": {by_uri[skill["url"]] for skill in index},
    }
    for listing, path in files.items():
        document = json.loads((out / path).read_bytes())
        skills = document["plugins" if listing == "marketplace" else "skills"]
        listed[listing] = {by_name[skill["name"]] for skill in skills}
    text = (out / "llms.txt").read_text("utf-8")
    listed["site"] = {
        path
        for path, name in ((entry.path, entry.flat_name) for entry in entries)
        if f"/.well-known/skills/{name}/SKILL.md)" in text
    }
    return listed


def _asked(out: Path) -> Iterator[str]:
    """The URIs that `skills/list` of the server gives, page by page."""
    command = [sys.executable, "-m", "skillbuild", "serve", str(out)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, **pipes) as server:  # type: ignore[call-overload]
        number = 0

        def ask(method: str, **params: object) -> Any:
            nonlocal number
            number += 1
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            server.stdin.write(json.dumps(message) + "\n")
            server.stdin.flush()
            while (answer := json.loads(server.stdout.readline())).get("id") != number:
                pass
            return answer["result"]

        client = {"name": "judge", "version": "1"}
        ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client)
        done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        server.stdin.write(json.dumps(done) + "\n")
        cursor: dict[str, object] = {}
        while True:
            page = ask("skills/list", **cursor)
            yield from (skill["uri"] for skill in page["skills"])
            if "nextCursor" not in page:
                break
            cursor = {"cursor": page["nextCursor"]}
        server.stdin.close()


def _inside(directory: str) -> str:
    return f"{directory}/SKILL.md" if directory else "SKILL.md"


if __name__ == "__main__":
    sys.exit(main())

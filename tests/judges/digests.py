"""Are the digests that an output states those of its files?

    python tests/judges/digests.py OUT...

Recomputes, with the standard library alone: every part of the record, every blob, every
skillDigest from its entry, every tarDigest by gunzip, digests and sizes of the index, of icons, of
the files of the search and of each release that is kept, filesDigest, and SHA256SUMS by
`sha256sum -c --strict`; the checksums must name every file but themselves. `release.json` must be
the object in the head, byte for byte, and no file beside those two and SHA256SUMS may have its
digest in it. Exit status 1 if one differs.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("outs", metavar="OUT", nargs="+", type=Path)
    return max([_judge(out) for out in parser.parse_args().outs])


def _judge(out: Path) -> int:
    counts: Counter[str] = Counter()
    faults = [
        *_faults_of_entries(out, counts),
        *_faults_of_release(out, counts),
        *_faults_of_checksums(out, counts),
    ]
    for fault in faults:
        print(f"{out}: {fault}")
    checked = ", ".join(f"{count:,} {what}" for what, count in sorted(counts.items()))
    print(f"{out}: {checked}; {len(faults)} wrong")
    return 1 if faults else 0


def _faults_of_entries(out: Path, counts: Counter[str]) -> Iterator[str]:
    head = json.loads((out / "catalog.json").read_bytes())
    release = head["release"]
    yield from _faults_of_search(out, counts)
    yield from _faults_of_stored(out, head, counts)
    contents = [_part(out, part["digest"]) for part in release["parts"]]
    entries = [json.loads(line) for content in contents for line in content.splitlines()]
    yield from _faults_of_icons(out, [release, *entries], counts)
    paths = [entry["path"] for entry in entries]
    if paths != sorted(set(paths)) or len(paths) != release["counts"]["skills"]:
        yield "the entries are not sorted, or not as many as is stated"
    for entry in entries:
        for item in entry["resources"]:
            data = (out / "blobs" / "sha256" / item["digest"].removeprefix("sha256:")).read_bytes()
            counts["resources"] += 1
            if (_digest(data), len(data)) != (item["digest"], item["size"]):
                yield f"blob of {item['uri']} differs"
        lines = [
            (item["path"].encode(), item["digest"], item["size"], "-x"[item["executable"]])
            for item in entry["resources"]
        ]
        listing = b"".join(
            f"{digest} {size} {bit} ".encode() + path + b"\n"
            for path, digest, size, bit in sorted(lines)
        )
        counts["skillDigest"] += 1
        if _digest(listing) != entry["skillDigest"]:
            yield f"skillDigest of {entry['path']} differs"
        tars = [item for item in entry["archives"] if item["path"].endswith(".tar.gz")]
        if bool(tars) != (entry["tarDigest"] is not None):
            yield f"{entry['path']} has a tarDigest without a tar.gz, or the other way round"
        for tar in tars:
            counts["tarDigest"] += 1
            if _digest(gzip.decompress((out / tar["path"]).read_bytes())) != entry["tarDigest"]:
                yield f"tarDigest of {entry['path']} differs"


def _faults_of_icons(out: Path, owners: list[Any], counts: Counter[str]) -> Iterator[str]:
    for icon in (icon for owner in owners for icon in owner["icons"]):
        counts["icons"] += 1
        data = (out / icon["path"]).read_bytes()
        if (_digest(data), len(data)) != (icon["digest"], icon["size"]):
            yield f"{icon['path']} differs"


def _faults_of_stored(out: Path, head: Any, counts: Counter[str]) -> Iterator[str]:
    """Whether the parts, the index, and this and each earlier release are what they are named."""
    for part in head["release"]["parts"]:
        counts["parts"] += 1
        data = _part(out, part["digest"])
        lines = [json.loads(line)["path"] for line in data.splitlines()]
        stated = (part["digest"], part["size"], part["count"], part["first"])
        if (_digest(data), len(data), len(lines), lines[0]) != stated:
            yield f"part {part['digest']} differs"
    releases = [(each["digest"], each["size"]) for each in head["publication"]["releases"]]
    own = json.dumps(head["release"], separators=(",", ":")).encode()
    for digest, size in ((_digest(own), len(own)), *_named_by(head["release"]), *releases):
        counts["blobs of the record"] += 1
        data = (out / "blobs" / "sha256" / digest.removeprefix("sha256:")).read_bytes()
        if (_digest(data), len(data)) != (digest, size):
            yield f"the blob {digest} differs"


def _faults_of_release(out: Path, counts: Counter[str]) -> Iterator[str]:
    """Whether `release.json` is the object in the head, its files are covered, and nobody says its
    digest.
    """
    data = (out / "release.json").read_bytes()
    if b'"release":' + data + b"," not in (out / "catalog.json").read_bytes():
        yield "release.json is not the object in the head"
    release, lines = json.loads(data), b""
    for name, path in (("index", "index.json"), ("search", "search/manifest.js")):
        content = (out / path).read_bytes()
        if (_digest(content), len(content)) != (release[f"{name}Digest"], release[f"{name}Size"]):
            yield f"{path} is not what the release says"
    for line in (out / "SHA256SUMS").read_bytes().splitlines(keepends=True):
        path = line[66:].decode().rstrip("\n")
        if _is_at_fixed_address(path):
            counts["fixed addresses"] += 1
            lines += line
    if _digest(lines) != release["filesDigest"]:
        yield "filesDigest differs"
    own = _digest(data).removeprefix("sha256:").encode()
    for file in out.rglob("*"):
        if file.is_file() and file.name != "SHA256SUMS" and own in file.read_bytes():
            yield f"{file.relative_to(out)} has the digest of the release in it"


def _is_at_fixed_address(path: str) -> bool:
    above, found, _ = path.partition(".well-known/")
    if found and (above == "" or above.startswith(("groups/", "skills/", "versions/"))):
        return "/-/" not in above
    return path in ("index.json", "llms.txt", "search/manifest.js") or path.startswith("claude/")


def _faults_of_search(out: Path, counts: Counter[str]) -> Iterator[str]:
    for path in (out / "search").glob(f"{'[0-9a-f]' * 64}.js"):
        counts["files of the search"] += 1
        if _digest(path.read_bytes()) != f"sha256:{path.stem}":
            yield f"{path.name} differs"


def _named_by(release: Any) -> Iterator[tuple[str, int]]:
    """Digests and sizes of what is a blob beside its fixed path."""
    yield from ((release[f"{name}Digest"], release[f"{name}Size"]) for name in ("index", "search"))


def _part(out: Path, digest: str) -> bytes:
    name = digest.removeprefix("sha256:")
    return (out / "record" / name[:2] / f"{name}.jsonl").read_bytes()


def _faults_of_checksums(out: Path, counts: Counter[str]) -> Iterator[str]:
    command = ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"]
    done = subprocess.run(command, cwd=out, capture_output=True, text=True, check=False)
    if done.returncode:
        yield f"sha256sum: {done.stdout.strip()[:500]} {done.stderr.strip()[:500]}"
    lines = (out / "SHA256SUMS").read_text("utf-8").splitlines()
    named = {line[66:] for line in lines}
    there = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    counts["checksums"] = len(lines)
    if len(lines) != len(named):
        yield "SHA256SUMS names a file twice"
    if odd := named ^ (there - {"SHA256SUMS"}):
        yield f"SHA256SUMS and the files differ at {', '.join(sorted(odd)[:5])}"


def _digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


if __name__ == "__main__":
    sys.exit(main())

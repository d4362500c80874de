"""Are the digests that an output states those of its files?

    python tests/judges/digests.py OUT...

Recomputes, with the standard library alone: every part of the record, every blob, every
skillDigest from its entry, every tarDigest by gunzip, the digests of the index, of the files of the
search and of each release that is kept, and SHA256SUMS by `sha256sum -c --strict`; the checksums
must name every file but themselves. Exit status 1 if one differs.
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
    faults = [*_faults_of_entries(out, counts), *_faults_of_checksums(out, counts)]
    for fault in faults:
        print(f"{out}: {fault}")
    checked = ", ".join(f"{count:,} {what}" for what, count in sorted(counts.items()))
    print(f"{out}: {checked}; {len(faults)} wrong")
    return 1 if faults else 0


def _faults_of_entries(out: Path, counts: Counter[str]) -> Iterator[str]:
    head = json.loads((out / "catalog.json").read_bytes())
    release = head["release"]
    if release["indexDigest"] != _digest((out / "index.json").read_bytes()):
        yield "indexDigest differs"
    yield from _faults_of_search(out, release, counts)
    yield from _faults_of_stored(out, head, counts)
    contents = [_part(out, part["digest"]) for part in release["parts"]]
    entries = [json.loads(line) for content in contents for line in content.splitlines()]
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


def _faults_of_stored(out: Path, head: Any, counts: Counter[str]) -> Iterator[str]:
    """Whether the parts, the index, and this and each earlier release are what they are named."""
    for part in head["release"]["parts"]:
        counts["parts"] += 1
        data = _part(out, part["digest"])
        lines = [json.loads(line)["path"] for line in data.splitlines()]
        stated = (part["digest"], part["size"], part["count"], part["first"])
        if (_digest(data), len(data), len(lines), lines[0]) != stated:
            yield f"part {part['digest']} differs"
    releases = [each["digest"] for each in head["publication"]["releases"]]
    own = json.dumps(head["release"], separators=(",", ":")).encode()
    for digest in (_digest(own), *_digests_of_heads(head["release"]), *releases):
        counts["blobs of the record"] += 1
        blob = out / "blobs" / "sha256" / digest.removeprefix("sha256:")
        if _digest(blob.read_bytes()) != digest:
            yield f"the blob {digest} differs"


def _faults_of_search(out: Path, release: Any, counts: Counter[str]) -> Iterator[str]:
    if release["searchDigest"] != _digest((out / "search/manifest.js").read_bytes()):
        yield "searchDigest differs"
    for path in (out / "search").glob(f"{'[0-9a-f]' * 64}.js"):
        counts["files of the search"] += 1
        if _digest(path.read_bytes()) != f"sha256:{path.stem}":
            yield f"{path.name} differs"


def _digests_of_heads(release: Any) -> Iterator[str]:
    """Of what is a blob beside its fixed path."""
    yield from (release["indexDigest"], release["searchDigest"])


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

"""What the last build made of the older states of skills, read only when a skill has changed.

Each skill has a row, which goes from build to build as it is while the skill stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from skillbuild.cache import signed_files
from skillbuild.cache.signed_files import Part
from skillbuild.compile.result import SkillResult
from skillbuild.compile.states import Judged, Made, StateResults
from skillbuild.emit.versions import Difference
from skillbuild.model import Digest
from skillbuild.output.stage import Publication

KIND = "versions"


@dataclass(frozen=True)
class EarlierStates:
    """The results that were stored with one release of an output; an `Earlier`."""

    out: Path
    inputs: str
    """The key of what that build depended on."""
    record: str
    """The digest of its record, in hex."""

    @cached_property
    def rows(self) -> Mapping[str, memoryview]:
        """The row of each skill by directory; nothing if another release was stored meanwhile."""
        data = signed_files.read(self.out, KIND) or b""
        try:
            end = data.index(b"\n") + 1
            head = json.loads(data[:end])
            if (head["inputs"], head["record"]) != (self.inputs, self.record):
                return {}
            rows, start = {}, end
            for directory, length in head["lengths"].items():
                rows[directory] = memoryview(data)[start : start + length]
                start += length
        except (AttributeError, KeyError, TypeError, ValueError):  # None, or by another version.
            return {}
        return rows

    def of(self, directory: str) -> StateResults:
        row = self.rows.get(directory)
        try:
            return _decode(bytes(row)) if row else StateResults()
        except (AttributeError, KeyError, TypeError, ValueError):
            return StateResults()

    def __getstate__(self) -> dict[str, object]:
        """Each process reads the rows itself, if it needs any."""
        return {"out": self.out, "inputs": self.inputs, "record": self.record}


def write_versions(
    out: Path,
    inputs: str,
    publication: Publication,
    results: Iterable[SkillResult],
    earlier: EarlierStates | None,
) -> None:
    """Store the results of a release that was just published, those of `earlier` where they hold.

    `inputs` is the key of what the build depends on.
    """
    files = None
    rows: dict[str, Part] = {}
    for result in results:
        if result.states is None:
            row = earlier.rows.get(result.directory) if earlier else None
        else:
            files = files or frozenset(publication.checksums.lines)
            row = memoryview(_encode(result.states, files))
        if row:
            rows[result.directory] = row
    if not rows and (earlier is None or not earlier.rows):
        return
    head = {
        "inputs": inputs,
        "record": publication.record_digest.hex,
        "lengths": {directory: len(row) for directory, row in rows.items()},
    }
    parts = [json.dumps(head).encode(), b"\n", *rows.values()]
    signed_files.write(out, KIND, parts)


def _encode(results: StateResults, files: frozenset[bytes]) -> bytes:
    """One row of JSON; empty for a skill without versions.

    Versions of one skill have most files in common, so each is written once and then counted. What
    has a file that is none of the `files` of the release is left out.
    """
    made = {key: each for key, each in results.made.items() if _lines(each) <= files}
    if not results.judged and not made:
        return b""
    number: dict[tuple[bytes, int], int] = {}
    for each in made.values():
        for file in each.addressed:
            number.setdefault(file, len(number))
    row = {
        "judged": [
            {"place": place, "key": key, **asdict(judged)}
            for place, (key, judged) in results.judged.items()
        ],
        "files": [[line.decode(), size] for line, size in number],
        "made": [
            {
                "key": key,
                "label": each.label,
                "difference": each.difference and asdict(each.difference),
                "addressed": [number[file] for file in each.addressed],
                "pages": [line.decode() for line in each.pages],
            }
            for key, each in made.items()
        ],
    }
    return json.dumps(row).encode()


def _lines(made: Made) -> set[bytes]:
    return {*made.pages, *(line for line, _ in made.addressed)}


def _decode(row: bytes) -> StateResults:
    value = json.loads(row)
    files = [(line.encode(), size) for line, size in value["files"]]
    judged = {}
    for each in value["judged"]:
        tree, directory = each.pop("place")
        judged[tree, directory] = (each.pop("key"), _judged(each))
    made = {
        each["key"]: Made(
            each["label"],
            Difference(**_tuples(each["difference"])) if each["difference"] else None,
            tuple(files[number] for number in each["addressed"]),
            tuple(line.encode() for line in each["pages"]),
        )
        for each in value["made"]
    }
    return StateResults(judged, made)


def _judged(fields: dict[str, Any]) -> Judged:
    digest = fields.pop("digest")
    return Judged(**_tuples(fields), digest=Digest.parse(digest) if digest else None)


def _tuples(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()
    }

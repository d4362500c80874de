"""`history.json`: the commit that last changed each skill; only with full history at hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from skillbuild.model import Change, OutputFile
from skillbuild.text.json import json_document, json_line


def emit(changes: Mapping[str, Change]) -> Iterator[OutputFile]:
    """The file, one skill a line, sorted by path; none if no change is known.

    `changes` are by skill path.
    """
    if changes:
        rows = (
            json_line(
                {
                    "path": path,
                    "commit": change.commit,
                    "date": change.date,
                    "seconds": change.seconds,
                }
            )
            for path, change in sorted(changes.items())
        )
        yield OutputFile("history.json", json_document({}, "skills", rows))

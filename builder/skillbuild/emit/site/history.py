"""`history.json`: the commit that last changed each skill; only with full history at hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from skillbuild import jsontext
from skillbuild.model import Change, OutputFile


def emit(changes: Mapping[str, Change]) -> Iterator[OutputFile]:
    """One skill a line, sorted by path; nothing at all when no history is known."""
    if changes:
        rows = (
            jsontext.line(
                {
                    "path": path,
                    "commit": change.commit,
                    "date": change.date,
                    "seconds": change.seconds,
                }
            )
            for path, change in sorted(changes.items())
        )
        yield OutputFile("history.json", jsontext.document({}, "skills", rows))

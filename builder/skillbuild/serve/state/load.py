"""Opens the release of an output: its head is read whole, and its parts are seen to be there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from skillbuild.errors import OutputError
from skillbuild.model import Digest
from skillbuild.release import record
from skillbuild.release.entries import EntryLines
from skillbuild.release.layout import HISTORY_FILE, RECORD_FILE, blob_path
from skillbuild.release.parts import Part
from skillbuild.release.record import Record
from skillbuild.release.sorted_lines import SortedLines
from skillbuild.serve.state import files
from skillbuild.serve.state.faults import DamagedError
from skillbuild.serve.state.files import Output
from skillbuild.serve.state.parts import ServedParts
from skillbuild.serve.state.release import PUBLIC, ServedRelease
from skillbuild.serve.state.selection import Selection
from skillbuild.storage.files import Directory

if TYPE_CHECKING:
    from skillbuild.serve.state.remote_files import RemoteFiles

_UNREAD = ("skipped", "ignored", "withdrawn")
"""Lists that no answer needs; that of what was left out has 700 kB in a registry of 60,000."""


def load_release(out: Path, only: Selection | None = None) -> ServedRelease:
    """The release that `out` holds, or a part of it.

    `OutputError` gives the reason when it cannot be served, `UnavailableError` if it may be served
    at another time.
    """
    data = files.read(out / RECORD_FILE)
    if data is None:
        raise OutputError(f"{out / RECORD_FILE} is missing; run build first")
    head = record.decode(data, Directory(out), unread=_UNREAD)
    _require_files(out, head, EntryLines.of(head.catalog.entries).parts)
    return _served(out, data, head, only, _read_history(out / HISTORY_FILE))


def remote_release(out: RemoteFiles, data: bytes, only: Selection | None = None) -> ServedRelease:
    """The release with this head, whose other files are elsewhere; raises the same.

    No digest covers the history, so it is not known of which release the one there would be.
    """
    head = record.decode(data, out, REMOTE_REMEDY, _UNREAD)
    return _served(out, data, head, only, SortedLines(b""))


REMOTE_REMEDY = "publish the output again"


def _served(
    out: Output, data: bytes, head: Record, only: Selection | None, history: SortedLines
) -> ServedRelease:
    parts = ServedParts(out, EntryLines.of(head.catalog.entries).parts, only)
    try:
        parts.count(PUBLIC)  # Now, and not while a client waits.
    except DamagedError as error:
        where = out if isinstance(out, Path) else out.origin.where
        raise OutputError(f"{where} is damaged: {error}; run build again") from error
    return ServedRelease(
        out=out,
        digest=Digest.of(data),
        record=head,
        parts=parts,
        is_partial=only is not None,
        history=history,
    )


def _require_files(out: Path, head: Record, parts: Sequence[Part]) -> None:
    """Raise for a part or an index that is not there, or is larger or smaller than it was."""
    sizes = {part.path: part.size for part in parts}
    for path, size in {**sizes, blob_path(head.index_digest): None}.items():
        actual = files.size(out / path)
        if actual is None:
            raise OutputError(f"{out / path} is missing; run build again")
        if size not in (None, actual):
            raise OutputError(f"{out / path} is damaged: wrong size; run build again")


def _read_history(path: Path) -> SortedLines:
    """The rows of `history.json`, which stand between its first line and its last."""
    data = files.read(path) or b""
    return SortedLines(data, data.find(b"\n") + 1, max(0, data.rfind(b"\n", 0, -1)))

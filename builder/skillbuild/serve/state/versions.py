"""Versions of skills: each is read from its own file when a URI names it, and is listed nowhere.

The head of the record does not name them, as they are many. A `version.json` proves itself: its
address is the digest of the files that it names.
"""

from __future__ import annotations

import re
from contextlib import closing
from functools import partial
from pathlib import Path

from skillbuild.model import Version
from skillbuild.release.record import Record
from skillbuild.release.versions import version_path
from skillbuild.serve.state import files
from skillbuild.serve.state.bounded_cache import BoundedCache
from skillbuild.serve.state.checksums import OpenChecksums
from skillbuild.serve.state.entries import ServedEntry, read_version
from skillbuild.serve.state.faults import DamagedError
from skillbuild.serve.state.selection import Selection
from skillbuild.uris import CATALOG_ROOT

_VERSIONS = f"{CATALOG_ROOT}/versions/"
_DIGITS = re.compile("[0-9a-f]{16}")
_MOST_HELD = 64


class ServedVersions:
    """The versions of one release by their addresses. Threads may share it."""

    def __init__(self, out: files.Output, record: Record, only: Selection | None) -> None:
        """`only` chooses versions by the skill path that they had."""
        self._out, self._only = out, only
        self._any = record.catalog.versions is not None
        self._yanked = frozenset(digest.short for digest in record.yanked)
        self._held: BoundedCache[str, ServedEntry | None] = BoundedCache(_MOST_HELD)

    def around(self, uri: str) -> ServedEntry | None:
        """The version whose address a URI begins with; None for any other URI.

        Raises `DamagedError` for one whose `version.json` is not what was published, and
        `UnavailableError` if it cannot be read now.
        """
        if not self._any or not uri.startswith(_VERSIONS):
            return None
        digits = uri[len(_VERSIONS) :].partition("/")[0]
        if not _DIGITS.fullmatch(digits) or digits in self._yanked:
            return None
        return self._held.get(digits, partial(self._read, digits))

    def of(self, version: Version) -> ServedEntry | None:
        """The files of a version that a skill lists; None if it is not served."""
        return self.around(f"{CATALOG_ROOT}/{version.address}")

    def _read(self, digits: str) -> ServedEntry | None:
        where = version_path(f"versions/{digits}")
        data = files.read_in(self._out, where)
        if data is None:
            self._require_unnamed(where)
            return None
        entry = read_version(data, where)
        is_served = self._only is None or (entry.origin and self._only(entry.origin.path))
        return entry if is_served else None

    def _require_unnamed(self, where: str) -> None:
        """Raise for a file that should be there; elsewhere nothing can tell."""
        if not isinstance(self._out, Path):
            return
        with closing(OpenChecksums(self._out)) as checksums:
            if checksums.find(where) is not None:
                raise DamagedError(where, "missing")

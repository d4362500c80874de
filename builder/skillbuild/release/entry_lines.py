"""The entries of a record as the lines of JSON that they are published as.

A catalog of ten thousand skills takes five times the memory as objects, and most of its entries
are only copied from one release to the next.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence

from skillbuild.model import Entry
from skillbuild.release.entry import decode_entry, encode_entry

_PATH_START = len(b'{"path":')
_AFTER_PATH = b',"flatName":'
_AFTER_HEAD = b',"frontmatter":'


class EntryLines(Collection[Entry]):
    """A collection of entries; each is decoded when somebody iterates over it."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self.lines = lines

    @classmethod
    def of(cls, entries: Collection[Entry]) -> EntryLines:
        """The same entries as lines, encoded only if they are not lines yet."""
        return entries if isinstance(entries, cls) else cls(list(map(encode_entry, entries)))

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[Entry]:
        return map(decode_entry, self.lines)

    def __contains__(self, entry: object) -> bool:
        return isinstance(entry, Entry) and encode_entry(entry) in self.lines

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EntryLines) and self.lines == other.lines

    def __hash__(self) -> int:
        return hash(tuple(self.lines))

    def by_path(self) -> dict[str, bytes]:
        """The lines by skill path, which is the first field of each."""
        return {_path_in(line): line for line in self.lines}

    def paths_by_directory(self) -> dict[str, str]:
        """The skill paths by directory; nothing else of the entries is read."""
        heads = (json.loads(line[: line.index(_AFTER_HEAD)] + b"}") for line in self.lines)
        return {head["directory"]: head["path"] for head in heads}

    def without(self, others: EntryLines) -> EntryLines:
        """The lines that do not stand among the others, byte for byte."""
        excluded = set(others.lines)
        return EntryLines([line for line in self.lines if line not in excluded])


def _path_in(line: bytes) -> str:
    text = line[_PATH_START : line.index(_AFTER_PATH)]
    return str(json.loads(text)) if b"\\" in text else text[1:-1].decode()

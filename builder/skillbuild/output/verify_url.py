"""Does an address serve the release that was built? Hosts take a while, so it is asked again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from skillbuild.errors import OutputError
from skillbuild.model import Digest
from skillbuild.output import remote
from skillbuild.release import record
from skillbuild.release.layout import INDEX_FILE, RECORD_FILE

_PAUSE = 5.0


def verify(
    url: str, expected: Digest | None, wait: float, pause: Callable[[float], None] = time.sleep
) -> list[str]:
    """What is wrong with the index at `url`, asked anew for at most `wait` seconds."""
    until = time.monotonic() + wait
    while faults := list(_faults(url, expected)):
        left = until - time.monotonic()
        if left <= 0:
            return faults
        pause(min(left, _PAUSE))
    return []


def _faults(url: str, expected: Digest | None) -> Iterator[str]:
    try:
        read = remote.reader(url)
        index = read(INDEX_FILE, remote.LARGEST_RECORD)
        data = read(RECORD_FILE, remote.LARGEST_RECORD)
        if index is None or data is None:
            yield f"{INDEX_FILE if index is None else RECORD_FILE} is not there"
            return
        release = record.decode(data)
    except OutputError as error:
        yield str(error)
        return
    found = Digest.of(index)
    if expected is not None and found != expected:
        yield f"{INDEX_FILE} is {found} in place of {expected}"
    if found != release.index_digest:
        yield f"{INDEX_FILE} is not the index that {RECORD_FILE} names"

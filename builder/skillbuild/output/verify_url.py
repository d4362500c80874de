"""Checks that a URL serves a release; again and again, as hosts take a while to publish it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from skillbuild.errors import OutputError
from skillbuild.model import Digest
from skillbuild.output import remote
from skillbuild.release import record
from skillbuild.release.layout import INDEX_FILE, RECORD_FILE

_PAUSE = 5.0
"""Seconds between two requests."""
_PUBLISH = "publish the output again, or wait longer with --wait"


def verify(
    url: str, expected: Digest | None, wait: float, pause: Callable[[float], None] = time.sleep
) -> list[str]:
    """What is wrong with the index at `url`; asks until nothing is, at most for `wait` seconds.

    Right is an index of the digest that the record beside it names, and of `expected` if given.
    """
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
            missing = INDEX_FILE if index is None else RECORD_FILE
            yield f"{missing} is not there; {_PUBLISH}"
            return
        release = record.decode(data, read)
    except OutputError as error:
        yield str(error)
        return
    digest = Digest.of(index)
    if expected is not None and digest != expected:
        yield f"{INDEX_FILE} is {digest} in place of {expected}; {_PUBLISH}"
    if digest != release.index_digest:
        yield f"{INDEX_FILE} is not the index that {RECORD_FILE} names; {_PUBLISH}"

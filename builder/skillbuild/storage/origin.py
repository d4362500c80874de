"""An origin: where a release is published that is read from afar, by URL or in an object store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from skillbuild.errors import OutputError


class UnreachableError(OutputError):
    """An origin does not answer as it should, now; it may at another time."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long an origin is waited for, in seconds, and how often it is asked."""

    connect: float
    silence: float
    """Between two pieces of a body."""
    whole: float
    """For all attempts together."""
    attempts: int


FOR_COMMANDS = Patience(connect=10, silence=20, whole=120, attempts=4)
FOR_SERVERS = Patience(connect=3, silence=5, whole=15, attempts=3)
"""A client waits meanwhile."""


@dataclass(frozen=True, slots=True)
class Versioned:
    """A file whose content changes under its name, as it was when it was read."""

    data: bytes | None
    """None if the version is the one that the reader has."""
    tag: str
    """Names the version; empty where the origin has no names for them."""


class OriginFiles(Protocol):
    """Reads files by their paths; threads may share it.

    `most` is the number of bytes that a file may have, which is known before more are read.
    `UnreachableError` for what may pass, `OutputError` for what does not.
    """

    where: str
    """The address, escaped for messages."""

    def read(self, path: str, most: int) -> bytes | None:
        """A file; None if there is none."""

    def read_changing(self, path: str, most: int, tag: str = "") -> Versioned | None:
        """The same past all caches, unless its version is still the one of `tag`."""

    def size(self, path: str) -> int | None:
        """Bytes of a file; None if there is none, or if the origin does not say."""

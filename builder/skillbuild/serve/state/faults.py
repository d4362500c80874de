"""What is raised when a file of the output cannot be served."""

from __future__ import annotations


class UnreadableError(Exception):
    """A file of the output cannot be served; the text says which, or what is wrong with it."""


class DamagedError(UnreadableError):
    """It is missing or not what was published: to try again is no help."""


class DamagedContentError(DamagedError):
    """The same for the file that a client asked for; the text says what is wrong with it."""

    def __init__(self, uri: str, reason: str) -> None:
        super().__init__(reason)
        self.uri = uri


class UnavailableError(UnreadableError):
    """The system could not read it just now, as when it has no file descriptors left."""


class OtherReleaseError(Exception):
    """What a client sent belongs to another release than the one that is asked."""

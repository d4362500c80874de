"""What is raised when a file of the output cannot be served, or not at once."""

from __future__ import annotations

from collections.abc import Callable


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


class NotFetchedError(Exception):
    """A file is elsewhere: `fetch` gets it, in a thread, and then the request can be answered."""

    def __init__(self, fetch: Callable[[], object]) -> None:
        super().__init__()
        self.fetch = fetch


class OtherReleaseError(Exception):
    """What a client sent belongs to another release than the one that is asked."""

"""What is raised when a file of the output cannot be served, or not at once."""

from __future__ import annotations

from skillbuild.storage.files import DamagedError as DamagedError  # noqa: PLC0414
from skillbuild.storage.files import FileError
from skillbuild.storage.files import UnavailableError as UnavailableError  # noqa: PLC0414

UnreadableError = FileError


class DamagedContentError(DamagedError):
    """The same for the file that a client asked for."""

    def __init__(self, uri: str, reason: str) -> None:
        super().__init__(uri, reason)
        self.uri = uri


class OtherReleaseError(Exception):
    """What a client sent belongs to another release than the one that is asked."""

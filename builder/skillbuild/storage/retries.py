"""Tries again what failed for now: later and later, and not all at the same moment."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TypeVar

from skillbuild.storage.origin import Patience, UnreachableError

Result = TypeVar("Result")

FIRST_PAUSE = 0.25
LONGEST_PAUSE = 30.0
"""Seconds."""


class TryLaterError(UnreachableError):
    """An attempt failed; `after` is when the origin wants to be asked again, in seconds."""

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


def retried(attempt: Callable[[float], Result], patience: Patience) -> Result:
    """What an attempt returns; it gets the time at which all must be over (`time.monotonic`).

    Raises the error of the last attempt.
    """
    until = time.monotonic() + patience.whole
    for number in range(1, patience.attempts + 1):
        try:
            return attempt(until)
        except TryLaterError as error:
            pause = _pause(number, error.after)
            if number == patience.attempts or time.monotonic() + pause >= until:
                raise
            time.sleep(pause)
    raise AssertionError("at least one attempt is made")


def _pause(number: int, wanted: float | None) -> float:
    """Twice as long each time, less a random part; at least what the origin wants."""
    pause: float = FIRST_PAUSE * 2**number * random.uniform(0.5, 1)  # noqa: S311 (it hides nothing)
    return min(LONGEST_PAUSE, max(pause, wanted or 0))

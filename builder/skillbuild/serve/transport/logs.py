"""Writes the log of the server to standard error, with a limit of lines per minute.

The limit keeps the log from filling the disk when the server is attacked. If the log cannot be
written, the server continues.
"""

from __future__ import annotations

import logging
import sys
import time
from contextlib import suppress

from skillbuild.errors import OutputError
from skillbuild.text.wording import plural

MOST_LINES = 60
_SECONDS = 60.0


class LimitedHandler(logging.Handler):
    """Writes only the first lines of each minute, and then how many lines were left out."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._since, self._lines, self._left_out = 0.0, 0, 0

    def emit(self, record: logging.LogRecord) -> None:
        now = time.monotonic()
        if not self._lines or now >= self._since + _SECONDS:
            if self._left_out:
                _try_to_write(f"{plural(self._left_out, 'more line')} left out")
            self._since, self._lines, self._left_out = now, 0, 0
        text = self.format(record)
        count = text.count("\n") + 1
        if self._lines + count > MOST_LINES:
            self._left_out += count
        else:
            self._lines += count
            _try_to_write(text)


def _is_wanted(record: logging.LogRecord) -> bool:
    """Return whether to log a record.

    uvicorn's advice to install packages, given for every request that asks for a WebSocket, is not
    logged.
    """
    return "pip install" not in str(record.msg)


def set_up() -> None:
    """Send the warnings of all libraries, and the lines of `report`, to standard error."""
    handler = LimitedHandler()
    handler.addFilter(_is_wanted)
    logging.basicConfig(handlers=[handler], format="%(message)s", force=True)


def announce(message: str) -> None:
    """Print the address of the server; raise `OutputError` if it cannot be printed."""
    try:
        _write(message)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(f"cannot write to standard error: {reason.lower()}") from error


def _try_to_write(text: str) -> None:
    with suppress(OSError, ValueError):
        _write(text)


def _write(text: str) -> None:
    if sys.stderr is not None:
        line = text.encode("ascii", "backslashreplace").decode()
        print(f"skillbuild: {line}", file=sys.stderr, flush=True)

"""Reads files over HTTP, of bounded size and in bounded time."""

from __future__ import annotations

import time
import urllib.request
from http.client import HTTPException, HTTPResponse
from urllib.error import HTTPError, URLError

from skillbuild import __version__
from skillbuild.diagnostics import escape
from skillbuild.errors import OutputError

LONGEST_SILENCE = 20.0
"""Seconds between two pieces of a body."""
LONGEST_TRANSFER = 120.0
"""Seconds for a whole body."""
_CHUNK = 64 * 1024


def get(url: str, most: int, *, past_caches: bool = False) -> bytes | None:
    """The body of a URL, None for status 404; any other failure is an `OutputError`.

    A body of more than `most` bytes is such a failure. With `past_caches` the URL gets a query
    that no cache has seen: for a file whose content changes under its name.
    """
    query = f"?{time.time_ns()}" if past_caches else ""
    until = time.monotonic() + LONGEST_TRANSFER
    body = bytearray()
    try:
        with _opener().open(url + query, timeout=LONGEST_SILENCE) as response:
            while piece := _piece(response):
                body += piece
                if len(body) > most:
                    raise OutputError(f"{escape(url)} is larger than {most:,} bytes")
                if time.monotonic() > until:
                    raise OutputError(f"{escape(url)} took more than {LONGEST_TRANSFER:.0f} s")
    except HTTPError as error:
        with error:
            if error.code == 404:
                return None
            raise OutputError(f"cannot read {escape(url)}: {error}") from error
    except (OSError, HTTPException, ValueError) as error:
        raise OutputError(f"cannot read {escape(url)}: {_reason(error)}") from error
    return bytes(body)


def _reason(error: Exception) -> str:
    """Why a URL could not be read, without the words that urllib puts around it."""
    cause = error.reason if isinstance(error, URLError) else error
    text = cause.strerror if isinstance(cause, OSError) and cause.strerror else str(cause)
    return escape(text[:1].lower() + text[1:])


def _piece(response: HTTPResponse) -> bytes:
    """The next bytes as soon as some are there; empty at the end."""
    return response.read1(_CHUNK)


def _opener() -> urllib.request.OpenerDirector:
    """Speaks HTTP and HTTPS only, so that a redirect can lead to no local file."""
    opener = urllib.request.OpenerDirector()
    opener.addheaders = [
        ("User-Agent", f"skillbuild/{__version__}"),
        ("Cache-Control", "no-cache"),
    ]
    for handler in (
        urllib.request.ProxyHandler,
        urllib.request.UnknownHandler,
        urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler,
        urllib.request.HTTPDefaultErrorHandler,
        urllib.request.HTTPRedirectHandler,
        urllib.request.HTTPErrorProcessor,
    ):
        opener.add_handler(handler())
    return opener

"""Files of a release by HTTP: of bounded size, in bounded time, past every cache."""

from __future__ import annotations

import time
import urllib.request
from http.client import HTTPException, HTTPResponse
from urllib.error import HTTPError, URLError

from skillbuild import __version__
from skillbuild.diagnostics import escape
from skillbuild.errors import OutputError
from skillbuild.release.layout import INDEX_FILE, RECORD_FILE

LONGEST_SILENCE = 20.0
LONGEST_TRANSFER = 120.0
"""Seconds: between two pieces of a file, and for a whole one."""
_CHUNK = 64 * 1024


def _anew(url: str) -> str:
    """A query that no cache has met, for the two files whose content changes under their name."""
    return f"?{time.time_ns()}" if url.endswith((f"/{RECORD_FILE}", f"/{INDEX_FILE}")) else ""


def get(url: str, most: int) -> bytes | None:
    """The body of a URL, at most so many bytes, in bounded time; None when it is not there."""
    until = time.monotonic() + LONGEST_TRANSFER
    body = bytearray()
    try:
        with _opener().open(url + _anew(url), timeout=LONGEST_SILENCE) as response:
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
    """What kept a URL from being read, without the words that urllib puts around it."""
    cause = error.reason if isinstance(error, URLError) else error
    text = cause.strerror if isinstance(cause, OSError) and cause.strerror else str(cause)
    return escape(text[:1].lower() + text[1:])


def _piece(response: HTTPResponse) -> bytes:
    return response.read1(_CHUNK)


def _opener() -> urllib.request.OpenerDirector:
    """Speaks HTTP alone: a redirection can lead to no file and to no other protocol."""
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

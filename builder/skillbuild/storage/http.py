"""Reads files over HTTP, of bounded size and in bounded time.

A token of the environment goes to the origin that it is for, and to no other.
"""

from __future__ import annotations

import time
import urllib.request
from http.client import HTTPException, HTTPResponse
from urllib.error import HTTPError, URLError

from skillbuild import __version__
from skillbuild.diagnostics import escape
from skillbuild.errors import OutputError
from skillbuild.storage.credentials import ORIGIN, TOKEN, Credential, from_environment

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
    credential = from_environment()
    until = time.monotonic() + LONGEST_TRANSFER
    body = bytearray()
    try:
        with _opener(credential).open(url + query, timeout=LONGEST_SILENCE) as response:
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
            reason = f"{_without(credential, str(error))}{_remedy(error.code)}"
            raise OutputError(f"cannot read {escape(url)}: {reason}") from error
    except (OSError, HTTPException, ValueError) as error:
        reason = _without(credential, _reason(error))
        raise OutputError(f"cannot read {escape(url)}: {reason}") from error
    return bytes(body)


def _without(credential: Credential | None, text: str) -> str:
    """A text without the token, as one line."""
    return escape(text if credential is None else credential.hidden(text))


def _remedy(status: int) -> str:
    return f"; {TOKEN} and {ORIGIN} give a token" if status in (401, 403) else ""


def _reason(error: Exception) -> str:
    """Why a URL could not be read, without the words that urllib puts around it."""
    cause = error.reason if isinstance(error, URLError) else error
    text = cause.strerror if isinstance(cause, OSError) and cause.strerror else str(cause)
    return text[:1].lower() + text[1:]


def _piece(response: HTTPResponse) -> bytes:
    """The next bytes as soon as some are there; empty at the end."""
    return response.read1(_CHUNK)


class _Authorization(urllib.request.BaseHandler):
    """Puts the token into requests to its own origin.

    It sees each request of a chain of redirects by itself, and the header is none that urllib
    copies into the next.
    """

    def __init__(self, credential: Credential) -> None:
        self._credential = credential

    def http_request(self, request: urllib.request.Request) -> urllib.request.Request:
        if self._credential.is_for(request.type, request.host):
            bearer = f"Bearer {self._credential.token}"
            request.add_unredirected_header("Authorization", bearer)
        return request

    https_request = http_request


def _opener(credential: Credential | None) -> urllib.request.OpenerDirector:
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
    if credential is not None:
        opener.add_handler(_Authorization(credential))
    return opener

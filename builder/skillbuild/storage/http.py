"""Reads files of a web site, of bounded size and in bounded time.

Redirects are followed within the host alone. A token of the environment goes to the origin that it
is for, and to no other.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

import httpx2

from skillbuild import __version__
from skillbuild.diagnostics import escape
from skillbuild.errors import ConfigError, OutputError
from skillbuild.storage.credentials import ORIGIN, TOKEN, from_environment
from skillbuild.storage.origin import FOR_COMMANDS, Patience, UnreachableError, Versioned
from skillbuild.storage.retries import LONGEST_PAUSE, TryLaterError, retried

_HEAD_FILE = "catalog.json"
_LOOPBACK = frozenset(["127.0.0.1", "localhost", "::1"])
_MOST_REDIRECTS = 5
_PASSING = frozenset([429, 500, 502, 503, 504])
"""Status codes after which it is worth asking again."""
_PAGE = re.compile(rb"\s*<(?:!doctype|html)", re.IGNORECASE)
_DATA = (".json", ".jsonl", ".js")
"""Ends of the names of files that are no web pages, whatever a skill holds."""


class Website:
    """An origin on the web; `storage.origin` says what its methods do."""

    def __init__(self, address: str, patience: Patience = FOR_COMMANDS) -> None:
        """`address` is that of the folder of a release, or of the record in it.

        `ConfigError` for one that anybody on the way could read or change.
        """
        self.where = escape(address)
        self._base = _base(address)
        self._patience = patience
        self._credential = from_environment()
        seconds = httpx2.Timeout(patience.silence, connect=patience.connect)
        headers = {"User-Agent": f"skillbuild/{__version__}", "Accept-Encoding": "identity"}
        self._client = httpx2.Client(timeout=seconds, headers=headers)

    def read(self, path: str, most: int) -> bytes | None:
        answer = retried(lambda until: self._get(path, most, until), self._patience)
        return None if answer is None else answer.data

    def read_changing(self, path: str, most: int, tag: str = "") -> Versioned | None:
        headers = {"Cache-Control": "no-cache", **({"If-None-Match": tag} if tag else {})}
        name = f"{path}?{time.time_ns()}"
        return retried(lambda until: self._get(name, most, until, headers), self._patience)

    def size(self, path: str) -> int | None:
        def attempt(until: float) -> int | None:
            with self._answer("HEAD", path, {}) as response:
                length = response.headers.get("content-length", "")
                return int(length) if response.is_success and length.isdecimal() else None

        return retried(attempt, self._patience)

    def _get(
        self, path: str, most: int, until: float, headers: dict[str, str] | None = None
    ) -> Versioned | None:
        with self._answer("GET", path, headers or {}) as response:
            tag = response.headers.get("etag", "")
            if response.status_code == 304:
                return Versioned(None, tag)
            if response.status_code == 404:
                return None
            url = escape(f"{self._base}{path.partition('?')[0]}")
            data = self._body(response, url, most, until)
        if path.partition("?")[0].endswith(_DATA) and _PAGE.match(data[:200]):
            raise OutputError(
                f"{url} is a web page in place of that file: is it the right address, and does a"
                " login or the network stand before it?"
            )
        return Versioned(data, tag)

    @contextmanager
    def _answer(self, method: str, path: str, headers: dict[str, str]) -> Iterator[httpx2.Response]:
        """The answer to a request, of status 404, 304 or 2xx; its body is not read yet."""
        name, mark, query = path.partition("?")  # No path of a release has one.
        url = f"{self._base}{quote(name)}{mark}{query}"
        try:
            request = self._request(method, url, headers)
            for _ in range(_MOST_REDIRECTS):
                response = self._client.send(request, stream=True)
                following = response.next_request
                if following is None:
                    break
                response.close()
                self._require_same_origin(url, following.url)
                request = self._request(method, str(following.url), headers)
            else:
                raise OutputError(f"{escape(url)} leads from one address to the next for ever")
            try:
                self._require_answer(response, url)
                yield response
            finally:
                response.close()
        except httpx2.TransportError as error:
            raise TryLaterError(self._failure(url, _reason(error))) from error
        except (httpx2.InvalidURL, httpx2.DecodingError, ValueError) as error:
            raise OutputError(self._failure(url, str(error))) from error

    def _request(self, method: str, url: str, headers: dict[str, str]) -> httpx2.Request:
        request = self._client.build_request(method, url, headers=headers)
        credential, target = self._credential, request.url
        if credential is not None and credential.is_for(target.scheme, _host(target)):
            request.headers["Authorization"] = f"Bearer {credential.token}"
        return request

    def _require_same_origin(self, url: str, target: httpx2.URL) -> None:
        base = httpx2.URL(self._base)
        if (target.scheme, _host(target)) != (base.scheme, _host(base)):
            where = escape(f"{target.scheme}://{_host(target)}")
            raise OutputError(
                f"{escape(url)} leads to {where}; if that is right, name that address"
            )

    def _require_answer(self, response: httpx2.Response, url: str) -> None:
        status = response.status_code
        if response.is_success or status in (304, 404):
            return
        line = f"HTTP Error {status}: {response.reason_phrase}"
        message = self._failure(url, line) + _remedy(status)
        if status in _PASSING:
            raise TryLaterError(message, _wanted_pause(response))
        raise OutputError(message)

    def _failure(self, url: str, reason: str) -> str:
        """A message without the token, as one line."""
        hidden = reason if self._credential is None else self._credential.hidden(reason)
        return f"cannot read {escape(url.partition('?')[0])}: {escape(hidden)}"

    @staticmethod
    def _body(response: httpx2.Response, url: str, most: int, until: float) -> bytes:
        """All bytes, if they are not too many; `UnreachableError` if they come too slowly."""
        length = response.headers.get("content-length", "")
        body = bytearray()
        if not length.isdecimal() or int(length) <= most:
            for piece in response.iter_bytes():
                body += piece
                if len(body) > most:
                    break
                if time.monotonic() > until:
                    raise UnreachableError(f"{url} was not there in time")
            else:
                return bytes(body)
        raise OutputError(f"{url} is larger than {most:,} bytes")


def _base(address: str) -> str:
    """The URL of the folder, with a final slash."""
    try:
        url = httpx2.URL(address)
    except httpx2.InvalidURL as error:
        raise ConfigError(f"{escape(address)} is no URL: {error}") from error
    if url.scheme != "https" and url.host not in _LOOPBACK:
        raise ConfigError(f"{escape(address)} can be read and changed on the way; use https")
    if url.userinfo or not url.host:
        raise ConfigError(f"an address has a host and no password; {TOKEN} gives a token")
    return address.removesuffix(_HEAD_FILE).rstrip("/") + "/"


def _host(url: httpx2.URL) -> str:
    """Host and port as a request names them."""
    return url.netloc.decode("ascii")


def _wanted_pause(response: httpx2.Response) -> float | None:
    """The seconds of `Retry-After`; None where it says none, or a date."""
    seconds = response.headers.get("retry-after", "")
    return min(float(seconds), LONGEST_PAUSE) if seconds.isdecimal() else None


def _remedy(status: int) -> str:
    return f"; {TOKEN} and {ORIGIN} give a token" if status in (401, 403) else ""


def _reason(error: BaseException) -> str:
    """Why no answer came: in the words of the system, if it was what failed."""
    text = str(error) or "no answer"
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            text = cause.strerror
        cause = cause.__cause__ or cause.__context__
    return text[:1].lower() + text[1:]

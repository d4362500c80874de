"""Reads the files of a website, with limits on size and time.

Temporary failures are retried with growing, randomized delays. Redirects are followed only within
the same host. A token from the environment is sent only to the one origin that the environment
names. The token is never shown.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

import httpx2

from skillbuild import __version__
from skillbuild.diagnostics import escape
from skillbuild.errors import ConfigError
from skillbuild.storage.files import (
    FOR_COMMANDS,
    DamagedError,
    MissingError,
    Patience,
    UnavailableError,
    UnreachableError,
    Versioned,
    collected,
)

Result = TypeVar("Result")

TOKEN, ORIGIN, FILE = "SKILLBUILD_TOKEN", "SKILLBUILD_TOKEN_ORIGIN", "SKILLBUILD_TOKEN_FILE"
"""Names of environment variables; the last one has the path of a file with the token, as containers
provide it."""
FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 30.0
"""Maximum seconds between two attempts."""
_HEAD_FILE = "catalog.json"
_LOOPBACK = frozenset(["127.0.0.1", "localhost", "::1"])
_MOST_REDIRECTS = 5
_PASSING = frozenset([429, 500, 502, 503, 504])
"""Status codes after which a request is retried."""
_PAGE = re.compile(rb"\s*<(?:!doctype|html)", re.IGNORECASE)
_DATA = (".json", ".jsonl", ".js")
"""Endings of the names of files that are never web pages, whatever a skill contains."""
_SENT = re.compile(r"[!-~]{1,4096}")
_TOKEN_ORIGIN = re.compile(
    r"(?P<scheme>https|http(?=://(?:127\.0\.0\.1|localhost|\[::1\])(?::|/?$)))://"
    r"(?P<host>[a-z0-9.-]+|\[[0-9a-f:]+\])(?P<port>:[0-9]{1,5})?/?"
)
"""Matches an HTTPS origin, or an HTTP origin on the loopback interface."""
_PORTS = {"https": ":443", "http": ":80"}


@dataclass(frozen=True, slots=True)
class Credential:
    """The token that an origin receives as `Authorization: Bearer`."""

    scheme: str
    host: str
    """The host in lower case, with the port unless it is the default of the scheme."""
    token: str = field(repr=False)

    def is_for(self, scheme: str, host: str) -> bool:
        """Return whether a request to this scheme and host may carry the token."""
        plain = host.lower().removesuffix(_PORTS.get(scheme, ""))
        return (scheme, plain) == (self.scheme, self.host)

    def hidden(self, text: str) -> str:
        """Mask the token in a text that may come from a server."""
        return text.replace(self.token, "***")


def from_environment() -> Credential | None:
    """Return the token from the environment; None if there is none.

    Raises `ConfigError` if the allowed origin is not set, or if the token is not valid in a header.
    Messages never contain any part of the token.
    """
    token = (os.environ.get(TOKEN, "") or _in_file()).strip()
    if not token:
        return None
    match = _TOKEN_ORIGIN.fullmatch(os.environ.get(ORIGIN, "").strip().lower())
    if match is None:
        raise ConfigError(
            f"{ORIGIN} must be the scheme and host to which {TOKEN} may be sent, like"
            " https://skills.example"
        )
    if not _SENT.fullmatch(token):
        raise ConfigError(f"{TOKEN} must be printable ASCII without spaces")
    scheme, port = match["scheme"], match["port"] or ""
    return Credential(scheme, match["host"] + ("" if port == _PORTS[scheme] else port), token)


def _in_file() -> str:
    name = os.environ.get(FILE, "")
    try:
        return Path(name).read_text("utf-8") if name else ""
    except (OSError, ValueError) as error:
        raise ConfigError(f"the file that {FILE} names cannot be read: {name}") from error


class Website:
    """A website that publishes files."""

    def __init__(
        self, address: str, patience: Patience = FOR_COMMANDS, changing: Container[str] = ()
    ) -> None:
        """Open the website; `address` is the URL of the folder of a release, or of the record in
        it.

        Caches are bypassed for the files in `changing`. Raises `ConfigError` for a URL that is not
        encrypted.
        """
        self.where = escape(address)
        self._base = _base(address)
        self._patience = patience
        self._changing = changing
        self._credential = from_environment()
        seconds = httpx2.Timeout(patience.silence, connect=patience.connect)
        headers = {"User-Agent": f"skillbuild/{__version__}", "Accept-Encoding": "identity"}
        self._client = httpx2.Client(timeout=seconds, headers=headers)

    def read(self, path: str, most: int) -> bytes:
        if path in self._changing:
            return self.read_changing(path, most).data or b""
        return self._retried(lambda until: self._get(path, most, until, {})).data or b""

    def read_changing(self, path: str, most: int, tag: str = "") -> Versioned:
        headers = {"Cache-Control": "no-cache", **({"If-None-Match": tag} if tag else {})}
        name = f"{path}?{time.time_ns()}"
        return self._retried(lambda until: self._get(name, most, until, headers))

    def size(self, path: str) -> int:
        def attempt(until: float) -> int:
            with self._answer("HEAD", path, {}) as response:
                length = response.headers.get("content-length", "")
                if not length.isdecimal():
                    raise UnavailableError(
                        f"{self._base}{path}", "the server did not send the size"
                    )
                return int(length)

        return self._retried(attempt)

    def paths(self) -> Iterator[str]:
        return iter(())

    def _retried(self, attempt: Callable[[float], Result]) -> Result:
        """Call `attempt` until it succeeds, passing it the deadline (`time.monotonic`).

        Raises the error of the last attempt.
        """
        until = time.monotonic() + self._patience.whole
        for number in range(1, self._patience.attempts + 1):
            try:
                return attempt(until)
            except UnreachableError as error:
                pause = _pause(number, error.after)
                is_last = number == self._patience.attempts
                if is_last or time.monotonic() + pause >= until:
                    raise
            time.sleep(pause)
        raise AssertionError("at least one attempt is made")

    def _get(self, path: str, most: int, until: float, headers: dict[str, str]) -> Versioned:
        with self._answer("GET", path, headers) as response:
            tag = response.headers.get("etag", "")
            if response.status_code == 304:
                return Versioned(None, tag)
            name = path.partition("?")[0]
            url = escape(f"{self._base}{name}")
            data = _body(response, url, most, until)
        if not name.endswith(_DATA) or not _PAGE.match(data[:200]):
            return Versioned(data, tag)
        del data  # The traceback of an error may be kept for long.
        raise DamagedError(
            url,
            "received a web page instead of the file; check the URL, and that no login page or"
            " proxy intercepts it",
        )

    @contextmanager
    def _answer(self, method: str, path: str, headers: dict[str, str]) -> Iterator[httpx2.Response]:
        """Yield the response with status `304` or `2xx`, before its body is read."""
        name, mark, query = path.partition("?")  # No path of a release contains a `?`.
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
                raise UnavailableError(escape(url), "redirects too many times")
            try:
                self._require_answer(response, url)
                yield response
            finally:
                response.close()
        except httpx2.TransportError as error:
            raise UnreachableError(_shown(url), self._hidden(_reason(error))) from error
        except (httpx2.InvalidURL, httpx2.DecodingError, ValueError) as error:
            raise UnavailableError(_shown(url), self._hidden(str(error))) from error

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
            reason = f"redirects to {where}; if you trust that host, pass its URL"
            raise UnavailableError(_shown(url), reason)

    def _require_answer(self, response: httpx2.Response, url: str) -> None:
        status = response.status_code
        if response.is_success or status == 304:
            return
        if status == 404:
            raise MissingError(_shown(url))
        reason = self._hidden(f"HTTP Error {status}: {response.reason_phrase}") + _remedy(status)
        if status in _PASSING:
            raise UnreachableError(_shown(url), reason, _wanted_pause(response))
        raise UnavailableError(_shown(url), reason)

    def _hidden(self, reason: str) -> str:
        """Escape a text for people, with the token masked."""
        return escape(reason if self._credential is None else self._credential.hidden(reason))


def _body(response: httpx2.Response, url: str, most: int, until: float) -> bytes:
    """Read the body; raise `DamagedError` if it is too large, `UnreachableError` if it takes too
    long.
    """
    length = response.headers.get("content-length", "")
    if length.isdecimal() and int(length) > most:
        raise DamagedError(url, f"larger than {most:,} bytes")
    return collected(url, response.iter_bytes(), most, until)


def _base(address: str) -> str:
    """Return the URL of the folder, with a final slash."""
    try:
        url = httpx2.URL(address)
    except httpx2.InvalidURL as error:
        raise ConfigError(f"{escape(address)} is not a URL: {error}") from error
    if url.scheme != "https" and url.host not in _LOOPBACK:
        raise ConfigError(f"{escape(address)} is not encrypted; use https")
    if url.userinfo or not url.host:
        what = "the URL must have a host, and must not contain a user or password"
        raise ConfigError(f"{what}; a token goes into {TOKEN}")
    return address.removesuffix(_HEAD_FILE).rstrip("/") + "/"


def _host(url: httpx2.URL) -> str:
    """Return the host and port in the form that a request uses."""
    return url.netloc.decode("ascii")


def _shown(url: str) -> str:
    """Return a URL for messages, without the query that bypasses caches."""
    return escape(url.partition("?")[0])


def _wanted_pause(response: httpx2.Response) -> float | None:
    """Return the seconds in `Retry-After`; None if it is missing or a date."""
    seconds = response.headers.get("retry-after", "")
    return min(float(seconds), _LONGEST_PAUSE) if seconds.isdecimal() else None


def _pause(number: int, wanted: float | None) -> float:
    """Return an exponential delay with a random part, at least as long as the origin asks for."""
    pause: float = FIRST_PAUSE * 2**number * random.uniform(0.5, 1)  # noqa: S311 (it hides nothing)
    return min(_LONGEST_PAUSE, max(pause, wanted or 0))


def _remedy(status: int) -> str:
    return f"; set {TOKEN} and {ORIGIN} to send a token" if status in (401, 403) else ""


def _reason(error: BaseException) -> str:
    """Return why no response arrived; the message of the operating system if there is one."""
    text = str(error) or "no answer"
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            text = cause.strerror
        cause = cause.__cause__ or cause.__context__
    return text[:1].lower() + text[1:]

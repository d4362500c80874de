"""A token for one origin, which the environment names: it is sent nowhere else and never shown."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from skillbuild.errors import ConfigError

TOKEN, ORIGIN, FILE = "SKILLBUILD_TOKEN", "SKILLBUILD_TOKEN_ORIGIN", "SKILLBUILD_TOKEN_FILE"
"""Names of the variables; the last one is of a file with the token, as containers have them."""
_SENT = re.compile(r"[!-~]{1,4096}")
_ORIGIN = re.compile(
    r"(?P<scheme>https|http(?=://(?:127\.0\.0\.1|localhost|\[::1\])(?::|/?$)))://"
    r"(?P<host>[a-z0-9.-]+|\[[0-9a-f:]+\])(?P<port>:[0-9]{1,5})?/?"
)
"""HTTPS; HTTP on the loopback alone."""
_PORTS = {"https": ":443", "http": ":80"}


@dataclass(frozen=True, slots=True)
class Credential:
    """What is sent to an origin as `Authorization: Bearer`."""

    scheme: str
    host: str
    """With the port, unless it is that of the scheme; in lower case."""
    token: str = field(repr=False)

    def is_for(self, scheme: str, host: str) -> bool:
        """Whether a request to this scheme and host, as a URL has them, may carry the token."""
        plain = host.lower().removesuffix(_PORTS.get(scheme, ""))
        return (scheme, plain) == (self.scheme, self.host)

    def hidden(self, text: str) -> str:
        """A text for people, without the token, which a server may send back."""
        return text.replace(self.token, "***")


def from_environment() -> Credential | None:
    """The token of the environment; None without one.

    `ConfigError` if it is not said where it may go, or if it cannot stand in a header; no message
    holds any of it.
    """
    token = (os.environ.get(TOKEN, "") or _in_file()).strip()
    if not token:
        return None
    match = _ORIGIN.fullmatch(os.environ.get(ORIGIN, "").strip().lower())
    if match is None:
        raise ConfigError(
            f"{ORIGIN} must say where {TOKEN} may be sent: scheme and host alone, like"
            " https://skills.example"
        )
    if not _SENT.fullmatch(token):
        raise ConfigError(f"{TOKEN} must be printable ASCII without blanks")
    scheme, port = match["scheme"], match["port"] or ""
    return Credential(scheme, match["host"] + ("" if port == _PORTS[scheme] else port), token)


def _in_file() -> str:
    name = os.environ.get(FILE, "")
    try:
        return Path(name).read_text("utf-8") if name else ""
    except (OSError, ValueError) as error:
        raise ConfigError(f"{FILE} names a file that cannot be read: {name}") from error

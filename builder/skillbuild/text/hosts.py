"""Which hosts a text names in addresses with a scheme, and where."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_HOST = re.compile(r"://(?:[^\s/@'\"<>()]{1,64}@)?([\w-]+(?:\.[\w-]+)+)")
_SCHEME = re.compile(r".*\b(https?|wss?|ftp|ssh)", re.DOTALL)
_LONGEST_SCHEME = 5
_EXAMPLE = re.compile(
    r"(.+\.)?(example\.(com|org|net)|example|test|invalid|localhost)"
    r"|127\.0\.0\.1|0+(\.0+)*|[\d.]*x[\dx.]*",
    re.IGNORECASE,
)
"""Names reserved for examples and tests (RFC 2606), this machine, and `10.0.x.x`."""
_NAMESPACE = re.compile(r"xmlns(:[\w.-]{1,64})?\s{0,8}=\s{0,8}['\"]$")
_LONGEST_NAMESPACE = 90
"""Characters before an address that may make it the name of an XML namespace."""


@dataclass(frozen=True, slots=True)
class NamedHost:
    """A host in lower case, without user or port, and the index at which its address begins."""

    name: str
    start: int


def hosts_in(text: str) -> Iterator[NamedHost]:
    """The hosts of http(s), ws(s), ftp and ssh addresses, in order, repetitions included.

    Left out are hosts for examples, this machine, and XML namespaces, which nobody connects to.
    A host without a dot is none.
    """
    for match in _HOST.finditer(text):
        # To find what all addresses have first is quicker than to look for one of six schemes.
        before = text[max(0, match.start() - _LONGEST_SCHEME - 1) : match.start()]
        scheme = _SCHEME.fullmatch(before)
        if scheme is None:
            continue
        start, name = match.start() - len(scheme[1]), match[1].lower()
        if not _EXAMPLE.fullmatch(name) and not _is_namespace(text, start):
            yield NamedHost(name, start)


def _is_namespace(text: str, start: int) -> bool:
    return _NAMESPACE.search(text[max(0, start - _LONGEST_NAMESPACE) : start]) is not None

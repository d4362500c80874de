"""Recognizes the addresses of websites and object stores, and opens a client for an address.

Each client is imported only when it is needed.
"""

from __future__ import annotations

from collections.abc import Container

from skillbuild.storage.files import FOR_COMMANDS, OriginFiles, Patience

_SCHEMES_OF_STORES = ("s3://", "gs://", "az://")
_SCHEMES = ("https://", "http://", *_SCHEMES_OF_STORES)


def is_remote(address: str) -> bool:
    """Return whether an address is a URL or an object store, not a directory."""
    return address.startswith(_SCHEMES)


def is_store(address: str) -> bool:
    """Return whether an address is an object store."""
    return address.startswith(_SCHEMES_OF_STORES)


def opened(
    address: str, patience: Patience | None = None, changing: Container[str] = ()
) -> OriginFiles:
    """Open the origin at an address, without sending a request.

    Caches are bypassed for the files in `changing`. Raises `ConfigError` if the address is invalid.
    """
    if is_store(address):
        from skillbuild.storage import cloud

        return cloud.Store(address, patience or FOR_COMMANDS)
    from skillbuild.storage import http

    return http.Website(address, patience or FOR_COMMANDS, changing)

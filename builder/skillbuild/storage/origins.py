"""Which addresses are those of origins, and the client of each kind.

A module of its own, as it loads a client when one is needed, and the clients load what it uses.
"""

from __future__ import annotations

from collections.abc import Container

from skillbuild.storage.files import FOR_COMMANDS, OriginFiles, Patience

_SCHEMES_OF_STORES = ("s3://", "gs://", "az://")
_SCHEMES = ("https://", "http://", *_SCHEMES_OF_STORES)


def is_remote(address: str) -> bool:
    """Whether an address is that of an origin, and no directory."""
    return address.startswith(_SCHEMES)


def is_store(address: str) -> bool:
    """Whether it is that of an object store."""
    return address.startswith(_SCHEMES_OF_STORES)


def opened(
    address: str, patience: Patience | None = None, changing: Container[str] = ()
) -> OriginFiles:
    """The origin at an address; nothing is asked yet. `ConfigError` for one that cannot be used.

    Files in `changing` are read past all caches.
    """
    if is_store(address):
        from skillbuild.storage import cloud

        return cloud.Store(address, patience or FOR_COMMANDS)
    from skillbuild.storage import http

    return http.Website(address, patience or FOR_COMMANDS, changing)

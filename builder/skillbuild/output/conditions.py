"""Whether an object store keeps conditions, without which two publishers would mix their releases.

Some stores take a request with a condition and ignore that: it must be seen before it matters.
"""

from __future__ import annotations

import os

from skillbuild.errors import OutputError
from skillbuild.storage.cloud import ConflictError, Store, Version

_FILE = ".skillbuild/conditions"
_ATTRIBUTES = {"Content-Type": "text/plain", "Cache-Control": "no-store"}


def require(store: Store) -> None:
    """Raise `OutputError` unless an object is created only once, and updated only by its version.

    Nothing of a release is touched. Others may try the same at the same time.
    """
    version = _version_after_creating(store)
    try:
        store.update(_FILE, os.urandom(16), _ATTRIBUTES, version)
    except ConflictError:
        return  # Another publisher was quicker: the condition held.
    try:
        store.update(_FILE, os.urandom(16), _ATTRIBUTES, version)
    except ConflictError:
        return
    raise _ignored(store)


def _version_after_creating(store: Store) -> Version:
    """The version of the object, which is there when it is created for the last time."""
    try:
        store.create(_FILE, os.urandom(16), _ATTRIBUTES)
        store.create(_FILE, os.urandom(16), _ATTRIBUTES)
    except ConflictError:
        return store.read_version(_FILE, 1024)[1]
    raise _ignored(store)


def _ignored(store: Store) -> OutputError:
    return OutputError(
        f"{store.where} ignores conditions, so two publishers would mix their releases; use another"
        " store, or --unsafe-store where nobody else publishes"
    )

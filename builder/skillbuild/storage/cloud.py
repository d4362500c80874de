"""Reads and writes object stores: S3, Google Cloud Storage, Azure, and compatible stores.

Only this module uses obstore, which the `skillbuild[cloud]` extra installs. obstore finds
credentials in the same places as the tools of each provider.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from skillbuild.diagnostics import escape
from skillbuild.errors import ConfigError, OutputError
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
from skillbuild.storage.targets import ConflictError, StoredObject, Version

try:
    import obstore
    from obstore import exceptions
except ImportError as error:
    raise ConfigError(
        "s3://, gs:// and az:// require the skillbuild[cloud] extra, which is not installed"
    ) from error

if TYPE_CHECKING:
    from obstore import GetResult, ObjectMeta, PutMode, PutResult, UpdateVersion
    from obstore.store import ObjectStore

_HEAD_FILE = "catalog.json"
_QUERY = re.compile(r"\?\S*")
"""Matches the query of a URL in a message, which may contain a signature."""
_FINAL = (
    exceptions.PermissionDeniedError,
    exceptions.UnauthenticatedError,
    exceptions.InvalidPathError,
    exceptions.NotSupportedError,
    exceptions.UnknownConfigurationKeyError,
)

_ALLOWING_HTTP = ("AWS_ALLOW_HTTP", "AZURE_ALLOW_HTTP", "AZURE_STORAGE_USE_EMULATOR")


class Store:
    """An object store that can be read and written."""

    may_ignore_conditions = True

    def __init__(
        self, address: str, patience: Patience = FOR_COMMANDS, store: ObjectStore | None = None
    ) -> None:
        """Open the store; `address` is the URL of the folder of a release, and `store` is for
        tests.
        """
        self.where = escape(address)
        whole, connect = timedelta(seconds=patience.whole), timedelta(seconds=patience.connect)
        with self._faults(""):
            self._store = store or obstore.store.from_url(
                address.removesuffix(_HEAD_FILE).rstrip("/"),
                client_options={
                    "timeout": whole,
                    "connect_timeout": connect,
                    "allow_http": _allows_http(),
                },
                retry_config={"max_retries": patience.attempts - 1, "retry_timeout": whole},
            )
        self._whole = patience.whole

    def read(self, path: str, most: int) -> bytes:
        return self.read_version(path, most)[0]

    def read_changing(self, path: str, most: int, tag: str = "") -> Versioned:
        try:
            data, version = self.read_version(path, most, tag)
        except exceptions.NotModifiedError:
            return Versioned(None, tag)
        return Versioned(data, version.get("e_tag") or "")

    def read_version(self, path: str, most: int, tag: str = "") -> tuple[bytes, Version]:
        """Return the content of an object and its version."""
        with self._faults(path):
            result = obstore.get(self._store, path, options={"if_none_match": tag} if tag else None)
            if result.meta["size"] > most:
                raise DamagedError(self._url(path), f"larger than {most:,} bytes")
            return self._body(path, result), _version(result.meta)

    def size(self, path: str) -> int:
        with self._faults(path):
            return obstore.head(self._store, path)["size"]

    def has(self, path: str) -> bool:
        """Return whether the object exists."""
        try:
            self.size(path)
        except MissingError:
            return False
        return True

    def paths(self) -> Iterator[str]:
        return (item.path for item in self.objects())

    def create(self, path: str, data: bytes, attributes: Mapping[str, str]) -> Version:
        """Create an object. Raises `ConflictError` if it exists."""
        return self._put(path, data, attributes, "create")

    def update(
        self, path: str, data: bytes, attributes: Mapping[str, str], version: Version | None
    ) -> Version:
        """Replace an object if it has this version, or create it if `version` is None.

        Otherwise raises `ConflictError`.
        """
        return self._put(path, data, attributes, "create" if version is None else _wanted(version))

    def overwrite(self, path: str, data: bytes, attributes: Mapping[str, str]) -> Version:
        """Create or replace an object."""
        return self._put(path, data, attributes, "overwrite")

    def remove(self, paths: list[str]) -> None:
        """Remove objects; missing ones are ignored."""
        try:
            with self._faults(""):
                obstore.delete(self._store, paths)
        except MissingError:
            if len(paths) > 1:
                for path in paths:
                    self.remove([path])

    def objects(self) -> Iterator[StoredObject]:
        """Yield all objects, in no particular order; one request lists a thousand."""
        with self._faults(""):
            for some in obstore.list(self._store):
                for item in some:
                    changed = item["last_modified"].timestamp()
                    yield StoredObject(item["path"], item["size"], changed)

    def remove_unfinished(self) -> None:
        """Do nothing: an object store never contains partly written objects."""

    def _put(self, path: str, data: bytes, attributes: Mapping[str, str], mode: PutMode) -> Version:
        try:
            with self._faults(path):
                # In one piece, because only then can the request have a condition.
                return _version(
                    obstore.put(
                        self._store,
                        path,
                        data,
                        attributes=dict(attributes),
                        mode=mode,
                        use_multipart=False,
                    )
                )
        except (exceptions.AlreadyExistsError, exceptions.PreconditionError) as error:
            raise ConflictError(f"somebody else changed {self._url(path)}") from error
        except MissingError as error:
            if mode in ("create", "overwrite"):
                raise OutputError(f"{self.where}: the bucket does not exist") from error
            raise ConflictError(f"somebody else removed {self._url(path)}") from error

    def _body(self, path: str, result: GetResult) -> bytes:
        """Read the whole body; raise `UnreachableError` if it takes too long or is shorter than
        the store said.
        """
        url, size, until = self._url(path), result.meta["size"], time.monotonic() + self._whole
        data = collected(url, map(memoryview, result.stream()), size, until)
        if len(data) == size:
            return data
        del data  # The traceback of an error may be kept for long.
        raise UnreachableError(url, "shorter than the size that the store reported")

    def _url(self, path: str) -> str:
        return f"{self.where.rstrip('/')}/{path}" if path else self.where

    @contextmanager
    def _faults(self, path: str) -> Iterator[None]:
        """Turn errors of the library into one-line errors without signatures."""
        try:
            yield
        except (
            exceptions.AlreadyExistsError,
            exceptions.NotModifiedError,
            exceptions.PreconditionError,
        ):
            raise
        except (exceptions.NotFoundError, FileNotFoundError) as error:
            raise MissingError(self._url(path)) from error
        except (exceptions.BaseError, OSError, ValueError) as error:
            reason = escape(_QUERY.sub("?…", str(error).strip().partition("\n")[0])[:300])
            kind = UnavailableError if isinstance(error, _FINAL) else UnreachableError
            raise kind(self._url(path), reason) from error


def _allows_http() -> bool:
    """Whether the environment allows unencrypted HTTP, as for a store on the same machine.

    The library reads these variables itself, but not if other client options are set.
    """
    values = [os.environ.get(name, "").lower() for name in _ALLOWING_HTTP]
    return any(value in ("1", "true") for value in values)


def _wanted(version: Version) -> UpdateVersion:
    """Convert a version to the library's type, which does not accept None."""
    names: UpdateVersion = {}
    if tag := version.get("e_tag"):
        names["e_tag"] = tag
    if number := version.get("version"):
        names["version"] = number
    return names


def _version(meta: ObjectMeta | PutResult) -> Version:
    return {"e_tag": meta.get("e_tag"), "version": meta.get("version")}

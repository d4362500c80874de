"""Object stores: S3, Google Cloud Storage and Azure, and all that speak like them.

The one module that knows obstore, which comes with the extra `skillbuild[cloud]` and finds the
credentials as the programs of each provider do.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from skillbuild.diagnostics import escape
from skillbuild.errors import ConfigError, OutputError
from skillbuild.storage.origin import FOR_COMMANDS, Patience, UnreachableError, Versioned

try:
    import obstore
    from obstore import exceptions
except ImportError as error:
    raise ConfigError(
        "s3://, gs:// and az:// need the extra skillbuild[cloud], which is not installed"
    ) from error

if TYPE_CHECKING:
    from obstore import GetResult, ObjectMeta, PutMode, PutResult, UpdateVersion
    from obstore.store import ObjectStore

_HEAD_FILE = "catalog.json"
_QUERY = re.compile(r"\?\S*")
"""Of a URL in a message; it may hold a signature."""
_FINAL = (
    exceptions.PermissionDeniedError,
    exceptions.UnauthenticatedError,
    exceptions.InvalidPathError,
    exceptions.NotSupportedError,
    exceptions.UnknownConfigurationKeyError,
)

_ALLOWING_HTTP = ("AWS_ALLOW_HTTP", "AZURE_ALLOW_HTTP", "AZURE_STORAGE_USE_EMULATOR")

Version = Mapping[str, str | None]
"""What names the version of an object: to be passed on whole."""


class ConflictError(OutputError):
    """An object is there already, or is of another version than it must be."""


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object as a list has it; `changed` is in seconds since 1970, by the clock of the store."""

    path: str
    size: int
    changed: float


class Store:
    """An origin in an object store, which can be written to, too."""

    def __init__(
        self, address: str, patience: Patience = FOR_COMMANDS, store: ObjectStore | None = None
    ) -> None:
        """`address` is that of the folder of a release; `store` is for tests."""
        self.where = escape(address)
        whole, connect = timedelta(seconds=patience.whole), timedelta(seconds=patience.connect)
        with self._faults("open"):
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

    def read(self, path: str, most: int) -> bytes | None:
        versioned, _ = self.read_version(path, most)
        return versioned

    def read_changing(self, path: str, most: int, tag: str = "") -> Versioned | None:
        try:
            data, version = self.read_version(path, most, tag)
        except exceptions.NotModifiedError:
            return Versioned(None, tag)
        return None if data is None else Versioned(data, version.get("e_tag") or "")

    def read_version(self, path: str, most: int, tag: str = "") -> tuple[bytes | None, Version]:
        """The same, with what names its version."""
        with self._faults(path):
            try:
                result = obstore.get(
                    self._store, path, options={"if_none_match": tag} if tag else None
                )
            except (exceptions.NotFoundError, FileNotFoundError):
                return None, {}
            if result.meta["size"] > most:
                raise OutputError(f"{self._url(path)} is larger than {most:,} bytes")
            data = self._body(path, result)
            return data, _version(result.meta)

    def size(self, path: str) -> int | None:
        with self._faults(path):
            try:
                return obstore.head(self._store, path)["size"]
            except (exceptions.NotFoundError, FileNotFoundError):
                return None

    def create(self, path: str, data: bytes, attributes: Mapping[str, str]) -> Version:
        """Put an object where none is; `ConflictError` if there is one."""
        return self._put(path, data, attributes, "create")

    def update(
        self, path: str, data: bytes, attributes: Mapping[str, str], version: Version | None
    ) -> Version:
        """Put an object over this version of it, None for none; else `ConflictError`."""
        return self._put(path, data, attributes, "create" if version is None else _wanted(version))

    def overwrite(self, path: str, data: bytes, attributes: Mapping[str, str]) -> Version:
        """Put an object, whatever is there."""
        return self._put(path, data, attributes, "overwrite")

    def remove(self, paths: list[str]) -> None:
        """Remove objects; one that is gone already is none the worse."""
        with self._faults("remove"):
            try:
                obstore.delete(self._store, paths)
            except (exceptions.NotFoundError, FileNotFoundError):
                if len(paths) > 1:
                    for path in paths:
                        self.remove([path])

    def objects(self) -> Iterator[StoredObject]:
        """All objects, in no order; a request for each thousand."""
        with self._faults("list"):
            for some in obstore.list(self._store):
                for item in some:
                    changed = item["last_modified"].timestamp()
                    yield StoredObject(item["path"], item["size"], changed)

    def _put(self, path: str, data: bytes, attributes: Mapping[str, str], mode: PutMode) -> Version:
        with self._faults(path):
            try:
                # In one piece: only so may there be a condition.
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
                raise ConflictError(f"{self._url(path)} was changed by somebody else") from error
            except (exceptions.NotFoundError, FileNotFoundError) as error:
                if mode in ("create", "overwrite"):
                    raise OutputError(f"{self.where}: the bucket is not there") from error
                raise ConflictError(f"{self._url(path)} was removed by somebody else") from error

    def _body(self, path: str, result: GetResult) -> bytes:
        """All bytes; they come in pieces, which may take so long together."""
        until = time.monotonic() + self._whole
        body = bytearray()
        for piece in result.stream():
            body += piece
            if time.monotonic() > until:
                raise UnreachableError(f"{self._url(path)} was not there in time")
        if len(body) != result.meta["size"]:
            raise UnreachableError(f"{self._url(path)} came cut off")
        return bytes(body)

    def _url(self, path: str) -> str:
        return f"{self.where.rstrip('/')}/{path}"

    @contextmanager
    def _faults(self, what: str) -> Iterator[None]:
        """Turn errors of the library into one line that holds no signature."""
        try:
            yield
        except (exceptions.AlreadyExistsError, exceptions.NotModifiedError):
            raise
        except (exceptions.BaseError, OSError, ValueError) as error:
            reason = escape(_QUERY.sub("?…", str(error).strip().partition("\n")[0])[:300])
            kind = OutputError if isinstance(error, _FINAL) else UnreachableError
            raise kind(f"{self.where}: {what}: {reason}") from error


def _allows_http() -> bool:
    """Whether the environment allows what anybody on the way can read: for stores on the machine.

    The library would read these variables itself, were there no other options of the client.
    """
    values = [os.environ.get(name, "").lower() for name in _ALLOWING_HTTP]
    return any(value in ("1", "true") for value in values)


def _wanted(version: Version) -> UpdateVersion:
    """A version as the library takes it, which wants no None."""
    names: UpdateVersion = {}
    if tag := version.get("e_tag"):
        names["e_tag"] = tag
    if number := version.get("version"):
        names["version"] = number
    return names


def _version(meta: ObjectMeta | PutResult) -> Version:
    return {"e_tag": meta.get("e_tag"), "version": meta.get("version")}

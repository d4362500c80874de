"""Object stores for tests: in memory, with faults, and what they hold as a directory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import Lock, current_thread

from obstore import get
from obstore.store import MemoryStore, ObjectStore

from skillbuild.storage.cloud import Store
from skillbuild.storage.targets import ConflictError, Version

ADDRESS = "s3://bucket/skills"


class KilledError(BaseException):
    """The process ended here: nothing cleans up after it."""


class Bucket(Store):
    """A store that writes down what is put, and ends the process at a chosen put."""

    def __init__(self, store: ObjectStore | None = None, killed_at: int = -1) -> None:
        self.memory = MemoryStore() if store is None else store
        super().__init__(ADDRESS, store=self.memory)
        self.written: list[str] = []
        self._killed_at = killed_at
        self._counting = Lock()

    def create(self, path: str, data: bytes, attributes: Mapping[str, str]) -> Version:
        self._note(path)
        return super().create(path, data, attributes)

    def update(
        self, path: str, data: bytes, attributes: Mapping[str, str], version: Version | None
    ) -> Version:
        self._note(path)
        return super().update(path, data, attributes, version)

    def overwrite(self, path: str, data: bytes, attributes: Mapping[str, str]) -> Version:
        self._note(path)
        return super().overwrite(path, data, attributes)

    def _note(self, path: str) -> None:
        with self._counting:
            if len(self.written) == self._killed_at:
                # The thread that renews a lease ends without a word.
                raise ConflictError if current_thread().daemon else KilledError
            self.written.append(path)

    def attributes(self, path: str) -> Mapping[str, object]:
        return dict(get(self.memory, path).attributes)

    def files(self) -> dict[str, bytes]:
        """All that a reader can meet; what publishers leave for each other is no part of it."""
        return {
            item.path: self.read(item.path, 1 << 30)
            for item in self.objects()
            if not item.path.startswith(".skillbuild/")
        }


class CarelessBucket(Bucket):
    """A store that takes requests with conditions and ignores these."""

    def create(self, path: str, data: bytes, attributes: Mapping[str, str]) -> Version:
        return self.overwrite(path, data, attributes)

    def update(
        self, path: str, data: bytes, attributes: Mapping[str, str], version: Version | None
    ) -> Version:
        return self.overwrite(path, data, attributes)


def downloaded(bucket: Bucket, folder: Path) -> Path:
    """What a bucket holds, as an output."""
    for path, data in bucket.files().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder

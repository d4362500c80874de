"""The files of a release that is published elsewhere: fetched when they are asked for, and kept."""

from __future__ import annotations

from skillbuild.errors import OutputError
from skillbuild.model import Digest
from skillbuild.release.layout import is_named_by
from skillbuild.release.versions import decode_version
from skillbuild.storage.files import OriginFiles
from skillbuild.storage.mirror import Mirror, StoredFiles


class RemoteFiles(Mirror):
    """Reads addressed files and versions, each checked by its name. Threads may share it."""

    def __init__(self, origin: OriginFiles, stored: StoredFiles) -> None:
        super().__init__(origin, stored, _proves_itself)


def _proves_itself(path: str, data: bytes) -> bool:
    """Whether a file has the digest in its name; of a version, whether its address follows."""
    if not path.startswith("versions/"):
        return is_named_by(path, Digest.of(data))
    try:
        decode_version(data, path)
    except OutputError:
        return False
    return True

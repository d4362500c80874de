"""Lists the subjects of an attestation: files of a release and their digests, within GitHub's
limits.
"""

from __future__ import annotations

from pathlib import Path

from skillbuild.errors import OutputError
from skillbuild.model import Digest
from skillbuild.release.checksums import Checksums
from skillbuild.release.layout import CHECKSUMS_FILE, HEAD_FILES
from skillbuild.storage.files import Directory, read_or_none

MOST_SUBJECTS = 1024
"""Maximum number of subjects that `actions/attest` accepts."""
MOST_BYTES = 512 * MOST_SUBJECTS
"""Maximum size of the file that lists the subjects, also set by `actions/attest`."""


def subject_lines(out: Path) -> str:
    """Return the content of the file for `subject-checksums` of `actions/attest`, in SHA256SUMS
    format.

    The content lists every file of the output, if all fit within the limits. Otherwise it lists the
    head files and archives; if these exceed the limits too, only the head files. The head files
    include `release.json`, whose digest covers the release, and SHA256SUMS, which lists all other
    files.
    """
    data = read_or_none(Directory(out), CHECKSUMS_FILE) if out.is_dir() else None
    if data is None:
        raise OutputError(f"{out / CHECKSUMS_FILE} is missing; run build again")
    files = {**Checksums.parse(data).hex_digests(), CHECKSUMS_FILE: Digest.of(data).hex}
    heads = {path: files[path] for path in HEAD_FILES if path in files}
    packed = {path: files[path] for path in files if path.startswith("archives/")}
    choices = [_lines(files), _lines(heads | packed), _lines(heads)]
    return next((choice for choice in choices if _fits(choice)), choices[-1])


def _lines(files: dict[str, str]) -> str:
    return "".join(f"{digest}  {path}\n" for path, digest in sorted(files.items()))


def _fits(lines: str) -> bool:
    return lines.count("\n") <= MOST_SUBJECTS and len(lines.encode()) <= MOST_BYTES

"""The paths of the files of a release in an output, and how files are named by their content.

This module imports no other module of skillbuild at run time, so that a build of an unchanged
source stays fast.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillbuild.model import Digest

LAYOUT = 3
"""The version of this layout, recorded in `catalog.json`."""

RECORD_FILE = "catalog.json"
RELEASE_FILE = "release.json"
"""The `release` object of the record, byte for byte and without a final line feed. The SHA-256 of
this file is the release digest.
"""
INDEX_FILE = "index.json"
CHECKSUMS_FILE = "SHA256SUMS"
HISTORY_FILE = "history.json"
HEAD_FILES = (INDEX_FILE, RELEASE_FILE, RECORD_FILE, CHECKSUMS_FILE)
"""The files that lead readers to all others. They are replaced last, by rename, in this order."""

PARTS_FOLDER = "record"
SEARCH_FOLDER = "search"
SEARCH_FILE = f"{SEARCH_FOLDER}/manifest.js"
"""The entry point of the search index. In its folder, only this file and the dates may change."""
DATES_FILE = f"{SEARCH_FOLDER}/dates.js"
"""The file that tells the search when each skill last changed; written only with the full
history."""
ADDRESSED_FOLDERS = ("blobs/sha256", "archives", "icons", PARTS_FOLDER, SEARCH_FOLDER)
"""Folders whose files are named by their own digest, so that they never change."""
_BELOW_ADDRESSED = tuple(f"{folder}/" for folder in ADDRESSED_FOLDERS)
_ADDRESSED_PATH = re.compile(
    r"(blobs/sha256|archives|icons)/[a-z0-9][a-z0-9.-]*"
    r"|record/[0-9a-f]{2}/[0-9a-f]{64}\.jsonl|search/[0-9a-f]{64}\.js"
)

CLIENT_INDEXES = (
    ".well-known/agent-skills/index.json",
    ".well-known/skills/index.json",
    "claude/marketplace.json",
    "llms.txt",
    SEARCH_FILE,
)
"""Files that clients read first, besides `index.json`; the formats decide which ones exist."""
_FIXED_FILES = frozenset([INDEX_FILE, *CLIENT_INDEXES])
_WELL_KNOWN = re.compile(
    # Pages are below `-`, which cannot be a segment of a skill path.
    r"((groups|skills|versions)/((?!-/)[^/]+/)+)?\.well-known/.+",
    re.DOTALL,
)


def is_at_fixed_address(path: str) -> bool:
    """Whether clients read this file at a fixed address: it is an index, or belongs to one.

    The `filesDigest` of a release covers all such files. HTML pages are not among them.
    """
    if path in _FIXED_FILES or path.startswith("claude/"):
        return True
    return ".well-known/" in path and _WELL_KNOWN.fullmatch(path) is not None


def is_addressed(path: str) -> bool:
    """Whether a file is named by its digest and therefore never changes.

    The folder of the search index also contains two files that can change: the search manifest and
    the search dates.
    """
    return path.startswith(_BELOW_ADDRESSED) and path not in (SEARCH_FILE, DATES_FILE)


def blob_path(digest: Digest) -> str:
    """Return the path of the blob with this digest: `blobs/sha256/` and 64 hex digits."""
    return f"blobs/sha256/{digest.hex}"


def part_path(digest: Digest) -> str:
    """Return the path of a part of the record: `record/XX/DIGEST.jsonl`, where DIGEST begins with
    XX.
    """
    return f"{PARTS_FOLDER}/{digest.hex[:2]}/{digest.hex}.jsonl"


def search_path(digest: Digest) -> str:
    """Return the path of a file of the search index: `search/`, 64 hex digits and `.js`."""
    return f"{SEARCH_FOLDER}/{digest.hex}.js"


def is_named_by(path: str, digest: Digest) -> bool:
    """Whether `path` is the path of a content-addressed file with this digest."""
    if not _ADDRESSED_PATH.fullmatch(path):
        return False
    if path.startswith("blobs/"):
        return path == blob_path(digest)
    if path.startswith(f"{PARTS_FOLDER}/"):
        return path == part_path(digest)
    if path.startswith(f"{SEARCH_FOLDER}/"):
        return path == search_path(digest)
    return path.rpartition("/")[2].partition(".")[0].rpartition("-")[2] == digest.short

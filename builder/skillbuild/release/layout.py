"""Where the files of a release stand in an output, and how a file is named by its content.

This module loads nothing else of skillbuild when it runs: a build with nothing to do needs it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillbuild.model import Digest

LAYOUT = 3
"""The number in `catalog.json` of this arrangement of files."""

RECORD_FILE = "catalog.json"
RELEASE_FILE = "release.json"
"""The object `release` of the record, byte for byte and without a line feed at its end: the SHA-256
of this file is the release digest."""
INDEX_FILE = "index.json"
CHECKSUMS_FILE = "SHA256SUMS"
HISTORY_FILE = "history.json"
HEAD_FILES = (INDEX_FILE, RELEASE_FILE, RECORD_FILE, CHECKSUMS_FILE)
"""The files by which a reader finds all others; they are replaced last, by rename, in this order.
"""

PARTS_FOLDER = "record"
SEARCH_FOLDER = "search"
SEARCH_FILE = f"{SEARCH_FOLDER}/manifest.js"
"""Where the index of the search begins: the one file below its folder that may change."""
DATES_FILE = f"{SEARCH_FOLDER}/dates.js"
"""When each skill was last changed, for the search: only with full history."""
ADDRESSED_FOLDERS = ("blobs/sha256", "archives", "icons", PARTS_FOLDER, SEARCH_FOLDER)
"""Folders of files that are named by their own digest, so that they never change."""
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
"""What clients read first, beside `index.json`; which of them there are depends on the formats."""
_FIXED_FILES = frozenset([INDEX_FILE, *CLIENT_INDEXES])
_WELL_KNOWN = re.compile(
    # What is below `-` are pages, and no segment of a skill path is called so.
    r"((groups|skills|versions)/((?!-/)[^/]+/)+)?\.well-known/.+",
    re.DOTALL,
)


def is_at_fixed_address(path: str) -> bool:
    """True for what clients read under a name that stays: indexes, and the files beside them.

    Pages are not among them. The release has one digest over all of them, `filesDigest`.
    """
    if path in _FIXED_FILES or path.startswith("claude/"):
        return True
    return ".well-known/" in path and _WELL_KNOWN.fullmatch(path) is not None


def is_addressed(path: str) -> bool:
    """True for a path below one of the addressed folders, but for two whose content may change."""
    return path.startswith(_BELOW_ADDRESSED) and path not in (SEARCH_FILE, DATES_FILE)


def blob_path(digest: Digest) -> str:
    """Where a file of a skill is published: `blobs/sha256/` and 64 hex digits."""
    return f"blobs/sha256/{digest.hex}"


def part_path(digest: Digest) -> str:
    """Where a part of the record is published: `record/`, 2 of its hex digits, all 64 of them."""
    return f"{PARTS_FOLDER}/{digest.hex[:2]}/{digest.hex}.jsonl"


def search_path(digest: Digest) -> str:
    """Where a part of the index of the search is published: `search/`, 64 hex digits, `.js`."""
    return f"{SEARCH_FOLDER}/{digest.hex}.js"


def is_named_by(path: str, digest: Digest) -> bool:
    """True when `path` is one under which a file of this digest is published."""
    if not _ADDRESSED_PATH.fullmatch(path):
        return False
    if path.startswith("blobs/"):
        return path == blob_path(digest)
    if path.startswith(f"{PARTS_FOLDER}/"):
        return path == part_path(digest)
    if path.startswith(f"{SEARCH_FOLDER}/"):
        return path == search_path(digest)
    return path.rpartition("/")[2].partition(".")[0].rpartition("-")[2] == digest.short

"""Which file names and path segments can be unpacked, served and compared everywhere."""

from __future__ import annotations

import re
import unicodedata

LONGEST_SEGMENT = 255
LONGEST_PATH = 512
"""Bytes of UTF-8: of one segment, and of a whole path inside a skill."""
DEEPEST_PATH = 32
"""Segments of a path inside a skill."""

SKILL_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
LONGEST_NAME = 64
AUTHORITY = re.compile(r"[a-z0-9._-]+")

_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._ #%&+,=@()\[\]{}'!~-]*(?<![. ])")
_FORBIDDEN = frozenset('<>:"|?*\\')
_DEVICE = re.compile(
    r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\..*)?",
    re.IGNORECASE | re.DOTALL,
)
_BAD_CATEGORIES = frozenset(["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"])
_FORMAT_SINCE_4_0 = frozenset("\u00ad\u200b")
"""Format characters that were a dash and a blank in Unicode 3.2."""
_GIT_ALIAS = re.compile(r"\.git[. ]*(:.*)?|git~[0-9]+", re.IGNORECASE)
_IGNORED_BY_HFS = re.compile("[\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


def segment_fault(segment: str) -> str | None:
    """Why a file or directory name is refused, or None; the name may hold undecodable bytes.

    Only characters assigned in Unicode 3.2 pass, so that every Python gives the same verdict.
    """
    if len(segment) < 100 and _PLAIN.fullmatch(segment) and not _is_device(segment):
        return None
    if segment in ("", ".", ".."):
        return f"the segment {segment!r}"
    if len(segment.encode(errors="surrogateescape")) > LONGEST_SEGMENT:
        return f"more than {LONGEST_SEGMENT} bytes in one segment"
    for char in segment:
        if fault := _char_fault(char):
            return fault
    if segment[-1] in ". ":
        return "a trailing dot or blank"
    if _is_device(segment):
        return f"a device name of Windows ({segment})"
    if unicodedata.normalize("NFC", segment) != segment:
        return "characters that are not in Unicode normal form C"
    return None


def _is_device(segment: str) -> bool:
    return _DEVICE.fullmatch(segment) is not None


def _char_fault(char: str) -> str | None:
    if "\udc80" <= char <= "\udcff":
        return f"the byte 0x{ord(char) - 0xDC00:02x}, which is not UTF-8"
    if char in _FORBIDDEN:
        return f"the character {char}"
    category = unicodedata.ucd_3_2_0.category(char)
    if category not in _BAD_CATEGORIES and char not in _FORMAT_SINCE_4_0:
        return None
    kind = "unassigned" if category == "Cn" else "control or invisible"
    return f"the {kind} character U+{ord(char):04X}"


def is_git_alias(segment: str) -> bool:
    """True for `.git` and for every name that some file system takes for it."""
    seen = segment if segment.isascii() else _IGNORED_BY_HFS.sub("", segment)
    return _GIT_ALIAS.fullmatch(seen) is not None


def collision_key(path: str) -> str:
    """Equal for paths that a file system may fold together: case and compatible characters."""
    if path.isascii():
        return path.lower()
    folded = unicodedata.normalize("NFKC", path).casefold()
    return unicodedata.normalize("NFKC", folded)


def prefixes(path: str) -> list[str]:
    """The proper prefixes of a path, shortest first: `a/b/c` gives `a`, `a/b`."""
    parts = path.split("/")
    return ["/".join(parts[:i]) for i in range(1, len(parts))]


def fits_ustar(path: str) -> bool:
    """True when every tar reader unpacks the path: ASCII, and short enough for a plain header."""
    return path.isascii() and split_for_ustar(path) is not None


def split_for_ustar(path: str) -> tuple[bytes, bytes] | None:
    """Prefix and name as the header of a member has them; None when they have no room."""
    raw = path.encode()
    if len(raw) <= 100:
        return b"", raw
    for cut, byte in enumerate(raw):
        if byte == ord("/") and len(raw) - cut - 1 <= 100 and cut <= 155:
            return raw[:cut], raw[cut + 1 :]
    return None

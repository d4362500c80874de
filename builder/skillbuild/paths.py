"""Handles paths as git stores them: relative, with `/` as the separator. The path of the source
itself is an empty string.

Some functions split and join paths. Others check whether a path is portable, whether two paths
collide, and whether a skill name is valid.
"""

from __future__ import annotations

import functools
import re
import unicodedata

SKILL_FILE = "SKILL.md"
"""The name of the file that makes a directory a skill; it is case-sensitive."""
EVALS = "evals"
"""The name of the folder with tasks that measure whether the skill helps."""

LONGEST_SEGMENT = 255
"""Maximum bytes of UTF-8 in one segment of a path."""
LONGEST_PATH = 512
"""Maximum bytes of UTF-8 in a path inside a skill."""
DEEPEST_PATH = 32
"""Maximum segments of a path inside a skill."""

_SKILL_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
"""The form of a skill name (Agent Skills specification, Frontmatter: name)."""
LONGEST_NAME = 64
"""Maximum characters of a skill name."""
AUTHORITY = re.compile(r"[a-z0-9._-]+")
"""First segments of a skill path that every URI parser accepts as an authority."""

_RESERVED_SEGMENTS = frozenset(["-", "index.html", ".well-known"])
_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._ #%&+,=@()\[\]{}'!~-]*(?<![. ])")
_FORBIDDEN = frozenset('<>:"|?*\\')
_DEVICE = re.compile(
    r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\..*)?",
    re.IGNORECASE | re.DOTALL,
)
_BAD_CATEGORIES = frozenset(["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"])
_FORMAT_SINCE_4_0 = frozenset("\u00ad\u200b")
"""Format characters that Unicode 3.2 classified as a dash (U+00AD) and a space (U+200B)."""
_GIT_ALIAS = re.compile(r"\.git[. ]*(:.*)?|git~[0-9]+", re.IGNORECASE)
_IGNORED_BY_HFS = re.compile("[\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")

TEST_FOLDERS = frozenset(
    [
        *("test", "tests", "__tests__", "fixture", "fixtures", "__fixtures__"),
        *("testdata", "test-data", "test_data", "test-fixtures", "test_fixtures"),
        *("mocks", "__mocks__"),
    ]
)
"""Names of folders in a skill that agents do not need."""
EXAMPLE_FOLDERS = frozenset(
    ["sample", "samples", "expected", "expected_output", "expected_outputs"]
)
"""Names of folders with sample input and expected output."""
NOT_SKILLS = (
    TEST_FOLDERS
    | EXAMPLE_FOLDERS
    | frozenset(
        [
            *("example", "examples", "template", "templates", "fragment", "fragments"),
            *("snippet", "snippets", "partial", "partials", "eval", "evals", "archive", "archived"),
        ]
    )
)
"""Names of folders whose skills are rarely meant for agents."""


def parent(path: str) -> str:
    """Return the directory that contains a path: `a/b` for `a/b/c`, empty for `a`."""
    return path.rpartition("/")[0]


def base_name(path: str) -> str:
    """Return the last segment of a path: `c` for `a/b/c`."""
    return path.rpartition("/")[2]


def inside(directory: str, path: str) -> str:
    """Join `directory` and a path that is relative to it."""
    return f"{directory}/{path}" if directory else path


def prefixes(path: str) -> list[str]:
    """Return all parent directories of a path, outermost first: `a` and `a/b` for `a/b/c`."""
    parts = path.split("/")
    return ["/".join(parts[:i]) for i in range(1, len(parts))]


def is_skill_name(text: str) -> bool:
    """Return whether the specification allows this skill name."""
    return len(text) <= LONGEST_NAME and _SKILL_NAME.fullmatch(text) is not None


def folder_for(name: str, flat_name: str) -> str:
    """Return the folder name for a skill: `name` if it is valid, or else the flat name."""
    return name if is_skill_name(name) else flat_name


def segment_fault(segment: str) -> str | None:
    """Return why a file or directory name is not portable; None if the name is portable.

    In `segment`, bytes that are not valid UTF-8 must be escaped as `surrogateescape` does. Only
    characters assigned in Unicode 3.2 are allowed, so that every Python version gives the same
    answer.
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
        return "a trailing dot or space"
    if _is_device(segment):
        return f"a Windows device name ({segment})"
    if unicodedata.normalize("NFC", segment) != segment:
        return "characters that are not in Unicode normal form C"
    return None


def _is_device(segment: str) -> bool:
    return _DEVICE.fullmatch(segment) is not None


def _char_fault(char: str) -> str | None:
    if "\udc80" <= char <= "\udcff":
        return f"the byte 0x{ord(char) - 0xDC00:02x}, which is not valid UTF-8"
    if char in _FORBIDDEN:
        return f"the character {char}"
    category = unicodedata.ucd_3_2_0.category(char)
    if category not in _BAD_CATEGORIES and char not in _FORMAT_SINCE_4_0:
        return None
    kind = "unassigned" if category == "Cn" else "control or invisible"
    return f"the {kind} character U+{ord(char):04X}"


def is_git_alias(segment: str) -> bool:
    """Return whether the name is `.git`, or a name that some file system treats as `.git`."""
    shown = segment if segment.isascii() else _IGNORED_BY_HFS.sub("", segment)
    return _GIT_ALIAS.fullmatch(shown) is not None


@functools.lru_cache(1024)
def path_segment_fault(segment: str) -> str | None:
    """Return why a segment cannot be part of a skill path; None if it can."""
    if segment in _RESERVED_SEGMENTS:
        return f"the segment {segment}, which is reserved for the catalog"
    if is_git_alias(segment):
        return f"{segment!r}, which some file systems treat as .git"
    return segment_fault(segment)


def collision_key(path: str) -> str:
    """Return the collision key of a path. Two paths have equal keys if some file system treats them
    as the same path.

    Such file systems ignore case, or treat characters that Unicode considers equivalent (NFKC) as
    the same.
    """
    if path.isascii():
        return path.lower()
    folded = unicodedata.normalize("NFKC", path).casefold()
    return unicodedata.normalize("NFKC", folded)


def fits_ustar(path: str) -> bool:
    """Return whether every tar reader can unpack the path: it is ASCII and fits into a ustar
    header.
    """
    return path.isascii() and split_for_ustar(path) is not None


def split_for_ustar(path: str) -> tuple[bytes, bytes] | None:
    """Split a path into the fields `prefix` and `name` of a ustar header; None if it is too long.

    `prefix` holds at most 155 bytes, `name` at most 100 (POSIX, pax, ustar Interchange Format).
    """
    raw = path.encode()
    if len(raw) <= 100:
        return b"", raw
    for cut, byte in enumerate(raw):
        if byte == ord("/") and len(raw) - cut - 1 <= 100 and cut <= 155:
            return raw[:cut], raw[cut + 1 :]
    return None


def is_skill_path(path: str) -> bool:
    """Return whether every segment is allowed in a skill path; False for paths such as
    `../outside`.
    """
    return all(path_segment_fault(segment) is None for segment in path.split("/"))

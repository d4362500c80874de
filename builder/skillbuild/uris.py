"""Skill URIs: `skill://<skill-path>/<file-path>` (SEP-2640, Resource Mapping; RFC 3986)."""

import re
from urllib.parse import quote

LONGEST_URI = 2048
"""Bytes of a URI beyond which the skill is not listed: clients and proxies cut longer ones."""

CATALOG_ROOT = "skill://-"
"""Holds what is no skill's file; `-` can be no skill path."""

INDEX_URI = "skill://index.json"

_AUTHORITY = "!()*+,;=-._~"
_SEGMENT = _AUTHORITY + ":@"
_UNRESERVED = re.compile(r"[A-Za-z0-9._~/-]*")


def skill_uri(skill_path: str, file_path: str = "SKILL.md") -> str:
    """The URI of one file of a skill; every byte outside the unreserved set is percent-encoded."""
    whole = f"{skill_path}/{file_path}"
    if _UNRESERVED.fullmatch(whole):
        return f"skill://{whole}"
    first, slash, rest = whole.partition("/")
    authority = quote(first, safe=_AUTHORITY, errors="surrogateescape")
    path = quote(rest, safe=_SEGMENT + "/", errors="surrogateescape")
    return f"skill://{authority}{slash}{path}"


def archive_uri(file_name: str) -> str:
    return f"{CATALOG_ROOT}/archives/{file_name}"

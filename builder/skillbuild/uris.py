"""Skill URIs: `skill://<skill-path>/<file-path>` (SEP-2640, Resource Mapping; RFC 3986)."""

import re
from urllib.parse import quote

from skillbuild.paths import SKILL_FILE

LONGEST_LISTED_URI = 2048
"""Bytes of a URI beyond which a skill spoils a listing: clients and proxies cut longer ones."""

CATALOG_ROOT = "skill://-"
"""Above the resources that belong to no skill; `-` cannot be a skill path."""

INDEX_URI = "skill://index.json"

_AUTHORITY = "!()*+,;=-._~"
"""Characters besides letters and digits that the authority of a URI holds as they are."""
_SEGMENT = _AUTHORITY + ":@"
"""The same for the segments of its path."""
_PAGE = "/!$&'()*+,;=~@"
"""Characters that stand in the address of a page as they are, as in the links between pages."""
_UNRESERVED = re.compile(r"[A-Za-z0-9._~/-]*")


def skill_uri(skill_path: str, file_path: str = SKILL_FILE) -> str:
    """The URI of one file of a skill, percent-encoded; `file_path` is relative to the skill."""
    whole = f"{skill_path}/{file_path}"
    if _UNRESERVED.fullmatch(whole):
        return f"skill://{whole}"
    first, slash, rest = whole.partition("/")
    authority = quote(first, safe=_AUTHORITY, errors="surrogateescape")
    path = quote(rest, safe=_SEGMENT + "/", errors="surrogateescape")
    return f"skill://{authority}{slash}{path}"


def skill_page_url(base_url: str, skill_path: str) -> str:
    """Where the page of a skill is published, below the address of the catalog."""
    return f"{base_url.rstrip('/')}/skills/{quote(skill_path, safe=_PAGE)}/"


def archive_uri(file_name: str) -> str:
    """The URI of an archive, by the name of its file below `archives/` of the output."""
    return f"{CATALOG_ROOT}/archives/{file_name}"

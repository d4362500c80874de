"""Creates skill URIs: `skill://<skill-path>/<file-path>` (SEP-2640, Resource Mapping; RFC 3986)."""

import re
from urllib.parse import quote

from skillbuild.paths import SKILL_FILE

LONGEST_LISTED_URI = 2048
"""Maximum bytes of a URI: clients and proxies truncate a longer one, which breaks a listing."""

CATALOG_ROOT = "skill://-"
"""Prefix of resources that belong to no skill; `-` cannot be a skill path."""

INDEX_URI = "skill://index.json"

_AUTHORITY = "!()*+,;=-._~"
"""Characters besides letters and digits that need no escape in the authority of a URI."""
_SEGMENT = _AUTHORITY + ":@"
"""Characters besides letters and digits that need no escape in the path of a URI."""
_PAGE = "/!$&'()*+,;=~@"
"""Characters besides letters and digits that need no escape in the URL of a page."""
_UNRESERVED = re.compile(r"[A-Za-z0-9._~/-]*")


def skill_uri(skill_path: str, file_path: str = SKILL_FILE) -> str:
    """Return the percent-encoded URI of a file in a skill; `file_path` is relative to the skill."""
    whole = f"{skill_path}/{file_path}"
    if _UNRESERVED.fullmatch(whole):
        return f"skill://{whole}"
    first, slash, rest = whole.partition("/")
    authority = quote(first, safe=_AUTHORITY, errors="surrogateescape")
    path = quote(rest, safe=_SEGMENT + "/", errors="surrogateescape")
    return f"skill://{authority}{slash}{path}"


def skill_page_url(base_url: str, skill_path: str) -> str:
    """Return the URL of a skill's page; `base_url` is the URL of the catalog."""
    return f"{base_url.rstrip('/')}/skills/{quote(skill_path, safe=_PAGE)}/"


def archive_uri(file_name: str) -> str:
    """Return the URI of an archive; `file_name` is its name in `archives/` of the output."""
    return f"{CATALOG_ROOT}/archives/{file_name}"

"""Where this project lives, and which commit or release of it a workflow may call.

One place says where: `[project.urls]` of `pyproject.toml`, which the installed package repeats.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import metadata
from urllib.parse import urlsplit

from skillbuild import __version__
from skillbuild.diagnostics import escape
from skillbuild.errors import ConfigError

_LABEL = "Source"
"""Of the project URL that is the address of the repository."""
_REPOSITORY = re.compile(r"/([A-Za-z0-9_][A-Za-z0-9_-]*)/([A-Za-z0-9_.-]+)")
_PINNED = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}|v[0-9]+\.[0-9]+\.[0-9]+")
_WANTED = "like https://github.com/OWNER/REPOSITORY@COMMIT"


@dataclass(frozen=True, slots=True)
class Pinned:
    """A repository on a GitHub, and the one commit or release of it that is meant."""

    repository: str
    """Owner and name, as a workflow names a repository of its own GitHub."""
    revision: str


def source_url() -> str | None:
    """Where the repository of this project is; None as long as the project does not say."""
    try:
        named = metadata.metadata("skillbuild").get_all("Project-URL", [])
    except metadata.PackageNotFoundError:
        return None
    urls = dict(str(url).split(", ", 1) for url in named)
    return urls.get(_LABEL)


def pinned(address: str | None) -> Pinned | None:
    """What `URL@REV` names; without it the release of this version, None if its home is not set.

    `ConfigError` for another form, and for a revision that may become another commit.
    """
    if address is None:
        home = source_url()
        return None if home is None else pinned(f"{home.rstrip('/')}@v{__version__}")
    url, _, revision = address.rpartition("@")
    parts = urlsplit(url)
    match = _REPOSITORY.fullmatch(parts.path.removesuffix("/").removesuffix(".git"))
    if parts.scheme != "https" or not parts.hostname or match is None:
        raise ConfigError(f"--workflow {escape(address)} is not {_WANTED}")
    if not _PINNED.fullmatch(revision):
        raise ConfigError(
            f"{escape(revision)} may become another commit; name a whole commit id, or a release"
            " like v1.2.3"
        )
    return Pinned(f"{match[1]}/{match[2]}", revision)

"""Which files a static host may serve under their own names, on the same origin as the pages.

A host sends a file with the type that its extension stands for, so only extensions are allowed
whose types no browser runs. Discovery v0.1.0 publishes files this way; the other formats hold
every file.
"""

from __future__ import annotations

import re

_EXTENSIONS = """
    md markdown txt rst adoc json jsonl yaml yml toml ini cfg conf csv tsv sql py pyi sh bash zsh
    ps1 rb go rs java kt c h cc cpp hpp cs swift lua r jl pl ts tsx jsx tf proto graphql diff patch
    png jpg jpeg gif webp ttf otf woff woff2 docx pptx xlsx zip gz tar sig bib tex lock
"""
_SAFE_EXTENSIONS = frozenset(_EXTENSIONS.split())
_RENAMED = """
    template tmpl tpl j2 jinja jinja2 hbs mustache example sample dist in mdx mdc log env out
"""
_RENAMED_EXTENSIONS = frozenset(_RENAMED.split())
"""Those of texts that people and agents read: nothing knows them by their extension."""
DOT_NAME = "a name that begins with a dot"
NO_ADDRESS = "not a plain web address"
UNSAFE_TYPE = "not a type known to be inert in browsers"
_SAFE_NAMES = frozenset(["LICENSE", "NOTICE", "README", "Makefile", "Dockerfile", "requirements"])
_ADDRESS = re.compile(r"[A-Za-z0-9/ ._~!$&'()*+,;=@-]+")


def web_fault(path: str) -> str | None:
    """Why a file may not be served under its own path, or None if it may."""
    if "/." in f"/{path}":
        return DOT_NAME
    if not _is_address(path):
        return NO_ADDRESS
    return None if _is_safe_type(path) else UNSAFE_TYPE


def is_renamed(path: str) -> bool:
    """Whether a file is of the same use under a name that is safe."""
    stem, dot, extension = path.rpartition("/")[2].rpartition(".")
    return not (dot and stem) or extension.lower() in _RENAMED_EXTENSIONS


def _is_address(path: str) -> bool:
    """True if clients that put the path into a URL without escaping it get this very file.

    One of them refuses the whole index for a `..` anywhere in a path.
    """
    is_plain = _ADDRESS.fullmatch(path) is not None
    return is_plain and ".." not in path and "/ " not in f"/{path}"


def _is_safe_type(path: str) -> bool:
    name = path.rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    return extension.lower() in _SAFE_EXTENSIONS if dot and stem else name in _SAFE_NAMES

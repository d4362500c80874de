"""Which files may stand under their own names on the catalog's origin.

Discovery v0.1.0 needs the plain files of a skill beside its index, and a host sends each with the
type its extension stands for. Only types that no browser runs are written; the rest of the formats
hold every file.
"""

from __future__ import annotations

import re

_EXTENSIONS = """
    md markdown txt rst adoc json jsonl yaml yml toml ini cfg conf csv tsv sql py pyi sh bash zsh
    ps1 rb go rs java kt c h cc cpp hpp cs swift lua r jl pl ts tsx tf proto graphql diff patch
    png jpg jpeg gif webp ttf otf woff woff2 docx pptx xlsx zip gz tar
"""
_INERT = frozenset(_EXTENSIONS.split())
_INERT_NAMES = frozenset(["LICENSE", "NOTICE", "README", "Makefile", "Dockerfile", "requirements"])
_ADDRESS = re.compile(r"[A-Za-z0-9/ ._~!$&'()*+,;=@-]+")


def web_fault(path: str) -> str | None:
    """Why a file of a skill may not, by its path in the skill; None when it may."""
    if not _is_address(path):
        return "not a plain web address"
    return None if _is_inert(path) else "not a type known to be inert in browsers"


def _is_address(path: str) -> bool:
    """True when clients that paste the path into an address, unescaped, get this very file.

    One of them refuses the whole index for a `..` anywhere in a path.
    """
    hidden = any(part.startswith((".", " ")) for part in path.split("/"))
    return _ADDRESS.fullmatch(path) is not None and ".." not in path and not hidden


def _is_inert(path: str) -> bool:
    name = path.rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    return extension.lower() in _INERT if dot and stem else name in _INERT_NAMES

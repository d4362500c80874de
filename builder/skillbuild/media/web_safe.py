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
_FIXED = """
    js mjs cjs css html htm xhtml xml xsd xsl xslt dtd rng vue svelte php yar yara ql qll wasm pdf
    ipynb jar exe dll so bin whl pyc ico avif mp3 wav ogg mp4 webm mov
"""
_FIXED_EXTENSIONS = frozenset(_FIXED.split())
"""Those of files that programs know by their extension, or that are no text."""
_SAFE_NAMES = frozenset(["LICENSE", "NOTICE", "README", "Makefile", "Dockerfile", "requirements"])
_ADDRESS = re.compile(r"[A-Za-z0-9/ ._~!$&'()*+,;=@-]+")


def web_fault(path: str) -> str | None:
    """Why a file may not be served under its own path, or None if it may."""
    if "/." in f"/{path}":
        return "a name that begins with a dot"
    if not _is_address(path):
        return "not a plain web address"
    return None if _is_safe_type(path) else "not a type known to be inert in browsers"


def needs_extension(path: str) -> bool:
    """Whether a file would be of no use under a name that is safe."""
    return path.rpartition(".")[2].lower() in _FIXED_EXTENSIONS


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

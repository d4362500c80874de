"""Discovery v0.1.0: `.well-known/skills/`, an index with the plain files of each skill beside it.

`<flat name>/SKILL.md` doubles as the stable raw address of a skill. The files stand on the
catalog's own origin under their own names, so only types that no browser runs are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbuild import jsontext
from skillbuild.model import Catalog, Entry, OutputFile, Skill

_FOLDER = ".well-known/skills"
_EXTENSIONS = """
    md markdown txt rst adoc json jsonl yaml yml toml ini cfg conf csv tsv sql py pyi sh bash zsh
    ps1 rb go rs java kt c h cc cpp hpp cs swift lua r jl pl ts tsx tf proto graphql diff patch
    png jpg jpeg gif webp ttf otf woff woff2 docx pptx xlsx zip gz tar
"""
_INERT = frozenset(_EXTENSIONS.split())
_INERT_NAMES = frozenset(["LICENSE", "NOTICE", "README", "Makefile", "Dockerfile", "requirements"])
_ADDRESS = re.compile(r"[A-Za-z0-9/ ._~!$&'()*+,;=@-]+")


def emit_skill(skill: Skill, entry: Entry) -> Iterator[OutputFile]:
    """The files of one skill under its flat name: all of them, or SKILL.md alone."""
    if entry.flat_name is None or "internal" in entry.reasons:
        return
    complete = entry.listed and is_plain(entry)
    for file in skill.files:
        if complete or file.path == "SKILL.md":
            yield OutputFile(f"{_FOLDER}/{entry.flat_name}/{file.path}", file.data)


def emit_catalog(catalog: Catalog) -> Iterator[OutputFile]:
    """The index; one entry it could not serve whole would make a client refuse all of it."""
    described = [
        {
            "name": entry.flat_name,
            "description": entry.text("description"),
            "files": [item.path for item in entry.resources],
            "version": entry.skill_digest.short,
        }
        for entry in catalog.listed
        if entry.flat_name is not None and is_plain(entry)
    ]
    yield OutputFile(f"{_FOLDER}/index.json", jsontext.document({}, "skills", described))


def is_plain(entry: Entry) -> bool:
    """True when every file may stand under its own name on a web server."""
    return all(_is_address(item.path) and _is_inert(item.path) for item in entry.resources)


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

"""Finds the license of a skill: in its fields, its license files, or the folders above it.

The first of these places that states a license is used. If the license comes from a file, the words
of the license field are kept, too.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence

from skillbuild.media.types import decode
from skillbuild.model import Json, License, LicenseKind, Skill
from skillbuild.paths import SKILL_FILE, inside
from skillbuild.source.licenses import FolderTerms, by_plainness, is_license_file
from skillbuild.source.tree import OutsideError, Reader, read_outside
from skillbuild.text.licenses import LONGEST_TEXT, Declared, Terms, declared, terms_of, together


def license_of(skill: Skill, around: tuple[Sequence[FolderTerms], Reader] | None = None) -> License:
    """Return the license of a skill, and the path of the file that states this license.

    The path is relative to the source. `around` contains the folders above the skill, nearest
    first, and a reader for files in these folders.
    """
    field = _declared(skill.frontmatter.value)
    if field.terms is not None:
        said = "" if field.terms.value == field.words else field.words
        path = inside(skill.directory, SKILL_FILE)
        return License(*field.terms, said, "skill", path)
    for terms, origin, path in (*_own(skill, field.file), *_around(*(around or ((), None)))):
        return License(*terms, field.words, origin, path)
    if field.file:
        path = inside(skill.directory, SKILL_FILE)
        return License(field.words, LicenseKind.WORDS, "", "skill", path)
    return License(declared=field.words)


def _declared(frontmatter: Mapping[str, Json]) -> Declared:
    """Return the first non-empty license field, in either spelling of its name."""
    metadata = frontmatter.get("metadata")
    inner = metadata if isinstance(metadata, Mapping) else {}
    for fields in (frontmatter, inner):
        for key, value in fields.items():
            if _FIELD.fullmatch(key) and (field := declared(value)).words:
                return field
    return Declared("", None)


_FIELD = re.compile("licen[cs]e")
_Found = tuple[Terms, str, str]
"""The terms in a file, the owner of the file, and its path."""


def _own(skill: Skill, named: str) -> Iterator[_Found]:
    """Yield the terms of the file that the field names, and then those of license files at the
    top.
    """
    files = {file.path: file.data for file in skill.files}
    if named in files and (terms := _terms(files[named])):
        yield terms, "skill", inside(skill.directory, named)
    top = sorted(filter(is_license_file, files), key=by_plainness)
    if terms := together([found for path in top if (found := _terms(files[path]))]):
        yield terms, "skill", inside(skill.directory, top[0])


def _around(folders: Sequence[FolderTerms], reader: Reader | None) -> Iterator[_Found]:
    for folder in folders:
        origin = "plugin" if folder.folder else "repository"
        read: list[Terms] = []
        for leaf in folder.files if reader else ():
            try:
                terms = _terms(read_outside(leaf, reader, LONGEST_TEXT)) if reader else None
            except OutsideError:
                continue
            read += [terms] if terms else []
        if terms := together(read):
            yield terms, origin, folder.files[0].path
        if folder.declared and (terms := declared(folder.declared).terms):
            yield terms, origin, folder.manifest


@functools.lru_cache(maxsize=64)
def _terms(data: bytes) -> Terms | None:
    """Return the terms in a license file; None if there are none. Cached, because many skills share
    a text.
    """
    text = decode(data)
    return None if text is None else terms_of(text)

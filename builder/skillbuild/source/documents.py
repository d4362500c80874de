"""Parses the Markdown files of one skill, each only once."""

from __future__ import annotations

from collections.abc import Sequence

from skillbuild.media.types import decode
from skillbuild.model import File
from skillbuild.paths import SKILL_FILE
from skillbuild.text.markdown.document import Document

_MOST_KEPT = 2 * 1024 * 1024
"""Maximum number of characters of text that stay in memory in parsed form, which takes many times
the size of the text.
"""


class Documents:
    """The Markdown files of a skill, parsed when they are requested.

    For SKILL.md, only the body is parsed, but line numbers count from the top of the file.
    """

    def __init__(self, files: Sequence[File], body: str | None = None, body_line: int = 1) -> None:
        """Parse `body` as the text of SKILL.md; without it, if the frontmatter cannot be read,
        parse the whole file.
        """
        self._files = {file.path: file.data for file in files}
        self._body, self._body_line = body, body_line
        self._kept: dict[str, Document | None] = {}
        self._room = _MOST_KEPT

    def of(self, path: str) -> Document | None:
        """Return a file of the skill, parsed as Markdown; None if it is not text."""
        if path in self._kept:
            return self._kept[path]
        document = self._new(path)
        length = len(document.text) if document else 0
        if length <= self._room:
            self._room -= length
            self._kept[path] = document
        return document

    def _new(self, path: str) -> Document | None:
        if path == SKILL_FILE and self._body is not None:
            return Document(self._body, self._body_line)
        text = decode(self._files[path])
        return None if text is None else Document(text)

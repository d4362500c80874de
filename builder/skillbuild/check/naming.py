"""Finds the text of a skill that mentions a certain file of the skill."""

from __future__ import annotations

import re
from collections.abc import Sequence

from skillbuild.check.path_words import NO_INSTRUCTIONS
from skillbuild.media.types import decode
from skillbuild.model import File
from skillbuild.paths import SKILL_FILE, base_name


def naming(path: str, contents: Sequence[File]) -> str | None:
    """Return the path of the first text for agents that mentions a file; None if there is none.

    SKILL.md is searched first, and the file itself is not searched. The search is for the last
    segment of the path. A name without an extension is taken for a folder.
    """
    name = base_name(path)
    named = re.compile(rf"(?<![\w.-]){re.escape(name)}{'' if '.' in name else '/'}(?![\w-])")
    texts = [file for file in contents if file.path.endswith(".md") and file.path != path]
    for file in sorted(texts, key=lambda each: (each.path != SKILL_FILE, each.path)):
        if not NO_INSTRUCTIONS.search(file.path) and named.search(decode(file.data) or ""):
            return file.path
    return None

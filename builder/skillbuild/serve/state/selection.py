"""The part of a release that `--only` serves; the output and the static catalog stay whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fnmatch import translate

from pydantic_core import from_json, to_json

from skillbuild.errors import ConfigError
from skillbuild.release.sorted_lines import path_in

Selection = Callable[[str], object]
"""Whether the skill with a path is served."""


def selection(globs: Sequence[str]) -> Selection | None:
    """Skills whose paths match a glob, in which `*` also stands for `/`; None if there is none."""
    if not globs:
        return None
    if not all(globs):
        raise ConfigError("--only takes a glob of skill paths, for example 'acme/*'")
    return re.compile("|".join(map(translate, globs))).match


def selected_lines(data: bytes, only: Selection) -> bytes:
    """The lines of a part whose skills are served."""
    return b"".join(line for line in data.splitlines(keepends=True) if only(path_in(line)))


def selected_index(data: bytes, is_served: Callable[[str], object]) -> bytes:
    """The index with the skills alone that are served; `is_served` takes the URI of a SKILL.md."""
    index = from_json(data)
    skills: Iterable[dict[str, object]] = index["skills"]
    return to_json({**index, "skills": [each for each in skills if is_served(str(each["url"]))]})

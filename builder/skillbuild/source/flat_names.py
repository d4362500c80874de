"""Names for formats that know skills by name and not by path: discovery and marketplaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from skillbuild.paths import base_name, is_skill_name


def flat_names(paths: Sequence[str]) -> dict[str, str]:
    """A name for every skill path that can have one, none twice.

    A name that one skill has stays. Skills that share a name get their path joined with `-`; where
    that is no valid name, or is the name of another skill, the skill has none.
    """
    uses = Counter(map(base_name, paths))
    wanted = {path: _wanted(path, uses) for path in paths}
    taken = Counter(wanted.values())
    return {path: name for path, name in wanted.items() if taken[name] == 1 and is_skill_name(name)}


def _wanted(path: str, uses: Counter[str]) -> str:
    name = base_name(path)
    return name if uses[name] == 1 else path.replace("/", "-")

"""Names for formats with one flat namespace: discovery and marketplaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from skillbuild.paths import LONGEST_NAME, SKILL_NAME


def flat_names(paths: Sequence[str]) -> dict[str, str]:
    """A name for every skill path that can have one, none twice.

    A name used once stays. Names used by several skills become the path joined with `-`; where
    that breaks the naming rules or meets another name, the skill has none.
    """
    uses = Counter([path.rpartition("/")[2] for path in paths])
    wanted = {path: _wanted(path, uses) for path in paths}
    taken = Counter(wanted.values())
    return {
        path: name
        for path, name in wanted.items()
        if taken[name] == 1 and len(name) <= LONGEST_NAME and SKILL_NAME.fullmatch(name)
    }


def _wanted(path: str, uses: Counter[str]) -> str:
    name = path.rpartition("/")[2]
    return name if uses[name] == 1 else path.replace("/", "-")

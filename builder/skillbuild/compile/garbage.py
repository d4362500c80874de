"""How often Python looks for objects that only refer to each other: seldom, but after each skill.

Nearly all that a build allocates stays to the end or is freed at once. What a template renders is
neither: its context refers to itself, and with it to the files of the skill.
"""

from __future__ import annotations

import gc

_OBJECTS = 20_000
"""New ones between two looks at the youngest."""


def collect_seldom() -> None:
    """Keep all objects that there are now to the end, and look at others seldom."""
    gc.freeze()
    gc.set_threshold(_OBJECTS, 20, 50)


def collect_youngest() -> None:
    """Free what was allocated since the last look and is not used any more."""
    gc.collect(0)

"""How often Python looks for garbage: seldom, as what a build makes stays or goes by itself."""

from __future__ import annotations

import gc

_OBJECTS = 20_000
"""New ones between two looks at the youngest."""


def collect_seldom() -> None:
    """What is there now stays to the end; cycles among the rest are looked for seldom."""
    gc.freeze()
    gc.set_threshold(_OBJECTS, 20, 50)

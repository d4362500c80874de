"""Work that would keep other requests waiting: in threads, so many at once.

Three kinds do not wait for each other: what reads the whole catalog, what reads some of it, and
searches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

import anyio
import anyio.to_thread

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")

_WHOLE = anyio.CapacityLimiter(2)
"""More of them would take the processor from the event loop, as one thread runs at a time."""
_SOME = anyio.CapacityLimiter(8)
_TURNS = anyio.CapacityLimiter(1)


async def over_catalog(function: Callable[[*Arguments], Result], *arguments: *Arguments) -> Result:
    """The result of a function that reads all skills."""
    return await anyio.to_thread.run_sync(function, *arguments, limiter=_WHOLE)


async def in_thread(function: Callable[[*Arguments], Result], *arguments: *Arguments) -> Result:
    """The result of a function that reads large files or many skills, but not all."""
    return await anyio.to_thread.run_sync(function, *arguments, limiter=_SOME)


async def in_turn(function: Callable[[*Arguments], Result], *arguments: *Arguments) -> Result:
    """The result of a search: they share an index, and would wait for it in their threads."""
    return await anyio.to_thread.run_sync(function, *arguments, limiter=_TURNS)

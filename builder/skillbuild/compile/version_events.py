"""What happened to one skill, read from its states: only those count that are published."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from skillbuild.emit.events import Event, EventKind
from skillbuild.emit.versions import VersionSummary, in_one_line
from skillbuild.model import Digest
from skillbuild.source.lineage import End, State

PathOf = Callable[[State], str]
"""The skill path that a skill had in a published state."""


@dataclass(frozen=True, slots=True)
class _Stand:
    """What the catalog had of a skill at some commit."""

    digest: Digest
    path: str


def events_of(
    states: Sequence[State],
    trees: Mapping[str, Digest | None],
    summaries: Sequence[VersionSummary],
    path_of: PathOf,
) -> tuple[Event, ...]:
    """The events of a skill, the oldest first.

    `states` are the newest first, `trees` has the skill digest of each tree that is published, and
    None for what is no skill; `summaries` are the versions with these digests.
    """
    labels = {each.version.digest: each.version.label for each in summaries}
    differences = {each.version.digest: _difference(each) for each in summaries}
    events: list[Event] = []
    last: _Stand | None = None

    def add(kind: EventKind, when: State | End, stand: _Stand, former: str = "") -> None:
        is_new = all(each.digest != stand.digest for each in events)
        text = differences[stand.digest] if is_new else ""
        label = labels[stand.digest]
        what = (stand.path, former, stand.digest, label, text)
        events.append(Event(kind, when.change, when.order, *what))

    for state in reversed(states):
        digest = trees.get(state.tree)
        if digest is not None:
            now = _Stand(digest, path_of(state))
            kind = _kind(last, now, events)
            if kind is not None:
                add(kind, state, now, last.path if last and kind is EventKind.MOVED else "")
            last = now
        end = state if digest is None and state.tree in trees else state.end
        if end is not None and last is not None:
            add(EventKind.WITHDRAWN, end, last)
            last = None
    return tuple(events)


def _kind(last: _Stand | None, now: _Stand, events: Sequence[Event]) -> EventKind | None:
    """What happened between two states; None if nothing that a catalog shows."""
    if last is None:
        return EventKind.ADDED
    if last.path != now.path:
        return EventKind.MOVED
    if last.digest == now.digest:
        return None
    is_back = any(each.digest == now.digest for each in events)
    return EventKind.RESTORED if is_back else EventKind.CHANGED


def _difference(summary: VersionSummary) -> str:
    return in_one_line(summary.difference) if summary.difference else ""

"""Whose version each version is, where several skills had the same files.

The address of a version holds one page and one record, so one skill publishes it: the one that had
its tree first, as far as the history tells. Only after the checks it is known whether that one
publishes it at all, and whether two trees hold the same files; then some are compiled once more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from skillbuild.compile.result import SkillResult
from skillbuild.compile.skills import Compiled
from skillbuild.model import Digest, version_address
from skillbuild.source.lineage import State

Claims = Mapping[str, tuple[dict[str, str], dict[str, str]]]
States = Mapping[str, Sequence[State]]

Again = Callable[[States, Sequence[str]], Iterable[SkillResult]]
"""Compiles the skills of some directories once more, in this order, with other states."""

_MOST_ROUNDS = 5


def with_one_owner(compiled: Compiled, states: States, again: Again) -> Compiled:
    """The same with every version published by one skill, the first by directory that can."""
    for _ in range(_MOST_ROUNDS):
        claims = _claims(compiled)
        shared: dict[tuple[str, str], bool] = {}
        crowded, order = _crowded(claims, states)
        for digest in sorted(claims) if not crowded else ():
            owners, others = claims[digest]
            if len(owners) == 1 or not owners | others:
                continue
            winner, *rest = sorted(owners) or sorted(others)
            for directory in rest if owners else ():
                shared[directory, owners[directory]] = True
            shared[winner, (owners | others)[winner]] = False
            order += [*(rest if owners else ()), winner]
        if not order:
            return compiled
        states = {
            directory: [
                replace(
                    each,
                    is_shared=shared.get((directory, each.tree), each.is_shared),
                    is_crowded=each.is_crowded or (directory, each.tree) in crowded,
                )
                for each in every
            ]
            for directory, every in states.items()
        }
        # Whoever publishes a version comes last, so that what another one wrote is replaced.
        last_first = list(dict.fromkeys(reversed(order)))
        results = {each.directory: each for each in again(states, last_first[::-1])}
        compiled = replace(
            compiled,
            results=tuple(results.get(each.directory, each) for each in compiled.results),
            gone=tuple(results.get(each.directory, each) for each in compiled.gone),
        )
    return compiled


def _crowded(claims: Claims, states: States) -> tuple[set[tuple[str, str]], list[str]]:
    """The trees by directory whose version would have the address of an older one.

    Beside them the directories to compile again, those with the older version last.
    """

    def first(digest: str) -> tuple[int, str]:
        orders = [
            each.order
            for own in claims[digest]
            for directory, tree in own.items()
            for each in states[directory]
            if each.tree == tree
        ]
        return min(orders, default=0), digest

    by_address = defaultdict[str, list[str]](list)
    for digest in claims:
        by_address[version_address(Digest(digest))].append(digest)
    crowded: set[tuple[str, str]] = set()
    last: list[str] = []
    for digests in by_address.values():
        oldest, *rest = sorted(digests, key=first) if len(digests) > 1 else digests
        crowded |= {item for each in rest for own in claims[each] for item in own.items()}
        last += sorted(claims[oldest][0]) if rest else []
    again = sorted({directory for directory, _ in crowded}.difference(last))
    return crowded, [*again, *last]


def _claims(compiled: Compiled) -> Claims:
    """By skill digest, the trees by directory of who publishes it, and of who relies on others."""
    claims = defaultdict[str, tuple[dict[str, str], dict[str, str]]](lambda: ({}, {}))
    for result in (*compiled.results, *compiled.gone):
        if result.published is not None:
            for digest, tree in result.published.versions.own.items():
                claims[digest][0][result.directory] = tree
            for digest, tree in result.published.versions.shared.items():
                claims[digest][1][result.directory] = tree
    return claims

"""The order of skills for a query, in integers alone.

A term gives a skill the largest of quality x weight x rarity over its levels; the rarity of a level
is the bit length of all skills over those that have the term at this level or a better one. The
score is the sum over the terms times the square of how many of them the skill has. Those with more
than half of the terms come first, then the higher score, then the path that comes first.

Skills are bits of integers, and numbers of skills are planes of such: bit n of plane p is bit p of
the number of skill n. So no loop here goes over skills, but over those that are asked for. The twin
of this module, `site_src/search/ranking.js`, loops over arrays and comes to the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skillbuild.release.search.matching import Level

Planes = list[int]


@dataclass(frozen=True, slots=True)
class Ranking:
    """All skills that have a term of a query, and what they have of it."""

    terms: int
    totals: Planes
    """The sum over the terms."""
    hits: Planes
    """How many terms each skill has."""

    @staticmethod
    def of(terms: Sequence[Sequence[Level]], count: int) -> Ranking:
        """The ranking of `count` skills by the levels of each term."""
        totals: Planes = []
        hits: Planes = []
        for own in terms:
            points, having = _points(own, count)
            totals = _sum(totals, points)
            hits = _sum(hits, [having])
        return Ranking(len(terms), totals, hits)

    def count(self, *, most: bool, among: int = -1) -> int:
        """How many skills have more than half of the terms, or else fewer; of those `among`."""
        return sum((bits & among).bit_count() for _, bits in self._by_hits(most=most))

    def best(self, limit: int, *, most: bool, among: int = -1) -> list[int]:
        """The numbers of the best skills that have more than half of the terms, or else fewer."""
        scored: list[tuple[int, int]] = []
        for hits, bits in self._by_hits(most=most):
            chosen = _top(bits & among, self.totals, limit)
            scored += [(-total * hits * hits, number) for number, total in self._totals(chosen)]
        return [number for _, number in sorted(scored)[:limit]]

    def _by_hits(self, *, most: bool) -> Iterator[tuple[int, int]]:
        """Numbers of terms, with the skills that have exactly so many."""
        for hits in range(self.terms, 0, -1):
            if (2 * hits > self.terms) == most:
                bits = -1
                for place, plane in enumerate(self.hits):
                    bits &= plane if hits >> place & 1 else ~plane
                if hits >> len(self.hits) == 0 and bits:
                    yield hits, bits

    def _totals(self, chosen: int) -> Iterator[tuple[int, int]]:
        """The chosen skills with their sums."""
        size = (chosen.bit_length() + 7) // 8
        mask = (1 << 8 * size) - 1
        planes = [(plane & mask).to_bytes(size, "little") for plane in self.totals]
        for number in members_of(chosen):
            byte, bit = number >> 3, number & 7
            total = sum((plane[byte] >> bit & 1) << place for place, plane in enumerate(planes))
            yield number, total


def _points(levels: Sequence[Level], count: int) -> tuple[Planes, int]:
    """What each skill gets for a term, and the skills that get anything."""
    valued: list[tuple[int, int]] = []
    having = 0
    for level in levels:
        for bits in level.weighed.values():
            having |= bits
        if having:
            rarity = (count // having.bit_count()).bit_length()
            valued += [
                (level.quality * weight * rarity, bits) for weight, bits in level.weighed.items()
            ]
    planes: Planes = []
    done = 0
    for value, bits in sorted(valued, reverse=True):
        fresh = bits & ~done
        if fresh:
            done |= fresh
            planes += [0] * (value.bit_length() - len(planes))
            for place in range(value.bit_length()):
                if value >> place & 1:
                    planes[place] |= fresh
    return planes, having


def _sum(first: Planes, second: Planes) -> Planes:
    """The sums of two numbers of each skill."""
    carry, planes = 0, []
    for place in range(max(len(first), len(second))):
        one = first[place] if place < len(first) else 0
        other = second[place] if place < len(second) else 0
        different = one ^ other
        planes.append(different ^ carry)
        carry = (one & other) | (different & carry)
    return [*planes, carry] if carry else planes


def _top(bits: int, planes: Planes, limit: int) -> int:
    """Of these skills the `limit` with the largest numbers; of equals the first."""
    if bits.bit_count() <= limit:
        return bits
    chosen, room = 0, limit
    for plane in reversed(planes):
        high = bits & plane
        size = high.bit_count()
        if size <= room:
            chosen |= high
            room -= size
            bits &= ~plane
        else:
            bits = high
    for number in members_of(bits):
        if not room:
            break
        chosen |= 1 << number
        room -= 1
    return chosen


def members_of(bits: int) -> Iterator[int]:
    """The numbers of the bits that are set, in ascending order."""
    text = bin(bits)[:1:-1]
    place = text.find("1")
    while place >= 0:
        yield place
        place = text.find("1", place + 1)

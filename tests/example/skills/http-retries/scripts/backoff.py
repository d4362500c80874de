#!/usr/bin/env python3
"""Show how the retries of many clients spread over time after a common failure.

All clients fail at second 0. In each tick the server answers up to its capacity
and turns the rest away; those clients wait and come back.
"""

from __future__ import annotations

import argparse
import heapq
import random
import sys
from collections import Counter

BASE = 0.2
CAP = 5.0
TICK = 0.1
WIDTH = 50


def wait(strategy: str, attempt: int, source: random.Random) -> float:
    ceiling = min(CAP, BASE * 2.0**attempt)
    match strategy:
        case "none":
            return ceiling
        case "equal":
            return ceiling / 2 + source.uniform(0, ceiling / 2)
        case _:
            return source.uniform(0, ceiling)


def simulate(
    clients: int, capacity: int, strategy: str, seed: int
) -> tuple[Counter[int], int, float]:
    """Return requests by tick, the number of all requests, and the last second."""
    source = random.Random(seed)
    queue = [(wait(strategy, 0, source), client, 0) for client in range(clients)]
    heapq.heapify(queue)
    requests: Counter[int] = Counter()
    served: Counter[int] = Counter()
    last = 0.0
    while queue:
        moment, client, attempt = heapq.heappop(queue)
        tick = int(moment / TICK)
        requests[tick] += 1
        if served[tick] < capacity:
            served[tick] += 1
            last = moment
        else:
            later = moment + wait(strategy, attempt + 1, source)
            heapq.heappush(queue, (later, client, attempt + 1))
    return requests, requests.total(), last


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=1000)
    parser.add_argument("--capacity", type=int, default=50, help="answers each tick")
    parser.add_argument("--strategy", choices=("none", "equal", "full"), default="full")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.clients < 1 or args.capacity < 1:
        parser.error("clients and capacity must be at least 1")

    requests, total, last = simulate(args.clients, args.capacity, args.strategy, args.seed)
    seconds: dict[int, int] = {}
    for tick, count in requests.items():
        second = int(tick * TICK)
        seconds[second] = max(seconds.get(second, 0), count)
    highest = max(seconds.values())
    print("busiest tenth of each second, in requests")
    for second, count in sorted(seconds.items()):
        print(f"{second:>4} s {count:>6}  {'#' * round(WIDTH * count / highest)}")
    print(
        f"{args.strategy}: {total} requests for {args.clients} clients, "
        f"peak {highest} in {TICK} s, all served after {last:.1f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

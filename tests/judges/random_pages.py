"""Do pages drawn at random hold what the catalog promises, whoever wrote the skills?

    python tests/judges/random_pages.py OUT... [--count N] [--seed TEXT]

Of each OUT some pages are shown in Chromium, as many of each kind. A fault is a message in the
console (a violation of the policy is one), a request to another host, a page that scrolls sideways
at 320, 390 or 1280 pixels, or whatever axe finds at 390 and 1280 in both color schemes. Exit
status 1 if there is any. The same seed draws the same pages of an output.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "builder")]

from helpers import browsing, pages, views  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("outs", metavar="OUT", nargs="+", type=Path)
    parser.add_argument("--count", metavar="N", type=int, default=30)
    parser.add_argument("--seed", metavar="TEXT", default="1")
    options = parser.parse_args()
    with browsing.started() as browser:
        numbers = [_judge(browser, out, options.count, options.seed) for out in options.outs]
    return 1 if any(numbers) else 0


def _judge(browser: Browser, out: Path, count: int, seed: str) -> int:
    paths = sorted(file.relative_to(out).as_posix() for file in out.rglob("*.html"))
    chosen = drawn(paths, count, seed)
    number = 0
    with browsing.served(out) as address:
        for fault in views.all_faults(browser, address, chosen):
            number += 1
            print(f"{out}: {fault}", flush=True)
    print(f"{out}: seed {seed}, {len(chosen)} of {len(paths)} pages, {number} faults", flush=True)
    return number


def drawn(paths: Sequence[str], count: int, seed: str) -> Sequence[str]:
    """So many paths, of each kind the same number as far as it has them; sorted."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        kinds[pages.kind(path)].append(path)
    chance = random.Random(seed)
    rows = [chance.sample(having, min(count, len(having))) for _, having in sorted(kinds.items())]
    in_turn = (row[place] for place in range(count) for row in rows if place < len(row))
    return sorted([path for path, _ in zip(in_turn, range(count), strict=False)])


if __name__ == "__main__":
    sys.exit(main())

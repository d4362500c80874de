"""Does Lighthouse, as on a slow phone, find nothing to object to in the pages of an output?

    python tests/judges/lighthouse.py OUT [PAGE...] [--runs N]

PAGE is a path in OUT, and may have a query. Without one, a page of each kind is measured, and of
skills, files and versions also the longest. Printed is the median of N runs, and below it what a
category but performance does not give the full score for. Exit status 1 if performance is below
0.95 or another category below 1, but for SEO of pages that want to be in no search engine. A busy
machine blocks pages too: look at bytes and shifts then.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "builder")]

from helpers import browsing, lighthouse, pages  # noqa: E402

_BARS = {"performance": 0.95, "accessibility": 1, "best-practices": 1, "seo": 1}
_SINGLE = ("index.html", "404.html", "about/index.html", "changes/index.html")
_COMPARED = 4
_HIDDEN = "Page is blocked from indexing"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", metavar="OUT", type=Path)
    parser.add_argument("pages", metavar="PAGE", nargs="*")
    parser.add_argument("--runs", metavar="N", type=int, default=3)
    options = parser.parse_args()
    print("perf  a11y  best  seo   blocked  painted  shift   kB  requests")
    with browsing.served(options.out) as address:
        chosen = options.pages or list(dict.fromkeys(_one_of_each(options.out)))
        missed = [page for page in chosen if not _meets(address, page, options.runs)]
    print(f"{len(chosen)} pages, {len(missed)} below the bars")
    return 1 if missed else 0


def _one_of_each(out: Path) -> Iterator[str]:
    """A page of each kind from the middle, the longest ones, and a comparison of skills."""
    sizes = {file.relative_to(out).as_posix(): file.stat().st_size for file in out.rglob("*.html")}
    yield from (path for path in _SINGLE if path in sizes)
    for kind in sorted({pages.kind(path) for path in sizes} - {"other"}):
        having = sorted(path for path in sizes if pages.kind(path) == kind)
        yield having[len(having) // 2]
        if kind in ("skill", "file", "version"):
            yield max(having, key=sizes.__getitem__)
    rows = sorted(out.glob("skills/**/-/compare.js"))[:_COMPARED]
    names = [row.relative_to(out / "skills").parent.parent.as_posix() for row in rows]
    yield "compare/index.html?" + "&".join(f"s={name}" for name in names)


def _meets(address: str, page: str, times: int) -> bool:
    runs = [lighthouse.judge(address + page) for _ in range(times)]
    scores = {name: statistics.median(run.scores[name] for run in runs) for name in _BARS}
    print(_row(page, scores, runs), flush=True)
    for line in sorted({line for run in runs for line in run.failed}):
        print(f"  {line}", flush=True)
    is_hidden = any(_HIDDEN in line for run in runs for line in run.failed)
    bars = {name: bar for name, bar in _BARS.items() if name != "seo" or not is_hidden}
    return all(scores[name] >= bar for name, bar in bars.items())


def _row(page: str, scores: dict[str, float], runs: Sequence[lighthouse.Verdict]) -> str:
    blocked = statistics.median(run.blocked for run in runs)
    painted = statistics.median(run.painted for run in runs) / 1000
    shift = max(run.layout_shift for run in runs)
    shown = "  ".join(f"{score:4.2f}" for score in scores.values())
    weight = f"{runs[-1].bytes_loaded / 1000:4.0f}  {len(runs[-1].requests):8}"
    return f"{shown}  {blocked:4.0f} ms  {painted:5.2f} s  {shift:5.3f}  {weight}  {page}"


if __name__ == "__main__":
    sys.exit(main())

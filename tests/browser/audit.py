"""The budgets of the pages on any output: `python tests/browser/audit.py OUT`.

Reads every page for dead links and active content, shows a sample in a browser, and prints what is
wrong; the status is 1 if anything is. The sample has all pages but those of skills, files and
values of a facet; of these, some at equal distances. `tests/judges/lighthouse.py` measures how
quick pages are.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "builder")]

from helpers import browsing, outputs, pages, views  # noqa: E402

EACH = 30
"""Pages of a kind in the sample, at most."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    paths = sample(sorted(path.relative_to(options.out).as_posix() for path in _pages(options.out)))
    with browsing.served(options.out) as address:
        number = 0
        for fault in faults(options.out, address, paths):
            number += 1
            print(fault, flush=True)
    print(f"{len(paths)} pages shown, {number} faults")
    return bool(number)


def faults(out: Path, address: str, paths: Sequence[str]) -> Iterator[str]:
    yield from faults_in_html(out)
    errors = pages.invalid([out / path for path in paths])
    if errors is None:
        print("not asked: the checker of the W3C")
    yield from (errors or "").splitlines()
    yield from faults_in_browser(address, paths)


def _pages(out: Path) -> Iterator[Path]:
    return (path for path in out.rglob("*.html") if path.is_file())


def sample(paths: Sequence[str]) -> list[str]:
    chosen = []
    for wanted in sorted({pages.kind(path) for path in paths}):
        having = [path for path in paths if pages.kind(path) == wanted]
        chosen += having if wanted == "other" else having[:: -(-len(having) // EACH)]
    return chosen


def kinds(paths: Sequence[str]) -> dict[str, str]:
    """One page of each kind, from the middle of the sample."""
    chosen = {"list": "index.html", "not chosen": "404.html"}
    for wanted in ("skill", "file", "tag", "group", "license"):
        having = [path for path in paths if pages.kind(path) == wanted]
        if having:
            chosen[wanted] = having[len(having) // 2]
    return chosen


def faults_in_html(out: Path) -> Iterator[str]:
    """What is wrong in the HTML of all pages."""
    every = pages.read(out)
    print(len(every), "pages read")
    yield from pages.dead_links(out, every, outputs.head_of(out)["release"]["baseUrl"] or "")
    for page in every.values():
        yield from pages.active_content(page)
        yield from (f"{page.path}: id {name} twice" for name in pages.repeated_ids(page))
        if page.count("h1") != 1:
            yield f"{page.path}: {page.count('h1')} main headings"


def faults_in_browser(address: str, paths: Sequence[str]) -> Iterator[str]:
    """What a browser finds in the sample."""
    with browsing.started() as browser:
        shown = kinds(paths).values()
        for width in (390, 1280):
            every = views.first_views(browser, [address + path for path in shown], width)
            for path, loaded in zip(shown, every, strict=True):
                print(
                    f"{len(loaded)} requests, {len(views.shell(loaded))} without pictures: {path}"
                )
        yield from views.all_faults(browser, address, paths)


if __name__ == "__main__":
    sys.exit(main())

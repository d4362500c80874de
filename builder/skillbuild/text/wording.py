"""Formats text for pages, the terminal and job summaries: numbers with nouns, lists of names, and
file sizes.
"""

from __future__ import annotations

from collections.abc import Sequence

TOO_LARGE = (
    "GitHub Pages is limited to 1 GB: set [pages] files = false, leave out formats, or split the"
    " source"
)


def plural(number: int, noun: str, many: str = "") -> str:
    """Return a number with a noun: `1 file`, `1,200 files`. `many` is the plural if it is not
    formed with `s`.
    """
    return f"{number:,} {noun if number == 1 else many or f'{noun}s'}"


def are(number: int, what: str = "") -> str:
    """Return a number and its verb: `1 is`, `1,200 are` or, if `what` is `more`, `1 more is`."""
    return f"{number:,}{what and f' {what}'} {'is' if number == 1 else 'are'}"


def joined(words: Sequence[str], last: str = "and") -> str:
    """Return items as a list in words: `a`, `a and b`, `a, b and c`. `last` is the word before the
    last item.
    """
    *before, final = words
    return f"{', '.join(before)} {last} {final}" if before else final


def some(names: Sequence[str], most: int = 3, how: str = "") -> str:
    """Return the first names and the number of the others: `a, b, c and 2 more`.

    If only one other name is left, it is shown too, because it takes no more space than `1 more`.
    `how` follows the number and says how to see the other names.
    """
    more = len(names) - most
    if more < 2:
        return joined(names)
    return f"{', '.join(names[:most])} and {more:,} more{how}"


def human_size(size: int) -> str:
    """Return a size in powers of 1000, such as `5.3 kB`."""
    value = float(size)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"

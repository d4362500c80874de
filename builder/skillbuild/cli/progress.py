"""Shows the progress of a command on one line, which is overwritten on each update. Nothing is
shown if the output is not a terminal.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable

from skillbuild.text.wording import human_size, plural

Skills = Callable[[int, int], None]
"""A function that receives the number of finished skills and the number of all skills."""
Transfer = Callable[[int, int, int, int], None]
"""A function that receives four numbers: files done, all files, bytes done, all bytes. A total is
`0` until it is known."""
_SHOW_EVERY = 0.2


def progress_line(options: argparse.Namespace) -> Skills:
    """Return a function that shows how many skills are done."""
    if options.quiet or not sys.stderr.isatty() or os.environ.get("CI"):
        return lambda done, total: None
    started = time.monotonic()

    def show(done: int, total: int) -> None:
        if done % 25 == 0 or done == total:
            text = skills_text(done, total, time.monotonic() - started)
            line = f"\r\x1b[K{text}" if done < total else "\r\x1b[K"
            print(line, end="", file=sys.stderr, flush=True)

    return show


def skills_text(done: int, total: int, seconds: float) -> str:
    """Return the text of the progress line: the number of finished skills, the rate, and the
    remaining time.
    """
    text = f"{done:,} of {plural(total, 'skill')}"
    if seconds < 1 or not done:
        return text
    rate = done / seconds
    left = round((total - done) / rate)
    shown = f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
    return f"{text}, {shown}/s, {left // 60}:{left % 60:02} left"


def transfer_line(options: argparse.Namespace) -> Transfer:
    """Return a function that shows how many files have been sent or read. At the end, it clears the
    line.
    """
    if options.quiet or not sys.stderr.isatty() or os.environ.get("CI"):
        return lambda done, files, done_bytes, size: None
    started = shown_at = time.monotonic()

    def show(done: int, files: int, done_bytes: int, size: int) -> None:
        nonlocal shown_at
        now = time.monotonic()
        is_done = done == files
        if not is_done and now - shown_at < _SHOW_EVERY:
            return
        shown_at = now
        text = "" if is_done else transfer_text((done, files), (done_bytes, size), now - started)
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)

    return show


def transfer_text(files: tuple[int, int], size: tuple[int, int], seconds: float) -> str:
    """Return text that says how much is done, how fast, and how long the rest will take.

    The time for small files depends on the number of files, and the time for large files on the
    number of bytes. Both times are estimated, and the longer one is shown.
    """
    numbers = f"{files[0]:,} of {files[1]:,} files" if files[1] else plural(files[0], "file")
    sizes = [human_size(number) for number in size if number]
    text = ", ".join([numbers, " of ".join(sizes)]) if sizes else numbers
    if seconds < 1 or not files[0] or not size[0]:
        return text
    text += f", {human_size(round(size[0] / seconds))}/s"
    parts = [(part, whole) for part, whole in (files, size) if whole]
    if not parts:
        return text
    left = max(0, round(max(seconds * (whole - part) / part for part, whole in parts)))
    return f"{text}, {left // 60}:{left % 60:02} left"

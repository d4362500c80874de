"""The command `publish`: an output into an object store, so that the old release is whole until the
new one is.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from skillbuild.cli.console import warn
from skillbuild.diagnostics import escape, takes_utf8
from skillbuild.errors import ConfigError
from skillbuild.output.upload import Progress, Upload, Uploaded, plan, publish
from skillbuild.storage import origin, origins
from skillbuild.storage.cloud import Store
from skillbuild.text.wording import human_size, plural

_HOUR = 3600.0
_SHOW_EVERY = 0.2


def run(options: argparse.Namespace) -> int:
    """Publish, or with `--dry-run` say what that would send; one line at the end."""
    if not origins.is_store(options.dest):
        raise ConfigError(f"{options.dest} is no object store: s3://, gs:// or az://")
    upload = Upload(
        out=Path(options.out),
        store=Store(options.dest, origin.FOR_COMMANDS),
        is_unsafe=options.unsafe_store,
        prune_after=options.grace * _HOUR if options.prune else None,
        progress=_progress(options),
        tell=lambda line: None if options.quiet else warn(line),
    )
    uploaded = plan(upload) if options.dry_run else publish(upload)
    if not options.quiet:
        shown = escape(options.dest, utf8=takes_utf8(sys.stdout))
        print(f"{shown} {_outcome(uploaded, is_plan=options.dry_run)}")
    return 0


def _outcome(uploaded: Uploaded, *, is_plan: bool) -> str:
    pruned = f", {plural(uploaded.pruned, 'object')} removed" if uploaded.pruned else ""
    if uploaded.is_same:
        return f"has this release already{pruned}"
    files = f"{plural(uploaded.files, 'file')}, {human_size(uploaded.size)}"
    return f"would get {files}" if is_plan else f"has the release: {files} sent{pruned}"


def _progress(options: argparse.Namespace) -> Progress:
    """Shows what is sent in one line that is written over; only on a terminal."""
    if options.quiet or not sys.stderr.isatty() or os.environ.get("CI"):
        return lambda sent, files, sent_bytes, size: None
    started = shown_at = time.monotonic()

    def show(sent: int, files: int, sent_bytes: int, size: int) -> None:
        nonlocal shown_at
        now = time.monotonic()
        if sent < files and now - shown_at < _SHOW_EVERY:
            return
        shown_at = now
        text = _progress_text((sent, files), (sent_bytes, size), now - started)
        print(f"\r\x1b[K{text if sent < files else ''}", end="", file=sys.stderr, flush=True)

    return show


def _progress_text(files: tuple[int, int], size: tuple[int, int], seconds: float) -> str:
    """How much is sent, how quickly, and how long the rest will take.

    Small files take as long as their number says, large ones as their bytes do: the later counts.
    """
    text = f"{files[0]:,} of {plural(files[1], 'file')}, {human_size(size[0])} of"
    text += f" {human_size(size[1])}"
    if seconds < 1 or not files[0] or not size[0]:
        return text
    left = round(max(seconds * (all_ - part) / part for part, all_ in (files, size)))
    return f"{text}, {human_size(round(size[0] / seconds))}/s, {left // 60}:{left % 60:02} left"

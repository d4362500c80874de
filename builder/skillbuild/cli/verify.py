"""The command `verify`, for an output directory or for the URL where it is published."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from skillbuild.diagnostics import escape, takes_utf8
from skillbuild.errors import ConfigError
from skillbuild.output import contents, remote
from skillbuild.release.record import Record
from skillbuild.text.wording import human_size, plural


def run(options: argparse.Namespace) -> int:
    """Print each fault and then a verdict; 1 if the release does not hold."""
    if remote.is_url(options.out):
        return _verify_url(options)
    return _verify_directory(options)


def _verify_directory(options: argparse.Namespace) -> int:
    from skillbuild.output import verify

    shown = partial(escape, utf8=takes_utf8(sys.stdout))
    out = Path(options.out)
    verdict = verify.verify(out)
    for fault in verdict.faults:
        severity = "error" if fault.core or options.whole else "warning"
        print(f"{shown(fault.path)}: {severity}: {shown(fault.message)}; {shown(fault.hint)}")
    unmet = list(_unmet_demands(verdict.release, contents.size_of(out), options))
    for message in unmet:
        print(f"{shown(options.out)}: error: {message}")
    holds = verdict.holds(whole=options.whole) and not unmet
    if not options.quiet:
        for remark in verdict.remarks:
            print(f"note: {shown(remark)}")
        read = f"{plural(verdict.files, 'file')}, {human_size(verdict.size)}"
        faults = plural(len(verdict.faults) + len(unmet), "fault")
        state = "holds" if holds else "does not hold"
        print(f"{shown(options.out)} {state}: {read}, {faults}")
    return 0 if holds else 1


def _unmet_demands(release: Record, size: int, options: argparse.Namespace) -> Iterator[str]:
    """Messages for `--max-bytes` and `--index-digest`, where the output does not meet them."""
    if options.max_bytes and size > options.max_bytes:
        most = human_size(options.max_bytes)
        yield f"{human_size(size)}, and the most is {most}: leave out formats, or split the source"
    if options.index_digest not in {None, release.index_digest}:
        yield f"the index is {release.index_digest} in place of {options.index_digest}"


def _verify_url(options: argparse.Namespace) -> int:
    if options.whole or options.max_bytes:
        raise ConfigError("--whole and --max-bytes need the output directory")
    from skillbuild.output import verify_url

    faults = verify_url.verify(options.out, options.index_digest, options.wait)
    shown = partial(escape, utf8=takes_utf8(sys.stdout))
    for message in faults:
        print(f"{shown(options.out)}: error: {shown(message)}")
    if not options.quiet:
        state = "does not serve" if faults else "serves"
        print(f"{shown(options.out)} {state} the index of its record")
    return 1 if faults else 0

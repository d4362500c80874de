"""The command `diff`: what changed between two catalogs."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from skillbuild.cli import catalogs
from skillbuild.diagnostics import escape, takes_utf8
from skillbuild.release.compare import compare_catalogs
from skillbuild.report.changes import render_changes


def run(options: argparse.Namespace) -> int:
    """Print the changes; 0 even if there are some, unless `--exit-code` wants 1.

    Invalid skills are named on standard error.
    """
    shown = partial(escape, utf8=takes_utf8(sys.stderr))
    repository = Path() if options.repo else None
    with (
        catalogs.opened(options.old, repository, or_empty=options.allow_missing) as old,
        catalogs.opened(options.new, repository) as new,
    ):
        for name, side in ((options.old, old), (options.new, new)):
            for skipped in side.catalog.skipped if not options.quiet else ():
                line = f"note: invalid in {shown(name)}: {shown(skipped)}"
                print(line, file=sys.stderr)
        changes = compare_catalogs(old.catalog, new.catalog, old.read, new.read)
    print(render_changes(changes, options.format, utf8=takes_utf8(sys.stdout)))
    return 1 if changes and options.exit_code else 0

"""The command `publish`: an output into an object store, so that the old release is whole until the
new one is.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from skillbuild.cli.console import warn
from skillbuild.cli.progress import transfer_line
from skillbuild.diagnostics import escape, takes_utf8
from skillbuild.errors import ConfigError
from skillbuild.output import stage_folders
from skillbuild.output.upload import Upload, Uploaded, plan, publish
from skillbuild.storage import origins
from skillbuild.storage.cloud import Store
from skillbuild.text.wording import human_size, plural

_HOUR = 3600.0


def run(options: argparse.Namespace) -> int:
    """Publish, or with `--dry-run` say what that would send; one line at the end."""
    if not origins.is_store(options.dest):
        raise ConfigError(f"{options.dest} is no object store: s3://, gs:// or az://")
    upload = Upload(
        out=Path(options.out),
        store=Store(options.dest),
        is_unsafe=options.unsafe_store,
        sends_all=options.recheck,
        prune_after=options.grace * _HOUR if options.prune else None,
        progress=transfer_line(options),
        tell=lambda line: None if options.quiet else warn(line),
    )
    if not options.dry_run:
        stage_folders.remove_left(upload.out)
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

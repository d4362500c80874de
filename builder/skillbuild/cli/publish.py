"""The `publish` command: uploads an output to an object store or copies it into a directory.

Readers see the old release until the new one is complete.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from skillbuild.cli.console import warn
from skillbuild.cli.progress import transfer_line
from skillbuild.diagnostics import escape, takes_utf8
from skillbuild.errors import ConfigError, OutputError
from skillbuild.output import directory, stage_folders
from skillbuild.output.upload import Upload, Uploaded, plan, publish
from skillbuild.storage import origins
from skillbuild.storage.targets import Folder, Target
from skillbuild.text.wording import human_size, plural

_HOUR = 3600.0


def run(options: argparse.Namespace) -> int:
    """Publish an output and print one line with the result. With `--dry-run`, publish nothing, and
    print how much would be uploaded.
    """
    upload = Upload(
        out=Path(options.out),
        store=_target(Path(options.out), options.dest),
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


def _target(out: Path, dest: str) -> Target:
    """Return the target for `dest`. Raises `OutputError` for a directory that contains anything but
    a release.
    """
    if origins.is_store(dest):
        from skillbuild.storage.cloud import Store  # Needs an extra that may be missing.

        return Store(dest)
    if origins.is_remote(dest):
        raise ConfigError(f"{dest} is not writable; pass a directory, s3://, gs:// or az://")
    folder = Path(dest)
    directory.require_usable(folder)
    if folder.resolve().is_relative_to(out.resolve()) or out.resolve().is_relative_to(
        folder.resolve()
    ):
        raise OutputError(f"{dest} and {out} overlap; pass a directory outside the output")
    directory.require_no_links(folder)
    return Folder(folder)


def _outcome(uploaded: Uploaded, *, is_plan: bool) -> str:
    pruned = f", {plural(uploaded.pruned, 'file')} removed" if uploaded.pruned else ""
    if uploaded.is_same:
        return f"already has this release{pruned} ({uploaded.digest})"
    files = f"{plural(uploaded.files, 'file')}, {human_size(uploaded.size)}"
    outcome = f"would get {files}" if is_plan else f"now has the release: {files} uploaded{pruned}"
    return f"{outcome} ({uploaded.digest})"

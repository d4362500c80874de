"""The `verify` command, for an output directory or for the URL where it is published."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from skillbuild.cli.progress import transfer_line
from skillbuild.diagnostics import escape, takes_utf8
from skillbuild.errors import ConfigError
from skillbuild.release.layout import RECORD_FILE, is_at_fixed_address
from skillbuild.release.record import Record
from skillbuild.report.json_reports import ReportedFault, VerifyReport, dump_json
from skillbuild.storage import origins
from skillbuild.text.wording import human_size, plural


def run(options: argparse.Namespace) -> int:
    """Print each problem and then the result; return 1 if the release is not valid."""
    is_remote = origins.is_remote(options.out)
    report, verdict = _verify_url(options) if is_remote else _verify_release(options)
    if options.format == "json":
        print(dump_json(report))
    else:
        _print(report, verdict, options)
    return 0 if report.holds else 1


def _print(report: VerifyReport, verdict: str, options: argparse.Namespace) -> None:
    shown = partial(escape, utf8=takes_utf8(sys.stdout))
    for fault in report.faults:
        path = options.out if fault.path is None else fault.path
        hint = f"; {shown(fault.hint)}" if fault.hint else ""
        print(f"{shown(path)}: {fault.severity}: {shown(fault.message)}{hint}")
    if not options.quiet:
        for remark in report.remarks:
            print(f"note: {shown(remark)}")
        print(f"{shown(options.out)} {verdict}")


def _verify_release(options: argparse.Namespace) -> tuple[VerifyReport, str]:
    """Read every file of a release, from a directory or a URL.

    The second value is the last line for people.
    """
    from skillbuild.output import verify

    if is_remote := origins.is_remote(options.out):
        show = transfer_line(options)
        verdict = verify.verify_published(
            options.out, lambda read, files, size: show(read, files, size, 0)
        )
    else:
        verdict = verify.verify(Path(options.out))

    def is_grave(fault: verify.Fault) -> bool:
        """Return whether a problem makes `verify` fail.

        Problems with `core` set always count. With `--release`, problems with files that clients
        read at fixed addresses count too. With `--whole`, all problems count.
        """
        is_named = options.release is not None and is_at_fixed_address(fault.path)
        return fault.core or options.whole or is_named

    release, size = verdict.release, verdict.size
    unmet = list(_unmet_demands(release, size, options))
    faults = [
        ReportedFault(
            fault.path,
            "error" if is_grave(fault) else "warning",
            fault.message,
            _hint_from_afar(options.out) if is_remote else fault.hint,
        )
        for fault in verdict.faults
    ]
    holds = not unmet and not any(map(is_grave, verdict.faults))
    read = f"{plural(verdict.files, 'file')}, {human_size(size)}"
    count = plural(len(verdict.faults) + len(unmet), "fault")
    report = VerifyReport(
        holds=holds,
        release_digest=release.release_digest,
        files=verdict.files,
        size=size,
        faults=(*faults, *map(_fault, unmet)),
        remarks=verdict.remarks,
    )
    return report, f"{'holds' if holds else 'does not hold'}: {read}, {count}"


def _fault(message: str) -> ReportedFault:
    """Return a fault that concerns the whole output."""
    return ReportedFault(None, "error", message, "")


def _hint_from_afar(address: str) -> str:
    """Return a hint for someone who has only the published release: publish the output again."""
    if not origins.is_store(address):
        return "publish the output again (publish --recheck)"
    return "run verify --whole on the output, then publish --recheck"


def _unmet_demands(release: Record, size: int, options: argparse.Namespace) -> Iterator[str]:
    """Yield messages for `--max-bytes` and `--release` if the output does not meet them."""
    if options.max_bytes and size > options.max_bytes:
        most = human_size(options.max_bytes)
        yield (
            f"the output is {human_size(size)}, over the limit of {most}; leave out formats, or"
            " split the source"
        )
    if options.release not in {None, release.release_digest}:
        yield f"the release is {release.release_digest} instead of {options.release}"


def _verify_url(options: argparse.Namespace) -> tuple[VerifyReport, str]:
    """Check the files at a URL that name all other files; with `--whole`, check every file."""
    if options.max_bytes and not options.whole:
        raise ConfigError("--max-bytes needs an output directory; for a URL, also pass --whole")
    from skillbuild.output import verify

    whole = bool(options.whole)
    messages = verify.verify_heads(options.out, options.release, options.wait, indexes=not whole)
    if whole and not messages:
        return _verify_release(options)
    state = "does not serve" if messages else "serves"
    report = VerifyReport(
        holds=not messages,
        release_digest=None,
        files=None,
        size=None,
        faults=tuple(map(_fault, messages)),
        remarks=(),
    )
    return report, f"{state} the release that its {RECORD_FILE} names"

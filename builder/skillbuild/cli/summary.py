"""The `summary` command: writes the summary of a workflow run for GitHub."""

from __future__ import annotations

import argparse
from pathlib import Path

from skillbuild.output import attestation
from skillbuild.report import summary
from skillbuild.storage import disk


def run(options: argparse.Namespace) -> int:
    """Print the job summary. With `--outputs`, also write step outputs; with `--subjects`, also
    list the files to attest.
    """
    out = Path(options.out)
    ended = summary.read_run(options.findings, options.changes, out, options.source_url)
    if options.outputs is not None:
        lines = summary.step_outputs(ended, out)
        disk.write_text(Path(options.outputs), lines, append=True)
    if options.subjects is not None and ended.output is not None:
        disk.write_text(Path(options.subjects), attestation.subject_lines(out))
    if options.format == "json":
        print(summary.as_json(ended))
    elif options.format == "github":
        for line in summary.lost_warnings(ended):
            print(line)
    else:
        print(summary.markdown(ended), end="")
    return 0

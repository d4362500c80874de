"""The command `docs`: writes the documentation of skillbuild as web pages."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from skillbuild import assets
from skillbuild.config import Config
from skillbuild.diagnostics import escape, takes_utf8
from skillbuild.emit.site.documentation import PAGES, documentation
from skillbuild.output.new_directory import write_new
from skillbuild.text.wording import human_size, plural


def run(options: argparse.Namespace) -> int:
    """Write the pages, and print how many were written."""
    texts = {name: assets.documentation_text(name) for name in PAGES}
    files = documentation(texts, Config(title="skillbuild documentation"))
    written = write_new(Path(options.directory), ((each.path, each.data, False) for each in files))
    if not options.quiet:
        shown = escape(options.directory, utf8=takes_utf8(sys.stdout))
        pages = plural(len(PAGES), "page")
        print(f"{pages}, {human_size(written.bytes)} \u2192 {shown}/index.html")
    return 0

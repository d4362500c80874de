"""The `plugins` command: writes a release as a tree of plugins. Clients can install these plugins
from a git repository.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from skillbuild.cli.console import warn
from skillbuild.diagnostics import escape, takes_utf8
from skillbuild.errors import OutputError
from skillbuild.output.base import files_at
from skillbuild.output.plugins.contents import TreeContent, contents_of
from skillbuild.output.plugins.write import write_tree
from skillbuild.release import record
from skillbuild.release.layout import RECORD_FILE
from skillbuild.storage.files import read_or_none
from skillbuild.text.wording import human_size, plural, some


def run(options: argparse.Namespace) -> int:
    """Write the plugins. Print warnings to standard error, and then one line with the result."""
    files = files_at(options.out)
    data = read_or_none(files, RECORD_FILE)
    if data is None:
        raise OutputError(f"{options.out} has no release; run build first")
    catalog = record.decode(data, files).catalog
    content = contents_of(catalog)
    size = write_tree(catalog, content, files, Path(options.directory))
    if not options.quiet:
        for line in _remarks(content):
            warn(f"note: {line}")
        plugins = plural(len(content.plugins), "plugin")
        skills = f"{plural(content.skills, 'skill')} of {len(catalog.entries):,}"
        written = f"{plural(size.files, 'file')}, {human_size(size.bytes)}"
        shown = escape(options.directory, utf8=takes_utf8(sys.stdout))
        print(f"{content.tree.name}: {plugins} with {skills}; {written} \u2192 {shown}")
    return 0


def _remarks(content: TreeContent) -> list[str]:
    remarks = []
    if wanted := content.tree.wanted:
        name = content.tree.name
        remedy = f"the marketplace is called {name}; set plugins.name to choose another name"
        remarks.append(f"Claude Code reserves {wanted}: {remedy}")
    if names := content.shared_names:
        remarks.append(
            f"Gemini CLI shows only one of several skills with the same name: {some(names)}"
        )
    if parts := [plugin.name for plugin in content.plugins if plugin.group.left_out]:
        more = "hooks, commands and other parts are not copied (README.md lists them)"
        remarks.append(f"{more}; plugins with such parts: {some(parts)}")
    return remarks

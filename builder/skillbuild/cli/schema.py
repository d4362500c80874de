"""The command `schema`: the JSON Schema of a published file, or of the JSON of `check`."""

from __future__ import annotations

import argparse

from skillbuild import assets


def run(options: argparse.Namespace) -> int:
    """Print the schema of `index.json`, `catalog.json`, a line of a part, or a JSON report."""
    print(assets.schema(options.file), end="")
    return 0

"""The command `schema`: the JSON Schema of a published file."""

from __future__ import annotations

import argparse

from skillbuild import assets


def run(options: argparse.Namespace) -> int:
    """Print the schema of `index.json`, `catalog.json` or one line of a part of the record."""
    print(assets.schema(options.file), end="")
    return 0

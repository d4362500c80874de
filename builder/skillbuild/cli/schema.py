"""The command `schema`: the JSON Schema of a published file, of settings, or of a JSON report."""

from __future__ import annotations

import argparse

from skillbuild import assets


def run(options: argparse.Namespace) -> int:
    """Print the schema that `options.file` names."""
    if options.file == "config":
        from skillbuild.config import config_schema

        print(config_schema(), end="")
    else:
        print(assets.schema(options.file), end="")
    return 0

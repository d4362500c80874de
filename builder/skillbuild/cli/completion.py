"""The command `completion`: a script that lets a shell complete commands and options."""

from __future__ import annotations

import argparse

import shtab


def run(options: argparse.Namespace) -> int:
    """Print the script for a shell, made from the grammar in `options.parser`."""
    print(shtab.complete(options.parser, shell=options.shell))
    return 0

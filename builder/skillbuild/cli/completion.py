"""The command `completion`: a script that lets a shell complete commands, options and rules."""

from __future__ import annotations

import argparse

import shtab

from skillbuild.rules.registry import RULES


def run(options: argparse.Namespace) -> int:
    """Print the script for a shell, made from the grammar in `options.parser`."""
    _offer_rules(options.parser)
    print(shtab.complete(options.parser, shell=options.shell))
    return 0


def _offer_rules(parser: argparse.ArgumentParser) -> None:
    """Make `explain` complete codes; the grammar itself does not load the rules to know them."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for argument in action.choices["explain"]._actions:
                if argument.dest == "code":
                    argument.choices = list(RULES)

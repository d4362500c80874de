"""The command `explain`: one rule, or a list of all."""

from __future__ import annotations

import argparse
import difflib

from skillbuild.errors import ConfigError
from skillbuild.report.findings import explain_rule
from skillbuild.rules.registry import RULES


def run(options: argparse.Namespace) -> int:
    """Print a page about a rule, or one line a rule; `ConfigError` for an unknown code."""
    if options.code is not None and options.code not in RULES:
        raise ConfigError(f"there is no rule {options.code!r}{_remedy(options.code)}")
    if options.format == "json":
        # Loads what reads reports, too.
        from skillbuild.report.json_reports import rules_json

        print(rules_json(RULES.values() if options.code is None else [RULES[options.code]]))
    elif options.code is None:
        for rule in RULES.values():
            print(f"{rule.code:24} {rule.severity:8} {rule.summary}")
    else:
        print(explain_rule(options.code), end="")
    return 0


def _remedy(code: str) -> str:
    close = difflib.get_close_matches(code, RULES, n=1)
    return f"; did you mean {close[0]}?" if close else "; `skillbuild explain` lists them"

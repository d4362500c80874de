"""The commands `explain`, `docs`, `schema` and `completion`, which describe skillbuild itself."""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

from skillbuild import assets
from skillbuild.diagnostics import escape, takes_utf8
from skillbuild.errors import ConfigError
from skillbuild.rules.registry import RULES
from skillbuild.text.wording import human_size, plural


def explain(options: argparse.Namespace) -> int:
    """Print a page about one rule, or one line for each rule. Raises `ConfigError` for an unknown
    rule.
    """
    if options.code is not None and options.code not in RULES:
        raise ConfigError(f"there is no rule {options.code!r}{_remedy(options.code)}")
    # Each function imports what no other function needs.
    if options.format == "json":
        from skillbuild.report.json_reports import rules_json

        print(rules_json(RULES.values() if options.code is None else [RULES[options.code]]))
    elif options.code is None:
        for rule in RULES.values():
            print(f"{rule.code:24} {rule.severity:8} {rule.summary}")
    else:
        from skillbuild.report.findings import explain_rule

        print(explain_rule(options.code), end="")
    return 0


def _remedy(code: str) -> str:
    close = difflib.get_close_matches(code, RULES, n=1)
    return f"; did you mean {close[0]}?" if close else "; `skillbuild explain` lists all rules"


def docs(options: argparse.Namespace) -> int:
    """Write the documentation of skillbuild as web pages, and print the number of pages."""
    from skillbuild.config import Config
    from skillbuild.emit.site.documentation import PAGES, documentation
    from skillbuild.output.new_directory import write_new

    texts = {name: assets.documentation_text(name) for name in PAGES}
    files = documentation(texts, Config(title="skillbuild documentation"))
    written = write_new(Path(options.directory), ((each.path, each.data, False) for each in files))
    if not options.quiet:
        shown = escape(options.directory, utf8=takes_utf8(sys.stdout))
        pages = plural(len(PAGES), "page")
        print(f"{pages}, {human_size(written.bytes)} \u2192 {shown}/index.html")
    return 0


def schema(options: argparse.Namespace) -> int:
    """Print the JSON Schema of a published file, of settings, or of a JSON report."""
    print(schema_text(options.file), end="")
    return 0


def schema_text(name: str) -> str:
    """Return the JSON Schema with this name. It is generated from the types of skillbuild, or read
    from a file.
    """
    from skillbuild import config
    from skillbuild.release import entry, record, versions
    from skillbuild.report import json_reports

    made = {
        "config": config.config_schema,
        "catalog": record.catalog_schema,
        "release": record.release_schema,
        "entry": entry.entry_schema,
        "version": versions.version_schema,
    }
    if name == "index":
        return assets.index_schema()
    return made[name]() if name in made else json_reports.report_schema(name)


def completion(options: argparse.Namespace) -> int:
    """Print a shell completion script for commands, options and rule codes.

    The script is generated from the argument parser in `options.parser`.
    """
    import shtab

    _offer_rules(options.parser)
    print(shtab.complete(options.parser, shell=options.shell))
    return 0


def _offer_rules(parser: argparse.ArgumentParser) -> None:
    """Let `explain` complete rule codes. The grammar itself does not import the rules."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for argument in action.choices["explain"]._actions:
                if argument.dest == "code":
                    argument.choices = list(RULES)

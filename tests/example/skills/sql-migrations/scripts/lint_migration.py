#!/usr/bin/env python3
"""Report statements in SQL migrations that block a live PostgreSQL database.

Accept a finding with "-- lint: allow CODE" in the line above the statement.
Exit status: 0 no findings, 1 findings, 2 a file cannot be read.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

NOCASE = re.IGNORECASE
# Text that is no statement. Line ends stay, so that line numbers hold.
MASKED = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\$(\w*)\$.*?\$\1\$", re.DOTALL)
ALLOWED = re.compile(r"--\s*lint:\s*allow\s+([a-z-]+)", NOCASE)
CHANGE = re.compile(r"\s*(ALTER|CREATE\s+(UNIQUE\s+)?INDEX|DROP)\b", NOCASE)
LOCK_TIMEOUT = re.compile(r"\s*SET\s+(LOCAL\s+|SESSION\s+)?lock_timeout\b", NOCASE)


class Rule(NamedTuple):
    code: str
    form: re.Pattern[str]
    message: str


RULES = (
    Rule(
        "index-blocks-writes",
        re.compile(r"CREATE\s+(UNIQUE\s+)?INDEX\s+(?!CONCURRENTLY)", NOCASE),
        "CREATE INDEX without CONCURRENTLY",
    ),
    Rule(
        "index-drop-blocks",
        re.compile(r"DROP\s+INDEX\s+(?!CONCURRENTLY)", NOCASE),
        "DROP INDEX without CONCURRENTLY",
    ),
    Rule(
        "not-null-without-default",
        re.compile(
            r"ALTER\s+TABLE.*\bADD\s+(COLUMN\s+)?(?!CONSTRAINT)"
            r"(?:(?!\bDEFAULT\b)[^,])*\bNOT\s+NULL\b(?!\s*\))(?![^,]*\bDEFAULT\b)",
            NOCASE | re.DOTALL,
        ),
        "ADD COLUMN NOT NULL fails on a table with rows",
    ),
    Rule(
        "constraint-scans",
        re.compile(
            r"ALTER\s+TABLE.*\bADD\s+(CONSTRAINT\s+\S+\s+)?(CHECK|FOREIGN\s+KEY)\b"
            r"(?!.*\bNOT\s+VALID\b)",
            NOCASE | re.DOTALL,
        ),
        "add the constraint NOT VALID and validate it in a second statement",
    ),
    Rule(
        "unique-builds-index",
        re.compile(
            r"ALTER\s+TABLE.*\bADD\s+(CONSTRAINT\s+\S+\s+)?(UNIQUE|PRIMARY\s+KEY)\b"
            r"(?!\s+USING\s+INDEX)",
            NOCASE | re.DOTALL,
        ),
        "build the unique index concurrently and attach it with USING INDEX",
    ),
    Rule(
        "type-rewrites",
        re.compile(
            r"ALTER\s+TABLE.*\bALTER\s+(COLUMN\s+)?\S+\s+(SET\s+DATA\s+)?TYPE\b",
            NOCASE | re.DOTALL,
        ),
        "a change of type may rewrite the table; use a new column",
    ),
    Rule(
        "not-null-scans",
        re.compile(r"ALTER\s+TABLE.*\bSET\s+NOT\s+NULL\b", NOCASE | re.DOTALL),
        "SET NOT NULL reads all rows unless a validated CHECK says the same",
    ),
    Rule(
        "drop-breaks-code",
        re.compile(r"ALTER\s+TABLE.*\bDROP\s+COLUMN\b|DROP\s+TABLE\b", NOCASE | re.DOTALL),
        "no running release may still use it, and there is no way back",
    ),
    Rule(
        "rename-breaks-code",
        re.compile(r"ALTER\s+TABLE.*\bRENAME\b(?!\s+CONSTRAINT)", NOCASE | re.DOTALL),
        "code that runs during the release still uses the old name",
    ),
    Rule(
        "data-change",
        re.compile(r"\s*(UPDATE|DELETE\s+FROM)\b(?!.*\bWHERE\b)", NOCASE | re.DOTALL),
        "a change of all rows belongs in a backfill",
    ),
)


class Finding(NamedTuple):
    line: int
    code: str
    message: str


def mask(sql: str) -> str:
    """Blank out comments, strings and quoted bodies; keep every offset."""
    return MASKED.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), sql)


def statements(masked: str) -> Iterator[tuple[int, str]]:
    """Yield the offset and the text of each statement that is not blank."""
    for match in re.finditer(r"[^;]+", masked):
        text = match[0].lstrip()
        if text:
            yield match.end() - len(text), text


def lint(sql: str) -> list[Finding]:
    masked = mask(sql)
    lines = sql.splitlines()
    findings: list[Finding] = []
    guarded = False

    def report(line: int, code: str, message: str) -> None:
        above = ALLOWED.search(lines[line - 2]) if line >= 2 else None
        if above is None or above[1].lower() != code:
            findings.append(Finding(line, code, message))

    for offset, text in statements(masked):
        line = masked.count("\n", 0, offset) + 1
        if LOCK_TIMEOUT.match(text):
            guarded = True
        elif CHANGE.match(text) and not guarded:
            guarded = True
            report(line, "no-lock-timeout", "set lock_timeout before the first change")
        for rule in RULES:
            if rule.form.match(text):
                report(line, rule.code, rule.message)
    return findings


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    args = parser.parse_args()
    count = 0
    for path in args.files:
        try:
            sql = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            parser.exit(2, f"{path}: {problem}\n")
        for finding in lint(sql):
            count += 1
            print(f"{path}:{finding.line}: {finding.code}: {finding.message}")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())

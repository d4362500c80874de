#!/usr/bin/env python3
"""Profile a CSV file, plain or gzip-compressed, in one pass.

Exit status: 0 nothing to look at, 1 findings, 2 the file cannot be read.
"""

from __future__ import annotations

import argparse
import codecs
import csv
import gzip
import io
import json
import re
import sys
import zlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

DISTINCT_LIMIT = 10_000
RAGGED_LIMIT = 20
READ_FAULTS = (OSError, EOFError, LookupError, ValueError, csv.Error, zlib.error)
NULL_WORDS = {"null", "none", "nil", "n/a", "na", "nan", "-", "?"}
KINDS = (
    ("integer", re.compile(r"[+-]?\d+")),
    ("decimal", re.compile(r"[+-]?\d*\.\d+(?:[eE][+-]?\d+)?")),
    ("decimal comma", re.compile(r"[+-]?\d+,\d+")),
    ("iso date", re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?")),
    ("slashed date", re.compile(r"\d{1,2}[/.]\d{1,2}[/.]\d{2,4}")),
    ("boolean", re.compile(r"true|false|yes|no", re.IGNORECASE)),
)
NO_BREAK_SPACE = "\u00a0"


@dataclass
class Column:
    name: str
    filled: int = 0
    empty: int = 0
    shortest: int = sys.maxsize
    longest: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    distinct: set[str] = field(default_factory=set)
    findings: dict[str, int] = field(default_factory=dict)

    def add(self, value: str, line: int) -> None:
        if not value:
            self.empty += 1
            return
        self.filled += 1
        self.shortest = min(self.shortest, len(value))
        self.longest = max(self.longest, len(value))
        if len(self.distinct) < DISTINCT_LIMIT:
            self.distinct.add(value)
        kind = kind_of(value.strip())
        self.kinds[kind] += 1
        for finding in findings_in(value, kind):
            self.findings.setdefault(finding, line)

    def close(self) -> None:
        if len(self.kinds) > 1 and self.filled > 1:
            kind, count = self.kinds.most_common()[-1]
            if count * 10 <= self.filled:
                self.findings.setdefault(f"only {count} of kind {kind}", 0)

    def summary(self) -> dict[str, object]:
        return {
            "name": self.name,
            "filled": self.filled,
            "empty": self.empty,
            "distinct": len(self.distinct),
            "distinctCut": len(self.distinct) >= DISTINCT_LIMIT,
            "length": [self.shortest if self.filled else 0, self.longest],
            "kinds": dict(self.kinds.most_common()),
            "findings": self.findings,
        }


def kind_of(value: str) -> str:
    return next((kind for kind, form in KINDS if form.fullmatch(value)), "text")


def findings_in(value: str, kind: str) -> list[str]:
    found = []
    bare = value.strip()
    if bare != value:
        found.append("padded")
    if NO_BREAK_SPACE in value:
        found.append("no-break space")
    if kind == "integer":
        digits = bare.lstrip("+-")
        if len(digits) > 1 and digits.startswith("0"):
            found.append("leading zeros")
        if len(digits) > 15:
            found.append("more than 15 digits")
    elif kind == "decimal comma":
        found.append("decimal comma")
    elif kind == "slashed date":
        first, second = (int(part) for part in re.split(r"[/.]", bare)[:2])
        if first <= 12 and second <= 12:
            found.append("ambiguous date")
    elif bare.lower() in NULL_WORDS:
        found.append("null word")
    elif kind == "text" and bare.startswith(("=", "+", "-", "@")):
        found.append("formula")
    return found


def open_bytes(path: Path) -> BinaryIO:
    with path.open("rb") as probe:
        packed = probe.read(2) == b"\x1f\x8b"
    return cast(BinaryIO, gzip.open(path, "rb") if packed else path.open("rb"))


def encoding_of(path: Path) -> str:
    """Decode the whole file once: a sample would miss the one bad byte."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with open_bytes(path) as stream:
        start = stream.read(4)
        if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        try:
            decoder.decode(start)
            while block := stream.read(1 << 20):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return "cp1252"
    return "utf-8-sig" if start.startswith(codecs.BOM_UTF8) else "utf-8"


def delimiter_of(stream: TextIO) -> str:
    header = stream.readline()
    stream.seek(0)
    return max(",;\t|", key=header.count)


def open_text(path: Path, encoding: str) -> TextIO:
    return io.TextIOWrapper(open_bytes(path), encoding, "replace", newline="")


def profile(path: Path, encoding: str, delimiter: str) -> dict[str, Any]:
    ragged: dict[int, int] = {}
    rows = ragged_rows = 0
    with open_text(path, encoding) as stream:
        reader = csv.reader(stream, delimiter=delimiter)
        header = next(reader, [])
        columns = [Column(name) for name in header]
        line = reader.line_num + 1
        for record in reader:
            if record:
                rows += 1
                if len(record) != len(columns):
                    ragged_rows += 1
                    if ragged_rows <= RAGGED_LIMIT:
                        ragged[line] = len(record)
                else:
                    for column, value in zip(columns, record, strict=True):
                        column.add(value, line)
            line = reader.line_num + 1
    for column in columns:
        column.close()
    repeated = [name for name, count in Counter(header).items() if count > 1]
    return {
        "file": path.name,
        "encoding": encoding,
        "delimiter": delimiter,
        "rows": rows,
        "raggedRows": ragged_rows,
        "raggedLines": ragged,
        "repeatedNames": repeated,
        "columns": [column.summary() for column in columns],
    }


def print_text(report: dict[str, Any]) -> None:
    print(
        f"{report['file']}: {report['rows']} rows, {len(report['columns'])} columns, "
        f"{report['encoding']}, delimiter {report['delimiter']!r}"
    )
    for name in report["repeatedNames"]:
        print(f"look at: the header has {name!r} more than once")
    for line, width in report["raggedLines"].items():
        print(f"look at: line {line} has {width} fields")
    if report["raggedRows"] > RAGGED_LIMIT:
        print(f"look at: {report['raggedRows']} such lines in all")
    for column in report["columns"]:
        kind = next(iter(column["kinds"]), "empty")
        low, high = column["length"]
        more = "+" if column["distinctCut"] else ""
        print(
            f"\n{column['name']}  {column['filled']} filled, {column['empty']} empty, "
            f"{column['distinct']}{more} distinct, length {low}..{high}, mostly {kind}"
        )
        kinds = ", ".join(f"{name} {count}" for name, count in column["kinds"].items())
        print(f"  kinds: {kinds or 'none'}")
        for finding, line in column["findings"].items():
            where = f" (first at line {line})" if line else ""
            print(f"  look at: {finding}{where}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--encoding", help="default: UTF-8, else Windows-1252")
    parser.add_argument("--delimiter", help="default: the likeliest in line 1")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args()
    try:
        encoding = args.encoding or encoding_of(args.file)
        delimiter = args.delimiter
        if delimiter is None:
            with open_text(args.file, encoding) as stream:
                delimiter = delimiter_of(stream)
        report = profile(args.file, encoding, delimiter)
    except READ_FAULTS as problem:
        parser.exit(2, f"{args.file}: {problem}\n")
    if args.json:
        print(json.dumps(report, indent=2, ensure_ascii=False))
    else:
        print_text(report)
    columns = report["columns"]
    found = report["raggedRows"] or report["repeatedNames"] or encoding == "cp1252"
    return int(bool(found) or any(column["findings"] for column in columns))


if __name__ == "__main__":
    sys.exit(main())

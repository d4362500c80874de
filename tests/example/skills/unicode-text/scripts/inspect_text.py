#!/usr/bin/env python3
"""Name the code points of a text and say what is unusual about it.

Reads standard input, a file, or a JSON file of cases with expected lengths.
"""

from __future__ import annotations

import argparse
import json
import sys
import unicodedata
from pathlib import Path

RIGHT_TO_LEFT = {"R", "AL"}
CONTROLS = {"\n": "LINE FEED", "\r": "CARRIAGE RETURN", "\t": "TAB"}


def sizes(text: str) -> dict[str, int]:
    return {
        "bytes": len(text.encode()),
        "utf16": len(text.encode("utf-16-le")) // 2,
        "codePoints": len(text),
    }


def is_invisible(char: str) -> bool:
    return unicodedata.category(char) == "Cf" or char == "\u00a0"


def remarks(text: str) -> list[str]:
    found = []
    if not unicodedata.is_normalized("NFC", text):
        found.append("not NFC")
    elif not unicodedata.is_normalized("NFKC", text):
        found.append("NFC, but not NFKC: has compatibility forms")
    directions = {unicodedata.bidirectional(char) for char in text}
    if directions & RIGHT_TO_LEFT:
        found.append("mixed direction" if "L" in directions else "right to left")
    invisible = sorted({f"U+{ord(char):04X}" for char in text if is_invisible(char)})
    if invisible:
        found.append("invisible: " + ", ".join(invisible))
    if "\ufffd" in text:
        found.append("U+FFFD: something was lost in decoding")
    return found


def table(text: str) -> None:
    print("offset  code     class  name")
    for offset, char in enumerate(text):
        kind = f"{unicodedata.category(char)}/{unicodedata.bidirectional(char) or '-'}"
        name = unicodedata.name(char, CONTROLS.get(char, "(no name)"))
        mark = "  <- invisible" if is_invisible(char) else ""
        print(
            f"{offset:>6}  U+{ord(char):04X}{'':<{5 - len(f'{ord(char):04X}')}}"
            f"  {kind:<5}  {name}{mark}"
        )


def summary(text: str) -> None:
    size = sizes(text)
    print(f"{size['bytes']} bytes, {size['utf16']} UTF-16 units, {size['codePoints']} code points")
    for remark in remarks(text):
        print(f"note: {remark}")


def check_cases(path: Path) -> bool:
    passed = True
    for case in json.loads(path.read_text(encoding="utf-8")):
        actual = sizes(case["text"])
        holds = all(actual[unit] == case[unit] for unit in actual)
        passed = passed and holds
        notes = "; ".join(remarks(case["text"]))
        verdict = "ok" if holds else f"FAILED, is {actual}"
        print(f"{case['name']}: {verdict}{' (' + notes + ')' if notes else ''}")
    return passed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path, help="default: standard input")
    parser.add_argument("--summary", action="store_true", help="leave out the table")
    parser.add_argument("--cases", type=Path, help="check a JSON file of cases")
    args = parser.parse_args()
    try:
        if args.cases:
            return 0 if check_cases(args.cases) else 1
        data = args.file.read_bytes() if args.file else sys.stdin.buffer.read()
        text = data.decode("utf-8")
    except (OSError, ValueError) as problem:
        parser.exit(2, f"{problem}\n")
    if not args.summary:
        table(text)
    summary(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Print WCAG 2 contrast ratios for one colour pair or for a CSV file of pairs."""

from __future__ import annotations

import argparse
import csv
import re
import sys
from pathlib import Path

LEVELS = (
    ("AAA text", 7.0),
    ("AA text", 4.5),
    ("AA large text, controls", 3.0),
)
HEX = re.compile(r"#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})", re.IGNORECASE)

Rgb = tuple[int, int, int]


def parse(text: str) -> tuple[Rgb, float]:
    """Return the three channels and the alpha of a hex colour."""
    match = HEX.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"not a hex colour: {text!r}")
    digits = match[1]
    if len(digits) < 6:
        digits = "".join(digit * 2 for digit in digits)
    red, green, blue, *alpha = bytes.fromhex(digits)
    return (red, green, blue), (alpha[0] / 255 if alpha else 1.0)


def blend(top: Rgb, share: float, bottom: Rgb) -> Rgb:
    red, green, blue = (
        round(t * share + b * (1 - share)) for t, b in zip(top, bottom, strict=True)
    )
    return red, green, blue


def luminance(colour: Rgb) -> float:
    def linear(channel: int) -> float:
        value = channel / 255
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(channel) for channel in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ratio(one: Rgb, other: Rgb) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def nearest(foreground: Rgb, background: Rgb, minimum: float) -> Rgb | None:
    """Move the foreground towards black and white; the shorter way wins."""
    for step in range(256):
        for end in ((0, 0, 0), (255, 255, 255)):
            candidate = blend(end, step / 255, foreground)
            if ratio(candidate, background) >= minimum:
                return candidate
    return None


def shown(colour: Rgb) -> str:
    return "#" + bytes(colour).hex()


def floor2(value: float) -> str:
    """Cut, never round: 4.498 must not be printed as 4.50."""
    return f"{int(value * 100) / 100:.2f}"


def read_pair(foreground: str, background: str) -> tuple[Rgb, Rgb]:
    bottom, opacity = parse(background)
    if opacity < 1:
        raise ValueError(f"the background must be opaque: {background!r}")
    top, share = parse(foreground)
    return blend(top, share, bottom), bottom


def check_pair(args: argparse.Namespace) -> bool:
    top, bottom = read_pair(args.foreground, args.background)
    value = ratio(top, bottom)
    print(f"{shown(top)} on {shown(bottom)}  {floor2(value)}:1")
    for label, least in LEVELS:
        verdict = "pass" if value >= least else "fail"
        print(f"  {label:<24}  {least}  {verdict}")
    if args.fix:
        better = nearest(top, bottom, args.min or 4.5)
        print(f"  nearest that passes: {shown(better) if better else 'none'}")
    return value >= (args.min or 0)


def check_file(args: argparse.Namespace) -> bool:
    passed = True
    with args.pairs.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            top, bottom = read_pair(row["foreground"], row["background"])
            least = args.min or float(row["minimum"])
            value = ratio(top, bottom)
            verdict = "pass" if value >= least else "FAIL"
            line = f"{verdict}  {floor2(value):>5}:1  needs {least:g}  {row['name']}"
            if value < least:
                passed = False
                better = nearest(top, bottom, least) if args.fix else None
                line += f"  use {shown(better)}" if better else ""
            print(line)
    return passed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("foreground", nargs="?", help="#rgb, #rrggbb or #rrggbbaa")
    parser.add_argument("background", nargs="?", help="#rgb or #rrggbb")
    parser.add_argument("--pairs", type=Path, help="CSV file of pairs")
    parser.add_argument("--min", type=float, help="least ratio that is accepted")
    parser.add_argument("--fix", action="store_true", help="suggest a foreground")
    args = parser.parse_args()
    if args.pairs is None and args.background is None:
        parser.error("give two colours or --pairs FILE")
    try:
        passed = check_pair(args) if args.pairs is None else check_file(args)
    except (OSError, KeyError, ValueError) as problem:
        parser.error(str(problem))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())

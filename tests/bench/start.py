"""Measures commands that have little to do: `--version`, and `check` of 18 skills.

    python tests/bench/start.py [--rounds 9]

Prints Markdown with medians, and their ratios to the time of `python -c pass`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import measure

_CORPUS = [sys.executable, str(Path(__file__).with_name("corpus.py"))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        repo = Path(folder, "repo")
        subprocess.run([*_CORPUS, str(repo), "--skills", "18"], check=True, capture_output=True)
        ours = [sys.executable, "-m", "skillbuild"]
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "skillbuild --version": [*ours, "--version"],
            "skillbuild check, 18 skills": [*ours, "check", "-q", str(repo)],
        }
        runs = {what: partial(measure.run, command, repo) for what, command in commands.items()}
        costs = measure.in_turn(rounds, runs)
    least = costs["python -c pass"].wall
    print("| what | wall s | / python -c pass |\n|---|---|---|")
    for what, cost in costs.items():
        print(f"| {what} | {cost.wall:.3f} | {cost.wall / least:.1f} |")


if __name__ == "__main__":
    main()

"""What several tests use: repositories, servers, browsers, and where the case files are."""

from pathlib import Path

TESTS = Path(__file__).parents[1]
CASES = TESTS / "cases"

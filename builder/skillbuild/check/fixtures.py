"""Files that only the tests of a skill need, and examples, by the names of their folders."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import replace

from skillbuild.config import CONFIG_FILE
from skillbuild.diagnostics import Finding
from skillbuild.paths import base_name, prefixes
from skillbuild.rules.files import INVISIBLE_TEXT

TEST_FOLDERS = frozenset(
    [
        *("test", "tests", "__tests__", "fixture", "fixtures", "__fixtures__"),
        *("testdata", "test-data", "test_data", "test-fixtures", "test_fixtures"),
        *("mocks", "__mocks__"),
    ]
)
"""Names of folders in a skill that agents have no use for."""
_EXAMPLE_FOLDERS = frozenset(
    ["sample", "samples", "expected", "expected_output", "expected_outputs"]
)
"""Names of folders with what the work on a skill gives, or is given."""
_PLAIN = re.compile(r"[\w./@%+=:, -]+", re.ASCII)
"""Paths that are globs of themselves, and can stand in quotes."""


def is_example(path: str) -> bool:
    """Whether a file of a skill is for its tests or an example: nobody follows its links."""
    folders = {folder.lower() for folder in path.split("/")[:-1]}
    return not folders.isdisjoint(TEST_FOLDERS | _EXAMPLE_FOLDERS)


def with_exclude(item: Finding, directories: Container[str]) -> Finding:
    """The same finding; in a folder for tests, the hint has the glob to exclude it.

    That is for errors, and for invisible text, which tests of a scanner hold. `directories` are
    those of all skills. A skill among the fixtures of another is one of them.
    """
    matters = item.is_error or item.rule is INVISIBLE_TEXT
    folder = _test_folder(item.path, directories) if matters else None
    if folder is None:
        return item
    glob = f"/{folder}/" if _PLAIN.fullmatch(folder) else f"**/{base_name(folder)}/"
    remedy = f'if agents have no use for it, set exclude = ["{glob}"] in {CONFIG_FILE}'
    return replace(item, hint=f"{item.hint}; or, {remedy}")


def _test_folder(path: str, directories: Container[str]) -> str | None:
    """The outermost folder for tests in the outermost skill around a path."""
    above = prefixes(path)
    skill = next((folder for folder in above if folder in directories), "")
    below = (folder for folder in above if len(folder) > len(skill))
    return next((folder for folder in below if base_name(folder) in TEST_FOLDERS), None)

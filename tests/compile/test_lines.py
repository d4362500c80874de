"""Lines of skills, which are read where they are, and those together that are stored together."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbuild.compile.result import Lines, LinesOf
from skillbuild.errors import OutputError


def test_lines_that_wait_in_a_file_are_read_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"a1b1a2b2a3b3")
    with path.open("rb") as file:
        skills = [Lines({"a": 2, "b": 2}, file, start) for start in (0, 4, 8)]
        assert list(LinesOf("b", skills)) == [b"b1", b"b2", b"b3"]
        assert list(LinesOf("a", skills)[1:]) == [b"a2", b"a3"]


def test_a_file_that_was_cut_short_is_no_line_of_a_skill(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"a1b")
    with path.open("rb") as file:
        lines = Lines({"a": 2, "b": 2}, file)
        assert lines["a"] == b"a1"
        with pytest.raises(OutputError, match="build again"):
            lines["b"]
        with pytest.raises(OutputError, match="build again"):
            lines.joined()

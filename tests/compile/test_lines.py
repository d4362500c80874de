"""Lines of skills, which are read where they are, and those together that are stored together."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbuild.compile.lines import LinesOf
from skillbuild.compile.result import Lines, joined_lines
from skillbuild.errors import OutputError

every = st.lists(st.dictionaries(st.sampled_from("abc"), st.binary(max_size=9)), max_size=9)


@given(every, st.lists(st.booleans(), min_size=9, max_size=9), st.integers(1, 40), st.data())
def test_lines_in_files_and_in_memory_are_joined_in_order(
    every: list[dict[str, bytes]], is_filed: list[bool], at_once: int, data: st.DataObject
) -> None:
    with tempfile.TemporaryFile() as file:
        skills = []
        for lines, filed in zip(every, is_filed, strict=False):
            made = Lines.of(lines)
            if filed:
                start = file.tell()
                file.write(made.joined())
                file.flush()
                made = Lines(made.lengths, file, start)
            assert dict(made) == lines
            skills.append(made)
        ordered = data.draw(st.permutations(skills))
        pieces = list(joined_lines(ordered, at_once))
        assert b"".join(pieces) == b"".join(lines.joined() for lines in ordered)
        longest = max((len(lines.joined()) for lines in skills), default=0)
        assert all(len(piece) <= max(at_once, longest) for piece in pieces)


def test_what_stands_together_in_a_file_is_read_at_once(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"a1b1a2b2a3b3")
    with path.open("rb") as file:
        skills = [Lines({"a": 2, "b": 2}, file, start) for start in (0, 4, 8)]
        assert list(joined_lines(skills, 100)) == [b"a1b1a2b2a3b3"]
        assert list(joined_lines(skills, 8)) == [b"a1b1a2b2", b"a3b3"]
        assert list(joined_lines([skills[0], skills[2]], 100)) == [b"a1b1", b"a3b3"]
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
            list(joined_lines([lines], 100))

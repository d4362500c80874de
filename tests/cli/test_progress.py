"""How far a build has come, in one line on a terminal."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import skill_md
from skillbuild.cli.progress import skills_text


@pytest.mark.parametrize(
    ("done", "seconds", "line"),
    [
        (25, 0.5, "25 of 1,000 skills"),
        (0, 5.0, "0 of 1,000 skills"),
        (25, 50.0, "25 of 1,000 skills, 0.5/s, 32:30 left"),
        (500, 5.0, "500 of 1,000 skills, 100/s, 0:05 left"),
        (1000, 8.0, "1,000 of 1,000 skills, 125/s, 0:00 left"),
    ],
)
def test_progress_shows_rate_and_remaining_time(done: int, seconds: float, line: str) -> None:
    assert skills_text(done, 1000, seconds) == line


@pytest.mark.skipif(os.name != "posix", reason="terminals are those of POSIX")
@pytest.mark.parametrize(("ci", "shown"), [("", True), ("true", False)])
def test_progress_is_shown_on_a_terminal_alone(tmp_path: Path, ci: str, *, shown: bool) -> None:
    import pty

    files = {f"s{number}/SKILL.md": skill_md(f"s{number}") for number in range(30)}
    repo = repos.repository(tmp_path / "repo", files)
    above, below = pty.openpty()
    command = ["build", f"{repo}", f"--out={tmp_path / 'out'}", "--jobs=1"]
    with repos.skillbuild(*command, variables={"CI": ci}, errors=below) as run:
        os.close(below)
        run.communicate()
    output = b""
    try:
        while piece := os.read(above, 4096):
            output += piece
    except OSError:  # Linux reports the end of a terminal as an error.
        pass
    os.close(above)
    assert run.returncode == 0
    assert (b"25 of 30 skills" in output) is shown
    assert output.endswith(b"\r\x1b[K") is shown

"""The profile of a build (time by stage), and its progress line."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import skill_md
from skillbuild.cli import main
from skillbuild.compile.profile import Profile, StageCost, progress


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
    assert progress(done, 1000, seconds) == line


def test_the_table_has_every_stage_and_their_sum() -> None:
    profile = Profile()
    profile.stages += [StageCost("first", 1.5, 2.25, 1000), StageCost("second", 0.5, 0.25, 24)]
    assert list(profile.lines()) == [
        "stage        wall s    CPU s           bytes",
        "first          1.50     2.25           1,000",
        "second         0.50     0.25              24",
        "total          2.00     2.50           1,024",
    ]


def test_the_profile_includes_the_time_of_workers() -> None:
    profile = Profile(wanted=True)
    with profile.stage("work", iter([10, 30]).__next__):
        profile.worker_seconds += 1000.0
    [stage] = profile.stages
    assert (stage.name, stage.size) == ("work", 20)
    assert stage.processors > 999


def test_nothing_is_measured_unless_it_is_wanted() -> None:
    profile = Profile()
    with profile.stage("work", lambda: pytest.fail("asked for a size")):
        pass
    assert profile.stages == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_profile_goes_to_standard_error_and_changes_no_byte(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], jobs: int
) -> None:
    files = {f"s{number}/SKILL.md": skill_md(f"s{number}") for number in range(3)}
    repo = repos.repository(tmp_path / "repo", files)
    plain = ["build", f"{repo}", f"--jobs={jobs}", "-q", "--no-cache"]
    assert main.main([*plain, f"--out={tmp_path / 'plain'}"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main.main([*plain, f"--out={tmp_path / 'profiled'}", "--profile"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    head, *rows = captured.err.splitlines()
    assert head.split() == ["stage", "wall", "s", "CPU", "s", "bytes"]
    names = [
        "listing",
        "history",
        "cache",
        "plan",
        "skills",
        "catalog",
        "publish",
        "store",
        "total",
    ]
    assert [row.split()[0] for row in rows] == names
    assert all(re.fullmatch(r"\w+( +[\d.]+){2} +[\d,]+", row) for row in rows)
    assert repos.digests(tmp_path / "profiled") == repos.digests(tmp_path / "plain")


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

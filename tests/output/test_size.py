"""A build tells the bytes of all that the output holds, however it came to know them."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import skill_md
from skillbuild.build import Options

FILES: repos.Files = {f"skills/{name}/SKILL.md": skill_md(name) for name in ("a", "b")}


def bytes_in(out: Path) -> int:
    return sum(path.stat().st_size for path in out.rglob("*") if path.is_file())


@pytest.mark.parametrize(("jobs", "cache"), [(1, False), (2, True)])
def test_the_size_is_that_of_all_files(tmp_path: Path, jobs: int, *, cache: bool) -> None:
    """Of a first release, of one over it, and of one after a release that is elsewhere."""
    options, out = Options(cache=cache, jobs=jobs), tmp_path / "out"
    repo = repos.repository(tmp_path / "repo", FILES)
    assert repos.build(repo, out, options=options).size == bytes_in(out)
    repos.commit(repo, {**FILES, "skills/b/SKILL.md": skill_md("b", "New.")}, day=1)
    elsewhere = tmp_path / "elsewhere"
    report = repos.build(repo, elsewhere, options=options, previous=out)
    assert report.size == bytes_in(elsewhere)
    assert repos.build(repo, out, options=options).size == bytes_in(out)


def test_what_was_staged_and_left_out_does_not_count(tmp_path: Path) -> None:
    """A skill that links to one that is left out is compiled again, and staged again."""
    files = {
        "a/SKILL.md": skill_md("a", body="See [b](../b/SKILL.md)."),
        "b/SKILL.md": "no frontmatter",
        "c/SKILL.md": skill_md("c"),
    }
    repo, out = repos.repository(tmp_path / "repo", files), tmp_path / "out"
    report = repos.build(repo, out, options=Options(skip_invalid=True))
    assert report.release is not None
    assert report.size == bytes_in(out)

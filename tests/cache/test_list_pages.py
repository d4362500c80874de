"""Of a long list, a build over its last output writes the pages that show something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import skill_md
from skillbuild.build import Options
from skillbuild.emit.site import lists

TAGGED = "Does it.\nmetadata: {tags: new}"
BASE: repos.Files = {f"skills/s{n}/SKILL.md": skill_md(f"s{n}") for n in range(7)}
PAGES = ("index.html", "page/2/index.html", "page/3/index.html", "page/4/index.html")


@pytest.fixture(autouse=True)
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "CARDS_ON_PAGE", 2)


@pytest.mark.parametrize(
    ("change", "written"),
    [
        ({"README.md": "About us.\n"}, PAGES[:1]),
        ({"skills/s0/SKILL.md": skill_md("s0", "Does more.")}, PAGES[:1]),
        ({"skills/s5/SKILL.md": skill_md("s5", "Does more.")}, [PAGES[0], PAGES[2]]),
        ({"skills/s5/SKILL.md": skill_md("s5", TAGGED)}, PAGES),
        ({"skills/s7/SKILL.md": skill_md("s7")}, PAGES),
        ({"skillbuild.toml": 'tagline = "Ours"\n'}, PAGES),
    ],
    ids=["nothing of it", "on the first", "on another", "a value", "a skill more", "a setting"],
)
def test_a_page_of_the_list_is_written_if_it_changes(
    tmp_path: Path, change: repos.Files, written: list[str]
) -> None:
    repo = repos.empty(tmp_path / "repo", bare=True)
    warm, cold = tmp_path / "warm", tmp_path / "cold"
    # A day that all skills have in common stands on no card.
    repos.commit(repo, {"skills/s6/SKILL.md": BASE["skills/s6/SKILL.md"]})
    repos.commit(repo, BASE, day=1)
    repos.build(repo, warm, options=Options(jobs=1, cache=True))
    before = {page: (warm / page).stat().st_ino for page in PAGES}
    repos.commit(repo, {**BASE, **change}, day=2)
    repos.build(repo, warm, options=Options(jobs=1, cache=True))
    repos.build(repo, cold, options=Options(jobs=1))
    changed = [page for page in PAGES if (warm / page).stat().st_ino != before[page]]
    assert changed == list(written)
    assert {path: d for path, d in repos.digests(warm).items() if path.endswith(".html")} == {
        path: d for path, d in repos.digests(cold).items() if path.endswith(".html")
    }

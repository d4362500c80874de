"""A removed skill has a page that says so and names the files of it that are still there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from helpers import outputs, pages, repos
from helpers.repos import published, skill_md
from skillbuild.build import Options
from skillbuild.output import verify
from skillbuild.release.record import named_files

BASE = "https://example.org/repo/"
SETTINGS = f'base_url = "{BASE}"\n'
PDF: repos.Files = {"skillbuild.toml": SETTINGS, "skills/pdf/SKILL.md": skill_md("pdf")}
BOTH: repos.Files = {**PDF, "skills/acme/csv/SKILL.md": skill_md("csv")}
PAGE = "skills/acme/csv/index.html"
STAYS = "keeps the files and archives of the last release that contains the skill"
GONE = "This catalog no longer keeps a release that contains this skill"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return repos.repository(tmp_path / "repo", BOTH)


@pytest.fixture
def out(tmp_path: Path, repo: Path) -> Path:
    """The second release, in which a skill of the first is gone."""
    repos.build(repo, tmp_path / "out")
    repos.commit(repo, PDF, day=1)
    repos.build(repo, tmp_path / "out")
    return tmp_path / "out"


def publication(out: Path) -> Any:
    """What the output says of earlier releases."""
    return outputs.head_of(out)["publication"]


def sound(out: Path) -> None:
    """The release verifies, every link leads somewhere, and nothing can run."""
    verdict = verify.verify(out)
    assert (verdict.faults, verdict.remarks) == ((), ())
    read = pages.read(out)
    assert pages.dead_links(out, read, BASE) == []
    assert [item for page in read.values() for item in pages.active_content(page)] == []


def test_the_page_says_that_the_skill_is_gone_and_its_last_digest(out: Path) -> None:
    text = (out / PAGE).read_text()
    assert "Removed: <code>acme/csv</code> was published here and is no longer" in text
    [gone] = publication(out)["removed"]
    assert f"<code>{gone['lastDigest']}</code>" in text
    assert f"<code>{gone['lastCommit']}</code>" in text
    assert '<meta name="robots" content="noindex">' in text
    assert STAYS in text
    assert gone["lastCommit"] == publication(out)["releases"][0]["commit"]
    sound(out)


def test_no_list_search_or_sitemap_names_a_removed_skill(out: Path) -> None:
    naming = {
        path.relative_to(out).as_posix()
        for path in out.rglob("*")
        if path.is_file() and b"csv" in path.read_bytes() and "archives" not in path.parts
    }
    retained = {path for path in naming if path.startswith(("blobs/", "record/", "search/"))}
    assert naming - retained == {PAGE, "catalog.json", "SHA256SUMS"}
    assert not retained & set(named_files(outputs.record_of(out)))


def test_the_page_says_when_the_files_are_no_longer_in_the_output(repo: Path, out: Path) -> None:
    for day, text in ((2, STAYS), (3, GONE), (4, GONE)):
        repos.commit(repo, {**PDF, "other": f"{day}"}, day=day)
        repos.build(repo, out)
        there = list((out / "archives").glob("csv-*"))
        assert (text in (out / PAGE).read_text(), bool(there)) == (True, text == STAYS)
        sound(out)


def test_a_skill_that_comes_back_has_its_page_again(tmp_path: Path, repo: Path, out: Path) -> None:
    repos.commit(repo, BOTH, day=2)
    repos.build(repo, out)
    repos.build(repo, tmp_path / "fresh")
    assert (out / PAGE).read_bytes() == (tmp_path / "fresh" / PAGE).read_bytes()
    assert len(publication(out)["releases"]) == 2
    assert publication(out)["removed"] == []
    sound(out)


def test_a_skill_removed_twice_belongs_to_the_later_release(repo: Path, out: Path) -> None:
    repos.commit(repo, BOTH, day=2)
    repos.build(repo, out)
    again = outputs.head_of(out)["release"]["source"]["commit"]
    digest = outputs.entry_of(out, "acme/csv")["skillDigest"]
    repos.commit(repo, PDF, day=3)
    repos.build(repo, out)
    assert publication(out)["removed"] == [
        {"path": "acme/csv", "lastDigest": digest, "lastCommit": again}
    ]
    assert publication(out)["releases"][0]["commit"] == again


@pytest.mark.parametrize(
    ("before", "after"),
    [("acme/csv", "acme"), ("acme", "acme/csv"), ("acme/x/csv", "acme/csv")],
)
def test_removed_and_present_skills_may_be_nested(tmp_path: Path, before: str, after: str) -> None:
    def files(path: str) -> repos.Files:
        name = path.rpartition("/")[2]
        inside = {f"skills/{path}/csv/index.html": "<p>", f"skills/{path}/index.html": "<p>"}
        return {**PDF, f"skills/{path}/SKILL.md": skill_md(name), **inside}

    repo = repos.repository(tmp_path / "repo", files(before))
    out = tmp_path / "out"
    assert published(repos.build(repo, out)) == [before, "pdf"]
    repos.commit(repo, files(after), day=1)
    assert published(repos.build(repo, out)) == [after, "pdf"]
    assert STAYS in (out / f"skills/{before}/index.html").read_text()
    assert "Removed" not in (out / f"skills/{after}/index.html").read_text()
    sound(out)


def test_a_page_that_differs_in_case_alone_is_that_of_the_skill_that_is_there(
    tmp_path: Path, repo: Path
) -> None:
    out = tmp_path / "out"
    repos.build(repo, out)
    repos.commit(repo, {**PDF, "skills/ACME/csv/SKILL.md": skill_md("csv")}, day=1)
    repos.build(repo, out)
    assert [skill["path"] for skill in publication(out)["removed"]] == ["acme/csv"]
    assert not (out / PAGE).exists()
    sound(out)


def test_a_skill_that_became_invalid_is_removed_until_it_is_mended(
    tmp_path: Path, repo: Path
) -> None:
    out = tmp_path / "out"
    repos.build(repo, out)
    repos.commit(repo, {**PDF, "skills/acme/csv/SKILL.md": "# No header\n"}, day=1)
    repos.build(repo, out, options=Options(skip_invalid=True, jobs=1))
    assert "was published here and is no longer in this catalog" in (out / PAGE).read_text()
    sound(out)


def test_without_pages_a_removed_skill_has_no_page(tmp_path: Path) -> None:
    settings = {"skillbuild.toml": 'formats = ["zip"]\n'}
    repo = repos.repository(tmp_path / "repo", {**BOTH, **settings})
    repos.build(repo, tmp_path / "out")
    repos.commit(repo, {**PDF, **settings}, day=1)
    repos.build(repo, tmp_path / "out")
    assert not (tmp_path / "out/skills").exists()


def test_the_page_is_the_same_in_a_fresh_output(tmp_path: Path, repo: Path, out: Path) -> None:
    repos.build(repo, tmp_path / "first", "HEAD~1")
    repos.build(repo, tmp_path / "second", previous=tmp_path / "first")
    assert repos.digests(tmp_path / "second") == repos.digests(out)


@pytest.mark.parametrize("path", ["../../outside", "a/-/files", "a//b", ".git", "a/index.html", ""])
def test_a_hostile_published_record_writes_no_page_outside_of_skills(
    tmp_path: Path, repo: Path, path: str
) -> None:
    old = tmp_path / "old"
    repos.build(repo, old)
    head = outputs.head_of(old)
    head["publication"]["removed"] = [
        {"path": path, "lastDigest": f"sha256:{'0' * 64}", "lastCommit": "0" * 40}
    ]
    (old / "catalog.json").write_text(json.dumps(head, separators=(",", ":")))
    clean, out = tmp_path / "clean", tmp_path / "out"
    repos.build(repo, clean)
    repos.build(repo, out, previous=old)
    assert repos.digests(out).keys() == repos.digests(clean).keys()

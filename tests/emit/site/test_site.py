"""The catalog as a whole: every link leads somewhere, nothing can run, nothing is too heavy."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from helpers import pages, repos
from helpers.browsing import build_example, example_files
from helpers.pages import Page
from skillbuild.build import Options
from skillbuild.emit.site import catalog_pages
from skillbuild.output import verify

BASE = "https://example.org/repo/"


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example catalog, built with a base URL."""
    return build_example(tmp_path_factory.mktemp("example"), BASE)


@pytest.fixture(scope="session")
def example_pages(example: Path) -> dict[str, Page]:
    return dict(pages.read(example))


def test_every_link_leads_to_a_page_and_a_place_in_it(
    example: Path, example_pages: dict[str, Page]
) -> None:
    assert pages.dead_links(example, example_pages, BASE) == []


def test_no_page_can_run_anything(example_pages: dict[str, Page]) -> None:
    active = [item for page in example_pages.values() for item in pages.active_content(page)]
    assert active == []


def test_the_404_page_finds_its_files_from_any_address(
    example_pages: dict[str, Page],
) -> None:
    addresses = [address for _, address in example_pages["404.html"].addresses()]
    assert [
        address for address in addresses if not address.startswith(("/repo/", "https://", "#"))
    ] == []


def test_no_page_has_an_id_twice(example_pages: dict[str, Page]) -> None:
    assert [page.path for page in example_pages.values() if pages.repeated_ids(page)] == []


def test_every_page_has_one_main_heading_and_a_title_of_its_own(
    example_pages: dict[str, Page],
) -> None:
    for page in example_pages.values():
        assert page.count("h1") == 1, page.path
    titles = ["".join(page.text).strip().splitlines()[0] for page in example_pages.values()]
    assert len(set(titles)) == len(titles)


def test_nothing_is_loaded_from_elsewhere(example: Path) -> None:
    for path in (example / "assets").iterdir():
        text = path.read_text(errors="replace")
        assert "url(" not in text
        assert "@import" not in text


def test_the_release_verifies_with_its_pages_and_icons(example: Path) -> None:
    verdict = verify.verify(example)
    assert (verdict.faults, verdict.remarks) == ((), ())
    assert verdict.release.catalog.icons


def test_the_sitemap_names_the_listed_skills(example: Path) -> None:
    root = ET.fromstring((example / "sitemap.xml").read_bytes())  # noqa: S314
    space = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}
    addresses = [item.text for item in root.findall("s:url/s:loc", space)]
    index = json.loads((example / "index.json").read_bytes())
    assert addresses[0] == BASE
    assert addresses[1] == f"{BASE}changes/index.html"
    assert len(addresses) == 2 + len(index["skills"])


def test_one_process_and_two_write_the_same_pages(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", example_files())
    repos.build(repo, tmp_path / "one", options=Options(jobs=1))
    repos.build(repo, tmp_path / "two", options=Options(jobs=2))
    first, second = ((tmp_path / name / "SHA256SUMS").read_bytes() for name in ("one", "two"))
    assert first == second


def test_pages_of_a_skill_do_not_change_when_another_does(tmp_path: Path) -> None:
    files = {"skills/a/SKILL.md": repos.skill_md("a"), "skills/a/x.py": "print(1)\n"}
    repo = repos.empty(tmp_path / "repo")
    repos.commit(repo, files)
    repos.build(repo, tmp_path / "before")
    repos.commit(repo, {**files, "skills/b/SKILL.md": repos.skill_md("b")}, day=1)
    repos.build(repo, tmp_path / "after")
    for page in sorted((tmp_path / "before/skills/a").rglob("*.html")):
        same = tmp_path / "after" / page.relative_to(tmp_path / "before")
        assert page.read_bytes() == same.read_bytes()


def test_without_a_base_url_there_is_no_sitemap_and_links_still_hold(tmp_path: Path) -> None:
    repos.build(repos.repository(tmp_path / "repo", example_files()), tmp_path / "out")
    site = pages.read(tmp_path / "out")
    assert not (tmp_path / "out/sitemap.xml").exists()
    assert pages.dead_links(tmp_path / "out", site) == []


def test_without_file_pages_every_way_to_a_file_ends_at_its_bytes(tmp_path: Path) -> None:
    body = "[guide](references/guide.md#l2) [line](SKILL.md#L3) [more](references)\n"
    files: repos.Files = {
        **example_files(),
        "skillbuild.toml": f'base_url = "{BASE}"\n[pages]\nfiles = false\n',
        "skills/a/SKILL.md": repos.skill_md("a", body=f"{body}[lost](lost.md)\n"),
        "skills/a/LICENSE": "MIT License\n",
        "skills/a/references/guide.md": "# Guide\nSee [back](../SKILL.md).\n",
        "skills/a/scripts/run.sh": repos.Program("#!/bin/sh\ncurl https://host.test.org/\n"),
    }
    out = tmp_path / "out"
    repos.build(repos.repository(tmp_path / "repo", files), out)
    site = pages.read(out)
    assert pages.dead_links(out, site, BASE) == []
    assert [path for path in site if "/-/files/" in path] == []
    elements = site["skills/a/index.html"].elements
    leads = [values["href"] for tag, values in elements if tag == "a" and "href" in values]
    assert leads.count("#file-3") + leads.count("index.html#file-3") == 1
    names = {
        values["download"]: values["href"] for tag, values in elements if values.get("download")
    }
    assert list(names)[-4:] == ["LICENSE", "SKILL.md", "guide.md", "run.sh"]
    assert (out / "skills/a" / names["run.sh"]).resolve().read_bytes().startswith(b"#!/bin/sh")


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Page]]:
    """205 skills with a tag that all have; 101 of them have five of their own."""

    def tagged(number: int) -> str:
        own = [f"tag-{number}-{part}" for part in range(5)] if number < 101 else []
        about = f"Does one thing.\nmetadata:\n  tags: {', '.join(['page', *own])}"
        return repos.skill_md(f"s{number}", about)

    files = {f"skills/s{number}/SKILL.md": tagged(number) for number in range(205)}
    folder = tmp_path_factory.mktemp("long")
    repos.build(repos.repository(folder / "repo", files), folder / "out")
    return folder / "out", dict(pages.read(folder / "out"))


def test_a_long_list_has_pages_of_a_hundred(long: tuple[Path, dict[str, Page]]) -> None:
    out, site = long
    cards = [
        sum(values.get("class") == "card" for _, values in site[path].elements)
        for path in ("index.html", "page/2/index.html", "page/3/index.html")
    ]
    assert cards == [100, 100, 5]
    assert pages.dead_links(out, site) == []


def test_a_page_has_at_most_five_hundred_tags(long: tuple[Path, dict[str, Page]]) -> None:
    _, site = long
    values = {
        path: sum(values.get("class") == "n" for _, values in site[path].elements)
        for path in site
        if path in ("tags/index.html", "tags/page/2/index.html")
    }
    assert values == {"tags/index.html": 500, "tags/page/2/index.html": 6}
    assert {"tags/page/index.html", "tags/page/page/2/index.html"} <= site.keys()


def test_of_many_skills_left_out_the_first_are_named_and_the_rest_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog_pages, "MOST_SKIPPED", 2)
    files = {f"skills/bad{number}/SKILL.md": "no header\n" for number in range(5)}
    files["skills/a/SKILL.md"] = repos.skill_md("a")
    repos.build(
        repos.repository(tmp_path / "repo", files),
        tmp_path / "out",
        options=Options(skip_invalid=True),
    )
    text = (tmp_path / "out/about/index.html").read_text()
    assert "5 invalid and left out" in text
    assert text.count("skills/bad") == 2
    assert "and 3 more, all listed in" in text


def test_files_whose_pages_would_collide_have_pages_of_their_own(tmp_path: Path) -> None:
    files: dict[str, repos.Content] = {
        "skills/a/SKILL.md": repos.skill_md("a", body="[x](b) [y](b.html/c.txt)\n"),
        "skills/a/b": "file\n",
        "skills/a/b.html/c.txt": "inner\n",
        "skills/a/index": "an index\n",
        f"skills/a/{'n' * 250}.md": "long\n",
    }
    repos.build(repos.repository(tmp_path / "repo", files), tmp_path / "out")
    site = pages.read(tmp_path / "out")
    assert "skills/a/-/files/b.html.html" in site
    assert pages.dead_links(tmp_path / "out", site) == []

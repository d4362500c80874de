"""The source of files on their pages: which lines are shown, and where links to the others lead."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import pages, repos
from skillbuild.emit.site.sources import (
    LINES_IN_BLOCK,
    MOST_CHARACTERS,
    MOST_LINES,
    ShownSource,
    numbered,
    numbering,
    source_of,
)

_LINE = "x" * 99 + "\n"
_FITTING = MOST_CHARACTERS // len(_LINE)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("", ShownSource("", 0, 0, cut=False)),
        ("\n", ShownSource("", 1, 1, cut=False)),
        ("a\r\nb\rc\n", ShownSource("a\nb\nc", 3, 3, cut=False)),
        (
            "\n" * MOST_LINES,
            ShownSource("\n" * (MOST_LINES - 1), MOST_LINES, MOST_LINES, cut=False),
        ),
        ("\n" * 17_000, ShownSource("\n" * (MOST_LINES - 1), MOST_LINES, 17_000, cut=True)),
        (_LINE * 2_999, ShownSource((_LINE * _FITTING)[:-1], _FITTING, 2_999, cut=True)),
        ("x" * MOST_CHARACTERS, ShownSource("x" * MOST_CHARACTERS, 1, 1, cut=False)),
        ("x" * 999_999, ShownSource("x" * MOST_CHARACTERS, 1, 1, cut=True)),
        ("x" * 999_999 + "\ny", ShownSource("x" * MOST_CHARACTERS, 1, 2, cut=True)),
    ],
    ids=lambda value: None if isinstance(value, ShownSource) else f"{len(value)} of {value[:1]!r}",
)
def test_a_page_shows_whole_lines_from_the_start(text: str, source: ShownSource) -> None:
    assert source_of(text) == source


@given(st.text(alphabet="ab\n\r", max_size=40), st.integers(1, 9000))
def test_what_is_shown_begins_the_text(text: str, times: int) -> None:
    source = source_of(text * times)
    plain = (text * times).replace("\r\n", "\n").replace("\r", "\n")
    assert plain.startswith(source.text)
    assert len(source.text) <= MOST_CHARACTERS
    assert source.lines <= min(MOST_LINES, source.all_lines)
    assert source.cut == (source.text != plain.removesuffix("\n"))


def test_many_lines_stand_in_blocks_that_count_on() -> None:
    text = "\n".join(f"line {number}" for number in range(1, 251))
    html = numbered(source_of(text), "a.txt")
    blocks = re.findall(r'<span class="lines">(.*?)\n</span>', html, re.DOTALL)
    assert [block.count("<a ") for block in blocks] == [200, 50]
    assert re.sub(r"<[^>]*>", "", html) == text + "\n"
    assert re.findall(r'id="L(\d+)">line (\d+)<', html) == [(f"{n}", f"{n}") for n in range(1, 251)]
    assert "lines" not in numbered(source_of("\n" * LINES_IN_BLOCK), "a.txt")
    rules = re.findall(r"nth-child\((\d+)\)>:first-child\{counter-reset:line (\d+)\}", numbering())
    blocks_of_longest = MOST_LINES // LINES_IN_BLOCK
    assert rules == [(f"{n}", f"{(n - 1) * 200}") for n in range(2, blocks_of_longest + 1)]


def test_links_to_lines_that_a_page_lacks_lead_to_the_note_about_them(tmp_path: Path) -> None:
    links = [f"[a](long.py#L{line})" for line in (4_000, 4_001, 17_000, 17_001)]
    host = "curl https://host.dev/i.sh | sh\n"
    files: repos.Files = {
        "skills/a/SKILL.md": repos.skill_md("a", body=" ".join([*links, "[b](line.txt#L2)\n"])),
        "skills/a/long.py": "x = 1\n" * 16_999 + host,
        "skills/a/line.txt": "x" * 300_000 + "\n" + host,
    }
    out = tmp_path / "out"
    repos.build(repos.repository(tmp_path / "repo", files), out)
    site = pages.read(out)
    assert pages.dead_links(out, site) == []
    skill = site["skills/a/index.html"].elements
    leads = [values["href"] or "" for tag, values in skill if tag == "a" and values.get("href")]
    page = "-/files/long.py.html#"
    ends = [lead.removeprefix(page) for lead in leads if lead.startswith(page)]
    assert ends == ["cut", "L4000", "cut", "cut"]
    assert leads.count("-/files/line.txt.html#cut") == 2
    long, line = (
        (out / f"skills/a/-/files/{name}.html").read_text() for name in ("long.py", "line.txt")
    )
    assert "<span>17,000 lines, the first 4,000 shown</span>" in long
    assert "Everything after line 4,000 of 17,000 is left out; the <a href=" in long
    assert "<span>2 lines, the first 1 shown</span>" in line
    assert "Everything after the beginning of the first line is left out; " in line


FILES: repos.Files = {
    "skills/a/SKILL.md": repos.skill_md("a", body="[a](cited.bin) [b](fixtures/linked.json)\n"),
    "skills/a/cited.bin": b"\0",
    "skills/a/other.bin": b"\0",
    "skills/a/guide.md": "# Guide\n\nText.\n",
    "skills/a/run.sh": repos.Program("#!/bin/sh\nsudo make\n"),
    "skills/a/large.md": "word\n" * 60_000,
    "skills/a/data.json": f'["{"x" * 40_000}"]',
    "skills/a/fixtures/linked.json": "{}",
    "skills/a/fixtures/other.json": "{}",
    "skills/a/package-lock.json": "{}",
    "skills/a/skill.sig": "c2ln\n",
    "skills/a/told.md": "Run this:\n\n```sh\ncurl https://host.test.org/x | sudo sh\n```\n",
}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    repos.build(repos.repository(folder / "repo", FILES), folder / "out")
    return folder / "out"


def test_files_for_people_have_pages_and_those_that_the_skill_cites(out: Path) -> None:
    folder = out / "skills/a/-/files"
    shown = {path.relative_to(folder).as_posix()[:-5] for path in folder.rglob("*.html")}
    assert shown == {
        *("SKILL.md", "cited.bin", "fixtures/linked.json", "guide.md", "run.sh", "told.md"),
    }


def test_every_other_file_is_one_click_away_as_it_is(out: Path) -> None:
    site = pages.read(out)
    assert pages.dead_links(out, site) == []
    for page in ("skills/a/index.html", "skills/a/-/files/guide.md.html"):
        raw = {values["download"] for _, values in site[page].elements if values.get("download")}
        unread = {"other.bin", "large.md", "data.json", "other.json", "skill.sig"}
        assert unread | {"package-lock.json"} <= raw, page


def test_a_rendered_text_has_lines_where_a_fact_names_one(out: Path) -> None:
    plain, told = (
        (out / f"skills/a/-/files/{name}.md.html").read_text() for name in ("guide", "told")
    )
    assert 'id="L4"' in told
    assert 'id="L1"' not in plain
    assert re.search(r'<details id="source" class="source js-only" data-source="[./]*blobs/', plain)
    assert 'href="-/files/told.md.html#L4"' in (out / "skills/a/index.html").read_text()

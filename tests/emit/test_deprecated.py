"""A deprecated skill is published as before, and marked wherever somebody may choose it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import skill_md
from skillbuild import build as pipeline
from skillbuild import config
from skillbuild.build import Options
from skillbuild.output import verify
from skillbuild.release.layout import blob_path

BASE = "https://example.org/"
PLAIN: repos.Files = {
    f"{path}/SKILL.md": skill_md(path.rpartition("/")[2], f"Does {path}.")
    for path in ("tools/csv", "tools/old", "tools/pdf", "tools/pdf/deep", "words")
}
SETTINGS = """\
[deprecated]
"tools/csv" = { reason = "Nobody <b>uses</b> it." }
"tools/old" = { reason = "replaced", use = "tools/pdf" }
"""
FILES: repos.Files = {**PLAIN, "skillbuild.toml": SETTINGS}


def built(folder: Path, files: repos.Files, options: Options | None = None) -> Path:
    request = repos.request_of(repos.repository(folder / "repo", files), options=options)
    request = replace(request, config=config.with_base_url(request.config, BASE))
    assert pipeline.build(request, folder / "out").release is not None
    return folder / "out"


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("deprecated"), FILES)


def page(out: Path, path: str) -> str:
    return (out / path).read_text("utf-8")


def notices(out: Path, path: str) -> list[str]:
    return re.findall(r'<p class="notice">(.*?)</p>', page(out, f"skills/{path}/index.html"))


def test_its_page_says_why_and_leads_to_the_one_to_use(out: Path) -> None:
    use = 'Use <a href="../pdf/index.html">tools/pdf</a> instead.'
    assert notices(out, "tools/old") == [f"Deprecated: replaced. {use}"]
    assert notices(out, "tools/csv") == ["Deprecated: Nobody &lt;b&gt;uses&lt;/b&gt; it."]
    assert notices(out, "tools/pdf") == []
    assert verify.verify(out).faults == ()


def test_lists_mark_it_and_have_it_last(out: Path) -> None:
    cards = re.findall(r'<li class="card">.*?</li>', page(out, "index.html"), re.DOTALL)
    marked = {
        match[1]: ">deprecated</span>" in card
        for card in cards
        if (match := re.search(r'href="skills/(\w.*?)/index.html"', card))
    }
    assert list(marked.items()) == [
        ("tools/pdf/deep", False),
        ("tools/pdf", False),
        ("words", False),
        ("tools/csv", True),
        ("tools/old", True),
    ]


def test_what_a_search_shows_of_it_has_the_mark_as_a_loud_one(out: Path) -> None:
    rows = [path for path in (out / "search").rglob("*") if path.is_file()]
    assert sum(path.read_bytes().count(b'"!deprecated"') for path in rows) == 2


def test_readers_of_text_are_told(out: Path) -> None:
    lines = page(out, "llms.txt").splitlines()
    assert [line.partition("): ")[2] for line in lines if line.startswith("- [tools/")] == [
        "Deprecated: Nobody <b>uses</b> it. Does tools/csv.",
        "Deprecated: replaced; use tools/pdf. Does tools/old.",
        "Does tools/pdf.",
        "Does tools/pdf/deep.",
    ]


def test_what_installers_read_is_as_before(out: Path, tmp_path: Path) -> None:
    before = built(tmp_path, PLAIN)
    for path in (
        ".well-known/agent-skills/index.json",
        ".well-known/skills/index.json",
        "claude/marketplace.json",
        "index.json",
    ):
        assert page(out, path) == page(before, path)
    for entry in verify.load(out).catalog.entries:
        text = page(out, blob_path(entry.skill_md.digest))
        assert text == PLAIN[f"{entry.path}/SKILL.md"]


def test_its_entry_says_so_and_that_of_no_other(out: Path) -> None:
    entries = {entry.path: entry.deprecated for entry in verify.load(out).catalog.entries}
    assert {path: each and (each.reason, each.use) for path, each in entries.items()} == {
        "tools/csv": ("Nobody <b>uses</b> it.", None),
        "tools/old": ("replaced", "tools/pdf"),
        "tools/pdf": None,
        "tools/pdf/deep": None,
        "words": None,
    }
    parts = (out / "record").rglob("*.jsonl")
    lines = [line for part in parts for line in part.read_text().splitlines()]
    written = [json.loads(line) for line in lines]
    assert [each["deprecated"] for each in written if "deprecated" in each] == [
        {"reason": "Nobody <b>uses</b> it.", "use": None},
        {"reason": "replaced", "use": "tools/pdf"},
    ]


def test_there_is_no_link_to_a_skill_that_is_left_out(tmp_path: Path) -> None:
    bad = {**FILES, "tools/pdf/SKILL.md": skill_md("pdf", "a: b")}
    out = built(tmp_path, bad, Options(skip_invalid=True, jobs=1))
    assert notices(out, "tools/old") == ["Deprecated: replaced. Use tools/pdf instead."]

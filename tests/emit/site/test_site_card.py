"""The card and the evals of a skill on its page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from helpers import pages, repos
from helpers.repos import skill_md

CARD = """# Forms
## Use
Fills [forms](#use), see [the text](SKILL.md#use). <b>No tag</b>
"""
EVALS: Mapping[str, tuple[dict[str, str], str]] = {
    "list": ({"evals.json": '[{"id": 1}, {"id": 2}]'}, "2 evals"),
    "object": ({"evals.json": '{"skill_name": "a", "evals": [{}]}'}, "1 eval"),
    "cases": ({"evals.json": '{"cases": [{}, {}, {}]}'}, "3 evals"),
    "other": ({"evals.json": '{"question": "?"}', "b.md": "B.\n"}, "2 files of evals"),
    "broken": ({"evals.json": "[" * 100_000}, "1 file of evals"),
    "prose": ({"one.md": "One.\n"}, "1 file of evals"),
}


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {
        "forms/SKILL.md": skill_md("forms", body="## Use\nDo it.\n"),
        "forms/skill-card.md": CARD,
        "forms/evals/.gitkeep": "",
    }
    for name, (evals, _) in EVALS.items():
        files[f"{name}/SKILL.md"] = skill_md(name)
        files |= {f"{name}/evals/{path}": text for path, text in evals.items()}
    repo = repos.repository(tmp_path_factory.mktemp("cards") / "repo", files)
    files["list/SKILL.md"] = skill_md("list", body="Do it again.\n")
    repos.commit(repo, files, day=40)
    return repo


@pytest.fixture(scope="module")
def out(repo: Path) -> Path:
    repos.build(repo, repo.parent / "out")
    return repo.parent / "out"


def page(out: Path, name: str) -> str:
    return (out / "skills" / name / "index.html").read_text()


def test_a_card_is_a_part_of_the_page_with_ids_of_its_own(out: Path) -> None:
    text = page(out, "forms")
    assert '<a href="#card">Skill card</a>' in text
    card = text.partition('<section class="tab" id="card"')[2].partition("</section>")[0]
    assert 'id="card-user-content-use"' in card
    assert '<a href="#card-user-content-use">forms</a>' in card
    assert 'href="index.html#user-content-use"' in card
    assert "&lt;b&gt;No tag&lt;/b&gt;" in card
    read = pages.read(out)
    assert pages.repeated_ids(read["skills/forms/index.html"]) == []
    assert pages.dead_links(out, read) == []
    assert 'id="card"' not in page(out, "list")


def test_evals_are_counted_and_dated(out: Path) -> None:
    found = {
        name: re.search(
            r"<dt>Evals</dt><dd><a href=\"([^\"]*)\">([^<]*)</a>(.*?)</dd>", page(out, name)
        )
        for name in EVALS
    }
    assert {name: match and match[2] for name, match in found.items()} == {
        name: words for name, (_, words) in EVALS.items()
    }
    assert found["list"]
    assert found["list"][1] == "-/files/evals/evals.json.html"
    # The skill changed later than its evals.
    first = re.search(r'updated .*?datetime="([^"]*)"', page(out, "prose"))
    assert first
    assert found["list"][3] == f', last changed <time datetime="{first[1]}">{first[1]}</time>'
    assert first[1] not in (re.search(r"updated .*?</time>", page(out, "list")) or [""])[0]
    assert "<dt>Evals</dt>" not in page(out, "forms")


def test_a_second_build_dates_evals_alike(repo: Path, out: Path, tmp_path: Path) -> None:
    options = replace(repos.request_of(repo).options, cache=True)
    repos.build(repo, tmp_path, "HEAD~1", options)
    repos.build(repo, tmp_path, options=options)
    assert page(tmp_path, "list") == page(out, "list")

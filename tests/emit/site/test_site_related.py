"""What is related to a skill: similar ones, references both ways, and files that nothing names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helpers import repos
from skillbuild.build import Options
from skillbuild.emit.site import kinship, links
from skillbuild.emit.site.kinship import Kin
from skillbuild.model import File, Frontmatter, Skill


def md(name: str, description: str, body: str = "Do it.\n") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}"


TEXT = "migrations of Postgres schemas, indexes, constraints."
FILES: repos.Files = {
    "skills/db/migrate/SKILL.md": md(
        "migrate", f"Plans {TEXT}", "See [review](../review/SKILL.md).\n"
    ),
    "skills/db/review/SKILL.md": md("review", f"Reviews {TEXT}"),
    "skills/db/backup/SKILL.md": md("backup", "Copies tapes.", "First use `paint-walls`.\n"),
    "skills/paint-walls/SKILL.md": md("paint-walls", "Chooses colors for a wall."),
    "skills/hidden/SKILL.md": (
        "---\nname: hidden\ndescription: Postgres schemas migrations.\n"
        "metadata:\n  internal: true\n---\nSee [r](../db/review).\n"
    ),
}


CARD = re.compile(
    r'<li class="card">.*?<h2><a href="[./]*skills/([^"]*)/index.html">.*?'
    r'(?:<p class="why">(.*?)</p>)?\s*<p class="meta">',
    re.DOTALL,
)


def related(out: Path, path: str) -> dict[str, list[str]]:
    """The reasons why other skills are related, by their paths."""
    page = (out / "skills" / path / "-/related/index.html").read_text()
    return {other: re.findall(r"<span[^>]*>(.*?)</span>", why) for other, why in CARD.findall(page)}


CONFUSED = "Easily confused: the descriptions are nearly the same"


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("related")
    repos.build(repos.repository(top / "repo", FILES), top / "out")
    return top / "out"


def test_a_page_names_each_related_skill_once_and_why(out: Path) -> None:
    shared = "Both mention {}, constraints, indexes and postgres"
    assert related(out, "db/migrate") == {
        "db/review": [CONFUSED, "Named in this skill", shared.format("migrate")],
        "db/backup": [],
    }
    assert related(out, "db/review") == {
        "db/migrate": [CONFUSED, "Names this skill", shared.format("migrations")],
        "db/backup": [],
    }
    assert related(out, "paint-walls") == {"db/backup": ["Names this skill"]}
    page = (out / "skills/db/migrate/-/related/index.html").read_text()
    compared = "../../../../../compare/index.html?s=db/migrate&amp;s=db/review"
    assert f'<a class="js-only" href="{compared}">Compare</a>' in page
    near = page.partition('id="near"')[2]
    assert re.findall("<h2>([A-Z].*?)</h2>", near) == ["Similar", "In the same group"]
    assert "license: none found" not in near


@pytest.mark.parametrize("page", ["index", "-/related/index"])
def test_the_pages_of_a_skill_have_its_name_and_its_parts(out: Path, page: str) -> None:
    text = (out / f"skills/db/migrate/{page}.html").read_text()
    assert re.findall("<h1[^>]*>(.*?)</h1>", text) == ["migrate"]
    tabs = text.partition('<nav class="tabs"')[2].partition("</nav>")[0]
    assert re.findall(r">([A-Z][a-z ]+)(?: <span class=\"n\">(\d+)</span>)?</a>", tabs) == [
        ("Read me", ""),
        ("Files", "1"),
        ("Related", ""),
    ]
    crumbs = text.partition('<nav class="crumbs"')[2].partition("</nav>")[0]
    top = "../" * (3 + page.count("/"))
    group = f'<a href="{top}index.html">Skills</a> / <a href="{top}groups/db/index.html">db</a>'
    assert group in crumbs


def test_siblings_come_first_and_each_has_its_reason(tmp_path: Path) -> None:
    places = ("a", "b", "c", "d", "e", "f", "g", "h")
    text = {place: f"Looks for holes in {place * 4} programs." for place in places}
    fillers = {
        f"skills/other/{word}-{place}/SKILL.md": md(f"{word}-{place}", f"Bakes {place * 6} {word}.")
        for word, place in zip(("bread", "cake", "pie", "tart") * 6, places * 3, strict=True)
    }
    files = {
        **fillers,
        **{f"skills/scan/{p}-scanner/SKILL.md": md(f"{p}-scanner", text[p]) for p in places[:5]},
        "skills/apk-scanner/SKILL.md": md("apk-scanner", "Looks for holes in aaaa apps."),
    }
    files["skills/scan/a-scanner/SKILL.md"] = md("a-scanner", text["a"], "See `b-scanner`.\n")
    files["skills/scan/b-scanner/SKILL.md"] = md("b-scanner", text["b"], "See `a-scanner`.\n")
    repos.build(repos.repository(tmp_path / "repo", files), tmp_path / "out")
    near = related(tmp_path / "out", "scan/a-scanner")
    assert [*near][-1] == "apk-scanner"
    assert [path for path in near if path.startswith("scan/")] == [*near][:4]
    assert near["scan/b-scanner"][0] == "Each names the other"
    assert all("scanner" in why[-1] for why in near.values())


def test_an_internal_skill_is_related_to_nothing(out: Path) -> None:
    assert not (out / "skills/hidden/-/related").exists()
    assert not (out / "skills/hidden/-/compare.js").exists()
    assert "/-/related/" not in (out / "skills/hidden/index.html").read_text()


def test_one_changed_skill_changes_only_pages_that_say_something_else(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", FILES)
    repos.build(repo, tmp_path / "before")
    repos.build(repo, tmp_path / "after")
    changed = md("backup", "Copies tapes.", "First use `paint-walls`, then a ladder.\n")
    repos.commit(repo, {**FILES, "skills/db/backup/SKILL.md": changed})
    repos.build(repo, tmp_path / "after")
    before, after = tmp_path / "before", tmp_path / "after"
    pages = [path.relative_to(after) for path in after.rglob("*.html")]
    assert {
        page.as_posix()
        for page in pages
        if (before / page).read_bytes() != (after / page).read_bytes()
    } == {
        "about/index.html",
        "changes/index.html",
        "groups/db/index.html",
        "index.html",
        "licenses/none-found-10222398/index.html",
        "skills/db/backup/index.html",
        "skills/db/backup/-/files/SKILL.md.html",
        # Its day and its size, on the pages of the skills that are related to it.
        *(f"skills/{path}/-/related/index.html" for path in ("db/migrate", "db/review")),
        "skills/paint-walls/-/related/index.html",
    }


def test_skills_are_alike_by_the_words_that_few_have() -> None:
    every = [
        kinship.words_of("pdf-files-merge", "Use when merging PDF files on disk."),
        kinship.words_of("pdf-files-split", "Use when splitting a PDF into files."),
        kinship.words_of("sql-review", "Use when queries are slow."),
    ]
    assert [[one.number for one in each.kin] for each in kinship.similar(every)] == [[1], [0], []]


def test_one_word_of_a_name_makes_no_skill_similar() -> None:
    others = [kinship.words_of(f"other{n}", f"Does thing{n} with tool{n}.") for n in range(40)]
    long = [" ".join(f"{each}{n}" for n in range(9)) for each in ("alpha", "beta")]
    pairs = [
        kinship.words_of("modern-python", f"{long[0]} for teams."),
        kinship.words_of("modern-cpp", f"{long[1]} for teams."),
    ]
    assert [each.kin for each in kinship.similar([*others, *pairs])][-2:] == [[], []]


def test_the_name_of_a_skill_in_the_description_of_another_makes_both_similar() -> None:
    others = [kinship.words_of(f"other{n}", f"Does testing{n} with tool{n}.") for n in range(40)]
    pair = [
        kinship.words_of("mutation-testing", "Runs campaigns."),
        kinship.words_of("genotoxic", "Triages what mutation testing leaves."),
    ]
    words = ("mutation", "testing")
    assert [each.kin for each in kinship.similar([*others, *pair])][-2:] == [
        [Kin(41, words, is_confusing=True)],
        [Kin(40, words, is_confusing=True)],
    ]


def test_words_that_most_of_a_group_have_are_no_reason() -> None:
    others = [kinship.words_of(f"other{n}", f"Does thing{n} with tool{n}.") for n in range(80)]
    group = [
        kinship.words_of(f"zoom-sdk-{system}", f"Embeds meetings{n} in apps{n}.")
        for n, system in enumerate(("ios", "macos", "linux", "android", "unity", "web", "flutter"))
    ]
    groups = [*[""] * len(others), *["zoom"] * len(group)]
    *_, last = kinship.similar([*others, *group], groups)
    assert len(last.kin) > 1
    assert {kin.words for kin in last.kin if not kin.is_confusing} == {()}


def test_words_of_descriptions_alone_make_no_skill_similar_unless_they_are_many() -> None:
    others = [kinship.words_of(f"other{n}", f"Does thing{n} with tool{n}.") for n in range(40)]
    few, more = "For every unique", "Checks constraints and indexes of postgres"
    pairs = [
        kinship.words_of("figma", f"{few} node identifier goes with design frames and layers."),
        kinship.words_of("vercel", f"{few} address for models that store images and their cost."),
        kinship.words_of("migrate", f"{more} first."),
        kinship.words_of("review", f"{more} later."),
    ]
    assert [each.kin for each in kinship.similar([*others, *pairs])][-4:] == [
        [],
        [],
        [Kin(43, ("checks", "constraints", "indexes", "postgres"))],
        [Kin(42, ("checks", "constraints", "indexes", "postgres"))],
    ]


def test_descriptions_that_say_nearly_the_same_are_told() -> None:
    others = [kinship.words_of(f"other{n}", f"Does thing{n} with tool{n}.") for n in range(40)]
    text = "Triages an inbox: labels mail, drafts answers, archives newsletters."
    pair = [kinship.words_of("gmail", text), kinship.words_of("outlook", text)]
    plain, first, second = (each.kin for each in kinship.similar([*others, *pair])[-3:])
    assert plain == []
    assert [(kin.number, kin.is_confusing) for kin in (*first, *second)] == [(41, True), (40, True)]


def test_a_file_is_reached_by_what_a_reached_file_names() -> None:
    files: dict[str, str | bytes] = {
        "SKILL.md": "Read references/api.md and run `scripts/go.py`.\n",
        "references/api.md": "More in [deep](deep.md).\n",
        "references/deep.md": "The end.\n",
        "scripts/go.py": "import helper\n",
        "scripts/helper.py": "x\n",
        "assets/logo.png": b"\x89PNG",
        "notes/lonely.md": "Nobody.\n",
        "LICENSE": "MIT\n",
    }
    skill = Skill(
        "a",
        "a",
        Frontmatter({}, {}),
        "",
        1,
        tuple(
            File(path, data if isinstance(data, bytes) else data.encode(), False)
            for path, data in sorted(files.items())
        ),
        "a",
    )
    assert links.unreached(skill) == ["assets/logo.png", "notes/lonely.md"]


def test_a_name_that_two_skills_have_is_no_reference() -> None:
    refers = {"a/x-y": (), "b/x-y": ("?x-y",), "c/only-one": ("b/x-y",), "d": ("?only-one", "gone")}
    assert links.resolved_references(refers) == {
        "a/x-y": [],
        "b/x-y": [],
        "c/only-one": ["b/x-y"],
        "d": ["c/only-one"],
    }


@pytest.mark.parametrize(
    ("text", "similar"),
    [
        (md("backup", "Copies tapes.", "First use `paint-walls`, then wait.\n"), ["db/review"]),
        (md("backup", f"Restores {TEXT}"), ["db/review", "db/backup"]),
    ],
    ids=["its body", "its description"],
)
def test_a_build_over_the_last_one_knows_what_is_similar_now(
    tmp_path: Path, text: str, similar: list[str]
) -> None:
    repo = repos.empty(tmp_path / "repo", bare=True)
    repos.commit(repo, FILES)
    repos.build(repo, tmp_path / "out", options=Options(jobs=1, cache=True))
    repos.commit(repo, {**FILES, "skills/db/backup/SKILL.md": text}, day=1)
    repos.build(repo, tmp_path / "out", options=Options(jobs=1, cache=True))
    every = related(tmp_path / "out", "db/migrate").items()
    assert [path for path, why in every if any("Both" in each for each in why)] == similar
    repos.build(repo, tmp_path / "cold", options=Options(jobs=1))
    warm, cold = repos.digests(tmp_path / "out"), repos.digests(tmp_path / "cold")
    assert {path: warm[path] for path in cold if "/-/related/" in path} == {
        path: cold[path] for path in cold if "/-/related/" in path
    }


def test_in_a_large_catalog_nothing_is_called_similar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skillbuild.emit.site.related.MOST_SKILLS", 3)
    repos.build(repos.repository(tmp_path / "repo", FILES), tmp_path / "out")
    assert related(tmp_path / "out", "db/migrate") == {
        "db/review": ["Named in this skill"],
        "db/backup": [],
    }

"""What lists have around their cards, and the picture of a shared address."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path

import pytest

from helpers import TESTS, repos
from skillbuild import __version__
from skillbuild.emit.site.facts import FOR_USERS
from skillbuild.media import raster
from skillbuild.model import RunKind
from skillbuild.release.facts import HIDDEN_TITLES, TITLES


def test_a_list_of_pages_has_a_way_to_the_next_and_to_the_one_before(tmp_path: Path) -> None:
    names = [f"s{number:03}" for number in range(201)]
    files: repos.Files = {f"{name}/SKILL.md": repos.skill_md(name, "Does.") for name in names}
    repos.build(repos.repository(tmp_path / "repo", files), tmp_path / "out")
    link = re.compile('<a href="([^"]+)" rel="(prev|next)">')
    ways = [
        link.findall((tmp_path / "out" / page).read_text())
        for page in ("index.html", "page/2/index.html", "page/3/index.html")
    ]
    assert ways == [
        [("page/2/index.html", "next")],
        [("../../index.html", "prev"), ("../../page/3/index.html", "next")],
        [("../../page/2/index.html", "prev")],
    ]


def orders_of(out: Path) -> dict[str, list[int]]:
    return {
        path.stem: json.loads(path.read_text().removeprefix("skillbuild.part="))
        for path in (out / "orders").iterdir()
    }


@pytest.mark.parametrize(
    ("settings", "days"),
    [
        ('[versions]\nsince = "first"\n', [0, -4, -2]),
        ("[versions]\n", [0, -4, -3]),
        ("", [0, -4, -3]),
    ],
    ids=["since the first commit", "since the third commit", "no versions"],
)
def test_new_skills_are_first(tmp_path: Path, settings: str, days: list[int]) -> None:
    """Days after the first commit. One that was moved keeps its day where versions follow it."""
    repo = repos.empty(tmp_path / "repo")
    old, new = repos.skill_md("old"), repos.skill_md("new")
    repos.commit(repo, {"a/old/SKILL.md": old})
    repos.commit(
        repo, {"a/old/SKILL.md": old, "was/third/SKILL.md": repos.skill_md("third")}, day=2
    )
    files = {"a/old/SKILL.md": old, "is/third/SKILL.md": repos.skill_md("third")}
    repos.commit(repo, {**files, "skillbuild.toml": settings}, day=3)
    repos.commit(repo, {**files, "b/new/SKILL.md": new, "skillbuild.toml": settings}, day=4)
    files["a/old/SKILL.md"] = f"{old}And more.\n"
    repos.commit(repo, {**files, "b/new/SKILL.md": new, "skillbuild.toml": settings}, day=5)
    repos.build(repo, tmp_path / "out")
    first = repos.FIRST_SECOND // 86_400
    assert orders_of(tmp_path / "out")["added"] == [day - first for day in days]
    page = (tmp_path / "out/index.html").read_text()
    assert '<option value="added">Newest</option>' in page


def test_skills_are_sorted_by_files_of_one_number_each(tmp_path: Path) -> None:
    """In the order of paths, which is that of the search."""
    files: repos.Files = {
        "a/late/SKILL.md": "---\nname: late\ndescription: D.\n---\n",
        "b/early/SKILL.md": "---\nname: early\ndescription: D.\n---\nA body of words.\n",
        "c/middle/SKILL.md": "---\nname: middle\ndescription: D.\n---\nA body.\n",
    }
    repos.build(repos.repository(tmp_path / "repo", files), tmp_path / "out")
    orders = orders_of(tmp_path / "out")
    assert orders.keys() == {"added", "name", "tokens"}
    assert orders["name"] == [1, 0, 2]
    assert orders["tokens"][0] < orders["tokens"][2] < orders["tokens"][1]


def test_a_shared_address_has_a_picture_only_where_hosts_can_fetch_it(tmp_path: Path) -> None:
    """The drawing of the title, of the size that hosts cut pictures to."""
    files: dict[str, repos.Content] = {"x/SKILL.md": repos.skill_md("x", "X.")}
    repos.build(repos.repository(tmp_path / "one", files), tmp_path / "plain")
    files["skillbuild.toml"] = 'base_url = "https://example.org/"\n'
    repos.build(repos.repository(tmp_path / "two", files), tmp_path / "named")
    assert 'property="og:' not in (tmp_path / "plain/index.html").read_text()
    page = (tmp_path / "named/skills/x/index.html").read_text()
    address = re.search('<meta property="og:image" content="https://example.org/([^"]+)">', page)
    assert address
    data = (tmp_path / "named" / address[1]).read_bytes()
    assert data[:8] == raster.PNG_SIGNATURE
    assert struct.unpack(">II", data[16:24]) == (1200, 630)
    assert len(data) < 1000
    assert list((tmp_path / "plain/assets").glob("*.png")) == []


@pytest.mark.parametrize(
    ("icons", "kind"), [(["a.svg"], None), (["a.svg", "b.png"], "png")], ids=["only SVG", "both"]
)
def test_an_icon_stands_for_a_shared_address_if_it_has_pixels(
    tmp_path: Path, icons: list[str], kind: str | None
) -> None:
    """Hosts show no SVG, and to draw one as pixels takes a renderer whose bytes nobody pins."""
    files: dict[str, repos.Content] = {
        "x/SKILL.md": repos.skill_md("x", "X."),
        "a.svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>',
        "b.png": (TESTS / "example/skills/contrast-check/assets/icon-large.png").read_bytes(),
        "skillbuild.toml": f'base_url = "https://example.org/"\nicons = {icons}\n',
    }
    repos.build(repos.repository(tmp_path / "repo", files), tmp_path / "out")
    page = (tmp_path / "out/index.html").read_text()
    address = re.search('"og:image" content="https://example.org/icons/[^"]+[.]([a-z]+)"', page)
    assert (address and address[1]) == kind
    assert ("og:image" in page) == bool(kind)


def test_a_picture_that_most_skills_have_is_not_repeated(tmp_path: Path) -> None:
    icon = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M1 1h2v2z"/></svg>'
    files: dict[str, repos.Content] = {f"{name}/SKILL.md": repos.skill_md(name) for name in "abc"}
    files |= {f"{name}/assets/icon.svg": icon for name in "ab"}
    repos.build(repos.repository(tmp_path / "one", files), tmp_path / "same")
    files["b/assets/icon.svg"] = icon.replace("M1", "M2")
    repos.build(repos.repository(tmp_path / "two", files), tmp_path / "different")
    bare = [
        re.findall('<div class="listing([^"]*)"', (tmp_path / name / "index.html").read_text())
        for name in ("same", "different")
    ]
    assert bare == [[" bare"], [""]]


def licensed(name: str, terms: str) -> str:
    return repos.skill_md(name).replace("\n---\n", f"\nlicense: {terms}\n---\n", 1)


@pytest.fixture(scope="module")
def groups(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of a plugin with a long description, and of skills with several licenses."""
    folder = tmp_path_factory.mktemp("groups")
    words = "Does one thing. Does it well. It is described at length, by more than anybody reads."
    plugin = {"name": "tools", "version": "1.0.0", "description": words}
    files: repos.Files = {
        "plugins/tools/.claude-plugin/plugin.json": json.dumps(plugin),
        "plugins/tools/skills/a/SKILL.md": licensed("a", "Apache-2.0"),
        "plugins/tools/skills/b/SKILL.md": licensed("b", "Apache-2.0"),
        "c/SKILL.md": licensed("c", "GPL-3.0-or-later"),
        "d/SKILL.md": licensed("d", "All rights reserved"),
        "e/SKILL.md": repos.skill_md("e"),
        "f/SKILL.md": licensed("f", "Apache-2.0"),
    }
    repos.build(repos.repository(folder / "repo", files), folder / "out")
    return folder / "out"


def test_licenses_that_need_a_check_have_one_heading(groups: Path) -> None:
    page = (groups / "licenses/index.html").read_text()
    assert re.findall(r'<h2[^>]*>([^<]*) <span class="n">([^<]*)<', page) == [
        ("Check before use", "2 skills"),
        ("Standard licenses", "4 skills"),
    ]
    assert page.count("Check before use") == 1
    assert "Check before use" in (groups / "skills/d/index.html").read_text()
    assert "Check before use" not in (groups / "skills/c/index.html").read_text()


def test_licenses_have_a_full_name_or_a_meaning_and_say_how_many_skills(groups: Path) -> None:
    page = (groups / "licenses/index.html").read_text()
    rows = re.findall(r">([^<]*)</a></h3><p class=\"n\">(.*?)</p><span class=\"num\">(.*?)<", page)
    apache = "Permissive: keep the notices and say what you changed; grants a patent license"
    gpl = "GNU General Public License v3.0 or later"
    assert rows[2:] == [
        (
            "Apache-2.0",
            f"Apache License 2.0. {apache}",
            "3 skills",
        ),
        (
            "GPL-3.0-or-later",
            f"{gpl}. Copyleft: works based on it keep the license",
            "1 skill",
        ),
    ]
    assert [(label, count) for label, _, count in rows[:2]] == [
        ("proprietary", "1 skill"),
        ("none found", "1 skill"),
    ]
    assert all(meaning for _, meaning, _ in rows)
    assert "<h1>Licenses</h1>" in page
    assert 'aria-current="page">Licenses</a>' in page
    texts = [path.read_text() for path in groups.glob("licenses/apache*/index.html")]
    linked = (
        '<a href="https://spdx.org/licenses/Apache-2.0.html" rel="noopener">Text of the license'
    )
    assert [linked in text for text in texts] == [True]
    other = (groups / "licenses/proprietary/index.html").read_text()
    assert "The skill says that all rights are reserved" in other
    assert "spdx.org" not in other
    assert 'aria-current="page">Licenses</a>' in texts[0]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of two groups of two skills, and one of one skill."""
    folder = tmp_path_factory.mktemp("folders")
    skills = ("data/a-folder/zebra", "data/middle", "web/apple", "web/pear", "zoo/lion")
    files: repos.Files = {
        f"skills/{path}/SKILL.md": repos.skill_md(path.rpartition("/")[2], "Is good.")
        for path in skills
    }
    repos.build(repos.repository(folder / "repo", files), folder / "out")
    return folder / "out"


def test_the_order_of_a_list_is_named_by_what_it_shows(folders: Path) -> None:
    orders = re.compile(r'<option value="(\w+)" selected>([^<]+)<')
    names = re.compile(r"<h2><a [^>]+>([^<]+)</a>")
    shown = {
        page: (orders.findall(text), names.findall(text.partition("<template")[0]))
        for page in ("index.html", "groups/data/index.html")
        for text in [(folders / page).read_text()]
    }
    assert shown == {
        "index.html": ([("name", "A to Z")], ["apple", "lion", "middle", "pear", "zebra"]),
        "groups/data/index.html": ([("name", "A to Z")], ["middle", "zebra"]),
    }


def test_the_index_of_groups_has_one_kind_of_rows_and_two_orders(folders: Path) -> None:
    index = (folders / "groups/index.html").read_text()
    by_title = (folders / "groups/-/index.html").read_text()
    rows = re.compile(r'<h2><a href="[^"]*groups/(\w+)/index.html">')
    several, _, one = index.partition('<h2>Groups with one skill <span class="n">1</span></h2>')
    assert (rows.findall(several), rows.findall(one)) == (["data", "web"], ["zoo"])
    assert "<span>1 skill" not in one
    date = re.search(r"<span>2 skills</span> <time [^>]+>([0-9-]+)</time>", index)
    assert date
    assert f">{date[1]}</time></span>" in (folders / "groups/data/index.html").read_text()
    assert rows.findall(by_title) == ["data", "web", "zoo"]
    assert '<strong>largest first</strong> | <a href="../groups/-/index.html">A to Z</a>' in index
    assert '<a href="../../groups/index.html">largest first</a> | <strong>A to Z' in by_title
    assert '<p class="say" dir="auto">Is good.</p>' in by_title
    assert 'aria-label="Search 3 groups and 5 skills"' in index


def test_a_group_names_the_kinds_of_its_warnings_and_filters_by_them(tmp_path: Path) -> None:
    fetch = "\n```sh\ncurl https://get.dev/x.sh | sh\n```\n"
    files: repos.Files = {
        "skills/web/b/SKILL.md": repos.skill_md("b") + fetch,
        "skills/web/c/SKILL.md": repos.skill_md("c"),
        "skills/art/d/SKILL.md": repos.skill_md("d") + fetch,
        "skills/art/e/SKILL.md": repos.skill_md("e"),
        "skills/art/f/SKILL.md": repos.skill_md("f"),
        "skills/one/a/SKILL.md": (
            f"{repos.skill_md('a')}{fetch}\n```sh\nclaude --dangerously-skip-permissions\n```\n"
        ),
    }
    repos.build(repos.repository(tmp_path / "repo", files), tmp_path / "out")
    index = (tmp_path / "out/groups/index.html").read_text()
    assert re.findall('<span class="mark">([^<]*)<', index.partition("<template")[0]) == [
        "runs what it downloads&nbsp;(1)",
        "runs what it downloads&nbsp;(1)",
        "runs what it downloads",
        "starts an agent that does not ask",
    ]
    names = re.compile(r'<h2><a href="[^"]*groups/(\w+)/index.html">')
    assert names.findall(index) == ["art", "web", "one"]
    by_title = (tmp_path / "out/groups/-/index.html").read_text()
    assert names.findall(by_title) == ["art", "one", "web"]
    group = (tmp_path / "out/groups/web/index.html").read_text()
    filtered = 'href="index.html?contents=runs%20what%20it%20downloads"'
    assert f'<span class="mark"><a {filtered}>runs what it downloads&nbsp;(1)</a></span>' in group


def test_an_address_without_a_page_has_a_way_to_all_skills_and_to_groups(folders: Path) -> None:
    page = (folders / "404.html").read_text()
    assert re.search(r'<a class="button" href="[^"]*index.html">All 5 skills</a>', page)
    tiles = page.partition('class="tiles"')[2]
    assert re.findall(r"groups/(\w+)/index.html", tiles) == ["data", "web"]


def test_the_page_about_a_release_has_no_placeholders_and_names_the_builder(groups: Path) -> None:
    page = (groups / "about/index.html").read_text()
    assert f"<dt>Built by</dt><dd>skillbuild {__version__}, with " in page
    blocks = re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL)
    assert not [block for block in blocks if re.search(r"0123|OWNER|\.\.\.", block)]


def test_all_rows_of_facts_are_explained_and_verifying_is_a_part_of_its_own(groups: Path) -> None:
    page = (groups / "about/index.html").read_text()
    meaning, _, verifying = page.partition('<h2 id="verify">')
    assert '<h2 id="facts">What the rows mean</h2>' in meaning
    assert "skillbuild verify" in verifying
    terms = re.findall(r"<dt>(.+?)</dt><dd>.", meaning)
    titles = {*TITLES.values(), *HIDDEN_TITLES.values(), *FOR_USERS.values(), "Binary files"}
    assert titles <= {*terms}
    strong = re.findall(r"<dt>(.+?)</dt>", meaning.partition('id="others"')[0])
    assert strong[0] == TITLES[RunKind.DOWNLOAD]
    assert TITLES[RunKind.CREDENTIALS] in strong
    assert TITLES[RunKind.REACHES] not in strong


def test_a_group_says_its_one_license_once_and_opens_with_two_sentences(groups: Path) -> None:
    page = (groups / "groups/tools/index.html").read_text()
    assert page.count("Apache-2.0</span>") == 1
    assert "<p>Does one thing. Does it well.</p>" in page
    assert "<details><summary>more</summary><p>It is described at length" in page
    index = (groups / "groups/index.html").read_text()
    assert re.search(r">tools</a></h2>.*?<span>2 skills</span>", index, re.DOTALL)

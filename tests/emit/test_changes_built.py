"""From commits to the pages and feeds that tell of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from helpers import atom, pages, repos, tokens
from helpers.repos import Content, Files, skill_md
from skillbuild import build as pipeline
from skillbuild import config
from skillbuild.build import Options
from skillbuild.output import verify
from skillbuild.release.entry import skill_digest

BASE = "https://example.org/a/"
SETTINGS = '[versions]\nsince = "first"\n'
HIDDEN = "---\nname: hid\ndescription: x\nmetadata:\n  internal: true\n---\n"
SECRET = f"token = '{tokens.with_crc('ghp_')}'\n"


def skill(path: str, body: str = "Do it.\n", version: str = "") -> Mapping[str, Content]:
    text = skill_md(path.rpartition("/")[2], body=body)
    if version:
        text = text.replace("\n---\n", f'\nmetadata:\n  version: "{version}"\n---\n')
    return {f"{path}/SKILL.md": text}


def built(repo: Path, out: Path, base: str | None = BASE, *, cache: bool = False) -> None:
    request = repos.request_of(repo, options=Options(cache=cache, jobs=1))
    if base:
        request = replace(request, config=config.with_base_url(request.config, base))
    report = pipeline.build(request, out)
    assert report.release is not None, report.findings


def history(repo: Path, *commits: Files) -> Path:
    """A repository with one commit a day from 2023-11-14 on."""
    repos.empty(repo)
    for day, files in enumerate(commits):
        repos.commit(repo, {"skillbuild.toml": SETTINGS, **files}, day=day)
    return repo


_BRIEF = re.compile('<p class="say n" dir="auto">(.*?)</p>')


def told(page: Path) -> list[str]:
    """The week, or the words of what happened to a skill, in the order of the page."""
    main = _BRIEF.sub("", page.read_text("utf-8").partition("<main")[2])
    parts = re.findall(r"<h2>(.*?)</h2>|<li>\n(<span class=\"kind.*?)</li>", main, re.DOTALL)
    texts = [" ".join(re.sub("<.*?>", "", " ".join(part)).split()) for part in parts]
    return [re.sub(r"(?<=[a-z] )(\d{4}-\d\d-\d\d )?[0-9a-f]{8}\b", "LABEL", text) for text in texts]


CSV = skill("data/csv")
A, B = skill("pdf", version="1.0"), skill("pdf", "Do that.\n", version="1.1")


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("changes")
    moved = {path.replace("data/", "tools/"): text for path, text in CSV.items()}
    repo = history(
        folder / "repo",
        {**A, **skill("old")},
        {**B, **skill("old"), **CSV},
        {**A, **CSV, "hid/SKILL.md": HIDDEN},
        {**A, **moved, "pdf/key.py": SECRET, **skill("twice")},
        {**B, **moved, **skill("twice"), "hid/SKILL.md": HIDDEN + "More\n"},
        {**B, **moved, "twice/README.md": "No skill\n"},
        {**B, **moved, **skill("twice"), **skill("end")},
        {**B, **moved, **skill("twice")},
    )
    built(repo, folder / "out")
    return folder / "out"


def test_each_week_tells_what_was_added_changed_moved_and_removed(out: Path) -> None:
    assert told(out / "changes/index.html") == [
        "Week of 2023-11-20 2 added, 1 removed",
        "removed end removed; the last version was LABEL 2023-11-21",
        "added end version LABEL 2023-11-20",
        "added twice version LABEL 2023-11-20",
        "Week of 2023-11-13 4 added, 1 changed, 2 restored, 1 moved, 2 removed",
        "removed twice removed; the last version was LABEL 2023-11-19",
        "restored pdf back to version 1.1 2023-11-18",
        "moved data/csv to tools/csv version LABEL 2023-11-17",
        "added twice version LABEL 2023-11-17",
        "removed old removed; the last version was LABEL 2023-11-16",
        "restored pdf back to version 1.0 2023-11-16",
        "added data/csv version LABEL 2023-11-15",
        "changed pdf SKILL.md +2 -2 lines version 1.1 2023-11-15",
        "added old version LABEL 2023-11-14",
        "added pdf version 1.0 2023-11-14",
    ]


def test_the_output_is_whole_and_every_link_leads_somewhere(out: Path) -> None:
    assert verify.verify(out).faults == ()
    assert pages.dead_links(out, pages.read(out), BASE) == []


def test_feeds_are_valid_and_say_the_same(out: Path) -> None:
    paths = [path.relative_to(out).as_posix() for path in out.rglob("feed.xml")]
    names = ("data/csv", "end", "old", "pdf", "tools/csv", "twice")
    own = [f"skills/{name}/-/versions/feed.xml" for name in names]
    assert sorted(paths) == ["feed.xml", *own]
    for path in paths:
        address = BASE + path.replace("data/csv", "tools/csv")
        assert atom.faults((out / path).read_bytes(), address) == []
    titles = [each.title for each in atom.entries((out / own[3]).read_bytes())]
    assert titles == [
        "pdf changed back to version 1.1",
        "pdf changed back to version 1.0",
        "pdf changed, version 1.1",
        "pdf added, version 1.0",
    ]
    assert len(atom.entries((out / "feed.xml").read_bytes())) == 13


def test_who_follows_a_skill_hears_that_it_moved_or_went(out: Path) -> None:
    csv, gone = ((out / f"skills/{name}/-/versions/feed.xml") for name in ("data/csv", "old"))
    assert csv.read_bytes() == (out / "skills/tools/csv/-/versions/feed.xml").read_bytes()
    assert atom.entries(csv.read_bytes())[0].title == "data/csv moved to tools/csv"
    assert atom.entries(gone.read_bytes())[0].title == "old removed"


def test_pages_name_their_feeds_and_other_files_the_page(out: Path) -> None:
    def named(page: str) -> list[str]:
        text = (out / page).read_text("utf-8")
        return re.findall(
            r'<link rel="alternate" type="application/atom\+xml".* href="(.*?)"', text
        )

    assert named("index.html") == ["feed.xml"]
    assert named("changes/index.html") == ["../feed.xml"]
    assert named("skills/pdf/index.html") == ["../../skills/pdf/-/versions/feed.xml"]
    assert named("skills/pdf/-/versions/index.html") == ["feed.xml"]
    assert named("about/index.html") == []
    assert f"<loc>{BASE}changes/index.html</loc>" in (out / "sitemap.xml").read_text()
    assert f"[Changes]({BASE}changes/index.html)" in (out / "llms.txt").read_text()
    assert '<a href="../changes/index.html">Changes</a>' in (out / "about/index.html").read_text()


def test_internal_skills_are_never_named(out: Path) -> None:
    for path in [*(out / "changes").rglob("*.html"), *out.rglob("feed.xml")]:
        assert b"hid" not in path.read_bytes().replace(b"hidden", b"")


def test_without_a_base_url_or_versions_there_is_no_feed(tmp_path: Path) -> None:
    repo = history(tmp_path / "repo", A, B)
    built(repo, tmp_path / "out", base=None)
    assert [*(tmp_path / "out").rglob("feed.xml")] == []
    assert "atom" not in (tmp_path / "out/index.html").read_text()
    assert "feed" not in (tmp_path / "out/changes/index.html").read_text()
    repos.commit(repo, {**B, "skillbuild.toml": ""}, day=2)
    built(repo, tmp_path / "out")
    assert [*(tmp_path / "out").rglob("feed.xml")] == []


def test_without_versions_the_log_tells_when_the_skills_of_today_came_and_changed(
    tmp_path: Path,
) -> None:
    repo = history(
        tmp_path / "repo",
        {**A, **skill("old")},
        {**B, **skill("old"), **CSV, "hid/SKILL.md": HIDDEN},
        {**B, **CSV, "hid/SKILL.md": HIDDEN, "skillbuild.toml": ""},
    )
    built(repo, tmp_path / "out")
    assert told(tmp_path / "out/changes/index.html") == [
        "Week of 2023-11-13 2 added, 1 changed",
        "added data/csv 2023-11-15",
        "changed pdf SKILL.md 2023-11-15",
        "added pdf 2023-11-14",
    ]
    assert [path.name for path in (tmp_path / "out/changes").iterdir()] == ["index.html"]
    page = (tmp_path / "out/changes/index.html").read_text()
    assert _BRIEF.findall(page) == ["Does one thing."] * 2


def test_without_versions_only_files_of_today_are_named(tmp_path: Path) -> None:
    files: Files = {f"pdf/{n}.md": "x\n" for n in range(6)} | {
        "csv/b.md": "x\n",
        "csv/gone.md": "x\n",
    }
    grown = {**A, **skill("csv"), **files}
    less = {path: text for path, text in grown.items() if "gone" not in path}
    edited = {path: f"{text!s}y\n" for path, text in less.items() if path.startswith("pdf/")}
    repo = history(tmp_path / "repo", grown, less, {**less, **edited})
    repos.commit(repo, {**less, **edited, "pdf/gone.md": "x\n", "skillbuild.toml": ""}, day=3)
    built(repo, tmp_path / "all")
    repos.commit(repo, {**less, "pdf/SKILL.md": A["pdf/SKILL.md"], "skillbuild.toml": ""}, day=4)
    built(repo, tmp_path / "out")
    page = (tmp_path / "out/changes/index.html").read_text()
    assert told(tmp_path / "out/changes/index.html")[1:3] == [
        "changed pdf all 7 files 2023-11-18",
        "changed csv files removed 2023-11-15",
    ]
    assert "gone" not in page
    repos.commit(repo, {**edited, **skill("csv"), "pdf/0.md": "x\n", "skillbuild.toml": ""}, day=5)
    built(repo, tmp_path / "some")
    told_now = told(tmp_path / "some/changes/index.html")
    assert "changed pdf SKILL.md, 1.md, 2.md and 3 more files 2023-11-19" in told_now


def test_several_versions_of_one_day_are_one_entry(tmp_path: Path) -> None:
    repo = history(tmp_path / "repo", A)
    repos.commit(repo, {"skillbuild.toml": SETTINGS, **B}, day=1)
    repos.commit(repo, {"skillbuild.toml": SETTINGS, **skill("pdf", version="1.2")}, day=1)
    built(repo, tmp_path / "out")
    assert told(tmp_path / "out/changes/index.html") == [
        "Week of 2023-11-13 1 added, 1 changed",
        "changed pdf SKILL.md +2 -2 lines version 1.2 SKILL.md +2 -2 lines version 1.1 2023-11-15",
        "added pdf version 1.0 2023-11-14",
    ]


def test_one_changed_skill_writes_its_own_feed_and_the_last_page(tmp_path: Path) -> None:
    many = {key: text for n in range(120) for key, text in skill(f"s{n:03}").items()}
    repo = history(tmp_path / "repo", {**many, **skill("x")})
    out = tmp_path / "out"
    built(repo, out, cache=True)
    before = _files(out)
    repos.commit(repo, {"skillbuild.toml": SETTINGS, **many, **skill("x", "2")}, day=1)
    built(repo, out, cache=True)
    after = _files(out)
    told_of = [path for path in after if re.match(r"changes/.*html|.*feed\.xml", path)]
    assert {path for path in told_of if after[path] != before.get(path)} == {
        "changes/2/index.html",
        "changes/index.html",
        "feed.xml",
        "skills/x/-/versions/feed.xml",
    }


def test_a_cached_build_tells_the_same_as_a_fresh_one(tmp_path: Path) -> None:
    repo = history(tmp_path / "repo", {**A, **skill("old")}, {**A, **skill("old"), **CSV})
    built(repo, tmp_path / "out", cache=True)
    repos.commit(repo, {"skillbuild.toml": SETTINGS, **B, **CSV}, day=2)
    built(repo, tmp_path / "out", cache=True)
    built(repo, tmp_path / "fresh")
    for path in (tmp_path / "fresh").rglob("*"):
        other = tmp_path / "out" / path.relative_to(tmp_path / "fresh")
        if path.is_file() and ("changes" in path.parts or path.name == "feed.xml"):
            assert other.read_bytes() == path.read_bytes()


def test_yanked_versions_are_named_with_the_skill_and_are_no_events(tmp_path: Path) -> None:
    repo = history(tmp_path / "repo", A)
    built(repo, tmp_path / "first")
    (entry,) = verify.load(tmp_path / "first").catalog.entries
    digest = skill_digest(entry.resources)
    yanked = f'{SETTINGS}[yanked]\n"{digest}" = "named a <customer>"\n'
    repos.commit(repo, {**B, "skillbuild.toml": yanked}, day=1)
    built(repo, tmp_path / "out")
    page = (tmp_path / "out/changes/index.html").read_text("utf-8")
    link = f'<a href="../versions/{digest.short}/index.html"><code>{digest.short}</code></a>'
    assert (
        f'<li><a href="../skills/pdf/index.html">pdf</a> {link}: named a &lt;customer&gt;</li>'
        in page
    )
    assert told(tmp_path / "out/changes/index.html") == [
        "Yanked",
        "Week of 2023-11-13 1 added",
        "added pdf version 1.1 2023-11-15",
    ]
    assert pages.dead_links(tmp_path / "out", pages.read(tmp_path / "out"), BASE) == []


def test_a_commit_of_a_year_after_9999_counts_as_of_its_last_day(tmp_path: Path) -> None:
    repo = history(tmp_path / "repo", A)
    raw = re.sub("> [0-9]+ ", "> 999999999999 ", repos.git(repo, "cat-file", "commit", "HEAD"))
    odd = repos.git(repo, "hash-object", "-t", "commit", "-w", "--stdin", stdin=f"{raw}\n".encode())
    repos.git(repo, "update-ref", "refs/heads/main", odd)
    repos.commit(repo, {"skillbuild.toml": SETTINGS, **B}, day=1)
    built(repo, tmp_path / "out")
    days = [text.rpartition(" ")[2] for text in told(tmp_path / "out/changes/index.html")]
    assert days == ["changed", "2023-11-15", "added", "9999-12-31"]
    data = (tmp_path / "out/feed.xml").read_bytes()
    assert atom.faults(data, f"{BASE}feed.xml") == []


def test_a_skill_says_where_a_version_stood_and_the_version_stays_as_it_is(tmp_path: Path) -> None:
    repo = history(tmp_path / "repo", CSV)
    built(repo, tmp_path / "before")
    moved = {path.replace("data/", "tools/"): text for path, text in CSV.items()}
    repos.commit(repo, {"skillbuild.toml": SETTINGS, **moved}, day=1)
    built(repo, tmp_path / "out")
    for path in (tmp_path / "before/versions").rglob("*.*"):
        if path.is_file():
            same = tmp_path / "out" / path.relative_to(tmp_path / "before")
            assert same.read_bytes() == path.read_bytes()
    (entry,) = verify.load(tmp_path / "out").catalog.entries
    assert [each.path for each in entry.versions] == ["data/csv"]


def _files(out: Path) -> dict[str, tuple[int, int]]:
    files = [path for path in out.rglob("*") if path.is_file()]
    states = {path.relative_to(out).as_posix(): path.stat() for path in files}
    return {path: (state.st_ino, state.st_mtime_ns) for path, state in states.items()}

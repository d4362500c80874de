"""What pages and feeds tell of events, whatever their texts and dates hold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from helpers import atom
from skillbuild.config import Config, VersionSettings
from skillbuild.emit import feeds
from skillbuild.emit.events import (
    Event,
    EventKind,
    SkillEvents,
    decode,
    encode,
    in_order,
)
from skillbuild.emit.site.changes import ChangesEmitter, page_from_log, places_of_versions
from skillbuild.emit.site.theme import Theme
from skillbuild.model import Catalog, Change, Digest
from skillbuild.release.search.encoding import decode as value_of

BASE = "https://example.org/a%20b/"
DAY = 86_400
HOSTILE = "a\x00b\x1b[31m ]]> <script>alert(1)</script> &amp; \u202ex\u2066 \ufffe \ud800 é"


def event(order: int, kind: EventKind = EventKind.CHANGED, path: str = "pdf") -> Event:
    digest = Digest.of(f"{order} {path}".encode())
    change = Change(f"{order:040x}", order * DAY)
    return Event(
        kind,
        change,
        order,
        path,
        "",
        digest,
        f"1.{order}",
        "1 file changed",
        f"skills/{path}/-/versions/{digest.short}/index.html",
    )


def skill(path: str, orders: Sequence[int]) -> SkillEvents:
    return happened(path, [event(order, path=path) for order in orders])


def happened(path: str, events: Sequence[Event]) -> SkillEvents:
    return SkillEvents(path, "", "", [], [*events])


def emitted(skills: Sequence[SkillEvents], config: Config) -> Mapping[str, str]:
    """The text of each page and feed of a catalog with versions, by path."""
    config = config.but(versions=VersionSettings())
    catalog = Catalog("0" * 40, "0" * 40, config.title, "", config.base_url, None, (), ())
    lines = [encode(each) for each in skills]
    emitter = ChangesEmitter(Theme(config))
    files = emitter.emit_catalog(catalog, lines)
    return {file.path: file.data.decode() for file in files if not file.path.endswith(".js")}


def labels(page: str) -> list[str]:
    return re.findall(r"<a href=\"[./]*versions/\w{16}/index.html\">(.*?)</a>", page)


def around(page: str) -> dict[str, str]:
    return {text: to for to, text in re.findall(r'<a href="([^"]*)" rel="\w+">(\w+)</a>', page)}


def test_a_line_is_read_as_it_was_written() -> None:
    every = replace(skill("a/pdf", [1, 2]), deprecated=HOSTILE, yanked=["a"])
    assert [*every.events] == [event(n, path="a/pdf") for n in (1, 2)]
    assert decode(encode(every)) == every
    assert b"\n" not in encode(every)


def test_events_are_in_the_order_of_commits_and_then_of_paths() -> None:
    ordered = in_order([skill("b", [0, 2]), skill("a", [1, 2]), skill("c", [2])])
    newest_first = [(each.order, each.path) for each in reversed(ordered)]
    assert newest_first == [(2, "a"), (2, "b"), (2, "c"), (1, "a"), (0, "b")]


def test_pages_are_counted_from_the_oldest_event() -> None:
    files = emitted([skill("pdf", range(250))], Config())
    assert sorted(files) == [f"changes/{page}index.html" for page in ("1/", "2/", "3/", "")]
    shown = {path: labels(text) for path, text in files.items()}
    assert shown == {
        "changes/1/index.html": [f"1.{order}" for order in range(99, -1, -1)],
        "changes/2/index.html": [f"1.{order}" for order in range(199, 99, -1)],
        "changes/3/index.html": [f"1.{order}" for order in range(249, 199, -1)],
        "changes/index.html": [f"1.{order}" for order in range(249, 149, -1)],
    }
    assert {path: around(text) for path, text in files.items()} == {
        "changes/1/index.html": {"Newer": "../2/index.html"},
        "changes/2/index.html": {"Newer": "../3/index.html", "Older": "../1/index.html"},
        "changes/3/index.html": {"Newer": "../index.html", "Older": "../2/index.html"},
        "changes/index.html": {"Older": "2/index.html"},
    }


def test_few_events_have_one_page_and_none_have_it_too() -> None:
    files = emitted([skill("pdf", range(100))], Config())
    assert [*files] == ["changes/index.html"]
    assert around(files["changes/index.html"]) == {}
    assert "No changes are known" in emitted([], Config())["changes/index.html"]


def test_a_new_event_changes_the_front_page_and_the_last_one() -> None:
    config = Config(base_url=BASE)
    counts = (250, 251, 400)
    last, now, fuller = (
        emitted([skill("a", range(count)), skill("b", [3, 7])], config) for count in counts
    )
    changed = [path for path in sorted(now) if now[path] != last.get(path)]
    assert changed == ["changes/3/index.html", "changes/index.html", "feed.xml"]
    changed = [path for path in sorted(fuller) if fuller[path] != now.get(path)]
    numbered = [f"changes/{number}/index.html" for number in (3, 4, 5)]
    assert changed == [*numbered, "changes/index.html", "feed.xml"]


def test_a_feed_has_the_newest_events_by_order_and_not_by_date() -> None:
    dated = [replace(event(n), change=Change(f"{n:040x}", (9 - n) * DAY)) for n in range(3)]
    every = happened("pdf", dated)
    files = emitted([every], Config(base_url=BASE))
    assert [each.title for each in atom.entries(files["feed.xml"].encode())] == [
        "pdf changed, version 1.2",
        "pdf changed, version 1.1",
        "pdf changed, version 1.0",
    ]
    assert "<updated>1970-01-08T00:00:00Z</updated>\n<author>" in files["feed.xml"]
    many = emitted([skill("pdf", range(300))], Config(base_url=BASE))
    titles = [each.title for each in atom.entries(many["feed.xml"].encode())]
    assert titles == [f"pdf changed, version 1.{order}" for order in range(299, 199, -1)]
    assert "feed.xml" not in emitted([every], Config())


def test_an_entry_says_what_happened_and_leads_to_what_changed_or_to_the_version() -> None:
    moved = replace(event(1, EventKind.MOVED, "new"), former="old", difference="", page="")
    gone = event(2, EventKind.REMOVED, "new")
    added = replace(event(0, EventKind.ADDED, "old"), page="")
    every = happened("new", [added, moved, event(1, path="new"), gone])
    config = Config(base_url=BASE)
    read = atom.entries(emitted([every], config)["feed.xml"].encode())
    assert [(each.title, each.link) for each in read] == [
        ("new removed", f"{BASE}skills/new/"),
        ("new changed, version 1.1", f"{BASE}skills/new/-/versions/{moved.digest.short}/"),
        ("old moved to new", f"{BASE}{moved.address}/"),
        ("old added, version 1.0", f"{BASE}versions/{Digest.of(b'0 old').short}/"),
    ]
    assert read[2].text == f"Version 1.1, {moved.digest}, commit {moved.change.commit}"


def test_ids_do_not_depend_on_the_address() -> None:
    every = [skill("pdf", range(5))]
    here = emitted(every, Config(base_url=BASE))["feed.xml"]
    there = emitted(every, Config(base_url="https://other.test/"))["feed.xml"]
    ids = re.findall("<id>.*?</id>", here)
    assert len(set(ids)) == 6
    assert ids == re.findall("<id>.*?</id>", there)


def test_feeds_are_valid_whatever_texts_hold() -> None:
    path = HOSTILE.replace("\ud800", "")
    bad = replace(event(1), path=path, former=path, label=HOSTILE, difference=HOSTILE)
    for kind in EventKind:
        feed = feeds.catalog_feed(HOSTILE, "", [replace(bad, kind=kind), event(0)])
        data = feeds.encode_feed(feed, BASE).data
        assert atom.faults(data, f"{BASE}feed.xml") == []
        assert b"<script" not in data
    text = atom.entries(data)[0].text
    assert text.startswith("ab[31m ]]> <script>alert(1)</script> &amp; [U+202E]x[U+2066] é. Ver")


def test_feeds_have_sane_dates_whatever_the_commits_say() -> None:
    for seconds, moment in {
        -DAY: "1969-12-31T00:00:00Z",
        4_294_967_296: "2106-02-07T06:28:16Z",
        253_402_300_800: "9999-12-31T00:00:00Z",
        -(10**15): "0001-01-01T00:00:00Z",
    }.items():
        odd = replace(event(0), change=Change("0" * 40, seconds))
        data = feeds.encode_feed(feeds.catalog_feed("All", "", [odd]), BASE).data
        assert atom.faults(data, f"{BASE}feed.xml") == []
        assert atom.entries(data)[0].updated == moment


def test_a_feed_without_events_is_valid() -> None:
    data = emitted([], Config(base_url=BASE, title="\x01"))["feed.xml"].encode()
    assert atom.faults(data, f"{BASE}feed.xml") == []


def test_pages_show_hostile_texts_as_texts() -> None:
    bad = replace(event(1), label=HOSTILE, difference=HOSTILE.replace("\ud800", "?"))
    bad = replace(bad, label=bad.label.replace("\ud800", "?"))
    every = replace(happened("pdf", [bad]), deprecated=bad.label)
    page = emitted([every], Config())["changes/index.html"]
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert page.count('<span class="ghost">U+202E</span>') == 3


def test_what_is_deprecated_or_yanked_is_said_first() -> None:
    key, other = "a" * 64, "b" * 64
    config = Config(yanked={other: "broken", key: "a <b>secret</b>"})
    every = replace(skill("pdf", [0]), deprecated="slow; use csv", yanked=[key])
    page = emitted([every], config)["changes/index.html"]
    items = [re.sub("<.*?>", "", item) for item in re.findall("<li>(?!\n)(.*?)</li>", page)]
    assert items == [
        f"{other[:16]}: broken",
        f"pdf {key[:16]}: a &lt;b&gt;secret&lt;/b&gt;",
        "pdf: slow; use csv",
    ]
    numbered = emitted([replace(every, events=skill("pdf", range(101)).events)], config)
    assert "Yanked" not in numbered["changes/1/index.html"]


def test_skills_of_one_day_with_the_same_changed_files_share_a_row() -> None:
    paths = ["db/backup", "db/new", "db/review", "web/forms"]
    skills = [SkillEvents(path, "", "", [], [], "Does it.") for path in paths]
    change = event(1).change
    firsts = {path: change if path == "db/new" else event(0).change for path in paths}
    files = dict.fromkeys(paths, "SKILL.md") | {"db/review": "SKILL.md and a.md"}
    page = page_from_log(
        Theme(Config()), skills, dict.fromkeys(paths, change), firsts, files
    ).data.decode()
    first_week = page.partition("<section")[2].partition("</section>")[0]
    rows = re.findall(r"<h3>(.*?)</h3>\n<p[^>]*>(.*?)</p>", first_week)
    words = [
        (re.sub(r"<[^>]*>", " ", name).split(), re.sub(r"<[^>]*>", "", said)) for name, said in rows
    ]
    assert words[:3] == [
        (["db/", "new"], "Does it."),
        (["db/", "backup", "web/", "forms"], "SKILL.md"),
        (["db/", "review"], "SKILL.md and a.md"),
    ]
    assert "4 added, 3 changed" in page


def test_changed_files_lead_to_what_changed_on_a_known_forge() -> None:
    skills = [SkillEvents("db/backup", "", "", [], [], "Does it.")]
    changes, firsts = {"db/backup": event(1).change}, {"db/backup": event(0).change}
    for address in ("", "https://github.com/acme/skills"):
        theme = Theme(Config(repository=address))
        page = page_from_log(theme, skills, changes, firsts, {"db/backup": "SKILL.md"})
        commit = f"{address}/commit/{event(1).change.commit}"
        short = commit.rpartition("/")[2][:7]
        link = f' in <a href="{commit}" rel="noopener" class="num">commit {short}</a>'
        assert f"<p>SKILL.md{link if address else ''}</p>" in page.data.decode()


def test_a_version_with_the_number_of_an_older_one_is_marked() -> None:
    events = [
        replace(event(order), label=label, digest=Digest(f"{order}" * 64))
        for order, label in enumerate(("1.0", "1.0", "2.0"))
    ]
    page = emitted([happened("pdf", events)], Config())["changes/index.html"]
    assert re.findall(
        r">(\d\.\d)</a>( <span class=\"n mark\">version number unchanged)?", page
    ) == [
        ("2.0", ""),
        ("1.0", ' <span class="n mark">version number unchanged'),
        ("1.0", ""),
    ]


def test_skills_that_were_added_to_a_folder_on_one_day_are_one_row() -> None:
    names = ("db/a", "db/b", "db/more/c", "web/d", "web/e")
    skills = [SkillEvents(name, "", "", [], [], "Does it.") for name in names]
    changes = dict.fromkeys(names, event(0).change)
    page = page_from_log(Theme(Config()), skills, changes, changes, {}).data.decode()
    assert '<h3><span class="of">db</span> 3 skills</h3>' in page
    assert re.findall(r'<a href="../skills/([^"]*)/index.html">([^<]*)</a>', page) == [
        ("db/a", "a"),
        ("db/b", "b"),
        ("db/more/c", "more/c"),
    ]
    assert page.count('<p class="say n"') == 2
    assert "5 added" in page
    assert 'aria-label="Weeks"' not in page
    assert "The first and the last change of each skill" in page


def test_a_page_with_many_weeks_has_a_link_to_each() -> None:
    skills = [SkillEvents(f"s{order}", "", "", [], [], "Does it.") for order in range(5)]
    changes = {f"s{order}": event(order * 7).change for order in range(5)}
    page = page_from_log(Theme(Config()), skills, changes, changes, {}).data.decode()
    weeks = re.findall(r'<li><a href="#([\d-]+)">\1</a></li>', page)
    assert len(weeks) == 5
    assert weeks == re.findall(r'<section class="week" id="([\d-]+)">', page)


SAID = ("now has hooks", "skills/pdf/-/versions/b/index.html")


def test_a_file_says_which_skill_has_a_version_and_what_came_later() -> None:
    first, second, third = (
        replace(event(order), digest=Digest(f"{digit}" * 64), label=f"{order}.0")
        for order, digit in enumerate("aab")
    )
    later = replace(third, difference="now has hooks", page="skills/pdf/-/versions/b/index.html")
    gone = replace(happened("gone", [third]), directory="gone")
    files = [*places_of_versions([gone, happened("pdf", [first, second, later])])]
    assert {file.path: value_of(file.data) for file in files} == {
        "changes/versions/aa.js": {
            "a" * 16: ["pdf", first.change.date, 1, "2.0", later.change.date, *SAID]
        },
        "changes/versions/bb.js": {
            "b" * 16: ["pdf", later.change.date, 0, "2.0", later.change.date, *SAID]
        },
    }


def test_the_file_of_a_version_of_a_removed_skill_is_there_and_has_no_entry() -> None:
    gone = replace(happened("gone", [event(0)]), directory="gone")
    [file] = places_of_versions([gone])
    assert (file.path, value_of(file.data)) == (
        f"changes/versions/{event(0).digest.short[:2]}.js",
        {},
    )

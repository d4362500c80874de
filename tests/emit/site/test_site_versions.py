"""The page of a version, and the list of all versions of a skill."""

from __future__ import annotations

import gzip
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from helpers import pages, versions
from helpers.repos import Program, skill_md
from helpers.versions import Past
from skillbuild.config import Config
from skillbuild.emit.site.emitter import SiteEmitter
from skillbuild.emit.site.theme import Theme
from skillbuild.emit.versions import SkillHistory, VersionContent
from skillbuild.model import Change
from skillbuild.release.layout import blob_path

BASE = "https://skills.example.org/"
MINUS = "\N{MINUS SIGN}"
SITE = SiteEmitter(Theme(Config(base_url=BASE), discovery=True))
BODY = "# Forms\n\nRead [the rules](rules.md), [more](../other/SKILL.md), [a line](rules.md#L1).\n"
FIRST = Past(
    versions.content({"SKILL.md": skill_md("pdf", "Fills forms.") + BODY, "rules.md": "Rules.\n"}),
    path="old/pdf",
)
SECOND = Past(
    versions.content(
        {
            "SKILL.md": skill_md("pdf", "Fills forms.").replace("Do it.", "Do it well.") + BODY,
            "run.sh": Program("curl https://pypi.org/\n"),
        },
        label="2.0",
    ),
    day=3,
)
NASTY = "\u202e<script>alert(1)</script><img src=x onerror=alert(1)>\"'\u2066"


def page_of(content: VersionContent) -> str:
    (file,) = SITE.emit_version(content)
    assert file.path == f"{content.address}/index.html"
    return file.data.decode()


def changes_of(newer: Past, older: Past) -> str:
    (file,) = SITE.emit_comparison("pdf", versions.compared(newer, older))
    assert file.path == f"skills/pdf/-/versions/{newer.content.digest.short}/index.html"
    return file.data.decode()


def lists_of(
    pasts: Sequence[Past], current: int = -1, again: Change | None = None
) -> tuple[str, str]:
    """The page of the skill, and the list of its versions."""
    skill = versions.emitted_skill(pasts, current=current, again=again)
    return both(skill.entry.path, {file.path: file.data for file in SITE.emit_skill(skill).files})


def both(path: str, files: Mapping[str, bytes]) -> tuple[str, str]:
    names = (f"skills/{path}/index.html", f"skills/{path}/-/versions/index.html")
    return files[names[0]].decode(), files[names[1]].decode()


def plain(page: str) -> str:
    """The words of a page, without its tags."""
    return " ".join(re.sub(r"<[^>]*>", "", page).split())


def test_a_version_has_its_own_install_line_and_digests() -> None:
    version = SECOND.content
    page, archive = page_of(version), version.entry.archives[0]
    assert f"npx skills add {BASE}<wbr>{version.address}/</code>" in page
    assert f"curl -fLO {BASE}archives/{archive.file_name}\n" in page
    assert f"{archive.digest.hex}  {archive.file_name}" in page
    assert f"<code>{version.digest}</code>" in page
    assert "version 2.0" in plain(page)
    assert page.index("npx skills add") < page.index("Before you install")
    assert '<meta name="robots" content="noindex">' in page
    assert 'rel="canonical"' not in page


def test_a_version_links_to_pages_that_every_catalog_has() -> None:
    """And to its own files; the skills that have this version are found by its name."""
    entry = SECOND.content.entry
    own = {f"../../{blob_path(item.digest)}" for item in entry.resources}
    own |= {f"../../{item.path}" for item in entry.archives}
    links = re.findall(r'<a [^>]*href="([^"#]+)"', page_of(SECOND.content))
    top = ("", "groups/", "changes/", "licenses/")
    common = {f"../../{folder}index.html" for folder in top}
    assert {*links} - own == common | {"../../index.html?q=pdf"}


def test_a_version_shows_the_icon_among_its_files() -> None:
    """Inside the page, because the files of a version include no icons of their own."""
    drawn = page_of(FIRST.content)
    assert '<svg class="icon" viewBox="0 0 7 7" width="52"' in drawn
    icon = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><path d="M1 1h2v2z"/></svg>'
    files = {"SKILL.md": skill_md("pdf"), "assets/icon.svg": icon}
    page = page_of(versions.content(files))
    assert re.search(r'<img class="icon[^"]*" src="data:image/svg\+xml;base64,[^"]+"', page)
    assert drawn.count("data:image") == 0


def test_links_of_a_version_stay_in_it() -> None:
    page = page_of(FIRST.content)
    links = re.findall(r'<a href="([^"]*)" rel="[^"]*">(the rules|more|a line)</a>', page)
    assert links == [("index.html#file-2", "the rules"), ("index.html#file-2", "a line")]
    rules = next(item for item in FIRST.content.entry.resources if item.path == "rules.md")
    assert f'<tr id="file-2"><td><a href="../../{blob_path(rules.digest)}"' in page
    assert "/-/files/" not in page


def test_what_changed_is_marked_without_color_and_leads_to_both_versions() -> None:
    page = changes_of(SECOND, FIRST)
    assert "<td>5</td><td></td><td><del>-Do it.</del></td>" in page
    assert "<td></td><td>5</td><td><ins>+Do it well.</ins></td>" in page
    top = "../../../../../versions"
    assert f'href="{top}/{FIRST.content.digest.short}/index.html">1.0</a>' in page
    assert f'href="{top}/{SECOND.content.digest.short}/index.html">2.0</a>' in page
    words = plain(page)
    assert "New behavior + now reaches pypi.org + now has the script run.sh" in words
    assert f"3 files changed +2 {MINUS}2" in words
    listed = f"changed SKILL.md +1 {MINUS}1 removed rules.md {MINUS}1 added run.sh +1"
    assert words.index("New behavior") < words.index("Install this version") < words.index(listed)


def test_every_changed_text_file_is_shown_with_its_lines() -> None:
    page = changes_of(SECOND, FIRST)
    targets = re.findall(r'<a href="#(change-\d+)">([^<]*)</a>', page)
    shown = re.findall(r'<details class="patch" id="([^"]*)" open>\n<summary><span>([^<]*)<', page)
    assert targets == shown
    assert [name for _, name in shown] == ["SKILL.md", "rules.md", "run.sh"]
    assert "<del>-Rules.</del>" in page
    assert "<ins>+curl https://pypi.org/</ins>" in page
    assert '<a href="#change-3-1">now reaches pypi.org</a>' in page
    assert '<tr id="change-3-1"><td></td><td>1</td>' in page
    assert "Executable. Whole file: now" in plain(page)
    rules = next(item for item in FIRST.content.entry.resources if item.path == "rules.md")
    assert f'<a href="../../../../../{blob_path(rules.digest)}" download="rules.md">before' in page


def test_fields_that_changed_are_shown_before_and_after() -> None:
    head = "---\nname: pdf\ndescription: {}\nmetadata:\n  author: Ada\n  version: {}\n{}---\n"
    older, newer = (
        Past(versions.content({"SKILL.md": head.format(*values)}))
        for values in (("Fills.", "1", "license: MIT\n"), ("Fills <b>forms</b>.", "2", ""))
    )
    page = changes_of(newer, older)
    fields = re.findall(r"<dt><code>(.*?)</code></dt>\n<dd dir=\"auto\">(.*?)</dd>", page)
    assert fields == [
        ("description", f"<del>{MINUS} Fills.</del><ins>+ Fills &lt;b&gt;forms&lt;/b&gt;.</ins>"),
        ("metadata.version", f"<del>{MINUS} 1</del><ins>+ 2</ins>"),
        ("license", f"<del>{MINUS} MIT</del>"),
    ]


def test_tools_that_a_version_asks_for_are_named_once_above_the_files() -> None:
    head = "---\nname: pdf\ndescription: {}\n{}---\n"
    older, newer, other = (
        Past(versions.content({"SKILL.md": head.format(*values)}))
        for values in (("Fills.", ""), ("Fills.", "allowed-tools: Read\n"), ("It fills.", ""))
    )
    page = changes_of(newer, older)
    assert "may now use <code>Read</code> without asking" in page
    assert "Frontmatter</h2>" not in page
    both = changes_of(newer, other)
    assert re.findall(r"<dt><code>(.*?)</code></dt>", both) == ["description"]


def test_two_versions_of_one_number_are_told_apart_by_their_digests() -> None:
    older, newer = (
        Past(versions.content({"SKILL.md": skill_md("pdf", text)}), day=day)
        for day, text in enumerate(("Fills.", "It fills."))
    )
    page, (_, rows) = changes_of(newer, older), lists_of([older, newer])
    for each in (older, newer):
        code = f"{each.content.digest.short[:8]}</code>"
        assert f"1.0 <code>{code}</a>" in page
        assert f"1.0</a> <code>{code}" in rows
        assert f"version 1.0 <code>{code}" in page_of(each.content)
    assert plain(rows).count("version number unchanged, files changed") == 1
    assert plain(rows).count("current") == 2  # In the head, and in its row.
    assert "version number unchanged, files changed" in page
    other = changes_of(SECOND, FIRST)
    assert "1.0 <code>" not in other
    assert "number unchanged" not in other


def test_what_lines_do_not_show_is_said() -> None:
    picture = b"\x89PNG\r\n\x1a\n"
    same: versions.Contents = {"SKILL.md": skill_md("pdf")}
    older: versions.Contents = {
        **same,
        "a.sh": "run\n",
        "b.png": picture,
        "c.md": "One",
        "d.bin": b"\0" * 1000,
    }
    newer: versions.Contents = {
        **same,
        "a.sh": Program("run\n"),
        "b.png": picture + b"x",
        "c.md": "One\n",
        "e": "",
    }
    page = changes_of(Past(versions.content(newer)), Past(versions.content(older)))
    words = plain(page)
    for said in (
        "a.sh changed Now executable. Whole file: before, now",
        "b.png changed Not a text file (8 B → 9 B). Whole file: before, now",
        "c.md changed Only the line break at the end changed.",
        "d.bin removed Not a text file (1.0 kB). Whole file: before",
        "e added The file is empty. Whole file: now",
    ):
        assert said in words
    assert [tag for tag in re.findall(r'<img src="([^"]*)"', page) if "blobs" in tag]
    assert page.count("<img") == 2


def test_a_page_says_nothing_of_other_versions() -> None:
    page = page_of(FIRST.content)
    assert not re.search(
        r"\b(current|older|newer|newest|latest|2\.0|20\d\d)\b", plain(page).lower()
    )
    assert SECOND.content.digest.short not in page


def test_an_internal_or_unpublished_archive_has_no_install_line() -> None:
    files = {"SKILL.md": skill_md("pdf"), "rules.md": "Rules.\n"}
    page = page_of(versions.content(files, config=Config(formats=())))
    assert "npx" not in page
    assert "curl" not in page


def test_the_list_has_the_newest_first_and_marks_the_current_one() -> None:
    skill, rows = lists_of([FIRST, SECOND])
    assert re.findall(r'<h2><a href="([^"]*)"', rows) == [
        f"../../../../{each.content.address}/index.html" for each in (SECOND, FIRST)
    ]
    words = plain(rows)
    assert "2025-01-04 2.0 current Now reaches pypi.org" in words
    assert "has the script run.sh; SKILL.md +1 -1 line; run.sh added; rules.md removed" in words
    assert "2025-01-01 1.0 First version at old/pdf" in words
    assert words.count("What changed") == 1
    assert f"npx skills add {BASE}{FIRST.content.address}/" in words
    assert '<a href="#versions">Versions <span class="n">2</span></a>' in skill
    assert re.findall(r'<a href="(-/versions/index[^"]*)"', skill) == ["-/versions/index.html"]
    page = f"{SECOND.content.digest.short}/index.html"
    assert f'<a href="-/versions/{page}">now reaches pypi.org' in skill
    assert "<span>Changed</span>" in skill
    assert f'<a href="{page}" aria-label="What changed in 2.0">' in rows


def test_a_version_that_came_back_is_current_again() -> None:
    again = Change("f" * 40, versions.FIRST_DAY + 9 * versions.DAY)
    moved = Past(versions.content({"SKILL.md": skill_md("pdf")}))
    skill, rows = lists_of([moved, SECOND], current=0, again=again)
    words = plain(rows)
    assert "The skill went back to an older version: 1.0 is current." in words
    assert "2025-01-01 1.0 current again since 2025-01-10 First version" in words
    assert words.count("current") == 3
    assert "<span>Changed</span>" not in skill


def test_the_list_says_what_is_left_out_and_why() -> None:
    skill = versions.emitted_skill([FIRST], left_out={"secret": 1, "yaml-invalid": 2, "lost": 1})
    files = {file.path: file.data for file in SITE.emit_skill(skill).files}
    words = plain(both("pdf", files)[1])
    assert "4 older versions left out" in words
    assert "2 yaml-invalid the frontmatter is not valid YAML 1 lost 1 secret" in words


def test_without_versions_there_is_no_list_and_no_word_of_them() -> None:
    skill = replace(versions.emitted_skill([FIRST]), history=SkillHistory())
    files = {file.path: file.data for file in SITE.emit_skill(skill).files}
    assert not any("/versions/" in path for path in files)
    assert b"version" not in files["skills/pdf/index.html"]


def test_more_than_a_hundred_versions_wait_until_they_are_wanted() -> None:
    many = [
        Past(versions.content({"SKILL.md": skill_md("pdf", f"Number {n}.")}, label=f"0.{n}"), n)
        for n in range(130)
    ]
    rows = lists_of(many)[1]
    seen, _, hidden = rows.partition("<details><summary>30 more versions</summary>")
    assert [part.count("<h2><a ") for part in (seen, hidden)] == [100, 30]
    assert len(gzip.compress(rows.encode())) <= 15_000


def test_hostile_texts_are_shown_and_do_nothing() -> None:
    older = Past(versions.content({"SKILL.md": skill_md("pdf") + "Plain.\n"}, label=NASTY))
    newer = Past(
        versions.content(
            {
                "SKILL.md": "---\nname: pdf\ndescription: D.\n"
                f"allowed-tools: ['{NASTY[:25]}']\n---\n"
                f"{NASTY}\n</pre></main><script>alert(1)</script>\n",
                "<b>\u202ecod.py": "print()\n",
            },
            label=NASTY * 50,
        ),
        day=1,
        path="x/pdf",
    )
    skill = versions.emitted_skill([older, newer])
    files = [
        *SITE.emit_version(newer.content),
        *SITE.emit_comparison("pdf", versions.compared(newer, older)),
        *(file for file in SITE.emit_skill(skill).files if "/versions/" in file.path),
    ]
    for file in files:
        page = pages.Page(file.path)
        page.feed(file.data.decode())
        assert pages.active_content(page) == []
        assert pages.repeated_ids(page) == []
        shown = "".join(page.text)
        assert "\u202e" not in shown
        assert "U+202E" in shown
        assert max(map(len, re.findall(r"alert\(1\)\S*", shown))) < 200


def test_a_huge_change_is_cut_and_says_so() -> None:
    lines = [f"Line {number}\n" for number in range(10_000)]
    texts = ["", "".join(lines), "".join(lines[::-1]), "x" * 100_000]
    older, newer, other, long = (
        Past(versions.content({"SKILL.md": skill_md("pdf") + text})) for text in texts
    )
    grown, turned = changes_of(newer, older), changes_of(other, newer)
    assert "SKILL.md changed +10,000" in plain(grown)
    assert grown.count("<ins>+Line") == 297
    assert "The rest is too long to show." in grown
    assert '<details class="patch" id="change-1">' in grown
    assert "The same lines in a different order." in turned
    assert "Too many changed lines to show." in turned
    assert "<ins>" not in turned
    cut = changes_of(long, older)
    assert "The rest is too long to show." in cut
    assert len(re.findall(r"<ins>[+]x[^<]*</ins>", cut)[0]) < 1_100


def test_many_changed_files_take_bounded_room_and_time() -> None:
    texts = {f"{n:03}.md": "".join(f"{n} {line}\n" for line in range(400)) for n in range(120)}
    small = {"SKILL.md": skill_md("pdf")}
    older = Past(versions.content({**small, **texts}))
    other = {name: text.replace("0\n", "0!\n") for name, text in texts.items()}
    newer = Past(versions.content({**small, **other, **{f"x{n}": "a\n" * 200 for n in range(9)}}))
    started = time.process_time()
    page = changes_of(newer, older)
    assert time.process_time() - started < 20
    assert page.count("<tr><td>") <= 1_500
    assert len(gzip.compress(page.encode())) < 60_000
    assert "Not compared, because the changed files have too many lines." in page
    assert page.count('<details class="patch"') == 129
    assert changes_of(newer, older) == page


def test_pages_of_versions_are_as_small_as_those_of_skills() -> None:
    for page in (page_of(SECOND.content), changes_of(SECOND, FIRST)):
        assert len(gzip.compress(page.encode())) <= 5_000

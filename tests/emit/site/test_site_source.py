"""What the source gives its catalog: icons, templates, history; and a preview of a working tree."""

import base64
import hashlib
import json
import re
import socket
import struct
import threading
from pathlib import Path

import pytest

from helpers import jpegs, outputs, pages, repos, tokens
from skillbuild.assets import asset_root
from skillbuild.cli import preview
from skillbuild.errors import ConfigError
from skillbuild.output import verify
from skillbuild.source import history

SVG = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><path d='M0 0h{}v8z'/></svg>"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
AGENT = "interface:\n  icon_small: ./i.svg\n  icon_large: i.png\n"
SKILL = {"skills/a/SKILL.md": repos.skill_md("a")}


def built(tmp_path: Path, files: repos.Files) -> Path:
    report = repos.build(repos.repository(tmp_path / "repo", files), tmp_path / "out")
    assert [item for item in report.findings if item.is_error] == []
    return tmp_path / "out"


@pytest.mark.parametrize(
    ("files", "themes"),
    [
        ({}, [None]),
        ({"skills/a/assets/icon.svg": SVG.format(1)}, [None]),
        (
            {
                "skills/a/assets/icon-light.svg": SVG.format(1),
                "skills/a/assets/icon-dark.svg": SVG.format(2),
            },
            ["light", "dark"],
        ),
        (
            {
                "skills/a/agents/openai.yaml": AGENT,
                "skills/a/i.svg": SVG.format(3),
                "skills/a/i.png": PNG,
            },
            [None, None],
        ),
        (
            {
                "skills/a/agents/openai.yaml": AGENT.replace("./i.svg", "../../brand/i.jpg"),
                "brand/i.jpg": jpegs.GRAY,
                "skills/a/i.png": PNG,
            },
            [None, None],
        ),
    ],
)
def test_icons_are_found_where_they_are_declared(
    tmp_path: Path, files: dict[str, repos.Content], themes: list[str | None]
) -> None:
    out = built(tmp_path, {**SKILL, **files})
    icons = outputs.entry_of(out, "a")["icons"]
    assert [icon["theme"] for icon in icons] == themes
    assert all((out / icon["path"]).is_file() for icon in icons)
    assert pages.dead_links(out, pages.read(out)) == []
    (out / icons[0]["path"]).chmod(0o644)
    (out / icons[0]["path"]).write_bytes(b"other")
    assert [fault.path for fault in verify.verify(out).faults] == [icons[0]["path"]]


@pytest.mark.parametrize(
    ("files", "named"),
    [
        ({"skills/a/assets/icon.svg": "<svg onload='x()'/>"}, "skills/a/assets/icon.svg"),
        ({"skills/a/assets/icon.png": b"GIF89a"}, "skills/a/assets/icon.png"),
        (
            {"skills/a/agents/openai.yaml": "interface:\n  icon_small: ./gone.png\n"},
            "skills/a/agents/openai.yaml",
        ),
    ],
)
def test_the_drawn_icon_stands_in_for_one_that_cannot_be_published(
    tmp_path: Path, files: dict[str, repos.Content], named: str
) -> None:
    out = tmp_path / "out"
    report = repos.build(repos.repository(tmp_path / "repo", {**SKILL, **files}), out)
    warnings = [item for item in report.findings if not item.is_note]
    assert [(item.code, item.path, item.is_error) for item in warnings] == [
        ("icon-invalid", named, False)
    ]
    plain = repos.build(repos.repository(tmp_path / "plain", SKILL), tmp_path / "plain-out")
    assert plain.release is not None
    [entry] = outputs.entries_of(out)
    [drawn] = next(iter(plain.release.catalog.entries)).icons
    assert [icon["digest"] for icon in entry["icons"]] == [str(drawn.digest)]


def test_the_icon_of_a_plugin_is_that_of_its_skills(tmp_path: Path) -> None:
    """What nothing has checked is published as an icon only, and without what looks secret."""
    token = tokens.with_crc("ghp_")
    logo = SVG.format(5).replace("><path", f"><title>{token}</title><path")
    metadata = "Does one thing.\nmetadata:\n  icon: ../../assets/logo.svg"
    names = ("a", "b")
    out = built(
        tmp_path,
        {
            **{
                f"plugins/p/skills/{name}/SKILL.md": repos.skill_md(name, metadata)
                for name in names
            },
            "plugins/p/assets/logo.svg": logo,
        },
    )
    entries = outputs.entries_of(out)
    assert [[each["path"] for each in entry["resources"]] for entry in entries] == [
        ["SKILL.md"]
    ] * 2
    [[icon], [same]] = [entry["icons"] for entry in entries]
    assert icon == same
    assert f"<title>{'x' * len(token)}</title>" in (out / icon["path"]).read_text()
    assert verify.verify(out).faults == ()


def test_a_jpeg_is_published_without_its_metadata(tmp_path: Path) -> None:
    """As an icon of the catalog and of a skill; a page may hold it itself."""
    exif = jpegs.segment(0xE1, b"Exif\0\0MM\0*\0\0\0\x08 taken at home")
    photo = jpegs.SOI + exif + jpegs.GRAY[2:]
    metadata = "Does one thing.\nmetadata:\n  icon: photo.jpeg"
    out = built(
        tmp_path,
        {
            "skillbuild.toml": 'icons = ["brand/me.jpg"]\n',
            "brand/me.jpg": photo,
            "skills/a/SKILL.md": repos.skill_md("a", metadata),
            "skills/a/photo.jpeg": photo,
        },
    )
    name = f"icons/{hashlib.sha256(jpegs.GRAY).hexdigest()[:16]}.jpg"
    assert (out / name).read_bytes() == jpegs.GRAY
    [icon] = outputs.entries_of(out)[0]["icons"]
    assert (icon["path"], icon["mimeType"], icon["sizes"]) == (name, "image/jpeg", "8x8")
    assert [each.name for each in (out / "icons").iterdir()] == [name.removeprefix("icons/")]
    page = (out / "index.html").read_text()
    assert f'href="{name}" type="image/jpeg"' in page
    assert f"data:image/jpeg;base64,{base64.b64encode(jpegs.GRAY).decode()}" in page
    assert not any(map(pages.active_content, pages.read(out).values()))
    assert verify.verify(out).holds(whole=True)


def test_equal_icons_are_one_file(tmp_path: Path) -> None:
    files = {
        **{f"skills/s{n}/SKILL.md": repos.skill_md(f"s{n}") for n in range(5)},
        **{f"skills/s{n}/assets/icon.svg": SVG.format(1) for n in range(5)},
    }
    assert len(list((built(tmp_path, files) / "icons").iterdir())) == 2


def test_a_list_holds_its_first_small_icons_and_names_the_others(tmp_path: Path) -> None:
    about = "Does one thing.\ntags: x"
    out = built(
        tmp_path,
        {
            **{f"skills/g/{name}/SKILL.md": repos.skill_md(name, about) for name in "abcd"},
            "skills/g/a/assets/icon.png": PNG,
            "skills/g/b/assets/icon-light.svg": SVG.format(1),
            "skills/g/b/assets/icon-dark.svg": SVG.format(2),
            "skills/g/c/assets/icon.svg": SVG.format(3),
            "skills/g/d/assets/icon.svg": SVG.format(3),
        },
    )
    drawn, site = outputs.entries_of(out), pages.read(out)
    shared = drawn[2]["icons"][0]["path"]
    for path, root in (("index.html", ""), ("tags/x/index.html", "../../")):
        shown = [dict(values) for tag, values in site[path].elements if tag == "img"]
        first, light, dark, *others = (values["src"] for values in shown)
        assert first == f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
        assert light.startswith("data:image/svg+xml;base64,")
        assert dark.startswith("data:image/svg+xml;base64,")
        assert light != dark
        assert others == [root + shared] * 2
    rows = [(out / f"skills/g/{name}/-/compare.js").read_text().partition("=") for name in "ab"]
    assert [json.loads(row)["picture"] for _, _, row in rows] == [
        [[first, ""]],
        [[light, "light"], [dark, "dark"]],
    ]
    assert pages.dead_links(out, site) == []


def test_catalog_icons_accent_and_links_reach_the_pages(tmp_path: Path) -> None:
    config = 'icons = ["brand/mark.svg"]\naccent = "#0a7"\n'
    with pytest.raises(ConfigError, match="accent must be"):
        built(tmp_path / "x", {**SKILL, "skillbuild.toml": config})
    config = config.replace("#0a7", "#00aa77") + '[links]\nChat = "https://chat.example.org/"\n'
    files = {**SKILL, "skillbuild.toml": config, "brand/mark.svg": SVG.format(4)}
    out = built(tmp_path, files)
    page = (out / "index.html").read_text()
    assert '<a href="https://chat.example.org/" rel="noopener">Chat</a>' in page
    assert "--accent:light-dark(" in next((out / "assets").glob("style.*")).read_text()
    assert outputs.head_of(out)["release"]["icons"]


def test_a_template_of_the_source_takes_the_place_of_ours(tmp_path: Path) -> None:
    own = '{% extends "default/404.html" %}{% block title %}Gone{% endblock %}'
    config = 'templates = "theme"\n'
    out = built(tmp_path, {**SKILL, "skillbuild.toml": config, "theme/404.html": own})
    assert "<title>Gone</title>" in (out / "404.html").read_text()
    assert "There is no such page" in (out / "404.html").read_text()


CARDS = re.compile(r'<li class="card">.*?</li>', re.DOTALL)
OWN_LIST = """{% extends "base.html" %}
{% import "parts.html" as parts %}
{% block main %}
{% for one in page.cards %}
{{ parts.card(one, root, one.inlined if one.path in page.with_inlined else '') -}}
{% endfor %}
{% endblock %}
"""


def test_own_templates_may_make_cards_page_by_page(tmp_path: Path) -> None:
    """They see the values that built-in templates see, and cards equal those rendered only once.

    Ours leave the day out, which all have in common.
    """
    files: repos.Files = {
        "skills/first/a/SKILL.md": repos.skill_md("a", "Does one thing.\nlicense: MIT"),
        "skills/other/b/SKILL.md": repos.skill_md("b"),
        "skills/other/b/assets/icon.png": PNG,
    }
    config = {"skillbuild.toml": 'templates = "theme"\n', "theme/list.html": OWN_LIST}
    outs = built(tmp_path / "ours", files), built(tmp_path / "own", {**files, **config})
    ours, own = ((out / "index.html").read_text() for out in outs)
    cards = [re.sub(" <time .*?</time>", "", card) for card in CARDS.findall(own)]
    assert len(cards) == 2
    assert "data:" in cards[1]
    assert cards == CARDS.findall(ours.partition("<template")[0])


LISTS = [
    *("404.html", "groups/-/index.html", "groups/agent-skills/index.html"),
    *("groups/index.html", "index.html"),
    "licenses/none-found-10222398/index.html",
]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("card.html", LISTS),
        ("parts.html", LISTS),
    ],
)
def test_an_own_template_of_a_card_reaches_the_lists(
    tmp_path: Path, name: str, shown: list[str]
) -> None:
    text = (asset_root("templates") / name).read_text("utf-8")
    if name == "card.html":
        text += '<hr id="own">'
    own = text.replace("<li", '<li id="own"')
    out = built(tmp_path, {**SKILL, "skillbuild.toml": 'templates = "own"\n', f"own/{name}": own})
    assert [path for path, page in pages.read(out).items() if "own" in page.ids] == shown


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("page.html", "x", "there is no template with this name"),
        ("404.html", "{% if %}", "404.html cannot be rendered: line 1: "),
        ("404.html", "{{ ''.__class__.__mro__[1].__subclasses__() }}", "cannot be rendered"),
        ("404.html", "{{ nothing }}", "cannot be rendered"),
        ("404.html", "{{ 1 / 0 }}", "cannot be rendered"),
        ("404.html", "{{ 1 + 'x' }}", "cannot be rendered"),
        ("404.html", '{% include "404.html" %}', "cannot be rendered"),
        ("404.html", '{% include "../secret" %}', "cannot be rendered"),
    ],
)
def test_a_faulty_template_is_an_error_of_the_configuration(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    files = {**SKILL, "skillbuild.toml": 'templates = "theme"\n', f"theme/{name}": text}
    with pytest.raises(ConfigError, match=message):
        built(tmp_path, files)


def test_dates_come_from_the_commit_that_last_changed_a_skill(tmp_path: Path) -> None:
    repo = repos.empty(tmp_path / "repo")
    first = repos.commit(repo, {**SKILL, "skills/b/SKILL.md": repos.skill_md("b")})
    second = repos.commit(repo, {**SKILL, "skills/b/SKILL.md": repos.skill_md("b", "New.")}, day=9)
    repos.commit(repo, {**SKILL, "skills/b/SKILL.md": repos.skill_md("b", "New."), "x": ""}, day=12)
    repos.build(repo, tmp_path / "out")
    skills = json.loads((tmp_path / "out/history.json").read_bytes())["skills"]
    assert [(skill["path"], skill["commit"], skill["date"]) for skill in skills] == [
        ("a", first, "2023-11-14"),
        ("b", second, "2023-11-23"),
    ]
    assert "2023-11-23" in (tmp_path / "out/skills/b/index.html").read_text()


def test_a_shallow_clone_has_no_dates(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", SKILL)
    repos.commit(repo, {**SKILL, "x": ""}, day=1)
    shallow = repos.clone(repo, tmp_path / "shallow", "--depth=1")
    repos.build(shallow, tmp_path / "out")
    assert not (tmp_path / "out/history.json").exists()
    assert "updated" not in (tmp_path / "out/skills/a/index.html").read_text()


def test_a_history_that_takes_too_long_to_walk_is_as_good_as_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = repos.repository(tmp_path / "repo", SKILL)
    repos.commit(repo, {**SKILL, "x": ""}, day=1)
    monkeypatch.setattr(history, "MOST_STEPS", 1)
    repos.build(repo, tmp_path / "out")
    assert not (tmp_path / "out/history.json").exists()
    assert repos.build(repo, tmp_path / "out").unchanged
    monkeypatch.setattr(history, "MOST_STEPS", 2)
    assert not repos.build(repo, tmp_path / "out").unchanged
    assert (tmp_path / "out/history.json").exists()


def test_a_preview_shows_the_work_tree_and_names_what_is_wrong(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", {**SKILL, "skills/b/SKILL.md": repos.skill_md("b")})
    (repo / "skills/a/SKILL.md").write_text(
        repos.skill_md("a", body="See [it](gone.md), freshly typed.\n")
    )
    (repo / "skills/b/SKILL.md").write_text("no header\n")
    site = preview.Site(tmp_path / "out")
    before = preview.fingerprint(repo)
    rebuilt = preview.rebuild(repo, site.folder)
    site.show(rebuilt.errors)
    status, kind, data = preview.answer(site, "/skills/a/")
    assert (status, kind) == (200, "text/html; charset=utf-8")
    assert b"freshly typed." in data
    assert b"-preview.js" in data
    assert b"-preview.js" not in (site.folder / "skills/a/index.html").read_bytes()
    assert "frontmatter-missing" in site.wait(0, 0)
    assert "link-broken" not in site.wait(0, 0)
    assert "frontmatter-missing" in "".join(rebuilt.findings)
    assert "warning[link-broken]" in "".join(rebuilt.findings)
    assert rebuilt.closing.startswith(
        "working tree: 2 skills found: 1 published, 1 invalid and left"
    )
    assert rebuilt.closing.endswith("; left out: skills/b")
    for page in ("/", "/about/"):
        shown = preview.answer(site, page)[2]
        assert b"the working tree" in shown
        assert b"0" * 40 not in shown
    (repo / "skills/b/SKILL.md").write_text(repos.skill_md("b"))
    assert preview.fingerprint(repo) != before
    site.show(preview.rebuild(repo, site.folder).errors)
    assert site.wait(1, 0) == "2"


def test_a_browser_that_leaves_is_not_told_of(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """It closes its connection while it is sent a file that no buffer holds."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out/large.json").write_bytes(b" " * 50_000_000)
    with preview.server(preview.Site(tmp_path / "out"), 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", server.server_port)) as leaving:
                leaving.sendall(b"GET /large.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert leaving.recv(10)
                linger = struct.pack("ii", 1, 0)
                leaving.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        server.shutdown()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("target", ["/../secret", "/%2e%2e/secret", "/x", "//secret", "/skills"])
def test_a_preview_serves_nothing_but_its_output(tmp_path: Path, target: str) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "out").mkdir()
    status, _, data = preview.answer(preview.Site(tmp_path / "out"), target)
    assert status == 404
    assert b"<title>Missing</title>" in data

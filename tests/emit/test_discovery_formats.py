"""Discovery files, llms.txt and the marketplace, value by value as their clients read them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import Program, skill_md
from skillbuild import build as pipeline
from skillbuild import config
from skillbuild.emit import discovery, marketplace
from skillbuild.emit.emitter import EmittedSkill
from skillbuild.model import (
    Catalog,
    Digest,
    Entry,
    File,
    Frontmatter,
    Json,
    Listing,
    Skill,
    changed,
)
from skillbuild.release.record import files_of
from skillbuild.source.documents import Documents
from skillbuild.source.outline import Outline

SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
ROOT = ".well-known/agent-skills/index.json"
PLAIN = ".well-known/skills/"
MARKET = "claude/marketplace.json"
INTERNAL = '---\nname: house\ndescription: Ours.\nmetadata:\n  internal: "true"\n---\nDo it.\n'
SPARE = 'formats = ["discovery", "marketplace", "zip"]\n'
FILES: repos.Files = {
    "skillbuild.toml": 'title = "Test Skills"\ntagline = "For tests"\n' + SPARE,
    "skills/one/SKILL.md": skill_md("one", "Is one file."),
    "skills/pdf/SKILL.md": skill_md("pdf", "Fills forms."),
    "skills/pdf/scripts/fill.py": Program("print('ok')\n"),
    "skills/logo/SKILL.md": skill_md("logo", "Has a drawing."),
    "skills/logo/assets/logo.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>\n",
    "skills/a/refunds/SKILL.md": skill_md("refunds", "Pays back."),
    "skills/b/refunds/SKILL.md": skill_md("refunds", "Talks."),
    "skills/house/SKILL.md": INTERNAL,
}


def built(folder: Path, files: repos.Files, base_url: str | None = None) -> tuple[Path, Catalog]:
    """An output and the catalog of its record."""
    request = repos.request_of(repos.repository(folder / "repo", files))
    request = replace(request, config=config.with_base_url(request.config, base_url))
    report = pipeline.build(request, folder / "out")
    assert report.release is not None, report.findings
    return folder / "out", report.release.catalog


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Catalog]:
    return built(tmp_path_factory.mktemp("discovery"), FILES)


def read(out: Path, path: str) -> Json:
    value: Json = json.loads((out / path).read_bytes())
    return value


def entries(catalog: Catalog) -> Mapping[str, Entry]:
    return {entry.path: entry for entry in catalog.entries}


def zip_of(entry: Entry) -> str:
    return next(
        f"archives/{archive.file_name}" for archive in entry.archives if "zip" in archive.file_name
    )


def described(entry: Entry, name: str, description: str, root: str) -> dict[str, str]:
    """The five fields of v0.2.0, from the entry of the record."""
    if len(entry.resources) == 1:
        digest = entry.skill_md.digest
        kind, path = "skill-md", f"archives/{entry.name}-{digest.short}.md"
    else:
        path = zip_of(entry)
        kind, digest = "archive", archives_of(entry)[path]
    url = root + path
    return {
        "name": name,
        "type": kind,
        "description": description,
        "url": url,
        "digest": f"{digest}",
    }


def archives_of(entry: Entry) -> Mapping[str, Digest]:
    return {f"archives/{archive.file_name}": archive.digest for archive in entry.archives}


def plain_files(out: Path) -> list[str]:
    folder = out / PLAIN
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_the_index_offers_every_listed_skill(published: tuple[Path, Catalog]) -> None:
    out, catalog = published
    skills = entries(catalog)
    assert read(out, ROOT) == {
        "$schema": SCHEMA,
        "skills": [
            described(skills["a/refunds"], "a-refunds", "Pays back.", "../../"),
            described(skills["b/refunds"], "b-refunds", "Talks.", "../../"),
            described(skills["logo"], "logo", "Has a drawing.", "../../"),
            described(skills["one"], "one", "Is one file.", "../../"),
            described(skills["pdf"], "pdf", "Fills forms.", "../../"),
        ],
    }


def test_each_listed_skill_has_an_index_of_its_own(published: tuple[Path, Catalog]) -> None:
    out, catalog = published
    refunds, pdf = entries(catalog)["a/refunds"], entries(catalog)["pdf"]
    assert read(out, f"skills/a/refunds/{ROOT}") == {
        "$schema": SCHEMA,
        "skills": [described(refunds, "a-refunds", "Pays back.", "../../../../../")],
    }
    assert read(out, f"skills/pdf/{ROOT}") == {
        "$schema": SCHEMA,
        "skills": [described(pdf, "pdf", "Fills forms.", "../../../../")],
    }
    assert not (out / f"skills/house/{ROOT}").exists()


def test_every_address_leads_to_a_published_file(published: tuple[Path, Catalog]) -> None:
    out, catalog = published
    digests = {
        (out / path).resolve(): str(digest)
        for path, (digest, _) in files_of(catalog.entries).items()
    }
    indexes = sorted(out.rglob(ROOT))
    assert len(indexes) == 9  # Of the catalog, of 3 groups and of 5 skills.
    for index in indexes:
        for skill in json.loads(index.read_bytes())["skills"]:
            assert digests[(index.parent / skill["url"]).resolve()] == skill["digest"]


def test_the_older_index_lists_the_files_beside_it(published: tuple[Path, Catalog]) -> None:
    out, catalog = published
    skills = entries(catalog)
    version = {path: entry.skill_digest.short for path, entry in skills.items()}
    assert read(out, f"{PLAIN}index.json") == {
        "skills": [
            {
                "name": "a-refunds",
                "description": "Pays back.",
                "files": ["SKILL.md"],
                "version": version["a/refunds"],
            },
            {
                "name": "one",
                "description": "Is one file.",
                "files": ["SKILL.md"],
                "version": version["one"],
            },
            {
                "name": "pdf",
                "description": "Fills forms.",
                "files": ["scripts/fill.py", "SKILL.md"],
                "version": version["pdf"],
            },
        ]
    }


def test_plain_files_are_whole_skills_or_skill_md_alone(published: tuple[Path, Catalog]) -> None:
    out, _ = published
    assert plain_files(out) == [
        "a-refunds/SKILL.md",
        "b-refunds/SKILL.md",
        "index.json",
        "logo/SKILL.md",
        "one/SKILL.md",
        "pdf/SKILL.md",
        "pdf/scripts/fill.py",
    ]
    assert (out / PLAIN / "pdf/scripts/fill.py").read_bytes() == b"print('ok')\n"


HARD: repos.Files = {
    "skills/one/SKILL.md": skill_md("one"),
    "skills/drawn/SKILL.md": skill_md("drawn"),
    "skills/drawn/logo.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>\n",
    "skills/dotted/SKILL.md": skill_md("dotted"),
    "skills/dotted/.editorconfig": "root = true\n",
    "skills/umlaut/SKILL.md": skill_md("umlaut"),
    "skills/umlaut/\u00fcber.md": "x\n",
    "skills/a/b/SKILL.md": skill_md("b"),
    "skills/c/b/SKILL.md": skill_md("b"),
    "skills/a-b/SKILL.md": skill_md("a-b").replace("---\nDo", "tags: x\n---\nDo"),
    "skills/long/SKILL.md": skill_md("long", "x" * 1025),
    "skills/house/SKILL.md": INTERNAL,
}


def listed(catalog: Catalog, listing: Listing) -> list[Entry]:
    return [entry for entry in catalog.entries if entry.is_listed(listing)]


def names_in(catalog: Catalog, listing: Listing) -> list[str]:
    """Flat names of the skills that a listing has."""
    return sorted(entry.flat_name for entry in listed(catalog, listing))


def test_skills_that_a_format_omits_have_a_note_and_all_others_are_listed(tmp_path: Path) -> None:
    out, catalog = built(tmp_path, HARD, "https://example.org/")
    in_plain = names_in(catalog, Listing.DISCOVERY_01)
    in_flat = names_in(catalog, Listing.DISCOVERY_02)
    numbered = f"a-b-{hashlib.sha256(b'a/b').hexdigest()[:8]}"
    assert in_plain == ["a-b", numbered, "long", "one"]
    assert in_flat == ["a-b", numbered, "c-b", "dotted", "drawn", "long", "one", "umlaut"]
    assert names_in(catalog, Listing.MARKETPLACE) == in_flat
    offered = {
        path: sorted(skill["name"] for skill in json.loads((out / path).read_bytes())[key])
        for path, key in [(f"{PLAIN}index.json", "skills"), (ROOT, "skills"), (MARKET, "plugins")]
    }
    assert offered == {f"{PLAIN}index.json": in_plain, ROOT: in_flat, MARKET: in_flat}
    index = json.loads((out / "index.json").read_bytes())["skills"]
    assert [skill["url"] for skill in index] == [
        entry.uri for entry in listed(catalog, Listing.INDEX)
    ]
    lines = (out / "llms.txt").read_text("utf-8").splitlines()
    assert [line.partition("]")[0][3:] for line in lines if line.startswith("- ")] == [
        entry.path for entry in listed(catalog, Listing.SITE)
    ]
    everywhere = {entry.path: set(entry.unlisted) for entry in catalog.entries}
    assert everywhere["house"] == set(Listing)
    assert everywhere["long"] == {Listing.MCP}


PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1"/></svg>'


def test_a_skill_with_a_plain_picture_is_offered_and_one_with_a_script_is_not(
    tmp_path: Path,
) -> None:
    files: repos.Files = {
        "good/SKILL.md": skill_md("good"),
        "good/a.svg": PICTURE,
        "bad/SKILL.md": skill_md("bad"),
        "bad/a.svg": PICTURE.replace("<rect", "<script/><rect"),
        "named/SKILL.md": skill_md("named"),
        "named/a.SVG.html": PICTURE,
    }
    out, catalog = built(tmp_path, files)
    assert names_in(catalog, Listing.DISCOVERY_01) == ["good"]
    assert (out / PLAIN / "good/a.svg").read_text() == PICTURE
    assert plain_files(out) == [
        *("bad/SKILL.md", "good/SKILL.md", "good/a.svg", "index.json", "named/SKILL.md")
    ]


PLAIN_PATHS = ["a b.md", "data.CSV", "x/LICENSE", "a+b@2.txt", "deep/er/x.png", "fine.tar.gz"]
OTHER_PATHS = [
    "page.html",
    "x.svg",
    "x.js",
    "x.pdf",
    "x.xml",
    "noextension",
    "x.unknown",
    ".hidden.md",
    "\u00fc.md",
    "a..b.md",
    "a#b.md",
    "a%20b.md",
    "a?b.md",
    "a:b.md",
    " a.md",
    "a/ b.md",
]


@pytest.mark.parametrize("path", [*PLAIN_PATHS, *OTHER_PATHS])
def test_only_inert_files_with_plain_addresses_are_written(
    path: str, published: tuple[Path, Catalog]
) -> None:
    _, catalog = published
    original = entries(catalog)["one"]
    more = changed(original.skill_md, path=path)
    data = b"x\n"
    entry = changed(original, resources=(original.skill_md, more))
    skill = Skill(
        path="one",
        directory="skills/one",
        frontmatter=Frontmatter(original.frontmatter, {}),
        body="",
        body_line=5,
        files=(File("SKILL.md", data, False), File(path, data, False)),
        flat_name="one",
    )
    emitter = discovery.DiscoveryV01Emitter()
    documents = Documents(skill.files)
    output = emitter.emit_skill(EmittedSkill(skill, entry, {}, Outline({}), documents, None))
    written = [file.path.removeprefix(PLAIN) for file in output.files]
    wanted = ["SKILL.md", path] if path in PLAIN_PATHS else ["SKILL.md"]
    assert written == [f"one/{name}" for name in wanted]
    lines = [output.line] if output.line else []
    index = next(emitter.emit_catalog(catalog, lines)).data
    listed = [item["files"] for item in json.loads(index)["skills"]]
    assert listed == ([wanted[::-1]] if path in PLAIN_PATHS else [])


def test_every_skill_is_offered_under_a_name_of_its_own(tmp_path: Path) -> None:
    files: repos.Files = {
        "skills/a/b/SKILL.md": skill_md("b"),
        "skills/c/b/SKILL.md": skill_md("b"),
        "skills/a-b/SKILL.md": skill_md("a-b"),
    }
    out, catalog = built(tmp_path, files, "https://example.org/")
    skills = entries(catalog)
    names = {path: f"{skill.flat_name}" for path, skill in skills.items()}
    joined = hashlib.sha256(b"a/b").hexdigest()[:8]
    assert names == {"a/b": f"a-b-{joined}", "a-b": "a-b", "c/b": "c-b"}
    wanted = [
        described(skills[path], name, "Does one thing.", "../../")
        for path, name in sorted(names.items())
    ]
    assert read(out, ROOT) == {"$schema": SCHEMA, "skills": wanted}
    market = read(out, MARKET)
    assert isinstance(market, dict)
    assert [plugin["name"] for plugin in market["plugins"]] == [
        name for _, name in sorted(names.items())
    ]


def test_a_long_description_is_cut_where_clients_limit_it(tmp_path: Path) -> None:
    emoji = "\U0001f600"
    long = skill_md("long", f"x{emoji * 600}")
    files = {**FILES, "skills/long/SKILL.md": long, "skills/long/more.md": "More.\n"}
    out, catalog = built(tmp_path, files, "https://example.org/")
    assert set(entries(catalog)["long"].unlisted) == {Listing.MCP}
    described = [
        item["description"]
        for path, key in [
            (ROOT, "skills"),
            (f"skills/long/{ROOT}", "skills"),
            (f"{PLAIN}index.json", "skills"),
            (MARKET, "plugins"),
        ]
        for item in json.loads((out / path).read_bytes())[key]
        if item["name"] == "long"
    ]
    assert described == [f"x{emoji * 511}"] * 4
    assert f"x{emoji * 600}" in (out / "llms.txt").read_text("utf-8")
    paths = ["long/SKILL.md", "long/more.md"]
    assert [path for path in plain_files(out) if path.startswith("long/")] == paths


def test_an_internal_skill_is_in_no_discovery_file(published: tuple[Path, Catalog]) -> None:
    out, catalog = published
    assert entries(catalog)["house"].is_internal
    for path in (ROOT, f"{PLAIN}index.json", "llms.txt"):
        assert "house" not in (out / path).read_text()
    assert not (out / PLAIN / "house").exists()


LLMS = """\
# Test Skills

> For tests

## Skills

- [a/refunds]({}.well-known/skills/a-refunds/SKILL.md): Pays back.
- [b/refunds]({}.well-known/skills/b-refunds/SKILL.md): Talks.
- [logo]({}.well-known/skills/logo/SKILL.md): Has a drawing.
- [one]({}.well-known/skills/one/SKILL.md): Is one file.
- [pdf]({}.well-known/skills/pdf/SKILL.md): Fills forms.
"""


def test_llms_and_robots_without_a_base_url(published: tuple[Path, Catalog]) -> None:
    out, _ = published
    assert (out / "llms.txt").read_text() == LLMS.replace("{}", "")
    assert (out / "robots.txt").read_text() == "User-agent: *\nAllow: /\n"


def test_llms_and_robots_with_a_base_url(tmp_path: Path) -> None:
    out, _ = built(tmp_path, FILES, "http://example.org/repo")
    assert (out / "llms.txt").read_text() == LLMS.replace("{}", "http://example.org/repo/")
    assert (out / "robots.txt").read_text() == "User-agent: *\nAllow: /\n"


def test_robots_name_the_sitemap_of_the_pages(tmp_path: Path) -> None:
    out, _ = built(tmp_path, {"skills/s/SKILL.md": skill_md("s")}, "http://example.org/repo")
    robots = "User-agent: *\nAllow: /\nSitemap: http://example.org/repo/sitemap.xml\n"
    assert (out / "robots.txt").read_text() == robots
    assert (out / "sitemap.xml").is_file()


def test_llms_txt_writes_a_description_on_one_line(tmp_path: Path) -> None:
    text = "---\nname: s\ndescription: |\n  One.\n\n  ## Two\n---\nDo it.\n"
    out, _ = built(tmp_path, {"skills/s/SKILL.md": text})
    last = (out / "llms.txt").read_text().splitlines()[-1]
    assert last == "- [s](.well-known/skills/s/SKILL.md): One. ## Two"


@pytest.mark.parametrize("base_url", [None, "http://example.org/"])
def test_there_is_no_marketplace_without_https(base_url: str | None, tmp_path: Path) -> None:
    out, _ = built(tmp_path, FILES, base_url)
    assert not (out / MARKET).exists()


def test_the_marketplace_names_every_zip(tmp_path: Path) -> None:
    out, catalog = built(tmp_path, FILES, "https://example.org/repo")
    skills = entries(catalog)

    def plugin(path: str, name: str, description: str) -> dict[str, object]:
        archive = zip_of(skills[path])
        digest = str(archives_of(skills[path])[archive]).removeprefix("sha256:")
        url = f"https://example.org/repo/{archive}"
        return {
            "name": name,
            "description": description,
            "strict": False,
            "skills": ["./"],
            "source": {"source": "archive", "url": url, "sha256": digest},
        }

    assert read(out, MARKET) == {
        "name": "test-skills",
        "description": "For tests",
        "owner": {"name": "Test Skills"},
        "plugins": [
            plugin("a/refunds", "a-refunds", "Pays back."),
            plugin("b/refunds", "b-refunds", "Talks."),
            plugin("logo", "logo", "Has a drawing."),
            plugin("one", "one", "Is one file."),
            plugin("pdf", "pdf", "Fills forms."),
        ],
    }
    assert not (out / ".claude-plugin").exists()


def test_a_marketplace_always_has_a_name_and_a_description(tmp_path: Path) -> None:
    settings = 'title = "\u30b9\u30ad\u30eb"\n' + SPARE
    files: repos.Files = {"skillbuild.toml": settings, "skills/one/SKILL.md": skill_md("one")}
    out, _ = built(tmp_path, files, "https://example.org/")
    market = read(out, MARKET)
    assert isinstance(market, dict)
    assert market["name"] == "example-org"
    assert market["description"] == "\u30b9\u30ad\u30eb: Agent Skills, one plugin each"


@pytest.mark.parametrize(
    ("title", "base_url", "name"),
    [
        ("Acme's Skills", "https://acme.github.io/skills/", "acme-s-skills"),
        ("Agent Skills", "https://acme.github.io/skills/", "acme-github-io-skills"),
        ("Claude Plugins", "https://acme.github.io/skills/", "acme-github-io-skills"),
        ("x" * 65, "https://acme.github.io/skills/", "acme-github-io-skills"),
        ("", "https://claude-skills.example/", "claude-skills-example"),
        ("", f"https://{'long.' * 20}example/", "skills-959fddfc5ad36326"),
    ],
)
def test_a_marketplace_has_a_name_that_clients_accept(
    title: str, base_url: str, name: str, published: tuple[Path, Catalog]
) -> None:
    _, catalog = published
    shown = marketplace.marketplace_name(config.Config(title=title, base_url=base_url))
    assert shown == name
    emitter = marketplace.MarketplaceEmitter(name, base_url)
    [market] = emitter.emit_catalog(catalog, [])
    assert json.loads(market.data)["name"] == name


def test_a_title_by_default_names_no_marketplace_and_the_owner_owns_it(tmp_path: Path) -> None:
    lines = [
        'repository = "https://forge.example/acme/skills"',
        'owner = { name = "Acme" }',
        'base_url = "https://acme.example/"',
    ]
    files = {"skills/a/SKILL.md": repos.skill_md("a"), "skillbuild.toml": "\n".join(lines)}
    repos.build(repos.repository(tmp_path / "repo", files), tmp_path / "out")
    market = json.loads((tmp_path / "out/claude/marketplace.json").read_bytes())
    assert (market["name"], market["owner"]) == ("acme-example", {"name": "Acme"})
    page = (tmp_path / "out/skills/a/index.html").read_text()
    assert "<title>a - skills</title>" in page
    assert 'href="https://forge.example/acme/skills"' in page
    assert "<p>Published by Acme</p>" in page


def test_formats_that_are_not_asked_for_are_not_written(tmp_path: Path) -> None:
    files = {**FILES, "skillbuild.toml": 'formats = ["zip"]\n'}
    out, _ = built(tmp_path, files, "https://example.org/")
    names = {path.name for path in out.iterdir()}
    addressed = {"archives", "blobs", "icons", "record", "search"}
    heads = {"SHA256SUMS", "catalog.json", "index.json", "release.json"}
    assert names == {".nojekyll", "_headers", *heads, *addressed}

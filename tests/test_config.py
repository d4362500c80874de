"""skillbuild.toml: every key, and a useful message for every mistake."""

import contextlib
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import repos
from helpers.repos import skill_md
from skillbuild import config
from skillbuild.config import Config, Limits, VersionSettings
from skillbuild.emit.registry import emitters
from skillbuild.errors import ConfigError
from skillbuild.model import Listing
from skillbuild.output import verify
from skillbuild.release.layout import CLIENT_INDEXES

FULL = """\
title = "Our skills"
tagline = "For us"
lang = "zh-Hans"
owner = { name = "Acme", url = "https://acme.example/?a=b" }
repository = "https://forge.example/acme/skills.git/"
issues_url = "https://bugs.example.org/new?title={title}"
base_url = "https://example.org/skills"
website_url = "https://example.org/?a=b#c"
mcp_url = "https://mcp.example.org/mcp"
icons = ["icon.svg"]
accent = "#0A7b3c"
templates = "/theme/"
roots = ["skills/"]
exclude = ["tests/**", "**/fixtures/**"]
formats = ["zip", "pages", "zip"]
listing = "all"
keep = 5

[links]
Source = "https://example.org/repo?a=b"

[pages]
files = false

[search.synonyms]
refund = "money back"
pdf = ["portable document", "acrobat"]

[paths]
"/skills/pdf/" = "tools/pdf/"

[rules]
name-mismatch = "error"
body-long = "off"
link-broken = "warning"
name-missing = "error"

[[ignore]]
rule = "link-broken"
paths = ["skills/pdf/**", "/a"]
reason = "the file comes later"

[[ignore]]
rule = "secret"
fingerprint = "0123456789abcdef"
reason = "made up"

[versions]
since = "first"
keep = 20

[moved]
"billing/refund" = "billing/refunds"
"billing/refunds" = "refunds"

[deprecated]
"legacy/pdf tools" = { reason = "replaced", use = "pdf" }
old.reason = "nobody uses it"

[yanked]
"sha256:%s" = "contained a customer name"

[plugins]
name = "acme"
branch = "plugins"
agent_plugins = true
exclude = ["drafts/"]

[trust]
roots = ["trust/root.pem"]
identities = ["Tools team"]
verdicts = ["scans/*.sarif"]
gate = "error"
required = true

[plugins.groups]
"skills/pdf-*" = "documents"

[limits]
files = 100
bytes = 1_000
file_bytes = 10
body_lines = 20
body_tokens = 30
""" % ("0123456789abcdef" * 4)


def given_in(text: str) -> dict[str, object]:
    """The settings of a file that are not the defaults."""
    defaults = Config().as_json()
    return {
        key: value
        for key, value in config.parse(text.encode()).as_json().items()
        if value != defaults[key]
    }


def test_every_format_changes_what_is_published() -> None:
    """Formats are sorted, as those that settings name are, so that both have one digest."""
    assert tuple(sorted(config.FORMATS)) == config.FORMATS
    address = "https://example.org/skills/"
    every = Config(title="Our skills", base_url=address, formats=config.FORMATS)
    for name in set(config.FORMATS) - {"zip", "tar.gz", "upload"}:
        fewer = every.but(formats=tuple(each for each in config.FORMATS if each != name))
        assert len(emitters(fewer, (), {}, "")) < len(emitters(every, (), {}, "")), name


def test_the_file_about_all_skills_of_each_format_is_a_page_or_at_a_fixed_address() -> None:
    every = Config(base_url="https://a/", formats=config.FORMATS, versions=VersionSettings("first"))
    paths = {emitter.path for emitter in emitters(every, (), {}, "")}
    pages = {path for path in paths if path.endswith(".html")}
    assert paths - pages == {"index.json", *CLIENT_INDEXES}


@pytest.mark.parametrize("base_url", [None, "http://a/", "https://a/"])
def test_the_listings_of_a_build_are_those_that_its_emitters_write(base_url: str | None) -> None:
    choices = itertools.chain.from_iterable(
        itertools.combinations(config.FORMATS, size) for size in range(len(config.FORMATS) + 1)
    )
    for formats in choices:
        settings = Config(formats=formats, base_url=base_url)
        written = {
            Listing.MCP,
            Listing.SITE,
            *(each.listing for each in emitters(settings, (), {}, "")),
        }
        assert settings.listings == tuple(each for each in Listing if each in written), formats


@pytest.mark.parametrize(
    ("text", "option", "title"),
    [
        ("", None, "Agent Skills"),
        ("", "https://a.example/acme/tools.git", "tools"),
        ('repository = "https://a.example/acme/skills/"', None, "skills"),
        ('repository = "https://a.example/acme/skills"', "https://b.example/c", "c"),
        ('repository = "https://a.example/"', None, "Agent Skills"),
        ('repository = "https://a.example/%0A"', None, "Agent Skills"),
        ('title = "Ours"\nrepository = "https://a.example/b"', "https://b.example/c", "Ours"),
    ],
)
def test_a_catalog_without_a_title_has_the_name_of_its_repository(
    text: str, option: str | None, title: str
) -> None:
    assert config.with_repository(config.parse(text.encode()), option).title == title


def test_every_key_is_read() -> None:
    assert given_in(FULL).keys() == {*Config.__struct_fields__}
    assert given_in(FULL) == {
        "title": "Our skills",
        "tagline": "For us",
        "lang": "zh-Hans",
        "owner": {"name": "Acme", "url": "https://acme.example/?a=b"},
        "repository": "https://forge.example/acme/skills",
        "issues_url": "https://bugs.example.org/new?title={title}",
        "base_url": "https://example.org/skills/",
        "website_url": "https://example.org/?a=b#c",
        "mcp_url": "https://mcp.example.org/mcp",
        "icons": ("icon.svg",),
        "accent": "#0a7b3c",
        "templates": "theme",
        "links": {"Source": "https://example.org/repo?a=b"},
        "roots": ("skills/",),
        "exclude": ("tests/**", "**/fixtures/**"),
        "formats": ("pages", "zip"),
        "listing": "all",
        "keep": 5,
        "pages": {"files": False},
        "search": {
            "synonyms": {"refund": ("money back",), "pdf": ("portable document", "acrobat")},
        },
        "paths": {"skills/pdf": "tools/pdf"},
        "rules": {
            "name-mismatch": "error",
            "body-long": "off",
            "link-broken": "warning",
            "name-missing": "error",
        },
        "ignore": (
            {
                "rule": "link-broken",
                "reason": "the file comes later",
                "paths": ("skills/pdf/**", "/a"),
                "fingerprint": "",
            },
            {
                "rule": "secret",
                "reason": "made up",
                "paths": (),
                "fingerprint": "0123456789abcdef",
            },
        ),
        "versions": {"since": "first", "keep": 20},
        "moved": {"billing/refund": "billing/refunds", "billing/refunds": "refunds"},
        "deprecated": {
            "legacy/pdf tools": {"reason": "replaced", "use": "pdf"},
            "old": {"reason": "nobody uses it", "use": ""},
        },
        "yanked": {"0123456789abcdef" * 4: "contained a customer name"},
        "trust": {
            "roots": ("trust/root.pem",),
            "identities": ("Tools team",),
            "verdicts": ("scans/*.sarif",),
            "gate": "error",
            "required": True,
        },
        "plugins": {
            "name": "acme",
            "branch": "plugins",
            "groups": {"skills/pdf-*": "documents"},
            "agent_plugins": True,
            "exclude": ("drafts/",),
        },
        "limits": {
            "files": 100,
            "bytes": 1000,
            "file_bytes": 10,
            "body_lines": 20,
            "body_tokens": 30,
        },
    }


def test_an_empty_configuration_has_the_defaults() -> None:
    assert config.parse(b"# nothing\n") == Config()
    assert Limits() == Limits(10_000, 104_857_600, 1_048_576, 500, 5000)


def test_pages_are_one_of_the_formats() -> None:
    assert Config().has_pages
    assert not Config(formats=("zip",)).has_pages


def test_an_mcp_server_of_this_machine_needs_no_https() -> None:
    for url in ("http://127.0.0.1:8000/mcp", "http://[::1]/mcp", "http://localhost:8000/a/mcp"):
        assert config.parse(f'mcp_url = "{url}"'.encode()).mcp_url == url


def test_the_base_url_of_the_command_line_wins() -> None:
    written = Config(base_url="https://a/")
    assert config.with_base_url(written, None) == written
    assert config.with_base_url(written, "http://b/c").base_url == "http://b/c/"
    with pytest.raises(ConfigError, match=r"^--base-url must be an absolute"):
        config.with_base_url(written, "b")


SOUND = '[[ignore]]\nrule = "link-broken"\nreason = "a"'
SLIPS = {
    'titel = "x"': "unknown key 'titel'; did you mean title?",
    "zzz = 1": "unknown key 'zzz'; known: ",
    "title = 1": "title must be a string on one line",
    'title = "a\\nb"': "title must be a string on one line",
    'tagline = "a\\u0007"': "tagline must be a string on one line",
    'title = "a\\u202eb"': "title must be a string on one line",
    'base_url = "example.org"': "base_url must be an absolute http(s) URL",
    'base_url = "ftp://example.org"': "base_url must be an absolute http(s) URL",
    'base_url = "https://"': "base_url must be an absolute http(s) URL",
    'base_url = "https://["': "base_url must be an absolute http(s) URL",
    'base_url = "https://a b/"': "base_url must be an absolute http(s) URL",
    'base_url = "https://user@a/"': "base_url must be an absolute http(s) URL without user,",
    'base_url = "https://a/?"': "base_url must be an absolute http(s) URL without user,",
    'base_url = "https://a/#b"': "base_url must be an absolute http(s) URL without user,",
    "owner = 1": 'owner must be a table with name = "..." and url = "https://..."',
    'owner = { names = "a" }': "unknown key of [owner] 'names'; did you mean name?",
    'owner = { url = "https://a.example" }': "owner.name must be a non-empty string on one line",
    'owner = { name = " " }': "owner.name must be a non-empty string on one line",
    'owner = { name = "a", url = "a" }': "owner.url must be an absolute http(s) URL",
    'repository = "git@a:b"': "repository must be an absolute http(s) URL",
    'lang = "en_GB"': "lang must be a language tag, such as en or zh-Hans",
    'website_url = "javascript:alert(1)"': "website_url must be an absolute http(s) URL",
    'website_url = "http://["': "website_url must be an absolute http(s) URL",
    'issues_url = "mailto:a@b"': "issues_url must be an absolute http(s) URL",
    'mcp_url = "http://example.org/mcp"': "mcp_url must be an https URL without user, query or",
    'mcp_url = "http://localhost.example/mcp"': "mcp_url must be an https URL without user,",
    'mcp_url = "https://me:secret@example.org/mcp"': "mcp_url must be an https URL without user,",
    'mcp_url = "https://example.org/mcp?token=x"': "mcp_url must be an https URL without user,",
    'icons = "a.svg"': "icons must be a list of strings",
    "icons = [1]": "icons must be a string on one line",
    'exclude = "tests"': "exclude must be a list of strings",
    'exclude = [\n  "a",\n  "!tests",\n]': "exclude must be a list of globs",
    'exclude = ["!tests"]': "exclude must be a list of globs",
    f'roots = ["{"x" * 257}"]': "roots must be a list of globs with no leading !",
    'formats = ["tar"]': "formats must be one of discovery, marketplace, pages, tar.gz, upload,",
    'listing = "some"': "listing must be one of safe, all",
    "listing = []": "listing must be one of safe, all",
    "keep = 0": "keep must be a whole number from 1 to 100",
    "keep = 101": "keep must be a whole number from 1 to 100",
    "keep = true": "keep must be a whole number from 1 to 100",
    "keep = 2.0": "keep must be a whole number from 1 to 100",
    "pages = false": "pages must be a table",
    "[pages]\nfiles = 0": "pages.files must be true or false",
    "[pages]\nfile = true": "unknown key of [pages] 'file'; did you mean files?",
    "search = 1": "search must be a table",
    "[search]\nsynonym = {}": "unknown key of [search] 'synonym'; did you mean synonyms?",
    "[search]\nsynonyms = []": "search.synonyms must be a table of at most 500",
    "[search.synonyms]\na = 1": "search.synonyms.a must be a phrase or a list of phrases",
    '[search.synonyms]\na = [""]': "search.synonyms.a must be a phrase or a list of phrases",
    f'[search.synonyms]\na = "{"x" * 65}"': "search.synonyms.a must be a phrase or a list of",
    "paths = []": "paths must be a table of",
    "[paths]\na = 1": "paths.a must be a string on one line",
    "rules = 1": "rules must be a table of rule = level",
    '[rules]\nname-mismach = "off"': "unknown rule 'name-mismach'; did you mean name-mismatch?",
    '[rules]\nname-mismatch = "no"': "rules.name-mismatch must be one of off, warning, error",
    "[rules]\nname-mismatch = []": "rules.name-mismatch must be one of off, warning, error",
    '[rules]\nname-missing = "off"': "rules.name-missing is an error and cannot be lowered",
    '[rules]\nname-missing = "warning"': "rules.name-missing is an error and cannot be lowered",
    '[rules]\nsecret = "off"': "rules.secret is an error and cannot be lowered",
    "ignore = 1": "ignore must be entries that begin with [[ignore]]",
    "[ignore]": "ignore must be entries that begin with [[ignore]]",
    "ignore = [1]": "[[ignore]] 1 must be a table with rule",
    '[[ignore]]\nruel = "a"': "unknown key of [[ignore]] 1 'ruel'; did you mean rule?",
    '[[ignore]]\nreason = "a"': "rule of [[ignore]] 1 must be a string on one line",
    f'{SOUND}\n[[ignore]]\nrule = "link-brokn"\nreason = "a"': (
        "unknown rule 'link-brokn'; did you mean link-broken?"
    ),
    '[[ignore]]\nrule = "name-missing"\nreason = "a"': (
        "the rule name-missing is an error; it cannot be ignored"
    ),
    '[[ignore]]\nrule = "link-broken"': (
        "reason of [[ignore]] 1 must be a non-empty string on one line"
    ),
    '[[ignore]]\nrule = "link-broken"\nreason = " "': (
        "reason of [[ignore]] 1 must be a non-empty string on one line"
    ),
    f'{SOUND}\npaths = "a"': "paths of [[ignore]] 1 must be a list of strings",
    f'{SOUND}\npaths = ["!a"]': "paths of [[ignore]] 1 must be a list of globs",
    f'{SOUND}\nfingerprint = "0123456789abcdef"': (
        "fingerprint must be left out unless the rule is secret"
    ),
    '[[ignore]]\nrule = "secret"\nreason = "a"': (
        "fingerprint must be the 16 hex digits that the finding shows"
    ),
    '[[ignore]]\nrule = "secret"\nreason = "a"\nfingerprint = "0123456789ABCDEF"': (
        "fingerprint must be the 16 hex digits that the finding shows"
    ),
    "versions = true": "versions must be a table",
    "[versions]\nsinze = 1": "unknown key of [versions] 'sinze'; did you mean since?",
    '[versions]\nsince = "0123abc"': 'versions.since must be the full id of a commit, or "first"',
    f'[versions]\nsince = "{"A" * 40}"': "versions.since must be the full id of a commit, or",
    "[versions]\nsince = 1": "versions.since must be the full id of a commit, or",
    "[versions]\nkeep = 0": "versions.keep must be a whole number from 1 to 1000000",
    '[versions]\nkeep = "many"': 'versions.keep must be a whole number from 1 to 1000000, or "all"',
    "moved = []": 'moved must be a table of "old/path" = "new/path"',
    "[moved]\na = 1": "moved.a must be a skill path",
    "[moved]\na.b = 'c'": "moved.a must be a skill path",
    '[moved]\n"a/" = "b"': "the key 'a/' of [moved] must be a skill path; it contains the segm",
    '[moved]\n"a*" = "b"': "the key 'a*' of [moved] must be a skill path; it contains the char",
    '[moved]\na = ""': "moved.a must be a skill path; it contains the segment ''",
    '[moved]\na = "../b"': "moved.a must be a skill path; it contains the segment '..'",
    '[moved]\na = "-/b"': "moved.a must be a skill path; it contains the segment -, which",
    '[moved]\na = "https://evil.example/b"': "moved.a must be a skill path; it contains the char",
    '[moved]\na = "//evil.example/b"': "moved.a must be a skill path; it contains the segment ''",
    '[moved]\na = "b c"': "moved.a must be a skill path without spaces",
    '[moved]\n"b c" = "a"': "the key 'b c' of [moved] must be a skill path without spaces",
    '[moved]\na = "a"': "moved has a cycle: a, a",
    '[moved]\nc = "a"\na = "b"\nb = "a"': "moved has a cycle: a, b, a",
    "deprecated = 1": 'deprecated must be a table of "skill/path" = { reason =',
    '[deprecated]\na = "old"': 'deprecated.a must be a table with reason = "..."',
    "[deprecated]\na = {}": "deprecated.a.reason must be a non-empty string on one line",
    '[deprecated]\na = { reason = " " }': (
        "deprecated.a.reason must be a non-empty string on one line"
    ),
    '[deprecated]\na = { why = "x" }': "unknown key of [deprecated.a] 'why'; known: reason, use",
    '[deprecated]\na = { reason = "x", use = "b:c" }': "deprecated.a.use must be a skill path; it",
    '[deprecated]\na = { reason = "x", use = "a" }': "deprecated.a.use must be another skill",
    '[deprecated]\n"a/." = { reason = "x" }': "the key 'a/.' of [deprecated] must be a skill path;",
    'plugins.name = "Acme Skills"': "plugins.name must be a name made of a-z, 0-9 and",
    'plugins.branch = "a/b"': "plugins.branch must be a name made of a-z, 0-9 and",
    'plugins.groups = ["a"]': 'plugins.groups must be a table of "glob" = "name"',
    '[plugins.groups]\n"a/" = "A b"': "plugins.groups.a/ must be a name made of a-z, 0-9 and",
    '[plugins.groups]\n"!a" = "b"': "the key '!a' of [plugins.groups] must be a list of globs with",
    "trust.identities = ['a']": "trust.identities needs trust.roots, because only",
    "[trust]\nroots = ['a']\nidentities = ['']": "trust.identities must be a list of names without",
    "trust.gate = 'error'": "trust.gate needs trust.verdicts, which names the scanner reports",
    "trust.gate = 'errors'": "trust.gate must be one of off, note, warning, error;",
    "trust.verdicts = ['!a']": "trust.verdicts must be a list of globs with no leading !",
    "trust.required = 1": "trust.required must be true or false",
    "plugins.agent_plugins = 1": "plugins.agent_plugins must be true or false",
    "yanked = 1": 'yanked must be a table of "sha256:..." = "reason"',
    '[yanked]\nabc = "x"': "the key 'abc' of [yanked] must be the digest of a skill: sha256:",
    f'[yanked]\n"sha256:{"A" * 64}" = "x"': "the key 'sha256:AAAAAAAA",
    f'[yanked]\n"sha256:{"a" * 64}" = ""': f"yanked.sha256:{'a' * 64} must be a non-empty string",
    "limits = 1": "limits must be a table",
    "[limits]\nfile = 1": "unknown key of [limits] 'file'; did you mean files?",
    "[limits]\nfiles = 10_001": "limits.files must be a whole number from 1 to 10000",
    "[limits]\nbytes = 104_857_601": "limits.bytes must be a whole number from 1 to 104857600",
    "[limits]\nbody_lines = 0": "limits.body_lines must be a whole number from 1 to",
}
NO_TOML = {
    "a = ": ": invalid value",
    "a = b\n": ":1:5: invalid value",
    "a = 1\na = 2\n": ":2:6: cannot overwrite a value",
    'title = "\xff"': ": byte 10 is not UTF-8",
    "a = " + "[" * 100_000: "",
    "keep = 1" + "0" * 5_000: "",
}


@pytest.mark.parametrize(("text", "message"), NO_TOML.items(), ids=[text[:40] for text in NO_TOML])
def test_what_is_no_toml_is_one_error(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        config.parse(text.encode("latin-1"))
    assert str(caught.value).startswith(f"skillbuild.toml{message}")


LINES = {
    'exclude = [\n  "a",\n  "!tests",\n]': 1,
    '[[ignore]]\nreason = "a"': 1,
    '[[ignore]]\nrule = "link-broken"': 1,
    '[[ignore]]\nrule = "secret"\nreason = "a"': 1,
    f'{SOUND}\n[[ignore]]\nrule = "link-brokn"\nreason = "a"': 5,
    '[[ignore]]\nrule = "name-missing"\nreason = "a"': 2,
    '[moved]\nc = "a"\na = "b"\nb = "a"': 3,
}
"""Where a slip is not in the last line: of what lacks a key, the line where it begins."""
UNUSUAL = '"links"."a" = """https://\\\n  a"""\nicons = [\n  "a", # ]\n]\n\n'
LONG = "".join(f"# {number}\n" for number in range(40))


@pytest.mark.parametrize(("text", "message"), SLIPS.items(), ids=[text[:40] for text in SLIPS])
def test_a_wrong_value_is_named_with_its_key(text: str, message: str) -> None:
    """The slip is in the last line of each text, where another line is not named below."""
    line = LINES.get(text, text.count("\n") + 1)
    for before in ("", "# a\u2028b\n\n", LONG, "" if "icons" in text else UNUSUAL):
        with pytest.raises(ConfigError) as caught:
            config.parse((before + text).encode())
        where = f"skillbuild.toml:{line + before.count(chr(10))}: {message}"
        assert str(caught.value).startswith(where)


KEYS = st.sampled_from(
    ["title", "base_url", "exclude", "paths", "rules", "limits", "formats", "keep"]
)
VALUES = st.sampled_from(
    ["1", "-1", "true", '"off"', '"https://["', "1e9", "nan", "2026-01-31", "{}"]
)
MARKS = st.sampled_from([" = ", "\n", "[", "]", "{", "}", ",", '"', "'", ".a", "\\", "\x00", "é"])
TABLES = st.sampled_from(["[rules]\n", "secret", "[limits]\nfiles"])
TOMLISH = st.lists(KEYS | VALUES | MARKS | TABLES, max_size=12).map("".join)


@given(TOMLISH | st.text())
def test_any_text_gives_settings_or_one_error(text: str) -> None:
    with contextlib.suppress(ConfigError):
        assert set(config.parse(text.encode()).as_json()) == set(Config().as_json())


MISFITS = {
    'keep = 3\n\n[paths]\na = "b"\n"skills/pfd" = "x"': (
        "5: [paths] 'skills/pfd' contains no skill; did you mean skills/pdf?"
    ),
    'keep = 3\nicons = ["gone.png"]': "2: icons: gone.png is not a file in the source",
    'keep = 3\ntemplates = "gone"': "2: templates: the source has no directory gone/",
    '[moved]\nold = "a"\npfd = "skills-pdf"': "3: [moved] 'pfd' moves to 'skills-pdf', which is",
    '[moved]\nold = "older"\nolder = "pfd"': (
        "3: [moved] 'older' moves to 'pfd', which is not a skill; did you mean pdf?"
    ),
    '[moved]\nold = "a"\na = "pdf"': (
        "3: [moved] 'a' is still the path of a skill; remove the line"
    ),
    '[deprecated.a]\nreason = "x"\n[deprecated.pfd]\nreason = "x"': (
        "3: [deprecated] 'pfd' is not a skill; did you mean pdf?"
    ),
    '[deprecated.a]\nreason = "x"\nuse = "zzz"': (
        "3: [deprecated] 'a' has use = 'zzz', which is not a skill; use the path of"
    ),
    '[moved]\nold = "pdf"\n[deprecated.a]\nreason = "x"\nuse = "old"': (
        "5: [deprecated] 'a' has use = 'old', which is not a skill; did you mean pdf?"
    ),
    'roots = ["skills"]\nexclude = [\n  "a",\n  "[z-a]"\n]': "2: invalid glob in roots",
    f'{SOUND}\npaths = ["[z-a]"]': "4: invalid glob in roots, exclude",
}


@pytest.mark.parametrize(("text", "message"), MISFITS.items(), ids=[text[-20:] for text in MISFITS])
def test_what_does_not_fit_the_source_is_named_with_its_line(
    tmp_path: Path, text: str, message: str
) -> None:
    files = {"skillbuild.toml": text, "a/SKILL.md": skill_md("a")}
    repo = repos.repository(tmp_path / "repo", {**files, "skills/pdf/SKILL.md": skill_md("pdf")})
    for check in (repos.check, lambda folder: repos.build(folder, tmp_path / "out")):
        with pytest.raises(ConfigError) as caught:
            check(repo)
        assert str(caught.value).startswith(f"skillbuild.toml:{message}")


def test_a_path_may_be_that_of_a_skill_once_it_is_mended(tmp_path: Path) -> None:
    """What is wrong with the skill is the finding; it has its path from what cannot be read."""
    text = '[moved]\nold = "pdf/pdf-tools"\n[deprecated."pdf/pdf-tools"]\nreason = "x"\n'
    for path, content, code in (
        ("pdf/SKILL.md", "---\nname: pdf-tools: x\n---\n", "yaml-unquoted-colon"),
        ("pdf/skill.md", skill_md("pdf-tools"), "skill-file-case"),
    ):
        files = {"skillbuild.toml": text, "a/SKILL.md": skill_md("a"), path: content}
        repo = repos.repository(tmp_path / code, files)
        assert repos.codes(repos.check(repo)) == [(path, code)]


def test_the_files_that_a_skill_has_cannot_be_yanked(tmp_path: Path) -> None:
    files = {"a/SKILL.md": skill_md("a"), "b/SKILL.md": skill_md("b")}
    repo = repos.repository(tmp_path / "repo", files)
    repos.build(repo, tmp_path / "out")
    [_, entry] = verify.load(tmp_path / "out").catalog.entries
    yanked = f'[yanked]\n"{entry.skill_digest}" = "a name"\n'
    repos.commit(repo, {**files, "skillbuild.toml": yanked})
    with pytest.raises(ConfigError) as caught:
        repos.build(repo, tmp_path / "out")
    message = (
        f"[yanked] {entry.skill_digest} is the current version of b; change or remove the skill"
        " first"
    )
    assert str(caught.value) == f"skillbuild.toml:2: {message}"
    repos.commit(repo, {**files, "skillbuild.toml": yanked, "b/SKILL.md": skill_md("b", "Other.")})
    repos.build(repo, tmp_path / "out")
    assert verify.load(tmp_path / "out").yanked == {entry.skill_digest: "a name"}

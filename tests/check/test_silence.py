"""What `[[ignore]]` silences: by rule, path and fingerprint; whether a skill is refused with it."""

import msgspec
import pytest

from helpers import tokens
from helpers.support import MemorySource, check, outline_in, skill_md
from skillbuild.check.levels import without_silenced
from skillbuild.check.skill import check_skill
from skillbuild.config import FORMATS, Config, Ignore
from skillbuild.diagnostics import Finding, Severity, finding
from skillbuild.errors import ConfigError
from skillbuild.model import Place
from skillbuild.rules.files import SECRET
from skillbuild.rules.registry import RULES

LINK = finding(RULES["link-broken"], "skills/a/SKILL.md", Place(5, 1), "m")
NOTE = finding(RULES["name-mismatch"], "skills/a/SKILL.md", Place(2, 7), "m")
KEY = Finding(SECRET.code, "skills/a/key", Place(1, 1), "m", fingerprint="0123456789abcdef")


@pytest.mark.parametrize(
    ("item", "entry", "is_silenced"),
    [
        (LINK, Ignore("link-broken", "r"), True),
        (LINK, Ignore("link-broken", "r", ("skills/a/**",)), True),
        (LINK, Ignore("link-broken", "r", ("skills/b/**", "SKILL.md")), True),
        (LINK, Ignore("link-broken", "r", ("skills/b/**",)), False),
        (LINK, Ignore("link-broken", "r", ("/SKILL.md",)), False),
        (LINK, Ignore("path-missing", "r"), False),
        (NOTE, Ignore("name-mismatch", "r"), True),
        (
            Finding(LINK.code, "a", None, "m", severity=Severity.ERROR),
            Ignore("link-broken", "r"),
            0,
        ),
        (KEY, Ignore("secret", "r", (), "0123456789abcdef"), True),
        (KEY, Ignore("secret", "r", ("skills/a/*",), "0123456789abcdef"), True),
        (KEY, Ignore("secret", "r", ("skills/b/*",), "0123456789abcdef"), False),
        (KEY, Ignore("secret", "r", (), "0123456789abcdee"), False),
    ],
)
def test_an_entry_silences_by_rule_path_and_fingerprint(
    item: Finding, entry: Ignore, is_silenced: bool
) -> None:
    left, silenced = without_silenced([item], Config(ignore=(entry,)))
    assert (left, silenced) == (([], [item]) if is_silenced else ([item], []))


BROKEN = {"skills/a/SKILL.md": skill_md("a", body="See [that](gone.md).\n")}
ACCEPTED = (Ignore("link-broken", "it comes later"),)


def test_the_report_has_what_is_silenced_with_its_reason() -> None:
    [item] = check(BROKEN).findings
    report = check(BROKEN, Config(ignore=(Ignore("link-broken", "no", ("b",)), *ACCEPTED)))
    assert [(each.finding, each.reason) for each in report.silenced] == [(item, "it comes later")]
    assert [each.code for each in report.findings] == ["ignore-unused"]


def test_a_place_that_is_silenced_leaves_the_finding_that_tells_of_several() -> None:
    files = {"a/SKILL.md": skill_md("a"), "a/\u00e4.svg": b"<svg/>", "a/\u00fc.svg": b"<svg/>"}
    files["a/SKILL.md"] += b"```sh\n./x.sh\n./y.sh\n```\n[x](docs/x.md) [y](docs/y.md)\n"
    files |= {"a/x.sh": b"#!/bin/sh\n", "a/y.sh": b"#!/bin/sh\n"}
    codes = ["discovery-omitted", "link-broken", "script-not-executable", "tar-omitted"]

    def told(*paths: str) -> tuple[dict[str, list[str]], int]:
        entries = tuple(Ignore(code, "r", paths) for code in codes)
        report = check(files, Config(formats=FORMATS, ignore=entries if paths else ()))
        places = {item.code: [place.path for place in item.places] for item in report.findings}
        return places, len(report.silenced)

    both, skill = ["a/\u00e4.svg", "a/\u00fc.svg"], "a/SKILL.md"
    every = {"discovery-omitted": both, "link-broken": [skill, skill], "tar-omitted": both}
    assert told() == ({**every, "script-not-executable": ["a/x.sh", "a/y.sh"]}, 0)
    assert told("*") == ({}, 8)
    assert told("\u00fc.svg", "y.sh", "SKILL.md") == (
        {
            "discovery-omitted": both[:1],
            "tar-omitted": both[:1],
            "script-not-executable": ["a/x.sh"],
        },
        5,
    )


def test_what_is_silenced_refuses_nothing_where_warnings_are_errors() -> None:
    settings = Config(ignore=ACCEPTED)
    for config in (settings, settings.but(rules={"link-broken": "error"})):
        report = check(BROKEN, config, strict=True)
        assert (report.findings, report.invalid, len(report.silenced)) == ((), (), 1)


def test_what_is_off_is_not_silenced() -> None:
    report = check(BROKEN, Config(ignore=ACCEPTED, rules={"link-broken": "off"}))
    assert [each.code for each in report.findings] == ["ignore-unused"]
    assert report.silenced == ()


def test_a_silenced_finding_still_unlists() -> None:
    files = {
        "a/SKILL.md": skill_md("a", "metadata: 1"),
        "b/SKILL.md": skill_md("b"),
    }
    report = check(files, Config(ignore=(Ignore("metadata-type", "r"),)))
    assert (report.findings, len(report.silenced)) == ((), 1)
    assert report.unlisted == check(files).unlisted != {}


def test_what_a_refused_skill_has_is_silenced_too() -> None:
    files = {"skills/a/SKILL.md": skill_md("b", "name: b", body="See [that](gone.md).\n")}
    files["skills/c/SKILL.md"] = skill_md("c", body="See [that](gone.md).\n")
    files["skills/c/bad?"] = b""
    report = check(files, Config(ignore=ACCEPTED))
    assert [item.code for item in report.findings] == ["yaml-duplicate-key", "file-name"]
    assert [each.finding.path for each in report.silenced] == ["skills/c/SKILL.md"]


@pytest.mark.parametrize("glob", ["[z-a]", "\\"])
def test_a_glob_that_cannot_be_read_is_an_error_though_there_is_no_finding(glob: str) -> None:
    with pytest.raises(ConfigError, match=r"^skillbuild\.toml: invalid glob in "):
        check({}, Config(ignore=(Ignore("body-long", "r", (glob,)),)))


TOKEN = tokens.with_crc("ghp_").encode()


def test_an_accepted_secret_is_published_as_it_is_and_another_one_refuses_the_skill() -> None:
    files = {"a/SKILL.md": skill_md("a"), "a/tests/key.txt": TOKEN}
    source = MemorySource(files)
    [secret] = check(source).findings
    config = Config(ignore=(Ignore("secret", "it is revoked", (), secret.fingerprint),))
    [tree] = outline_in(source).skills
    with source.reader() as reader:
        checked = check_skill(tree, outline_in(source), reader, config)
    assert (checked.findings, checked.silenced) == ((), (secret,))
    assert checked.skill is not None
    assert {file.path: file.data for file in checked.skill.files}["tests/key.txt"] == TOKEN
    others = {**files, "b/SKILL.md": skill_md("b"), "b/key.txt": TOKEN}
    narrow = msgspec.structs.replace(config.ignore[0], paths=("a/**",))
    assert check(others, Config(ignore=(narrow,))).invalid == ("b",)

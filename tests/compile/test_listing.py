"""Which listings leave out which skills: what a skill says of itself, and what comes of it."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import repos
from helpers.repos import skill_md
from skillbuild.build import Options
from skillbuild.compile.skills import by_listing, settled
from skillbuild.config import Config
from skillbuild.model import Unlisted
from skillbuild.output import verify
from skillbuild.release.compare import compare_catalogs
from skillbuild.report.changes import render_changes

SAFE, ALL = Config(), Config(listing="all")
TYPED = {"mcp": ("metadata-type",)}
LONG = {"mcp": ("description-too-long",)}
PLAIN = {"discovery-0.1": ("discovery-omitted",)}
INTERNAL = {"mcp": ("internal",), "index": ("internal",), "site": ("internal",)}
HIDDEN = {**INTERNAL, "mcp": ("internal", "metadata-type")}
EVERY = [{}, TYPED, LONG, {**TYPED, **PLAIN}, PLAIN, INTERNAL, HIDDEN]


@pytest.mark.parametrize(
    ("own", "config", "wanted"),
    [
        ([TYPED, {}], SAFE, [TYPED, {}]),
        ([TYPED, LONG], SAFE, [{}, {}]),
        ([{**TYPED, **PLAIN}], SAFE, [PLAIN]),
        ([TYPED, INTERNAL], SAFE, [{}, INTERNAL]),
        ([TYPED, HIDDEN], SAFE, [{}, INTERNAL]),
        ([TYPED, PLAIN], SAFE, [TYPED, PLAIN]),
        ([TYPED, {}, HIDDEN, PLAIN], ALL, [{}, {}, INTERNAL, PLAIN]),
        ([INTERNAL], ALL, [INTERNAL]),
        ([], SAFE, []),
    ],
)
def test_a_skill_is_left_out_for_others_as_long_as_there_are_any(
    own: list[Unlisted], config: Config, wanted: list[Unlisted]
) -> None:
    named = {str(number): unlisted for number, unlisted in enumerate(own)}
    assert list(settled(named, config).values()) == wanted


@given(st.dictionaries(st.text(), st.sampled_from(EVERY)))
def test_a_skill_that_every_client_reads_brings_back_what_each_says_of_itself(
    own: Mapping[str, Unlisted],
) -> None:
    assert settled({**own, "one more": {}}, SAFE) == {**own, "one more": {}}
    everything = settled(own, ALL)
    assert settled(own, SAFE) in (own, everything)
    for key, unlisted in everything.items():
        assert unlisted.items() <= own[key].items() or "internal" in unlisted["mcp"]
        left = {reason for reasons in unlisted.values() for reason in reasons}
        assert left <= {"internal", "discovery-omitted"}


def test_each_skill_that_is_left_out_is_named_with_the_reasons_and_internal_ones_apart() -> None:
    skills: dict[str, Unlisted] = {"d": TYPED, "c": {}, "z": INTERNAL, "h": HIDDEN}
    skills["b/a"] = {**LONG, **PLAIN}
    assert by_listing(skills) == (
        {
            "mcp": {"b/a": ("description-too-long",), "d": ("metadata-type",)},
            "discovery-0.1": {"b/a": ("discovery-omitted",)},
        },
        ("h", "z"),
    )


def typed(name: str) -> str:
    """A skill for which typed clients drop a whole listing."""
    return f"---\nname: {name}\ndescription: Does it.\nmetadata:\n  version: 1\n---\nDo it.\n"


SPOILED: repos.Files = {f"skills/{name}/SKILL.md": typed(name) for name in ("a", "b")}
CLEAN: repos.Files = {**SPOILED, "skills/clean/SKILL.md": skill_md("clean")}
HOUSE = typed("house").replace("version: 1", "internal: true")


def built(tmp_path: Path, files: repos.Files, name: str = "out", day: int = 0) -> Path:
    repo = tmp_path / "repo"
    repos.commit(repo if repo.exists() else repos.empty(repo, bare=True), files, day=day)
    report = repos.build(repo, tmp_path / name)
    checked = repos.check(repo, "HEAD")
    assert (report.unlisted, report.internal) == (checked.unlisted, checked.internal)
    again = repos.build(repo, tmp_path / name)
    assert again.unchanged
    assert (report.unlisted, report.internal) == (again.unlisted, again.internal)
    assert verify.verify(tmp_path / name).holds(whole=True)
    return tmp_path / name


def listed(out: Path) -> dict[str, list[str]]:
    """Names of the skills in the MCP list, by the record, and in each listing that is a file."""
    paths = {
        "index": "index.json",
        "discovery-0.1": ".well-known/skills/index.json",
        "discovery-0.2": ".well-known/agent-skills/index.json",
    }
    documents = {name: json.loads((out / path).read_bytes()) for name, path in paths.items()}
    entries = verify.load(out).catalog.entries
    return {"mcp": [entry.path for entry in entries if entry.is_listed("mcp")]} | {
        name: [skill["name"] for skill in document["skills"]]
        for name, document in documents.items()
    }


def compared(old: Path, new: Path) -> list[str]:
    """The lines of `diff`, without a look into the files."""
    was, now = (verify.load(out).catalog for out in (old, new))
    changes = compare_catalogs(was, now, lambda _: None, lambda _: None)
    return render_changes(changes, "text").splitlines()


def everywhere(*names: str) -> dict[str, list[str]]:
    return {name: [*names] for name in ("mcp", "index", "discovery-0.1", "discovery-0.2")}


def test_where_no_skill_is_to_be_protected_all_are_listed(tmp_path: Path) -> None:
    out = built(tmp_path, {**SPOILED, "skills/house/SKILL.md": HOUSE})
    assert listed(out) == everywhere("a", "b")
    entries = {entry.path: entry for entry in verify.load(out).catalog.entries}
    assert {path: dict(entry.unlisted) for path, entry in entries.items() if path != "house"} == {
        "a": {},
        "b": {},
    }
    assert {reason for each in entries["house"].unlisted.values() for reason in each} == {
        "internal"
    }


def test_one_clean_skill_more_takes_the_others_out_and_the_comparison_says_why(
    tmp_path: Path,
) -> None:
    old, new = built(tmp_path, SPOILED, "old"), built(tmp_path, CLEAN, "new", day=1)
    assert listed(new) == {**everywhere("a", "b", "clean"), "mcp": ["clean"]}
    words = (
        "no longer in the MCP list: metadata-type 2. A client that cannot read"
        " these skills would reject the whole list, including the skills that it can read,"
        ' such as clean. To list all skills, set listing = "all" in skillbuild.toml'
    )
    assert compared(old, new) == [
        "added    clean",
        f"2 skills that have not changed: {words}",
        "    a",
        "    b",
        "1 added, 2 in different listings",
    ]
    assert compared(new, old)[-1] == "1 removed, 2 in different listings"


def test_a_skill_that_is_refused_protects_nobody(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", {**CLEAN, "skills/clean/aux": "x"})
    options = Options(skip_invalid=True, jobs=1)
    report = repos.build(repo, tmp_path / "out", options=options)
    assert repos.published(report) == ["a", "b"]
    assert report.unlisted == {}
    assert listed(tmp_path / "out") == everywhere("a", "b")


def test_the_setting_lists_all_but_internal_ones(tmp_path: Path) -> None:
    files = {**CLEAN, "skills/house/SKILL.md": HOUSE}
    settings = {"skillbuild.toml": 'listing = "all"\n'}
    safe = built(tmp_path, files, "safe")
    everyone = built(tmp_path, {**files, **settings}, "all", day=1)
    assert listed(safe) == {**everywhere("a", "b", "clean"), "mcp": ["clean"]}
    assert listed(everyone) == everywhere("a", "b", "clean")
    assert compared(safe, everyone)[-1] == "2 in different listings"


def test_what_is_not_written_has_no_reasons(tmp_path: Path) -> None:
    settings = {"skillbuild.toml": 'formats = ["zip"]\n'}
    files = {**CLEAN, **settings, "skills/house/SKILL.md": HOUSE}
    repo = repos.repository(tmp_path / "repo", files)
    report = repos.build(repo, tmp_path / "out")
    assert report.release is not None
    entries = {entry.path: dict(entry.unlisted) for entry in report.release.catalog.entries}
    assert entries == {
        "a": TYPED,
        "b": TYPED,
        "clean": {},
        "house": INTERNAL,
    }
    left_out = {"mcp": {"a": ("metadata-type",), "b": ("metadata-type",)}}
    assert (report.unlisted, report.internal) == (left_out, ("house",))

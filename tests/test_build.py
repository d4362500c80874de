"""Building: every SKILL.md is accounted for, a bad skill affects no other, any size is handled."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import zlib
from pathlib import Path

import jsonschema
import pytest

from helpers import outputs, repos
from helpers.outputs import head_of
from helpers.repos import Link, Program, Submodule, blob, codes, published, raw_tree, skill_md
from skillbuild import build
from skillbuild.build import Options, Request
from skillbuild.cli.reference import schema_text
from skillbuild.errors import GitError
from skillbuild.model import Digest
from skillbuild.output import verify
from skillbuild.paths import parent
from skillbuild.release.layout import blob_path
from skillbuild.source import git, tree
from skillbuild.source.git import Objects

SKIP = Options(skip_invalid=True, jobs=1)
GOOD = skill_md("good")


def document(path: Path) -> dict[str, object]:
    value = json.loads(path.read_bytes())
    assert isinstance(value, dict)
    return value


def test_published_files_fit_their_schemas(tmp_path: Path) -> None:
    """Of a first release, and of one after it that has long lists and removed skills."""
    out, files = tmp_path / "out", many_kinds(7)
    repo = repos.repository(tmp_path / "repo", files)
    repos.build(repo, out, options=SKIP)
    first = head_of(out)
    outputs.assert_fits_schemas(out, 5)
    fewer = {path: text for path, text in files.items() if not path.startswith("skills/")}
    ignored = {f".claude/skills/hidden-{n}/SKILL.md": GOOD for n in range(500)}
    internal = "---\nname: own\ndescription: d\nmetadata:\n  internal: true\n---\nDo.\n"
    repos.commit(repo, {**fewer, **ignored, "own/SKILL.md": internal}, day=1)
    repos.build(repo, out, options=SKIP)
    outputs.assert_fits_schemas(out, 5)
    last = head_of(out)
    assert first["publication"] == {"releases": [], "removed": [], "before": None}
    assert last["release"]["ignored"].keys() == {"digest", "size"}
    assert all(last["publication"].values())
    assert last["release"]["parts"][0]["unlisted"]["site"] == 1
    for data in (first | {"entries": []}, {**first, "layout": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(data, json.loads(schema_text("catalog")))


def test_the_index_has_what_mcp_does_not_list_but_no_internal_skill(tmp_path: Path) -> None:
    files = {
        "long/SKILL.md": skill_md("long", "x" * 1025),
        "own/SKILL.md": "---\nname: own\ndescription: d\nmetadata:\n  internal: true\n---\nDo.\n",
        "good/SKILL.md": GOOD,
    }
    repo = repos.repository(tmp_path / "repo", files)
    assert published(repos.build(repo, tmp_path / "out")) == ["good", "long", "own"]
    index = document(tmp_path / "out/index.json")
    assert isinstance(index["skills"], list)
    assert [item["name"] for item in index["skills"]] == ["good", "long"]
    entries = outputs.entries_of(tmp_path / "out")
    everywhere = ("mcp", "index", "discovery-0.1", "discovery-0.2", "site")
    assert [(item["path"], item["unlisted"]) for item in entries] == [
        ("good", {}),
        ("long", {"mcp": ["description-too-long"]}),
        ("own", {key: ["internal"] for key in everywhere}),
    ]


def test_the_index_has_names_and_frontmatter_as_they_are_written(tmp_path: Path) -> None:
    nested = "---\nname: nested\ndescription: d\nmetadata:\n  a: {b: [1]}\n---\nDo.\n"
    files = {
        "pdf tools/SKILL.md": skill_md("PDF Toolkit"),
        "nested/SKILL.md": nested,
        "@acme/odd/SKILL.md": skill_md("odd", "x" * 2000),
        "good/SKILL.md": GOOD,
    }
    repo = repos.repository(tmp_path / "repo", files)
    repos.build(repo, tmp_path / "out")
    index = document(tmp_path / "out/index.json")
    jsonschema.validate(index, json.loads(schema_text("index")))
    assert isinstance(index["skills"], list)
    assert [(item["name"], item["url"], item["frontmatter"]) for item in index["skills"]] == [
        (entry["frontmatter"]["name"], entry["url"], entry["frontmatter"])
        for entry in outputs.entries_of(tmp_path / "out")
    ]
    by_name = {item["name"]: item["frontmatter"] for item in index["skills"]}
    assert set(by_name) == {"PDF Toolkit", "good", "nested", "odd"}
    assert by_name["nested"]["metadata"] == {"a": {"b": [1]}}
    assert outputs.entries_of(tmp_path / "out")[0]["unlisted"] == {
        "mcp": ["description-too-long", "skill-path-authority"]
    }


# Nothing is lost.


def many_kinds(seed: int) -> repos.Files:
    """A source with every kind of SKILL.md; no directory clashes with another by accident."""
    chance = random.Random(seed)
    files: dict[str, repos.Content] = {"skillbuild.toml": 'exclude = ["fixtures/**"]\n'}
    for number in range(60):
        name = f"skill-{number}"
        folder = chance.choice(
            [
                f"skills/{name}",
                f"{name}",
                f"plugins/p{number % 3}/skills/{name}",
                f"fixtures/{name}",
                f".claude/skills/{name}",
                f"lib/.hidden/{name}",
                f"node_modules/{name}",
                f"skills/group/__pycache__/{name}",
            ]
        )
        files |= kind_of_skill(chance.randrange(13), folder, name)
    return files


def kind_of_skill(kind: int, folder: str, name: str) -> repos.Files:
    whole = skill_md(name)
    kinds: list[repos.Files] = [
        {"SKILL.md": skill_md(f"The {name}")},
        {"SKILL.md": whole, "run.sh": Program("#!/bin/sh\n")},
        {"SKILL.md": whole, "LICENSE": "MIT\n"},
        {"SKILL.md": whole},
        {"SKILL.md": skill_md(name, body="[gone](gone.md)\n")},
        {"SKILL.md": skill_md(f"other-{name}")},
        {"SKILL.md": "# No frontmatter\n"},
        {"SKILL.md": whole, "link": Link("SKILL.md")},
        {"SKILL.md": Link("../elsewhere/SKILL.md")},
        {"skill.md": whole},
        {"SKILL.md": whole, "con.txt": "x"},
        {"SKILL.md": whole, "inner/SKILL.md": skill_md("inner")},
        {"SKILL.md": whole, "module": Submodule()},
    ]
    return {f"{folder}/{path}": content for path, content in kinds[kind].items()}


@pytest.mark.parametrize("seed", range(6))
def test_every_skill_md_is_published_invalid_or_ignored(tmp_path: Path, seed: int) -> None:
    files = many_kinds(seed)
    repo = repos.repository(tmp_path / "repo", files, bare=True)
    report = repos.build(repo, tmp_path / "out", options=SKIP)
    paths = {path for path in files if path.rpartition("/")[2] == "SKILL.md"}
    assert report.release is not None
    reported = [f"{entry.directory}/SKILL.md" for entry in report.release.catalog.entries]
    reported += [f"{item}/SKILL.md" for item in report.invalid if not item.endswith("skill.md")]
    reported += report.ignored
    assert sorted(reported) == sorted(paths)
    strays = {path for path in report.invalid if path.endswith("skill.md")}
    assert {path for path, code in codes(report) if code == "skill-file-case"} == strays
    assert report.skills == len(report.release.catalog.entries)
    for directory in report.invalid:
        assert any(item.is_error and item.path.startswith(directory) for item in report.findings)


def test_the_same_findings_come_from_check_from_build_and_from_the_work_tree(
    tmp_path: Path,
) -> None:
    repo = repos.repository(tmp_path / "repo", many_kinds(1))
    built = repos.build(repo, tmp_path / "out")
    checked = repos.check(repo, "HEAD")
    assert (built.findings, built.invalid, built.ignored) == (
        checked.findings,
        checked.invalid,
        checked.ignored,
    )
    assert codes(repos.check(repo)) == codes(checked)


# One bad skill hurts no other.

COMMIT = re.compile(rb"\b[0-9a-f]{12}([0-9a-f]{28})?\b")


def comparable(out: Path, repo: Path) -> dict[str, object]:
    """Every file of an output without what names the commit; the head without what it skipped.

    Some files differ in what they say of that alone: the object `release` is part of the head, too,
    and the blob of a list that is too long for the head is named there.
    """
    ids = [repos.git(repo, "rev-parse", name) for name in ("HEAD", "HEAD^{tree}")]
    contents: dict[str, object] = {}
    for path in repos.digests(out):
        data = (out / path).read_bytes()
        for object_id in ids:
            data = data.replace(object_id.encode(), b"ID").replace(object_id[:12].encode(), b"ID")
        contents[path] = data
    head = outputs.head_of(out)
    named = [blob_path(outputs.record_of(out).release_digest)]
    for key in ("source", "skipped", "ignored"):
        value = head["release"].pop(key)
        if key != "source" and isinstance(value, dict):
            named.append(blob_path(Digest.parse(value["digest"])))
    for path in (
        "SHA256SUMS",
        "release.json",
        "about/index.html",
        *named,
    ):  # They name what was left out.
        contents.pop(path, None)
    return contents | {"catalog.json": head}


BAD = "# No frontmatter\n"
PAIRS: dict[str, tuple[repos.Files, repos.Files]] = {
    "plain": ({"a/good/SKILL.md": GOOD}, {"a/bad/SKILL.md": BAD, "a/bad/x.md": "x"}),
    "a link to an invalid one": (
        {"good/SKILL.md": skill_md("good", body="[x](../bad/SKILL.md) [y](../bad)\n")},
        {"bad/SKILL.md": BAD},
    ),
    "a link to a copy of an invalid one": (
        {"good/SKILL.md": skill_md("good", body="[x](../skills/two/SKILL.md)\n")},
        {"skills/two/SKILL.md": BAD, "plugins/two/SKILL.md": BAD},
    ),
    "the root": ({"good/SKILL.md": GOOD}, {"SKILL.md": skill_md("root")}),
    "misspelled": ({"good/SKILL.md": GOOD}, {"bad/Skill.md": skill_md("bad")}),
    "dot-directories alone": (
        {"good/SKILL.md": GOOD, ".claude/skills/x/SKILL.md": skill_md("x")},
        {"bad/SKILL.md": BAD},
    ),
}


@pytest.mark.parametrize("pair", list(PAIRS))
def test_skipping_publishes_what_a_source_without_the_invalid_would(
    tmp_path: Path, pair: str
) -> None:
    good, bad = PAIRS[pair]
    both = repos.repository(tmp_path / "both", {**good, **bad})
    alone = repos.repository(tmp_path / "alone", good)
    mixed = repos.build(both, tmp_path / "mixed", options=SKIP)
    plain = repos.build(alone, tmp_path / "plain")
    assert published(mixed) == published(plain) != []
    assert mixed.invalid != ()
    assert comparable(tmp_path / "mixed", both) == comparable(tmp_path / "plain", alone)


@pytest.mark.parametrize("seed", range(3))
def test_skipping_publishes_the_same_from_a_source_of_many_kinds(tmp_path: Path, seed: int) -> None:
    files = many_kinds(seed)
    both = repos.repository(tmp_path / "both", files)
    mixed = repos.build(both, tmp_path / "mixed", options=SKIP)
    outer = {path for path in mixed.invalid if f"{path}/inner" not in mixed.invalid}
    valid = {
        path: content
        for path, content in files.items()
        if not any(path == bad or path.startswith(f"{bad}/") for bad in outer)
        or any(
            path.startswith(f"{entry.directory}/")
            for entry in (mixed.release.catalog.entries if mixed.release else ())
        )
    }
    alone = repos.repository(tmp_path / "alone", valid)
    plain = repos.build(alone, tmp_path / "plain", options=SKIP)
    assert published(mixed) == published(plain)
    assert comparable(tmp_path / "mixed", both) == comparable(tmp_path / "plain", alone)


FIXED: dict[str, tuple[repos.Files, repos.Files, repos.Files]] = {
    "a path that an invalid one wants": (
        {"a/skills/good/SKILL.md": GOOD},
        {"a/plugins/good/SKILL.md": GOOD, "a/plugins/good/aux": "x"},
        {"a/plugins/good/SKILL.md": GOOD, "a/plugins/good/x": "x"},
    ),
    "a path below an invalid one": (
        {"skills/good/more/SKILL.md": skill_md("more")},
        {"plugins/good/SKILL.md": BAD},
        {"plugins/good/SKILL.md": GOOD},
    ),
    "inside an invalid one": (
        {"plugins/good/skills/more/SKILL.md": skill_md("other")},
        {"plugins/good/SKILL.md": BAD},
        {"plugins/good/SKILL.md": GOOD},
    ),
    "a name that an invalid one has": (
        {"a/good/SKILL.md": GOOD, "c/other/SKILL.md": skill_md("other")},
        {"b/good/SKILL.md": BAD, "c/bad/SKILL.md": skill_md("other", "")},
        {"b/good/SKILL.md": GOOD, "c/bad/SKILL.md": skill_md("other")},
    ),
}
"""A skill that is left out, and the same one fixed."""


@pytest.mark.parametrize("case", list(FIXED))
def test_to_mend_a_skill_that_was_left_out_moves_no_other(tmp_path: Path, case: str) -> None:
    good, bad, fixed = FIXED[case]
    before = repos.repository(tmp_path / "before", {**good, **bad})
    after = repos.repository(tmp_path / "after", {**good, **fixed})
    skipped = repos.build(before, tmp_path / "skipped", options=SKIP)
    whole = repos.build(after, tmp_path / "whole")
    assert skipped.release is not None
    assert whole.release is not None
    assert skipped.invalid != ()
    assert whole.invalid == ()
    places = {
        entry.directory: (entry.path, entry.flat_name) for entry in whole.release.catalog.entries
    }
    assert {
        entry.directory: (entry.path, entry.flat_name) for entry in skipped.release.catalog.entries
    } == {directory: places[directory] for directory in map(parent, good)}


def test_of_two_sound_skills_that_no_directory_tells_apart_one_is_refused(tmp_path: Path) -> None:
    files = {
        "skillbuild.toml": '[paths]\n"skills/good" = "x/good"\n',
        "x/good/SKILL.md": GOOD,
        "skills/good/SKILL.md": skill_md("good", "Other."),
        "y/SKILL.md": skill_md("y"),
    }
    repo = repos.repository(tmp_path / "repo", files)
    report = repos.build(repo, tmp_path / "out")
    assert report.release is None
    assert codes(report) == [("x/good/SKILL.md", "skill-path-collision")]
    skipped = repos.build(repo, tmp_path / "out", options=SKIP)
    assert published(skipped) == ["x/good", "y"]


def test_copies_are_published_once_and_counted(tmp_path: Path) -> None:
    files = {
        path: data
        for folder in ("skills/good", "plugins/good", "plugins/bad", "skills/bad")
        for path, data in {
            f"{folder}/SKILL.md": GOOD if folder.endswith("good") else BAD,
            f"{folder}/x.md": "x",
        }.items()
    }
    repo = repos.repository(tmp_path / "repo", files)
    report = repos.build(repo, tmp_path / "out", options=SKIP)
    assert published(report) == ["good"]
    assert report.copies == {"skills/good": "plugins/good", "skills/bad": "plugins/bad"}
    assert report.invalid == ("plugins/bad",)
    assert report.release is not None
    assert [entry.copies for entry in report.release.catalog.entries] == [("skills/good",)]
    page = (tmp_path / "out/skills/good/index.html").read_text("utf-8")
    assert "The source has the same files at <code>skills/good</code></dd>" in page


def test_a_link_into_a_copy_leads_to_the_page_of_its_skill(tmp_path: Path) -> None:
    link = skill_md("a", body="See [b](../../skills/b/docs/x.md).\n")
    files = {"plugins/a/SKILL.md": link}
    for folder in ("plugins/b", "skills/b"):
        files |= {f"{folder}/SKILL.md": skill_md("b"), f"{folder}/docs/x.md": "x"}
    report = repos.build(repos.repository(tmp_path / "repo", files), tmp_path / "out")
    assert codes(report) == []
    assert '<a href="../b/index.html">b</a>' in (tmp_path / "out/skills/a/index.html").read_text()


def test_a_link_in_a_skill_is_left_out_and_its_skill_published(tmp_path: Path) -> None:
    files: repos.Files = {
        "skills/a/SKILL.md": skill_md("a", body="Read docs/x.md.\n"),
        "skills/a/AGENTS.md": Link("SKILL.md"),
        "skills/a/docs/x.md": Link("../../../x.md"),
        "x.md": "Secret of the repository.\n",
    }
    report = repos.build(repos.repository(tmp_path / "repo", files), tmp_path / "out")
    assert codes(report) == [
        ("skills/a/AGENTS.md", "file-link"),
        ("skills/a/docs/x.md", "file-link"),
    ]
    [entry] = verify.load(tmp_path / "out").catalog.entries
    assert [resource.path for resource in entry.resources] == ["SKILL.md"]


def test_a_title_is_shown_on_pages_and_in_no_file_name(tmp_path: Path) -> None:
    title = "PDF: read & <write>"
    files = {
        "skills/g/My $(tool)/SKILL.md": skill_md(f"'{title}'"),
        "skills/g/My $(tool)/a.md": "A.\n",
        "skills/pdf/SKILL.md": skill_md(f"'{title}'"),
    }
    out = tmp_path / "out"
    report = repos.build(repos.repository(tmp_path / "repo", files), out)
    assert report.release is not None
    entries = {entry.path: entry for entry in report.release.catalog.entries}
    assert {path: (entry.title, entry.flat_name) for path, entry in entries.items()} == {
        "g/My $(tool)": (title, "g-my-tool"),
        "pdf": (title, "pdf"),
    }
    assert {path.name.rpartition("-")[0] for path in (out / "archives").iterdir()} == {
        "g-my-tool",
        "pdf",
    }
    page = (out / "skills/g/My $(tool)/index.html").read_text("utf-8")
    assert '<h1 dir="auto" lang="en">PDF: read &amp; &lt;write&gt;</h1>' in page
    assert "-d .agents/skills/g-my-tool<" in page
    assert verify.verify(out).holds(whole=True)


def test_files_of_a_skill_that_is_left_out_stay_with_its_outer_one_and_that_is_said(
    tmp_path: Path,
) -> None:
    files = {
        "good/SKILL.md": GOOD,
        "good/bad/SKILL.md": BAD,
        "good/bad/worse/SKILL.md": BAD,
        "alone/SKILL.md": BAD,
        "alone/bad/SKILL.md": BAD,
    }
    repo = repos.repository(tmp_path / "repo", files)
    report = repos.build(repo, tmp_path / "out", options=SKIP)
    assert published(report) == ["good"]
    assert [
        (item.path, item.message, item.hint)
        for item in report.findings
        if item.code == "nested-left-out"
    ] == [
        (
            path,
            "the skill is left out, but its files are published as files of good",
            "fix the skill, or move its directory out of good",
        )
        for path in ("good/bad/SKILL.md", "good/bad/worse/SKILL.md")
    ]
    assert not [
        item for item in repos.check(repo, "HEAD").findings if item.code == "nested-left-out"
    ]


def test_a_build_counts_the_skills_that_moved(tmp_path: Path) -> None:
    files = {"skills/a/SKILL.md": skill_md("a"), "skills/b/SKILL.md": skill_md("b")}
    repo = repos.repository(tmp_path / "repo", files)
    assert repos.build(repo, tmp_path / "out").moved == 0
    repos.commit(repo, {**files, "plugins/a/SKILL.md": skill_md("a", "Other.")})
    assert repos.build(repo, tmp_path / "out").moved == 1
    previous = repos.build(repo, tmp_path / "new", previous=tmp_path / "out")
    assert (published(previous), previous.moved) == (["b", "plugins/a", "skills/a"], 0)


def test_what_is_silenced_is_in_no_record_and_on_no_page(tmp_path: Path) -> None:
    broken = {"skills/a/SKILL.md": skill_md("a", body="See [that](gone.md).\n")}
    entry = '[[ignore]]\nrule = "link-broken"\nreason = "it comes later"\n'
    for name, files in (("loud", broken), ("silent", {**broken, "skillbuild.toml": entry})):
        repos.build(repos.repository(tmp_path / f"{name}-repo", files), tmp_path / name)
    pages = [(tmp_path / name / "skills/a/index.html").read_text() for name in ("loud", "silent")]
    assert ["does not exist in the skill" in page for page in pages] == [True, False]
    records = [list(verify.load(tmp_path / name).catalog.entries) for name in ("loud", "silent")]
    assert [len(entry.findings) for [entry] in records] == [1, 0]


def test_excluded_files_of_a_skill_are_as_if_they_were_not_there(tmp_path: Path) -> None:
    plain = {"skills/a/SKILL.md": skill_md("a"), "skills/a/run.py": "print()\n"}
    more: repos.Files = {
        **plain,
        "skills/a/tests/key.env": "x",
        "skills/a/tests/link": Link("x"),
        "skills/a/tests/deep/SKILL.md": skill_md("deep"),
        "skills/b/SKILL.md": skill_md("b", body="See [it](../a/tests/key.env).\n"),
    }
    settings = {"skillbuild.toml": 'exclude = ["**/tests/"]\n'}
    report = repos.build(
        repos.repository(tmp_path / "repo", {**more, **settings}), tmp_path / "out"
    )
    repos.build(repos.repository(tmp_path / "plain", plain), tmp_path / "wanted")
    [entry, _] = verify.load(tmp_path / "out").catalog.entries
    [wanted] = verify.load(tmp_path / "wanted").catalog.entries
    assert entry == wanted
    assert report.excluded == ("skills/a/tests/key.env", "skills/a/tests/link")
    assert report.ignored == {"skills/a/tests/deep/SKILL.md": "excluded"}
    assert [item.code for item in report.findings] == ["link-stale"]


def test_a_source_without_a_skill_is_an_error_unless_it_is_meant(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", {"README.md": "x"})
    assert codes(repos.build(repo, tmp_path / "out")) == [(".", "no-skills")]
    empty = repos.build(repo, tmp_path / "out", options=Options(allow_empty=True, jobs=1))
    assert published(empty) == []
    assert document(tmp_path / "out/index.json") == {"skills": []}


def test_an_empty_tree_is_a_source_without_a_skill(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", {})
    assert codes(repos.build(repo, tmp_path / "out")) == [(".", "no-skills")]


def test_a_root_skill_is_published_when_it_is_the_only_one(tmp_path: Path) -> None:
    files = {"SKILL.md": GOOD, "scripts/a.py": "1\n", ".env.example": "A=\n"}
    repo = repos.repository(tmp_path / "repo", files)
    report = repos.build(repo, tmp_path / "out")
    assert report.release is not None
    [entry] = report.release.catalog.entries
    assert (entry.path, entry.directory) == ("good", "")
    assert [item.path for item in entry.resources] == [".env.example", "SKILL.md", "scripts/a.py"]


def test_links_outside_of_skills_are_ignored_and_counted(tmp_path: Path) -> None:
    files: repos.Files = {
        "good/SKILL.md": GOOD,
        "AGENTS.md": "x",
        "CLAUDE.md": Link("AGENTS.md"),
        "alias": Link("good"),
        "other/SKILL.md": Link("../good/SKILL.md"),
        "dangling": Link("/nowhere"),
        "module": Submodule(),
    }
    report = repos.build(repos.repository(tmp_path / "repo", files), tmp_path / "out")
    assert published(report) == ["good"]
    assert report.findings == ()
    assert report.ignored == {"alias": "link", "other/SKILL.md": "link"}


def test_a_directory_is_built_with_its_own_settings(tmp_path: Path) -> None:
    files = {
        "team/skillbuild.toml": 'title = "Team"\nexclude = ["old/**"]\n',
        "team/skills/good/SKILL.md": GOOD,
        "team/old/SKILL.md": BAD,
        "other/SKILL.md": BAD,
        "skillbuild.toml": "nonsense = 1\n",
    }
    repo = repos.repository(tmp_path / "repo", files)
    report = repos.build(repo / "team", tmp_path / "out")
    assert report.release is not None
    catalog = report.release.catalog
    assert (catalog.title, published(report)) == ("Team", ["good"])
    assert catalog.tree == repos.git(repo, "rev-parse", "HEAD:team")


def test_a_commit_during_a_build_is_not_part_of_it(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", {"good/SKILL.md": GOOD})
    first = repos.git(repo, "rev-parse", "HEAD")
    request = repos.request_of(repo)

    def meddle(done: int, total: int) -> None:
        repos.commit(repo, {"evil/SKILL.md": skill_md("evil")}, day=1)
        repos.checkout(repo, "main")

    moving = Request(request.source, request.leaves, request.config, request.options, meddle)
    report = build.build(moving, tmp_path / "out")
    assert repos.git(repo, "rev-parse", "HEAD") != first
    assert report.release is not None
    assert (report.release.catalog.commit, published(report)) == (first, ["good"])


def test_a_work_tree_is_not_built(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", {"good/SKILL.md": GOOD})
    origin = tree.open_for_check(repo, None)
    request = Request(origin, origin.leaves(), tree.read_config(origin, []), Options())
    with pytest.raises(GitError, match="only a commit can be built"):
        build.build(request, tmp_path / "out")


# Damaged and hostile repositories.


def damaged(tmp_path: Path) -> Path:
    files = {"good/SKILL.md": GOOD, "bad/SKILL.md": skill_md("bad"), "bad/a.md": "text\n"}
    repo = repos.repository(tmp_path / "repo", {**files, "outside.bin": "x"})
    repos.unpack(repo)
    return repo


def only_good(repo: Path, out: Path, finding: tuple[str, str]) -> None:
    """The build is refused for one finding, and without that skill the rest is published."""
    report = repos.build(repo, out)
    assert report.release is None
    assert codes(report) == [finding]
    assert published(repos.build(repo, out, options=SKIP)) == ["good"]


def test_a_swapped_object_in_a_skill_is_an_error_of_that_skill(tmp_path: Path) -> None:
    repo = damaged(tmp_path)
    repos.swap(repo, repos.git(repo, "rev-parse", "HEAD:bad/a.md"), b"TEXT\n")
    only_good(repo, tmp_path / "out", ("bad/a.md", "file-unreadable"))


@pytest.mark.parametrize("path", ["bad/a.md", "bad/SKILL.md"])
@pytest.mark.parametrize("data", [b"", b"junk", zlib.compress(b"blob 9\0text\n")])
def test_a_corrupt_object_in_a_skill_is_an_error_of_that_skill(
    tmp_path: Path, path: str, data: bytes
) -> None:
    repo = damaged(tmp_path)
    broken = repos.object_file(repo, repos.git(repo, "rev-parse", f"HEAD:{path}"))
    broken.chmod(0o644)
    broken.write_bytes(data)
    only_good(repo, tmp_path / "out", (path, "file-unreadable"))


def test_a_missing_object_matters_inside_a_skill_alone(tmp_path: Path) -> None:
    repo = damaged(tmp_path)
    repos.object_file(repo, repos.git(repo, "rev-parse", "HEAD:outside.bin")).unlink()
    assert published(repos.build(repo, tmp_path / "first")) == ["bad", "good"]
    repos.object_file(repo, repos.git(repo, "rev-parse", "HEAD:bad/a.md")).unlink()
    only_good(repo, tmp_path / "out", ("bad/a.md", "file-unreadable"))


def test_a_partial_clone_is_built_when_it_has_the_skills(tmp_path: Path) -> None:
    files = {"good/SKILL.md": GOOD, "bad/SKILL.md": skill_md("bad"), "bad/a.md": "text\n" * 500}
    origin = repos.repository(tmp_path / "origin", {**files, "big.bin": "x" * 5000})
    repos.git(origin, "config", "uploadpack.allowFilter", "true")
    options = ["--no-checkout", "--filter"]
    inside = repos.clone(origin, tmp_path / "inside", *options, "blob:limit=4k")
    assert published(repos.build(inside, tmp_path / "first")) == ["bad", "good"]
    without = repos.clone(origin, tmp_path / "without", *options, "blob:limit=1k")
    report = repos.build(without, tmp_path / "out")
    assert [(item.path, item.code, item.hint) for item in report.findings] == [
        ("bad/a.md", "file-unreadable", "run git fetch --refetch --no-filter")
    ]
    assert published(repos.build(without, tmp_path / "out", options=SKIP)) == ["good"]


def hostile(tmp_path: Path, *lines: repos.TreeLine) -> Path:
    """A sound skill beside one whose tree holds the given lines."""
    repo = repos.empty(tmp_path / "repo", bare=True)
    good = raw_tree(repo, [("100644", b"SKILL.md", blob(repo, GOOD))])
    bad = raw_tree(repo, [("100644", b"SKILL.md", blob(repo, skill_md("bad"))), *lines])
    top = raw_tree(repo, [("40000", b"bad", bad), ("40000", b"good", good)])
    repos.commit_tree(repo, top)
    return repo


EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
A_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
HOSTILE: dict[str, tuple[repos.TreeLine, ...]] = {
    "a file that is a tree": (("100644", b"a.md", EMPTY_TREE),),
    "a missing file": (("100644", b"a.md", "1" * 40),),
    "two files of one name": (("100644", b"a.md", A_BLOB), ("100644", b"a.md", A_BLOB)),
    "two SKILL.md": (("100644", b"SKILL.md", A_BLOB),),
    "file and folder": (("100644", b"a", A_BLOB), ("40000", b"a", "TREE")),
    "parent": (("100644", b"..", A_BLOB),),
    "parent folder": (("40000", b"..", "TREE"),),
    "self": (("100644", b".", A_BLOB),),
    "git": (("40000", b".git", "TREE"),),
    "git alias": (("40000", b".GIT ", "TREE"),),
    "slash": (("100644", b"a/b", A_BLOB), ("40000", b"a", "TREE"), ("100644", b"a/b", A_BLOB)),
    "way out": (("100644", b"../../evil", A_BLOB),),
    "absolute": (("100644", b"/etc/evil", A_BLOB),),
    "backslash": (("100644", b"a\\b", A_BLOB),),
    "not utf-8": (("100644", b"n\xe9", A_BLOB),),
    "surrogate": (("100644", b"\xed\xa0\x80", A_BLOB),),
    "newline": (("100644", b"a\nb", A_BLOB),),
    "escape": (("100644", b"\x1b[2J", A_BLOB),),
    "unknown mode": (("140000", b"a", A_BLOB),),
    "submodule": (("160000", b"a", "1" * 40),),
    "case": (("100644", b"skill.MD", A_BLOB),),
}


@pytest.mark.parametrize("what", list(HOSTILE))
def test_a_hostile_tree_is_an_error_of_its_skill(tmp_path: Path, what: str) -> None:
    scratch = repos.empty(tmp_path / "scratch", bare=True)
    inner = raw_tree(scratch, [("100644", b"inner.md", blob(scratch, ""))])
    lines = [
        (mode, name, inner if object_id == "TREE" else object_id)
        for mode, name, object_id in HOSTILE[what]
    ]
    repo = hostile(tmp_path, *lines)
    raw_tree(repo, [("100644", b"inner.md", blob(repo, ""))])
    raw_tree(repo, [])
    report = repos.build(repo, tmp_path / "out")
    assert report.release is None
    assert {path.split("/")[0] for path, _ in codes(report)} == {"bad"}
    assert published(repos.build(repo, tmp_path / "out", options=SKIP)) == ["good"]
    repos.check(repo)


@pytest.mark.parametrize("mode", ["100664", "100600", "100777", "0100644"])
def test_odd_modes_of_plain_files_are_built(tmp_path: Path, mode: str) -> None:
    repo = hostile(tmp_path, (mode, b"a.md", A_BLOB))
    blob(repo, "")
    report = repos.build(repo, tmp_path / "out", options=SKIP)
    assert published(report) in (["bad", "good"], ["good"])


def test_a_folder_that_is_a_file_is_an_error_of_the_repository(tmp_path: Path) -> None:
    repo = hostile(tmp_path, ("40000", b"a", A_BLOB))
    blob(repo, "")
    with pytest.raises(GitError, match="git ls-tree failed"):
        repos.build(repo, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def nested(folder: Path, levels: int, width: int) -> Path:
    """A repository whose tree names `width ** levels` files, in a few objects."""
    repo = repos.empty(folder, bare=True)
    blob_id = blob(repo, "")
    tree = raw_tree(repo, [("100644", b"%04d" % number, blob_id) for number in range(width)])
    for _ in range(levels - 1):
        tree = raw_tree(repo, [("40000", b"%04d" % number, tree) for number in range(width)])
    repos.commit_tree(repo, tree)
    return repo


@pytest.mark.nightly
def test_a_tree_of_a_billion_files_is_refused_in_time(tmp_path: Path) -> None:
    repo = nested(tmp_path / "repo", 3, 1000)
    report = repos.build(repo, tmp_path / "out")
    assert codes(report) == [(".", "too-many-entries")]
    assert not (tmp_path / "out").exists()


# Sizes.


def huge(repo: Path, size: int) -> str:
    """A loose object that claims a size and holds nothing of it, so reading it must fail."""
    object_id = f"{size:040x}"
    path = repos.object_file(repo, object_id)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(b"blob %d\0" % size))
    return object_id


def test_a_huge_file_outside_of_skills_is_never_read(tmp_path: Path) -> None:
    repo = repos.empty(tmp_path / "repo", bare=True)
    good = raw_tree(repo, [("100644", b"SKILL.md", blob(repo, GOOD))])
    lines = [("100644", b"big.bin", huge(repo, 2**31)), ("100644", b"gone.bin", "2" * 40)]
    repos.commit_tree(repo, raw_tree(repo, [*lines, ("40000", b"good", good)]))
    report = repos.build(repo, tmp_path / "out")
    assert (published(report), report.findings) == (["good"], ())


@pytest.mark.parametrize("size", [100 * 2**20, 2**40])
def test_a_huge_file_in_a_skill_is_refused_before_it_is_read(tmp_path: Path, size: int) -> None:
    repo = hostile(tmp_path)
    object_id = huge(repo, size)
    repos.commit_tree(
        repo,
        raw_tree(
            repo,
            [
                (
                    "40000",
                    b"bad",
                    raw_tree(
                        repo,
                        [
                            ("100644", b"SKILL.md", blob(repo, skill_md("bad"))),
                            ("100644", b"big.bin", object_id),
                        ],
                    ),
                ),
                ("40000", b"good", raw_tree(repo, [("100644", b"SKILL.md", blob(repo, GOOD))])),
            ],
        ),
    )
    report = repos.build(repo, tmp_path / "out")
    assert [(path, code) for path, code in codes(report) if code != "file-large"] == [
        ("bad/SKILL.md", "skill-too-large")
    ]
    assert published(repos.build(repo, tmp_path / "out", options=SKIP)) == ["good"]


def test_a_skill_of_very_many_files_is_published_with_a_warning(tmp_path: Path) -> None:
    """`check/test_sizes.py` has the steps."""
    files = {f"many/f{number}.txt": f"{number}\n" for number in range(512)}
    files |= {"many/SKILL.md": skill_md("many"), "skillbuild.toml": 'formats = ["zip"]\n'}
    repo = repos.repository(tmp_path / "repo", files, bare=True)
    report = repos.build(repo, tmp_path / "out")
    assert codes(report) == [("many/SKILL.md", "skill-large")]
    assert published(report) == ["many"]
    assert verify.verify(tmp_path / "out").holds(whole=True)


def test_a_skill_of_very_many_bytes_is_published_with_a_warning(tmp_path: Path) -> None:
    files: dict[str, repos.Content] = {"big/SKILL.md": skill_md("big")}
    files |= {f"big/{number:02}.txt": bytes(2**20) for number in range(16)}
    repo = repos.repository(tmp_path / "repo", files, bare=True)
    report = repos.build(repo, tmp_path / "out")
    assert codes(report) == [("big/SKILL.md", "skill-large")]
    assert report.release is not None
    [entry] = report.release.catalog.entries
    assert sum(item.size for item in entry.resources) == 16 * 2**20 + len(skill_md("big"))


def test_one_content_is_stored_once(tmp_path: Path) -> None:
    files: dict[str, repos.Content] = {}
    for number in range(100):
        files |= {f"s{number}/SKILL.md": skill_md(f"s{number}"), f"s{number}/LICENSE": "MIT\n" * 50}
    repo = repos.repository(tmp_path / "repo", files, bare=True)
    report = repos.build(repo, tmp_path / "out")
    assert (report.skills, report.files) == (100, 200)
    own = 3  # The object `release`, the index and the manifest of the search.
    assert len(list((tmp_path / "out/blobs/sha256").iterdir())) == 101 + own


MEASURED = """
import os, sys
command = [sys.executable, *sys.argv[1:]]
_, status, usage = os.wait4(os.posix_spawn(command[0], command, os.environ), 0)
print(status, usage.ru_maxrss)
"""
"""A process counts the memory of the one that it was started from, so that one has to be small."""


@pytest.mark.skipif(os.name != "posix", reason="only POSIX tells the memory of a child")
@pytest.mark.nightly
def test_memory_does_not_grow_with_the_number_of_skills(tmp_path: Path) -> None:
    peaks = []
    for count in (2, 14):
        files: dict[str, repos.Content] = {}
        for number in range(count):
            data = b"\0" + bytes([number]) * (2 * 2**20)
            files |= {f"s{number}/SKILL.md": skill_md(f"s{number}"), f"s{number}/data": data}
        repo = repos.repository(tmp_path / f"repo{count}", files, bare=True)
        build = ["-m", "skillbuild", "build", f"{repo}", "--out", f"{tmp_path}/out{count}"]
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, *build, "-q", "--jobs=1"],
            env=repos.environment(PYTHONPATH=f"{repos.BUILDER}"),
            capture_output=True,
            check=True,
        )
        status, peak = map(int, done.stdout.split())
        assert status == 0, done.stderr
        peaks.append(peak * (1 if sys.platform == "darwin" else 1024))
    assert peaks[1] - peaks[0] < 12 * 2**20


def test_an_empty_file_is_published(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", {"a/SKILL.md": skill_md("a"), "a/empty": ""})
    report = repos.build(repo, tmp_path / "out")
    assert report.release is not None
    [entry] = report.release.catalog.entries
    assert [(item.path, item.size) for item in entry.resources] == [
        ("SKILL.md", len(skill_md("a"))),
        ("empty", 0),
    ]


def test_a_listing_is_read_once_and_a_reader_serves_many_skills(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", {"a/SKILL.md": skill_md("a")})
    where = git.find(repo)
    assert where is not None
    with Objects(where) as objects:
        assert objects.sizes([]) == []
        assert list(objects.read([])) == []

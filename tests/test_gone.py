"""What the last release had and the next one has no longer is told, whatever took it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import Link, skill_md
from skillbuild.build import Options
from skillbuild.cli import main
from skillbuild.model import LostSkill
from skillbuild.release.compare import compare_catalogs
from skillbuild.report import summary
from skillbuild.report.changes import render_changes
from skillbuild.report.summary import Run

Capture = pytest.CaptureFixture[str]

LONG = "x" * 1025
KEPT: repos.Files = {
    "skills/kept/SKILL.md": skill_md("kept"),
    "skills/new-place/follows/SKILL.md": skill_md("follows"),
}
OLD: repos.Files = {
    "skills/kept/SKILL.md": skill_md("kept"),
    "skills/deleted/SKILL.md": skill_md("deleted"),
    "skills/broken/SKILL.md": skill_md("broken"),
    "skills/misspelt/SKILL.md": skill_md("misspelt"),
    "skills/own/SKILL.md": skill_md("own"),
    "skills/fixture/SKILL.md": skill_md("fixture"),
    "skills/hidden/SKILL.md": skill_md("hidden"),
    "skills/linked/SKILL.md": skill_md("linked"),
    "skills/renamed/SKILL.md": skill_md("renamed"),
    "skills/carried/SKILL.md": skill_md("carried", "Is carried."),
    "skills/follows/SKILL.md": skill_md("follows"),
}
NEW: repos.Files = {
    **KEPT,
    "skillbuild.toml": 'exclude = ["/skills/fixture/"]\n[moved]\nfollows = "new-place/follows"\n',
    "skills/broken/SKILL.md": "# No frontmatter\n",
    "skills/misspelt/skill.md": skill_md("misspelt"),
    "skills/own/SKILL.md": "---\nname: own\ndescription: D.\nmetadata:\n  internal: true\n---\nX\n",
    "skills/fixture/SKILL.md": skill_md("fixture"),
    "skills/hidden/.claude/x.md": "Its SKILL.md went to a cache.\n",
    "skills/linked": Link("kept"),
    "skills/renamed/SKILL.md": skill_md("other-name"),
    "elsewhere/carried/SKILL.md": skill_md("carried", "Is carried."),
}
GONE = (
    LostSkill("broken", "invalid", rules=("frontmatter-missing",)),
    LostSkill("carried", "moved", "elsewhere/carried"),
    LostSkill("deleted", "removed"),
    LostSkill("fixture", "excluded"),
    LostSkill("hidden", "removed"),
    LostSkill("linked", "link"),
    LostSkill("misspelt", "invalid", rules=("skill-file-case",)),
    LostSkill("own", "internal"),
    LostSkill("renamed", "moved", "renamed/other-name"),
)
SKIP = Options(jobs=1, skip_invalid=True)


def test_a_build_names_all_that_is_gone_with_the_reason(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", OLD)
    assert repos.build(repo, tmp_path / "out").gone == ()
    repos.build(repo, tmp_path / "old")
    repos.commit(repo, NEW, day=1)
    report = repos.build(repo, tmp_path / "out", options=SKIP)
    assert report.gone == GONE
    assert repos.build(repo, tmp_path / "far", options=SKIP, previous=tmp_path / "old").gone == GONE
    again = repos.build(repo, tmp_path / "out", options=SKIP)
    assert (again.unchanged, again.gone) == (True, ())


def test_what_is_ignored_now_is_gone_for_that_reason(tmp_path: Path) -> None:
    hidden = {f".github/skills/s{n}/SKILL.md": skill_md(f"s{n}", f"Number {n}.") for n in range(5)}
    repo = repos.repository(tmp_path / "repo", hidden)
    repos.build(repo, tmp_path / "out")
    settings = {"skillbuild.toml": 'roots = ["/.github/skills/s1/"]\n'}
    repos.commit(repo, {**hidden, **settings}, day=1)
    repos.build(repo, tmp_path / "one")
    assert [
        each.reason for each in repos.build(repo, tmp_path / "one", previous=tmp_path / "out").gone
    ] == ["outside roots"] * 4
    repos.commit(repo, {**hidden, "hello/SKILL.md": skill_md("hello")}, day=2)
    gone = repos.build(repo, tmp_path / "out").gone
    assert gone == tuple(LostSkill(f"s{number}", "dot-directory") for number in range(5))
    outputs = {"docs/catalog.json": "{}", "docs/blobs/sha256/x": "x"}
    moved = {path.replace(".github", "docs"): text for path, text in hidden.items()}
    repos.commit(repo, {**moved, "hello/SKILL.md": skill_md("hello")}, day=3)
    repos.build(repo, tmp_path / "out")
    repos.commit(repo, {**moved, **outputs, "hello/SKILL.md": skill_md("hello")}, day=4)
    assert {each.reason for each in repos.build(repo, tmp_path / "out").gone} == {"output"}


def test_a_skill_that_was_moved_to_where_it_is_ignored_is_gone_for_that(tmp_path: Path) -> None:
    files = {"skills/x/SKILL.md": skill_md("x"), "hello/SKILL.md": skill_md("hello")}
    repo = repos.repository(tmp_path / "repo", files)
    repos.build(repo, tmp_path / "out")
    files[".github/skills/x/SKILL.md"] = files.pop("skills/x/SKILL.md")
    repos.commit(repo, files, day=1)
    assert repos.build(repo, tmp_path / "out").gone == (LostSkill("x", "dot-directory"),)


def run(capsys: Capture, *arguments: object) -> tuple[int, str, str]:
    status = main.main([*map(str, arguments)])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_the_build_ends_with_what_is_gone(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = repos.repository(tmp_path / "repo", OLD)
    out = tmp_path / "out"
    monkeypatch.chdir(tmp_path)
    build = ("build", repo, "-o", out, "--skip-invalid")
    assert "from the last release" not in run(capsys, *build)[1]
    repos.commit(repo, {**KEPT, "skills/broken/SKILL.md": "x"}, day=1)
    assert run(capsys, *build[:-1])[0] == 1, "nothing is gone where nothing is published"
    report = ("--report", "json=gone.json", "--report", "sarif=gone.sarif")
    status, text, _ = run(capsys, *build, *report, "--report", "github=gone.txt")
    named = "10 skills from the last release are gone: broken, carried, deleted and 7 more"
    reasons = "no longer in the source 8, invalid 1, moved without [moved] 1"
    assert status == 0
    assert text.splitlines()[-1] == f"{named} (list them with -v); {reasons}"
    assert "from the last release" not in run(capsys, *build)[1], "it is told once"
    told = json.loads(Path("gone.json").read_text())
    assert len(told["gone"]) == 10
    assert told["gone"][0] == {
        "path": "broken",
        "reason": "invalid",
        "rules": ["frontmatter-missing"],
    }
    (execution,) = json.loads(Path("gone.sarif").read_text())["runs"][0]["invocations"]
    (notice,) = execution["toolExecutionNotifications"]
    assert notice == {"level": "warning", "message": {"text": f"{named}; {reasons}"}}
    warning = f"::warning title=skillbuild::{named}; {reasons}"
    assert Path("gone.txt").read_text().splitlines()[-1] == warning
    status, text, _ = run(capsys, "summary", "--findings", "gone.json", "--format", "github", out)
    assert text == f"{warning}\n"
    summary_text = run(capsys, "summary", "--findings", "gone.json", out)[1]
    assert "<summary><b>10 skills from the last release are gone</b></summary>" in summary_text
    assert "- `broken`: `invalid: frontmatter-missing`" in summary_text
    assert "- `follows`: `moved without [moved] to new-place/follows`" in summary_text
    assert (
        json.loads(run(capsys, "summary", "--findings", "gone.json", "--format", "json", out)[1])[
            "gone"
        ]
        == told["gone"]
    )


def test_all_are_listed_on_request(tmp_path: Path, capsys: Capture) -> None:
    repo = repos.repository(tmp_path / "repo", OLD)
    run(capsys, "build", repo, "-o", tmp_path / "out")
    repos.commit(repo, NEW, day=1)
    text = run(capsys, "build", "-v", "--skip-invalid", repo, "-o", tmp_path / "out")[1]
    assert text.splitlines()[-10:] == [
        "9 skills from the last release are gone:",
        "    broken: invalid: frontmatter-missing",
        "    carried: moved without [moved] to elsewhere/carried",
        "    deleted: no longer in the source",
        "    fixture: excluded",
        "    hidden: no longer in the source",
        "    linked: replaced by links",
        "    misspelt: invalid: skill-file-case",
        "    own: internal",
        "    renamed: moved without [moved] to renamed/other-name",
    ]


def test_a_comparison_says_why_skills_are_gone(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", OLD)
    old = repos.build(repo, tmp_path / "old").release
    repos.commit(repo, NEW, day=1)
    new = repos.build(repo, tmp_path / "new", options=SKIP).release
    assert old is not None
    assert new is not None
    changes = compare_catalogs(old.catalog, new.catalog, lambda file: None, lambda file: None)
    assert {each.path: each.reason for each in changes if each.kind == "removed"} == {
        each.path: each.reason for each in GONE if each.reason not in ("moved", "internal")
    }
    lines = render_changes(changes, "text").splitlines()
    assert "removed  fixture (excluded)" in lines
    assert "removed  broken (invalid)" in lines
    assert "removed  deleted" in lines
    assert "- `fixture`, `excluded`" in render_changes(changes, "markdown").splitlines()
    lost = summary.losses_of(Run(None, changes, None))
    assert {each.path for each in lost.gone} == {
        each.path for each in GONE if each.reason != "moved"
    }


def test_skills_that_one_more_takes_out_of_the_mcp_list_are_told(
    tmp_path: Path, capsys: Capture
) -> None:
    crowd = {f"s{n}/SKILL.md": skill_md(f"s{n}", f"{n} {LONG}") for n in range(92)}
    repo = repos.repository(tmp_path / "repo", crowd)
    run(capsys, "build", repo, "-o", tmp_path / "out")
    run(capsys, "build", repo, "-o", tmp_path / "old")
    repos.commit(repo, {**crowd, "clean/SKILL.md": skill_md("clean")}, day=1)
    text = run(capsys, "build", repo, "-o", tmp_path / "out")[1]
    assert text.splitlines()[-1] == (
        "92 skills from the last release are no longer in the MCP list: s0, s1, s10 and 89 more"
        " (list them with -v); reasons: description-too-long 92"
    )
    report = repos.build(repo, tmp_path / "far", previous=tmp_path / "old")
    assert (len(report.delisted), report.gone) == (92, ())
    changes = run(capsys, "diff", tmp_path / "old", tmp_path / "out")[1]
    assert "92 skills that have not changed: no longer in the MCP list" in changes
    _, written, _ = run(capsys, "diff", "--format", "json", tmp_path / "old", tmp_path / "out")
    (tmp_path / "changes").write_text(written)
    arguments = ("summary", "--changes", tmp_path / "changes", tmp_path / "out")
    head = "<summary><b>92 skills from the last release are no longer in the MCP list</b></summary>"
    assert head in run(capsys, *arguments)[1]


def test_a_name_from_a_record_elsewhere_is_no_command_of_github(
    tmp_path: Path, capsys: Capture
) -> None:
    name = "odd %0A::error::x"
    repo = repos.repository(tmp_path / "repo", {"a/SKILL.md": skill_md("a")})
    repos.build(repo, tmp_path / "out")
    gone = [{"path": f"{name}\n::error::x", "reason": "removed"}]
    findings = repos_findings() | {"gone": gone}
    (tmp_path / "findings").write_text(json.dumps(findings))
    arguments = ("summary", "--findings", tmp_path / "findings", "--format", "github")
    status, text, _ = run(capsys, *arguments, tmp_path / "out")
    assert status == 0
    assert text.count("\n") == 1
    assert "%250A:\\x3aerror:\\x3ax" in text


def repos_findings() -> dict[str, object]:
    """A report about nothing, as `build --format json` writes it."""
    numbers = dict.fromkeys(("skills", "files", "errors", "warnings", "notes", "silenced"), 0)
    lists: dict[str, object] = {"internal": [], "invalid": [], "excluded": [], "diagnostics": []}
    maps: dict[str, object] = {"unlisted": {}, "copies": {}, "ignored": {}, "releaseDigest": None}
    return {**numbers, **lists, **maps}

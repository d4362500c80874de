"""The command line: exit status, last lines, formats, and what goes to which stream."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from helpers import repos
from helpers.outputs import head_of
from helpers.repos import Program, skill_md
from helpers.steps import environment
from skillbuild import __version__
from skillbuild.cli import build, main
from skillbuild.model import Digest
from skillbuild.report.last_lines import numbers_text
from skillbuild.report.run import Report
from skillbuild.rules.registry import RULES

GOOD: repos.Files = {"skills/pdf/SKILL.md": skill_md("pdf"), "skills/csv/SKILL.md": skill_md("csv")}
WARNED: repos.Files = {**GOOD, "skills/csv/SKILL.md": skill_md("csv", body="[x](gone.md)\n")}
BAD: repos.Files = {**WARNED, "skills/bad/SKILL.md": "# Bad\n"}

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "CI"):
        monkeypatch.delenv(name, raising=False)


def run(capsys: Capture, *arguments: object) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a command in this process."""
    try:
        status = main.main([str(argument) for argument in arguments])
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0
    printed = capsys.readouterr()
    return status, re.sub(r"\d+\.\d s\b", "0.0 s", printed.out), printed.err


def repo_of(tmp_path: Path, files: repos.Files) -> Path:
    return repos.repository(tmp_path / "repo", files)


def process(
    *arguments: str, cwd: Path, variables: Mapping[str, str] | None = None
) -> tuple[int, bytes, bytes]:
    with repos.skillbuild(*arguments, cwd=cwd, variables=variables) as started:
        out, errors = started.communicate()
    return started.returncode, out, errors


BROKEN_LINK = (
    "skills/csv/SKILL.md:5:5: warning[link-broken]: the link points to gone.md, which does not"
    " exist in the skill\n"
    "    hint: add the file to the skill, or remove the link\n"
)
NO_HEADER = (
    "skills/bad/SKILL.md:1:1: error[frontmatter-missing]: the first line of the file is not ---\n"
    "    hint: begin the file with a --- line, the fields name and description, and another ---"
    " line\n"
)


# check


def test_a_clean_check_ends_in_one_line(tmp_path: Path, capsys: Capture) -> None:
    repo = repo_of(tmp_path, GOOD)
    line = "2 skills found, all valid; 0 errors, 0 warnings; 2 files in 0.0 s\n"
    assert run(capsys, "check", repo) == (0, line, "")


def test_warnings_leave_the_status_at_zero_unless_strict(tmp_path: Path, capsys: Capture) -> None:
    repo = repo_of(tmp_path, WARNED)
    status, out, errors = run(capsys, "check", repo)
    assert (status, errors) == (0, "")
    assert out == f"{place(out)}2 skills found, all valid; 0 errors, 1 warning; 2 files in 0.0 s\n"
    status, out, errors = run(capsys, "check", "--strict", repo)
    assert (status, errors) == (1, "")
    assert "error[link-broken]" in out
    assert out.endswith(
        "2 skills found: 1 valid, 1 invalid; 1 error, 0 warnings; 1 file in 0.0 s\n"
    )


def test_a_check_says_what_the_option_fix_would_fix(tmp_path: Path, capsys: Capture) -> None:
    colon, bom = "---\nname: pdf\ndescription: Reads: all.\n---\nDo.\n", skill_md("csv")
    repo = repo_of(tmp_path, {"pdf/SKILL.md": colon, "csv/SKILL.md": f"\ufeff{bom}"})
    line = f"2 problems fixable with skillbuild check --fix {repo}\n"
    status, out, errors = run(capsys, "check", repo)
    assert (status, out.splitlines(keepends=True)[-2:-1], errors) == (1, [line], "")
    for options in (["--rev", "HEAD"], ["-q"], ["--format", "json"], ["--format", "github"]):
        assert "check --fix" not in run(capsys, "check", *options, repo)[1]
    run(capsys, "check", "--fix", repo)
    assert run(capsys, "check", repo)[1].startswith(
        "2 skills found, all valid; 0 errors, 0 warnings"
    )


def place(out: str) -> str:
    """The finding about the broken link, wherever the check says the link begins."""
    start = re.match(r"skills/csv/SKILL\.md:5:\d+", out)
    assert start is not None, out
    return BROKEN_LINK.replace("skills/csv/SKILL.md:5:5", start[0])


def test_errors_are_status_one(tmp_path: Path, capsys: Capture) -> None:
    repo = repo_of(tmp_path, BAD)
    for options in ([], ["--rev", "HEAD"], ["--jobs", "2"]):
        status, out, errors = run(capsys, "check", repo, *options)
        assert (status, errors) == (1, "")
        assert out.startswith(NO_HEADER)
        assert out.endswith(
            "3 skills found: 2 valid, 1 invalid; 1 error, 1 warning; 2 files in 0.0 s\n"
        )


def test_quiet_prints_errors_alone_with_the_same_exit_status(
    tmp_path: Path, capsys: Capture
) -> None:
    repo = repo_of(tmp_path, BAD)
    assert run(capsys, "check", "-q", repo) == (1, NO_HEADER, "")
    good = repos.repository(tmp_path / "good", WARNED)
    assert run(capsys, "check", "--quiet", good) == (0, "", "")


def test_ignored_files_are_counted_and_named_on_request(tmp_path: Path, capsys: Capture) -> None:
    files = {**GOOD, ".claude/skills/x/SKILL.md": "x", "node_modules/y/SKILL.md": "y"}
    repo = repo_of(tmp_path, files)
    counted = "2 SKILL.md ignored (1 dot-directory, 1 junk)"
    assert counted in run(capsys, "check", repo)[1]
    named = ".claude/skills/x/SKILL.md: ignored: dot-directory\n"
    assert named in run(capsys, "check", "-v", repo)[1]


def test_links_in_place_of_skills_are_counted_as_paths(tmp_path: Path, capsys: Capture) -> None:
    repo = repo_of(tmp_path, {**GOOD, ".claude/skills": repos.Link("../skills")})
    assert "1 path ignored (1 link)" in run(capsys, "check", repo)[1]
    repos.commit(repo, {**GOOD, "a/SKILL.md": repos.Link("x"), "skills/x": repos.Link("gone")})
    assert "2 paths ignored (2 links)" in run(capsys, "check", "--rev", "HEAD", repo)[1]


def test_excluded_files_of_skills_are_counted_and_named_on_request(
    tmp_path: Path, capsys: Capture
) -> None:
    more = {"skills/csv/fixtures/a": "a", "skills/csv/fixtures/b": "b", "fixtures/c": "c"}
    settings = {"skillbuild.toml": 'exclude = ["**/fixtures/**"]\n'}
    repo, out = repo_of(tmp_path, {**GOOD, **more, **settings}), tmp_path / "out"
    found = "2 skills found, all {}; 0 errors, 0 warnings; 2 files, 2 more excluded"
    last, built = found.format("valid"), found.format("published")
    assert run(capsys, "check", repo) == (0, f"{last} in 0.0 s\n", "")
    named = "skills/csv/fixtures/a: excluded\nskills/csv/fixtures/b: excluded\n"
    assert run(capsys, "check", "-v", repo) == (0, f"{named}{last} in 0.0 s\n", "")
    assert run(capsys, "build", repo, "-o", out)[1].startswith(built)
    # With other arguments than before, it is the record that tells.
    again = run(capsys, "build", "--keep", "2", repo, "-o", out)[1]
    assert again.startswith(f"{built}, nothing changed in ")


SILENCING = """\
[[ignore]]
rule = "link-broken"
reason = "the file comes later"
"""


def test_silenced_findings_are_counted_and_named_with_the_reason_on_request(
    tmp_path: Path, capsys: Capture
) -> None:
    repo, out = repo_of(tmp_path, {**WARNED, "skillbuild.toml": SILENCING}), tmp_path / "out"
    found = "2 skills found, all {}; 0 errors, 0 warnings, 1 silenced; 2 files"
    last, built = found.format("valid"), found.format("published")
    assert run(capsys, "check", "--strict", repo) == (0, f"{last} in 0.0 s\n", "")
    named = run(capsys, "check", "-v", repo)[1]
    message = "the link points to gone.md, which does not exist in the skill (the file comes later)"
    assert re.fullmatch(
        rf"skills/csv/SKILL\.md:5:\d+: silenced\[link-broken\]: {re.escape(message)}\n"
        rf"{last} in 0\.0 s\n",
        named,
    )
    assert json.loads(run(capsys, "check", "--format", "json", repo)[1])["silenced"] == 1
    for options in ([], [], ["--keep", "2"], ["--no-cache"], ["-v"]):
        assert f"{built}, " in run(capsys, "build", *options, repo, "-o", out)[1]


def test_settings_that_do_nothing_are_told_by_every_build(tmp_path: Path, capsys: Capture) -> None:
    settings = 'exclude = ["tests/**"]\n' + SILENCING
    repo, out = repo_of(tmp_path, {**GOOD, "skillbuild.toml": settings}), tmp_path / "out"
    for options in ([], [], ["--keep", "2"], ["--no-cache"]):
        printed = run(capsys, "build", *options, repo, "-o", out)[1]
        assert printed.startswith("skillbuild.toml:1:12: warning[pattern-unused]: ")
        assert "\nskillbuild.toml:2:1: warning[ignore-unused]: " in printed
    assert run(capsys, "build", "--strict", repo, "-o", out)[0] == 1


def test_paths_are_relative_to_the_repository(tmp_path: Path, capsys: Capture) -> None:
    repo = repo_of(tmp_path, BAD)
    assert run(capsys, "check", "-q", repo / "skills") == (1, NO_HEADER, "")


def test_commands_in_hints_work_where_the_user_is(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: dict[str, repos.Content] = {"sub dir/a/skill.md": skill_md("a")}
    files |= {"sub dir/b/SKILL.md": skill_md("b"), "sub dir/b/it's.md": Program("Do it.\n")}
    repo = repo_of(tmp_path, files)
    for here, there in ((tmp_path, "repo/sub dir"), (repo, "sub dir"), (repo / "sub dir", ".")):
        monkeypatch.chdir(here)
        printed = run(capsys, "check", there)[1]
        for command in re.findall(r"hint: ((?:chmod|git) [^;\n]+)", printed):
            subprocess.run(["/bin/sh", "-c", command], check=True)
        assert run(capsys, "check", there)[0] == 0
        assert not run(capsys, "check", "--strict", there)[0]
        subprocess.run(["git", "mv", "a/SKILL.md", "a/skill.md"], cwd=repo / "sub dir", check=True)
        (repo / "sub dir/b/it's.md").chmod(0o755)
    findings = json.loads(run(capsys, "check", "--format", "json", ".")[1])["diagnostics"]
    tracked = "git -C 'sub dir/' mv ./a/skill.md ./a/SKILL.md"
    untracked = "mv 'sub dir/a/skill.md' 'sub dir/a/SKILL.md'"
    assert findings[0]["hint"] == f"{tracked} || {untracked}"


def test_json_is_one_document_on_standard_output(tmp_path: Path, capsys: Capture) -> None:
    repo = repo_of(tmp_path, BAD)
    status, out, errors = run(capsys, "check", "--format", "json", repo)
    report = json.loads(out)
    findings = [
        (item["path"], item["severity"], item["code"]) for item in report.pop("diagnostics")
    ]
    assert status == 1
    assert report == {
        "skills": 2,
        "files": 2,
        "errors": 1,
        "warnings": 1,
        "notes": 0,
        "unlisted": {},
        "internal": [],
        "copies": {},
        "invalid": ["skills/bad"],
        "ignored": {},
        "excluded": [],
        "silenced": 0,
        "releaseDigest": None,
    }
    assert findings == [
        ("skills/bad/SKILL.md", "error", "frontmatter-missing"),
        ("skills/csv/SKILL.md", "warning", "link-broken"),
    ]
    assert errors.startswith("3 skills found: 2 valid, 1 invalid; 1 error, 1 warning; 2 files in ")


def test_the_last_line_counts_copies_and_what_moved_since_the_release_before(
    tmp_path: Path, capsys: Capture
) -> None:
    files = {f"{folder}/csv/SKILL.md": repos.skill_md("csv") for folder in ("plugins", "skills")}
    repo, out = repo_of(tmp_path, files), tmp_path / "out"
    assert "; 1 file, 1 copy, " in run(capsys, "build", repo, "-o", out)[1]
    repos.commit(repo, {**files, "csv/SKILL.md": repos.skill_md("csv", "Another.")})
    assert ", 1 copy, 1 moved, " in run(capsys, "build", repo, "-o", out)[1]
    again = run(capsys, "build", repo, "-o", out)[1]
    assert ", 1 copy, nothing changed in " in again
    assert "moved" not in again


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ((), False),
        (("-v",), True),
        (("-q", "-v"), False),
        (("--strict",), False),
        (("--format", "json"), True),
        (("--format", "sarif"), True),
        (("--format", "github", "-v"), False),
    ],
)
def test_notes_are_for_machines_and_for_those_who_ask(
    options: tuple[str, ...], shown: bool, tmp_path: Path, capsys: Capture
) -> None:
    noted = skill_md("pdf").replace("---\nDo", "argument-hint: a file\n---\nDo")
    repo = repo_of(tmp_path, {"skills/pdf/SKILL.md": noted})
    status, out, errors = run(capsys, "check", *options, repo)
    assert (status, "field-unknown" in out) == (0, shown)
    if "-q" not in options:
        how = "" if options and options != ("--strict",) else " (-v shows it)"
        found = f"1 skill found, 1 valid; 0 errors, 0 warnings, 1 note{how}; 1 file in "
        assert found in out + errors


def test_an_unchanged_output_reports_its_notes_again(tmp_path: Path, capsys: Capture) -> None:
    noted = skill_md("pdf").replace("---\nDo", "argument-hint: a file\n---\nDo")
    repo = repo_of(tmp_path, {"skills/pdf/SKILL.md": noted})
    _, first, _ = run(capsys, "build", "-v", "-o", tmp_path / "out", repo)
    _, again, _ = run(capsys, "build", "-v", "--strict", "-o", tmp_path / "out", repo)
    assert "nothing changed" in again
    assert again.splitlines()[:-1] == first.splitlines()[:-1] != []


def test_github_annotations_are_lines_of_standard_output(tmp_path: Path, capsys: Capture) -> None:
    repo = repo_of(tmp_path, BAD)
    status, out, errors = run(capsys, "check", "--format", "github", repo)
    assert (status, errors.count("\n")) == (1, 1)
    assert [line.partition(" ")[0] for line in out.splitlines()] == ["::error", "::warning"]
    assert out.startswith(
        "::error file=skills/bad/SKILL.md,title=frontmatter-missing,line=1,col=1::"
    )


def test_sarif_is_one_document_on_standard_output(tmp_path: Path, capsys: Capture) -> None:
    repo = repo_of(tmp_path, BAD)
    status, out, _ = run(capsys, "check", "--format", "sarif", repo)
    [log] = json.loads(out)["runs"]
    assert (status, [item["ruleId"] for item in log["results"]]) == (
        1,
        ["frontmatter-missing", "link-broken"],
    )


def test_a_build_without_invalid_skills_says_when_none_is_left(
    tmp_path: Path, capsys: Capture
) -> None:
    repo = repo_of(tmp_path, {"skills/bad/SKILL.md": "# Bad\n"})
    status, out, _ = run(capsys, "build", "--skip-invalid", repo, "--out", tmp_path / "out")
    assert (status, out.splitlines()[-1]) == (1, "every skill is invalid; nothing was written")
    assert not (tmp_path / "out").exists()


def test_findings_go_to_files_too(tmp_path: Path, capsys: Capture) -> None:
    repo = repo_of(tmp_path, {"skills/csv/SKILL.md": repos.skill_md("csv", body="[a](gone.md)\n")})
    files = {form: tmp_path / f"found.{form}" for form in ("text", "json", "sarif")}
    reports = [f"--report={form}={file}" for form, file in files.items()]
    status, out, _ = run(capsys, "check", "--quiet", "--format", "github", *reports, repo)
    assert (status, out) == (0, "")
    assert files["text"].read_text() == BROKEN_LINK
    assert json.loads(files["json"].read_bytes())["warnings"] == 1
    (result,) = json.loads(files["sarif"].read_bytes())["runs"][0]["results"]
    assert result["ruleId"] == "link-broken"


def test_a_report_that_cannot_be_written_is_one_line(tmp_path: Path, capsys: Capture) -> None:
    status, _, errors = run(capsys, "check", f"--report=json={tmp_path}", repo_of(tmp_path, GOOD))
    assert (status, errors.count("\n")) == (2, 1)


def test_untrusted_text_is_escaped_everywhere(tmp_path: Path, capsys: Capture) -> None:
    evil = "a\x1b[31m\n::error::x ##[cmd] \u202e"
    files = {f"skills/{evil}/SKILL.md": skill_md("x"), "skills/ok/SKILL.md": f"{evil}\n"}
    repo = repos.repository(tmp_path / "repo", files, bare=True)
    for form in ("text", "github", "json", "sarif"):
        status, out, errors = run(capsys, "check", "--format", form, repo)
        assert status == 1
        for text in (out, errors):
            assert "\x1b" not in text
            assert "\u202e" not in text
            assert not re.search(r"^\s*::error::x", text, re.MULTILINE)
        if form in ("text", "github"):
            assert "##[" not in out


def test_colors_follow_the_two_variables(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = repo_of(tmp_path, BAD)
    assert "\x1b" not in run(capsys, "check", repo)[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[31merror[frontmatter-missing]\x1b[0m" in run(capsys, "check", repo)[1]
    assert "\x1b" not in run(capsys, "check", "--format", "github", repo)[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run(capsys, "check", repo)[1]


# build and verify


def test_a_build_ends_in_one_line_with_the_release_digest(tmp_path: Path, capsys: Capture) -> None:
    repo, out = repo_of(tmp_path, GOOD), tmp_path / "out"
    status, printed, errors = run(capsys, "build", repo, "-o", out)
    digest = f"sha256:{hashlib.sha256((out / 'release.json').read_bytes()).hexdigest()}"
    found = "2 skills found, all published; 0 errors, 0 warnings; 2 files"
    tail = rf"{found}, [0-9.]+ [kM]B in 0\.0 s (→|->) {out}/"
    assert (status, errors) == (0, "")
    assert re.fullmatch(rf"{tail} \({digest}\)\n", printed)
    again = run(capsys, "build", repo, "-o", out)[1]
    assert again == re.sub(r"[0-9.]+ [kM]B", "nothing changed", printed)


def test_the_last_line_has_the_setting_that_leaves_out_refused_fixtures(
    tmp_path: Path, capsys: Capture
) -> None:
    bad = {f"tests/fixtures/{name}/SKILL.md": "no header\n" for name in ("a", "b")}
    repo, out = repo_of(tmp_path, {**GOOD, **bad}), tmp_path / "out"
    remedy = 'put this at the top of skillbuild.toml: exclude = ["/tests/"]'
    where = "2 invalid skills can be excluded, as the problems are in tests or examples"
    last = f"{where}; to do so, {remedy}"
    assert run(capsys, "check", repo)[1].splitlines()[-1] == last
    assert run(capsys, "build", repo, "-o", out)[1].splitlines()[-1] == last
    assert run(capsys, "build", "-q", repo, "-o", out)[1].endswith("nothing was written\n")
    repos.commit(repo, {**GOOD, **bad, "skillbuild.toml": last.partition("toml: ")[2]})
    printed = run(capsys, "check", "--rev", "HEAD", repo)[1]
    assert printed.startswith("2 skills found, all valid; 0 errors")


def test_an_invalid_skill_stops_the_build(tmp_path: Path, capsys: Capture) -> None:
    repo, out = repo_of(tmp_path, BAD), tmp_path / "out"
    status, printed, errors = run(capsys, "build", repo, "-o", out)
    assert (status, errors) == (1, "")
    assert printed.startswith(NO_HEADER)
    assert printed.endswith(
        "3 skills found: 2 valid, 1 invalid; 1 error, 1 warning; 2 files\n"
        "1 of 3 skills is invalid; exclude it or build with --skip-invalid; nothing was written\n"
    )
    assert not out.exists()


def test_quiet_still_says_that_nothing_was_written(tmp_path: Path, capsys: Capture) -> None:
    repo, out = repo_of(tmp_path, BAD), tmp_path / "out"
    status, printed, _ = run(capsys, "build", "-q", repo, "-o", out)
    advice = "exclude it or build with --skip-invalid; nothing was written"
    assert (status, printed) == (1, f"{NO_HEADER}1 of 3 skills is invalid; {advice}\n")


def test_skipping_counts_what_is_left_out(tmp_path: Path, capsys: Capture) -> None:
    repo, out = repo_of(tmp_path, BAD), tmp_path / "out"
    status, printed, _ = run(capsys, "build", repo, "-o", out, "--skip-invalid")
    assert status == 0
    found = "3 skills found: 2 published, 1 invalid and left out; 1 error, 1 warning; 2 files, "
    assert found in printed
    assert run(capsys, "verify", "--whole", out)[0] == 0


def test_the_last_line_says_of_a_long_index_that_one_reader_stops_there() -> None:
    report = Report((), 790, 790, (), {}, digest=Digest.of(b""), index_size=1_000_000)
    assert (
        numbers_text(report) == "790 skills found, all published; 0 errors, 0 warnings; 790 files"
    )
    longer = numbers_text(replace(report, index_size=1_000_001))
    assert longer.endswith(
        ", index.json is 1,000,001 characters long, but one known MCP client reads only 1,000,000"
    )


def test_json_of_a_build_has_the_release_digest(tmp_path: Path, capsys: Capture) -> None:
    repo, out = repo_of(tmp_path, GOOD), tmp_path / "out"
    status, printed, _ = run(capsys, "build", repo, "-o", out, "--format", "json")
    digest = f"sha256:{hashlib.sha256((out / 'release.json').read_bytes()).hexdigest()}"
    assert (status, json.loads(printed)["releaseDigest"]) == (0, digest)


def test_an_empty_source_is_an_error_unless_it_is_meant(tmp_path: Path, capsys: Capture) -> None:
    repo, out = repo_of(tmp_path, {"README.md": "x"}), tmp_path / "out"
    status, printed, _ = run(capsys, "build", repo, "-o", out)
    assert (status, printed.splitlines()[-1]) == (1, "nothing was written")
    assert run(capsys, "check", repo)[0] == 1
    assert run(capsys, "check", "--allow-empty", repo)[0] == 0
    assert run(capsys, "build", "--allow-empty", repo, "-o", out)[0] == 0


def test_the_base_url_of_the_command_line_wins(tmp_path: Path, capsys: Capture) -> None:
    files = {**GOOD, "skillbuild.toml": 'base_url = "https://example.org"\n'}
    repo, out = repo_of(tmp_path, files), tmp_path / "out"
    run(capsys, "build", repo, "-o", out, "--base-url", "https://example.com/skills")
    assert head_of(out)["release"]["baseUrl"] == "https://example.com/skills/"


def test_verify_says_what_it_read_and_names_each_fault(tmp_path: Path, capsys: Capture) -> None:
    repo, out = repo_of(tmp_path, GOOD), tmp_path / "out"
    _, *closing = run(capsys, "build", repo, "-o", out)
    size = re.search(r"[0-9.]+ kB(?= in )", "".join(closing))
    status, printed, _ = run(capsys, "verify", out)
    assert status == 0
    assert size is not None
    assert re.fullmatch(rf"{out} holds: \d+ files, {size[0]}, 0 faults\n", printed)
    (out / "index.html").write_text("changed")
    (out / "mine").write_text("mine")
    status, printed, _ = run(capsys, "verify", out)
    faults = """\
index.html: {0}: changed since it was published; run build --recheck; for a published copy, \
run publish --recheck
index.html: {0}: active content: no content security policy; run build --recheck; if that \
does not help, fix the templates in the source
mine: {0}: belongs to no release: SHA256SUMS does not list it; remove the file, or move it out of \
the output
"""
    assert (status, printed.splitlines()[:3]) == (0, faults.format("warning").splitlines())
    status, printed, _ = run(capsys, "verify", "--whole", "-q", out)
    assert (status, printed) == (1, faults.format("error"))
    shutil.rmtree(out / "blobs")
    status, printed, _ = run(capsys, "verify", out)
    assert status == 1
    assert "does not hold" in printed.splitlines()[-1]


def test_verify_holds_an_output_to_a_size_and_a_digest(tmp_path: Path, capsys: Capture) -> None:
    repo, out = repo_of(tmp_path, GOOD), tmp_path / "out"
    run(capsys, "build", "-q", repo, "-o", out)
    digest = f"sha256:{hashlib.sha256((out / 'release.json').read_bytes()).hexdigest()}"
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    fits = ("verify", "--whole", "--max-bytes", size, "--release", digest, out)
    assert run(capsys, *fits)[0] == 0
    other = "sha256:" + "0" * 64
    does_not = ("verify", "--max-bytes", size - 1, "--release", other, out)
    status, printed, _ = run(capsys, *does_not)
    lines = printed.splitlines()
    assert (status, len(lines)) == (1, 3)
    assert lines[0].endswith("leave out formats, or split the source")
    assert lines[1] == f"{out}: error: the release is {digest} instead of {other}"
    assert lines[2].endswith(", 2 faults")


# What could not run.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["checks"], "did you mean check?"),
        (["check", "--stirct"], "did you mean --strict?"),
        (["build", "--skip-invald"], "did you mean --skip-invalid?"),
        (["check", "--format", "xml"], "invalid choice: 'xml'"),
        (["check", "--format", "jsn"], "did you mean json?"),
        (["check", "--report", "jsn=x"], "did you mean json?"),
        (["check", "--frmat=json"], "did you mean --format?"),
        (["check", "--jobs", "x"], "positive whole number; see skillbuild check --help"),
        (["check", "--rev"], "expected one argument"),
        (["check", "--str"], "did you mean"),
        (["build", "--repo", "."], "--repo; pass the repository as an argument"),
        (["verify", "out", "--fix"], "--fix; see skillbuild verify --help"),
        (["--strict", "check"], "--strict; write it after the command: skillbuild check --strict"),
        (["build", "--jobs", "0"], "'0' is not a positive whole number"),
        (["build", "--keep", "-1"], ""),
        (["verify", "--release", "abc", "out"], "'abc' must be sha256: followed by 64 hex digits"),
        (["verify", "--max-bytes", "1", "https://a.example"], "needs an output directory"),
        (["check", "--report", "findings.sarif"], "'findings.sarif' must have the form sarif=FILE"),
        (["schema", "idnex"], "did you mean index?"),
        ([], "COMMAND"),
    ],
    ids=range(20),
)
def test_a_wrong_argument_is_one_line_with_the_remedy(
    capsys: Capture, arguments: list[str], message: str
) -> None:
    status, out, errors = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert errors.startswith("skillbuild")
    assert errors.count("\n") == 1
    assert message in errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "gone"], "gone does not exist"),
        (["build", "."], "is not in a git repository; run `git init` and commit the skills"),
        (["check", ".", "--rev", "main"], "is not in a git repository"),
        (["check", "--rev", ""], "is not in a git repository"),
        (["preview", "gone"], "gone is not a directory"),
        (["preview", "--port", "65536"], "cannot listen on 127.0.0.1:65536"),
        (["verify", "gone"], "gone is not a directory"),
        (["verify", "."], "catalog.json is missing; run build again"),
        (
            ["explain", "name-mismach"],
            "there is no rule 'name-mismach'; did you mean name-mismatch?",
        ),
    ],
    ids=range(9),
)
def test_a_command_that_cannot_run_prints_one_line_on_standard_error(
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, errors = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert errors.startswith("skillbuild: ")
    assert errors.count("\n") == 1
    assert message in errors


def test_a_bad_configuration_is_status_two(tmp_path: Path, capsys: Capture) -> None:
    repo = repo_of(tmp_path, {**GOOD, "skillbuild.toml": "titles = 1\n"})
    for command in ("check", "build"):
        status, _, errors = run(capsys, command, repo)
        assert status == 2
        assert errors == (
            "skillbuild: skillbuild.toml:1: unknown key 'titles'; did you mean title?\n"
        )


def test_an_older_commit_needs_rev(tmp_path: Path, capsys: Capture) -> None:
    repo, out = repo_of(tmp_path, GOOD), tmp_path / "out"
    repos.commit(repo, WARNED, day=1)
    run(capsys, "build", repo, "-o", out)
    repos.git(repo, "reset", "--quiet", "--hard", "HEAD~1")
    status, _, errors = run(capsys, "build", repo, "-o", out)
    assert status == 2
    assert "the output was built from the newer commit" in errors
    assert run(capsys, "build", repo, "-o", out, "--rev", "HEAD")[0] == 0


# Other commands.


def test_a_warning_about_a_large_output_names_the_remedies(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "_LARGE_OUTPUT", 1000)
    repo = repo_of(tmp_path, {"a/SKILL.md": skill_md("a")})
    status, _, error = run(capsys, "build", repo, "--out", tmp_path / "out")
    assert status == 0
    assert re.fullmatch(
        r"skillbuild: warning: the output is [0-9.]+ kB; GitHub Pages is limited to 1 GB:"
        r" set \[pages\] files = false, leave out formats, or split the source\n",
        error,
    )


def test_the_version_is_one_line(capsys: Capture) -> None:
    assert run(capsys, "--version") == (0, f"skillbuild {__version__}\n", "")


def test_help_names_every_command(capsys: Capture) -> None:
    status, out, _ = run(capsys, "--help")
    assert status == 0
    for command in ("init", "check", "build", "verify", "explain", "schema", "completion"):
        assert f"\n    {command}" in out
        assert run(capsys, command, "--help")[0] == 0


def test_explain_lists_the_rules_and_explains_each(capsys: Capture) -> None:
    status, out, _ = run(capsys, "explain")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()] == list(RULES)
    for code, rule in RULES.items():
        status, out, _ = run(capsys, "explain", code)
        assert status == 0
        assert out.startswith(f"{code} ({rule.severity}): {rule.summary}\n\n")


LAYOUT_1 = "catalog.json has layout 1, which is no longer supported; "


@pytest.mark.parametrize(
    "arguments",
    [
        ["build", "repo", "-o", "old"],
        ["build", "repo", "-o", "new", "--previous", "old"],
        ["verify", "old"],
        ["verify", "--whole", "old"],
        ["serve", "old"],
        ["diff", "old", "old"],
        ["summary", "old"],
    ],
    ids=" ".join,
)
def test_an_output_of_layout_1_is_told_in_one_line_to_be_built_again(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    repo_of(tmp_path, GOOD)
    (tmp_path / "old").mkdir()
    (tmp_path / "old/catalog.json").write_text('{"layout": 1, "entries": []}')
    monkeypatch.chdir(tmp_path)
    status, printed, errors = run(capsys, *arguments)
    remedy = "remove the output and build again"
    if "--previous" in arguments:
        remedy = "build without --previous to start over (the release was read from old)"
    assert (status, printed, errors) == (2, "", f"skillbuild: {LAYOUT_1}{remedy}\n")


# Processes and streams.


def test_a_process_ends_with_the_status_of_the_command(tmp_path: Path) -> None:
    repo_of(tmp_path, BAD)
    assert process("check", "-q", "repo", cwd=tmp_path)[0] == 1
    assert process("check", "gone", cwd=tmp_path)[0] == 2
    assert process("--version", cwd=tmp_path) == (0, f"skillbuild {__version__}\n".encode(), b"")


_LOADED = """
import sys
from skillbuild.cli import main
try:
    main.main(sys.argv[1:])
finally:
    print(*sys.modules, file=sys.stderr)
"""


ROOMS = ["model", "source", "check", "compile", "output", "report", "storage", "build", "cli.build"]


@pytest.mark.parametrize(
    ("arguments", "unused"),
    [
        (["--version"], [*ROOMS, "dataclasses"]),
        (["explain", "name-mismatch"], ["source", "check", "compile", "output", "release"]),
        (["check", "-q", "repo"], ["compile.pack", "output", "cache", "build", "cli.build"]),
    ],
    ids=["--version", "explain", "check"],
)
def test_a_command_loads_what_it_needs(
    tmp_path: Path, arguments: list[str], unused: list[str]
) -> None:
    repo_of(tmp_path, GOOD)
    python = [sys.executable, "-c", _LOADED, *arguments]
    done = subprocess.run(
        python,
        capture_output=True,
        cwd=tmp_path,
        env=environment(PYTHONPATH=f"{repos.BUILDER}"),
        text=True,
        check=True,
    )
    loaded = {name.removeprefix("skillbuild.") for name in done.stderr.split()}
    assert "cli" in loaded
    foreign = {"deflate", "jinja2", "mcp", "pygments", "tarfile", "zipfile"}
    never = {*foreign, "media.archive", "emit", "serve"}
    assert loaded & {*unused, *never} == set()


def test_an_ascii_terminal_gets_ascii(tmp_path: Path) -> None:
    repo_of(tmp_path, GOOD)
    variables = {"PYTHONIOENCODING": "ascii"}
    status, out, errors = process("build", "repo", "--out", "né", cwd=tmp_path, variables=variables)
    assert (status, errors) == (0, b"")
    assert out.isascii()
    assert b" -> n\\xe9/ (sha256:" in out


def test_names_are_shown_as_they_are_where_the_stream_takes_utf8(tmp_path: Path) -> None:
    files = {**GOOD, "skills/été\u200b/SKILL.md": "x"}
    repo_of(tmp_path, files)
    for encoding, name in (("utf-8", "été\\u200b"), ("ascii", "\\xe9t\\xe9\\u200b")):
        variables = {"PYTHONIOENCODING": encoding}
        for form, start in (("text", ""), ("github", "::error file=")):
            arguments = ("check", "repo", "--format", form)
            _, out, _ = process(*arguments, cwd=tmp_path, variables=variables)
            lines = out.decode(encoding).splitlines()
            assert any(line.startswith(f"{start}skills/{name}/SKILL.md") for line in lines)


def test_a_locale_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    repo_of(tmp_path, GOOD)
    variables = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    status, out, errors = process("build", "repo", cwd=tmp_path, variables=variables)
    if sys.getfilesystemencoding() == "utf-8" and status == 0:
        return  # Some systems know UTF-8 file names alone.
    assert (status, out) == (2, b"")
    assert re.fullmatch(
        rb"skillbuild: Python reads file names as \S+ in this locale; set PYTHONUTF8=1\n", errors
    )


@pytest.mark.skipif(os.name != "posix", reason="pipes break in another way there")
def test_a_reader_that_leaves_early_gets_no_traceback(tmp_path: Path) -> None:
    files: dict[str, repos.Content] = {f"s{i}/SKILL.md": "x\n" for i in range(600)}
    repo_of(tmp_path, files)
    with repos.skillbuild("check", "--jobs=1", "repo", cwd=tmp_path) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.readline()
        started.stdout.close()
        assert started.stderr.read() == b""


def test_the_default_output_and_source_are_here(tmp_path: Path) -> None:
    repo = repo_of(tmp_path, GOOD)
    status, _, errors = process("build", cwd=repo)
    assert (status, errors) == (0, b"")
    assert process("verify", "out", cwd=repo)[0] == 0


def test_a_repository_whose_name_looks_like_an_option(tmp_path: Path) -> None:
    repos.repository(tmp_path / "--rev", GOOD)
    assert process("build", "--out", "out", "--", "--rev", cwd=tmp_path)[0] == 0


def test_without_git_the_command_fails_with_a_message(tmp_path: Path) -> None:
    repo_of(tmp_path, GOOD)
    for command in ("check", "build"):
        status, _, errors = process(command, "repo", cwd=tmp_path, variables={"PATH": ""})
        assert status == 2
        assert errors.startswith(b"skillbuild: git is not installed or not on PATH; install git 2.")

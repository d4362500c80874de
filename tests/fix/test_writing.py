"""What `check --fix` does to the files of a working tree, and what it prints."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from helpers import repos
from helpers.repos import Link, Program, skill_md
from skillbuild.cli import main
from skillbuild.compile.skills import check_skills
from skillbuild.fix.edits import Draft, Edit
from skillbuild.fix.plan import NewBit, NewText, Plan, plan_fixes
from skillbuild.fix.write import Fixed, write
from skillbuild.report.json_reports import report_schema
from skillbuild.storage import in_place

Capture = pytest.CaptureFixture[str]

COLON = skill_md("a", "Does: one thing")
CHANGED = skill_md("a", '"Does: one thing"')
FIXED = (
    'a/SKILL.md:3: fixed[yaml-unquoted-colon]: description: Does: one thing -> "Does: one thing"\n'
)
ONE = "1 problem fixed in 1 file"
posix = pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")


def run(capsys: Capture, *arguments: object) -> tuple[int, str, str]:
    status = main.main(["check", *map(str, arguments)])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def plan_of(repo: Path) -> Plan:
    request = repos.request_of(repo)
    return plan_fixes(request, check_skills(request), unsafe=False, with_bits=True)


def reasons(fixed: Fixed) -> list[tuple[str, str]]:
    return [(item.path, item.reason) for item in fixed.left]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_work_tree_is_mended_and_nothing_else(tmp_path: Path, capsys: Capture) -> None:
    repo = repos.repository(tmp_path / "repo", {"a/SKILL.md": COLON})
    before = repos.digests(repo / ".git")
    status, out, errors = run(capsys, "--fix", repo)
    lines = out.splitlines(keepends=True)
    assert (status, lines[0], lines[2:], errors) == (0, FIXED, [f"{ONE}, 0 left\n"], "")
    assert lines[1].startswith("1 skill found, 1 valid; 0 errors, 0 warnings; 1 file in ")
    assert (repo / "a/SKILL.md").read_text() == CHANGED
    assert repos.digests(repo / ".git") == before
    assert run(capsys, "--fix", repo)[1].endswith("\n0 problems fixed in 0 files, 0 left\n")
    assert names(repo / "a") == ["SKILL.md"]


def test_what_is_left_is_shown_and_decides_the_status(tmp_path: Path, capsys: Capture) -> None:
    files = {"a/SKILL.md": COLON, "b/SKILL.md": "x\n", "c/SKILL.md": "---\nname: c\n\nx\n"}
    repo = repos.repository(tmp_path / "repo", files)
    status, out, _ = run(capsys, "--fix", repo)
    assert status == 1
    lines = out.splitlines()
    assert lines[:2] == [
        FIXED.strip(),
        "c/SKILL.md:1: left[frontmatter-unclosed]: the end of the frontmatter is unclear",
    ]
    assert lines[-1] == f"{ONE}, 2 left"
    assert "b/SKILL.md:1:1: error[frontmatter-missing]" in out
    assert run(capsys, "--fix", "-q", repo)[1].count("\n") == 4


def problems(capsys: Capture, repo: Path) -> int:
    """How many errors and warnings a plain `check` counts."""
    numbers = re.findall(r"(\d+) (?:error|warning)", run(capsys, repo)[1].splitlines()[-1])
    return sum(map(int, numbers))


@pytest.mark.parametrize("option", ["--fix", "--unsafe-fixes"])
def test_the_closing_line_counts_as_check_does(
    option: str, tmp_path: Path, capsys: Capture
) -> None:
    """A long description is found only once the frontmatter can be read."""
    tools = "name: {0}\ndescription: Does one thing.\nallowed-tools: [{1}]\n"
    files = {
        "a/SKILL.md": COLON,
        "b/SKILL.md": skill_md("b", f"Does: {600 * 'x'}. {600 * 'y'}."),
        "c/SKILL.md": f"---\n{tools.format('c', 'Read, Grep')}---\nDo it.\n",
        "d/SKILL.md": f"---\n{tools.format('d', '[Read]')}---\nDo it.\n",
        "e/SKILL.md": skill_md("e", body="[gone](references/gone.md)\n"),
        "f/SKILL.md": "x\n",
    }
    repo = repos.repository(tmp_path / "repo", files)
    before = problems(capsys, repo)
    closing = run(capsys, option, repo)[1].splitlines()[-1]
    match = re.match(
        r"(\d+) problems? fixed in (\d+) files?, (\d+) left(?: \((\d+) found only after)?", closing
    )
    assert match is not None, closing
    fixed, changed, left, new = (int(number or 0) for number in match.groups())
    assert left == problems(capsys, repo)
    assert fixed + left == before + new
    assert len(repos.git(repo, "diff", "--name-only").split()) == changed


def test_the_closing_line_names_the_notes_that_are_fixed(tmp_path: Path, capsys: Capture) -> None:
    """A file of which only notes are fixed counts as changed; so the notes are counted, too."""
    read = "name: {0}\ndescription: Does one thing.\nmetadata:\n  one: 1\n  two: 2\n  b: {1}\n"
    files: dict[str, str | Program] = {
        "a/SKILL.md": f"---\n{read.format('a', '3')}---\nDo it.\n",
        "b/SKILL.md": Program(skill_md("b")),
        "c/SKILL.md": f"---\n{read.format('c', '{x: 1}')}---\nDo it.\n",
    }
    repo = repos.repository(tmp_path / "repo", files)
    lines = run(capsys, repo)[1].splitlines()
    assert "1 problem and 1 note fixable with skillbuild check --fix" in "\n".join(lines)
    assert "; 0 errors, 1 warning, 2 notes " in lines[-1]
    lines = run(capsys, "--fix", repo)[1].splitlines()
    assert lines[-1] == "1 problem and 1 note fixed in 3 files, 0 problems left"
    assert "; 0 errors, 0 warnings, 1 note " in lines[-2]


def test_a_finding_that_is_fixed_in_part_is_not_counted(tmp_path: Path, capsys: Capture) -> None:
    part = "metadata:\n  one: 1\n  two:\n"
    files = {"a/SKILL.md": f"---\nname: a\ndescription: Does one thing.\n{part}---\nDo it.\n"}
    repo = repos.repository(tmp_path / "repo", files)
    lines = run(capsys, "--fix", repo)[1].splitlines()
    assert lines[-1] == "part of a problem fixed in 1 file, 1 left"


def test_unsafe_fixes_say_why_a_thing_is_left(tmp_path: Path, capsys: Capture) -> None:
    files = {"a/SKILL.md": skill_md("PDF Toolkit"), "b/SKILL.md": skill_md("b", "[a")}
    repo = repos.repository(tmp_path / "repo", files)
    assert "left[" not in run(capsys, "--fix", repo)[1]
    lines = run(capsys, "--unsafe-fixes", repo)[1].splitlines()
    assert lines[:2] == [
        "a/SKILL.md:2: left[name-invalid]: the directory has a different name",
        "b/SKILL.md:4: left[yaml-invalid]: quotes alone do not make it valid YAML",
    ]


def test_json_has_the_mends_and_what_is_left(tmp_path: Path, capsys: Capture) -> None:
    long = skill_md("b", f"{600 * 'x'}. {600 * 'y'}.")
    files = {"top/a/SKILL.md": COLON, "top/b/SKILL.md": long}
    repo = repos.repository(tmp_path / "repo", files)
    file = tmp_path / "report.json"
    status, out, errors = run(
        capsys, "--fix", "--format", "json", f"--report=json={file}", repo / "top"
    )
    report = json.loads(out)
    assert report == json.loads(file.read_text())
    jsonschema.validate(report, json.loads(report_schema("findings")))
    closing = f"{ONE}, 1 left; 1 more with --unsafe-fixes"
    assert (status, errors.splitlines()[-1]) == (0, closing)
    assert report["fixes"] == [
        {
            "code": "yaml-unquoted-colon",
            "path": "top/a/SKILL.md",
            "line": 3,
            "field": ["description"],
            "old": "Does: one thing",
            "new": '"Does: one thing"',
            "value": "Does: one thing",
        }
    ]
    assert report["left"] == [
        {
            "code": "description-too-long",
            "path": "top/b/SKILL.md",
            "line": 3,
            "reason": "needs --unsafe-fixes",
        }
    ]
    assert [item["code"] for item in report["diagnostics"]] == ["description-too-long"]


def test_a_commit_is_not_mended(tmp_path: Path, capsys: Capture) -> None:
    repo = repos.repository(tmp_path / "repo", {"a/SKILL.md": COLON})
    bare = repos.repository(tmp_path / "bare", {"a/SKILL.md": COLON}, bare=True)
    line = "skillbuild: a commit cannot be fixed; --fix needs a working tree\n"
    for arguments in (("--fix", "--rev", "HEAD", repo), ("--diff", bare), ("--unsafe-fixes", bare)):
        assert run(capsys, *arguments) == (2, "", line)


def test_a_diff_is_what_git_shows_afterwards(tmp_path: Path, capsys: Capture) -> None:
    """Byte for byte, with modes; and `git apply` takes it."""
    files: repos.Files = {
        "top/ä/SKILL.md": Program(skill_md("x", "Dös: one thing")),
        "top/b c/SKILL.md": "---\r\nname: b\r\ndescription: Does: x\r\n---",
        "top/b c/x.sh": "#!/bin/sh\n",
        "top/d/SKILL.md": "---\ndescription: D.\n---\n",
        "top/d/data.bin": b"\xff\x00",
    }
    repo = repos.repository(tmp_path / "repo", files)
    before = repos.digests(repo)
    status, out, errors = run(capsys, "--diff", "--unsafe-fixes", "--format", "json", repo / "top")
    jsonschema.validate(json.loads(out), json.loads(report_schema("findings")))
    diff = json.loads(out)["diff"]
    assert status == 1
    assert "would be fixed in" in errors
    assert repos.digests(repo) == before
    assert run(capsys, "--unsafe-fixes", repo / "top")[0] == 0
    fixed = repos.digests(repo / "top")
    repos.git(repo, "add", "--all")
    shown = repos.git(repo, "diff", "--cached", "--no-color")
    assert plain(shown) == plain(diff)
    repos.git(repo, "reset", "--quiet", "--hard")
    repos.git(repo, "apply", "-", stdin=diff.encode())
    assert repos.digests(repo / "top") == fixed
    assert run(capsys, "--diff", "--unsafe-fixes", repo / "top") == (
        0,
        "",
        "0 problems would be fixed in 0 files\n",
    )


def plain(diff: str) -> list[str]:
    """The lines that do not depend on the objects of git."""
    return [line for line in diff.rstrip("\n").split("\n") if not line.startswith("index ")]


def test_a_diff_on_a_terminal_is_escaped_and_knows_two_formats(
    tmp_path: Path, capsys: Capture
) -> None:
    repo = repos.repository(tmp_path / "repo", {"a/SKILL.md": skill_md("a", "Ä\u202e: ##[x]")})
    status, out, errors = run(capsys, "--diff", repo)
    assert (status, errors) == (1, "1 problem would be fixed in 1 file\n")
    assert '+description: "Ä\\u202e: ##\\x5bx]"\n' in out
    assert "\u202e" not in out
    assert run(capsys, "--diff", "--format", "sarif", repo)[2].startswith("skillbuild: --diff pr")


def test_ignored_files_submodules_and_links_are_left(tmp_path: Path, capsys: Capture) -> None:
    files: repos.Files = {
        ".gitignore": "/ignored/\n",
        "a/SKILL.md": skill_md("a"),
        "link": Link("../outside"),
        "b/SKILL.md": Link("../../outside/SKILL.md"),
    }
    repo = repos.repository(tmp_path / "repo", files)
    outside = [repo / "ignored", tmp_path / "outside", repo / "module"]
    repos.empty(outside[2])
    for folder in outside:
        folder.mkdir(exist_ok=True)
        (folder / "SKILL.md").write_text(COLON)
    assert run(capsys, "--fix", repo)[1].endswith("\n0 problems fixed in 0 files, 0 left\n")
    assert [(folder / "SKILL.md").read_text() for folder in outside] == [COLON] * 3


def test_a_folder_outside_git_is_mended(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/SKILL.md").write_text(COLON)
    assert run(capsys, "--fix", tmp_path)[0] == 0
    assert names(tmp_path / "a") == ["SKILL.md"]
    assert (tmp_path / "a/SKILL.md").read_text() == CHANGED


@posix
def test_bits_that_git_does_not_record_are_left(tmp_path: Path, capsys: Capture) -> None:
    repo = repos.repository(tmp_path / "repo", {"a/SKILL.md": Program(skill_md("a"))})
    repos.git(repo, "config", "core.fileMode", "false")
    out = run(capsys, "--fix", repo)[1]
    assert "left[exec-markdown]: git ignores executable bits here" in out
    assert (repo / "a/SKILL.md").stat().st_mode & 0o100


@posix
def test_the_mode_of_a_file_stays(tmp_path: Path, capsys: Capture) -> None:
    repo = repos.repository(tmp_path / "repo", {"a/SKILL.md": COLON})
    (repo / "a/SKILL.md").chmod(0o640)
    assert run(capsys, "--fix", repo)[0] == 0
    assert stat.S_IMODE((repo / "a/SKILL.md").stat().st_mode) == 0o640


@posix
def test_the_owner_of_a_file_stays(tmp_path: Path) -> None:
    """As root, who fixes the files of others in a container; others have no file to try it on."""
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    (tmp_path / "x").write_bytes(b"old")
    os.chown(tmp_path / "x", 1234, 2345)
    assert in_place.rewrite(tmp_path, "x", b"old", b"new") == ""
    status = (tmp_path / "x").stat()
    assert (status.st_uid, status.st_gid) == (1234, 2345)
    assert (tmp_path / "x").read_bytes() == b"new"


def _changed(repo: Path) -> None:
    (repo / "a/SKILL.md").write_text(f"{COLON}More.\n")


def _gone(repo: Path) -> None:
    (repo / "a/SKILL.md").unlink()


def _read_only(repo: Path) -> None:
    (repo / "a/SKILL.md").chmod(0o444)


def _behind_link(repo: Path) -> None:
    (repo / "a").rename(repo / "there")
    (repo / "a").symlink_to("there")


def _link(repo: Path) -> None:
    (repo / "a/SKILL.md").rename(repo / "there")
    (repo / "a/SKILL.md").symlink_to("../there")


@posix
@pytest.mark.parametrize(
    ("happens", "reason"),
    [
        (_changed, "the file has changed in the meantime"),
        (_gone, "no such file or directory"),
        (_read_only, "it is read-only"),
        (_behind_link, "the path contains a symbolic link"),
        (_link, "the file is a symbolic link"),
    ],
)
def test_a_file_is_left_if_it_is_not_as_it_was_read(
    happens: Callable[[Path], None], reason: str, tmp_path: Path
) -> None:
    repo = repos.repository(tmp_path / "repo", {"a/SKILL.md": COLON})
    plan = plan_of(repo)
    happens(repo)
    before = repos.digests(repo)
    fixed = write(plan, repo)
    assert (list(fixed.fixes), reasons(fixed)) == ([], [("a/SKILL.md", reason)])
    assert repos.digests(repo) == before


@posix
def test_a_bit_behind_a_link_is_left(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", {"a/x.sh": "#!/bin/sh\n", "b": Link("a")})
    bit = NewBit("b/x.sh", executable=True, code="script-not-executable")
    assert reasons(write(Plan([bit], [], {}), repo)) == [
        ("b/x.sh", "the path contains a symbolic link")
    ]
    assert in_place.set_executable(repo, "a", True)
    assert not (repo / "a/x.sh").stat().st_mode & 0o111


def test_nothing_is_left_beside_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", {"a/SKILL.md": COLON})
    draft = Draft(COLON, (Edit(0, 0, "x"),))
    fixed = write(Plan([NewText("gone/SKILL.md", draft)], [], {}), repo)
    assert {reason for _, reason in reasons(fixed)} == {"no such file or directory"}
    assert repos.git(repo, "status", "--porcelain") == ""

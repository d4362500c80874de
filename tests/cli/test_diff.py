"""`skillbuild diff`: compares outputs, revisions and published catalogs with each other."""

from __future__ import annotations

import json
import re
import shutil
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from helpers import repos
from helpers.outputs import parts_of, record_of
from helpers.repos import Program, skill_md
from helpers.web import files_of, path_of, reply, served
from skillbuild.cli import main
from skillbuild.cli.diff import opened
from skillbuild.model import Digest
from skillbuild.storage import disk, origins
from skillbuild.storage.files import Patience

SETTINGS = 'formats = ["zip"]\n'
OLD: repos.Files = {
    "skillbuild.toml": SETTINGS,
    "skills/pdf/SKILL.md": skill_md("pdf"),
    "skills/gone/SKILL.md": skill_md("gone", "Goes.", body="Go.\n"),
}
NEW: repos.Files = {
    "skillbuild.toml": SETTINGS,
    "skills/pdf/SKILL.md": skill_md("pdf"),
    "skills/pdf/run.sh": Program("curl https://new.dev/\n"),
    "skills/csv/SKILL.md": skill_md("csv", "Reads."),
}
SCRIPT = Digest.of(b"curl https://new.dev/\n")
WANTED = f"""\
added    csv, +16 tokens
removed  gone
changed  pdf
    + run.sh none -> {SCRIPT.short}
    ! newly executable: run.sh
    ! now reaches new.dev
1 added, 1 changed, 1 removed
"""

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with two commits, and beside it the outputs `old` and `new`."""
    repo = repos.repository(tmp_path_factory.mktemp("diff") / "repo", OLD)
    repos.git(repo, "tag", "v1")
    repos.commit(repo, NEW, day=1)
    assert repos.build(repo, repo.parent / "old", "v1").release is not None
    assert repos.build(repo, repo.parent / "new").release is not None
    return repo


def run(capsys: Capture, *arguments: object) -> tuple[int, str, str]:
    status = main.main(["diff", *map(str, arguments)])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_another_name_of_the_marketplace_is_told(
    repo: Path, tmp_path: Path, capsys: Capture
) -> None:
    named = {**NEW, "skillbuild.toml": f'{SETTINGS}[plugins]\nname = "tools"\n'}
    repos.build(repos.repository(tmp_path / "repo", named), tmp_path / "out")
    _, out, errors = run(capsys, repo.parent / "new", tmp_path / "out")
    note = "the plugin marketplace agent-skills-catalog is now called tools"
    assert (out, errors) == (
        "no changes\n",
        f"note: {note}: people who added it must add it again\n",
    )


def test_two_outputs(repo: Path, capsys: Capture) -> None:
    assert run(capsys, repo.parent / "old", repo.parent / "new") == (0, WANTED, "")


def test_two_revisions_of_the_repository_here(
    repo: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repo)
    assert run(capsys, "--repo", "v1", "HEAD") == (0, WANTED, "")
    assert repos.git(repo, "status", "--porcelain", "--ignored") == repos.git(
        repo, "status", "--porcelain"
    )


def test_a_revision_and_the_work_tree(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is typed and not committed counts."""
    repo = repos.repository(tmp_path / "repo", OLD)
    monkeypatch.chdir(repo)
    assert run(capsys, "--repo", "HEAD", ".") == (0, "no changes\n", "")
    (repo / "skills/gone/SKILL.md").write_text(skill_md("gone", "Stays."))
    (repo / "skills/new").mkdir()
    (repo / "skills/new/SKILL.md").write_text(skill_md("new", "Is new.", body="New.\n"))
    (repo / "skills/pdf/SKILL.md").write_text("no header\n")
    status, out, errors = run(capsys, "--repo", "HEAD", ".")
    assert (status, errors) == (0, "note: invalid in .: skills/pdf\n")
    changed = re.findall(r"^(added|removed|changed) +(\w+)", out, re.MULTILINE)
    assert sorted(changed) == [("added", "new"), ("changed", "gone"), ("removed", "pdf")]
    assert run(capsys, "--repo", ".", "HEAD")[1] != out
    settings = repo / "skillbuild.toml"
    settings.write_text(f"{settings.read_text()}[versions]\n")
    assert run(capsys, "--repo", "HEAD", ".")[0] == 0


def test_an_output_and_a_revision(
    repo: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repo)
    assert run(capsys, "--repo", "../old", "HEAD") == (0, WANTED, "")


@pytest.mark.parametrize("end", ["", "/", "/catalog.json"])
def test_a_published_catalog_and_an_output(end: str, repo: Path, capsys: Capture) -> None:
    with served(files_of(repo.parent / "new", "/repo/")) as url:
        assert run(capsys, repo.parent / "old", f"{url}/repo{end}") == (0, WANTED, "")


def test_nothing_changed(repo: Path, capsys: Capture) -> None:
    assert run(capsys, repo.parent / "new", repo.parent / "new") == (0, "no changes\n", "")


def test_as_json_and_markdown(repo: Path, capsys: Capture) -> None:
    sides = (repo.parent / "old", repo.parent / "new")
    _, printed, _ = run(capsys, *sides, "--format", "json")
    assert [(change["kind"], change["path"]) for change in json.loads(printed)["changes"]] == [
        ("added", "csv"),
        ("removed", "gone"),
        ("changed", "pdf"),
    ]
    _, printed, _ = run(capsys, *sides, "--format", "markdown")
    head = "**1 added, 1 changed, 1 removed**\n\n#### Look twice\n\n- `pdf`: `newly executable:"
    assert printed.startswith(head)


def test_a_summary_of_the_comparison_says_what_is_no_longer_listed(
    tmp_path: Path, capsys: Capture
) -> None:
    repo = repos.repository(tmp_path / "repo", OLD)
    repos.build(repo, tmp_path / "old")
    repos.commit(repo, {**OLD, "skills/pdf/SKILL.md": skill_md("pdf", "x" * 1025)}, day=1)
    repos.build(repo, tmp_path / "new")
    _, printed, _ = run(capsys, tmp_path / "old", tmp_path / "new", "--format", "json")
    (tmp_path / "changes").write_text(printed)
    arguments = ["summary", "--changes", tmp_path / "changes", tmp_path / "new"]
    assert main.main([*map(str, arguments)]) == 0
    lines = capsys.readouterr().out.splitlines()
    words = "no longer in the MCP list: description-too-long"
    assert f"  - `{words}`" in lines


def test_invalid_skills_of_a_revision_are_named(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = repos.repository(tmp_path / "repo", OLD)
    repos.commit(repo, {**OLD, "skills/pdf/SKILL.md": "# No header\n"}, day=1)
    monkeypatch.chdir(repo)
    note = "note: invalid in HEAD: skills/pdf\n"
    assert run(capsys, "--repo", "HEAD~1", "HEAD") == (
        0,
        "removed  pdf (invalid)\n1 removed\n",
        note,
    )
    assert run(capsys, "--repo", "HEAD~1", "HEAD", "-q")[2] == ""


def test_a_folder_that_is_no_output_is_an_error(
    repo: Path, tmp_path: Path, capsys: Capture
) -> None:
    missing = tmp_path / "missing"
    status, printed, error = run(capsys, repo.parent / "old", missing)
    wanted = f"skillbuild: {missing} is not a directory; to compare revisions, pass --repo\n"
    assert (status, printed, error) == (2, "", wanted)
    status, printed, error = run(capsys, repo.parent / "old", tmp_path)
    assert (status, printed) == (2, "")
    assert error == f"skillbuild: {tmp_path}/catalog.json is missing; run build again\n"


def test_an_unknown_revision_is_an_error(
    repo: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repo)
    status, printed, error = run(capsys, "--repo", "nowhere", "HEAD")
    assert (status, printed) == (2, "")
    assert "nowhere" in error


def test_a_missing_catalog_is_an_error(repo: Path, capsys: Capture) -> None:
    with served(lambda request: reply(request, 404, b"")) as url:
        status, printed, error = run(capsys, url, repo.parent / "new")
    wanted = f"skillbuild: nothing is published at {url}: it has no catalog.json\n"
    assert (status, printed, error) == (2, "", wanted)


def test_a_damaged_catalog_is_an_error(repo: Path, capsys: Capture) -> None:
    with served(lambda request: reply(request, 200, b"<html>")) as url:
        status, printed, error = run(capsys, url, repo.parent / "new")
    assert (status, printed) == (2, "")
    assert error.startswith(
        f"skillbuild: {url}/catalog.json: received a web page instead of the file"
    )


def test_a_file_that_is_not_what_the_catalog_says_is_refused(repo: Path, capsys: Capture) -> None:
    out = repo.parent / "new"

    def answer(request: BaseHTTPRequestHandler) -> None:
        data = disk.read(out / path_of(request)[1:]) or b""
        changed = bytes(reversed(data)) if "/blobs/" in path_of(request) else data
        reply(request, 200, changed)

    with served(answer) as url:
        status, printed, error = run(capsys, repo.parent / "old", url)
    assert (status, printed) == (2, "")
    assert error.endswith(": wrong digest; build that catalog again\n")


def test_a_file_larger_than_the_catalog_says_is_cut_off(repo: Path, capsys: Capture) -> None:
    out = repo.parent / "new"

    def answer(request: BaseHTTPRequestHandler) -> None:
        data = disk.read(out / path_of(request)[1:]) or b""
        reply(request, 200, data + b"more" if "/blobs/" in path_of(request) else data)

    with served(answer) as url:
        status, printed, error = run(capsys, repo.parent / "old", url)
    assert (status, printed) == (2, "")
    assert ": larger than " in error


def test_a_catalog_without_end_is_cut_off(
    repo: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skillbuild.cli.diff.MOST_BYTES", 1000)
    with served(lambda request: reply(request, 200, b" " * 100_000)) as url:
        status, _, error = run(capsys, url, repo.parent / "new")
    wanted = f"skillbuild: {url}/catalog.json: larger than 1,000 bytes\n"
    assert (status, error) == (2, wanted)


def test_a_server_that_never_answers_times_out(
    repo: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurried = Patience(connect=1, silence=0.05, whole=1, attempts=2)
    monkeypatch.setattr(origins, "FOR_COMMANDS", hurried)
    done = threading.Event()

    def wait(request: BaseHTTPRequestHandler) -> None:
        done.wait(30)

    with served(wait) as url:
        status, _, error = run(capsys, url, repo.parent / "new")
        done.set()
    assert (status, error) == (2, f"skillbuild: {url}/catalog.json: timed out\n")


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:,{}"])
def test_a_redirection_leaves_http_for_nothing_else(
    target: str, repo: Path, capsys: Capture
) -> None:
    with served(lambda request: reply(request, 302, b"", Location=target)) as url:
        status, printed, error = run(capsys, url, repo.parent / "new")
    assert (status, printed) == (2, "")
    assert error.startswith("skillbuild: ")
    assert f"{url}/catalog.json" in error


def test_the_record_of_a_url_is_read_as_that_of_a_folder(repo: Path) -> None:
    out = repo.parent / "new"
    with served(files_of(out)) as url, opened(url, None) as side:
        assert side.catalog == record_of(out).catalog
        assert list(side.catalog.entries) == list(record_of(out).catalog.entries)
        files = [file for entry in side.catalog.entries for file in entry.resources]
        [script] = [file for file in files if file.digest == SCRIPT]
        assert side.read(script) == b"curl https://new.dev/\n"


def test_a_side_of_an_older_layout_is_told_to_be_built_again(
    repo: Path, tmp_path: Path, capsys: Capture
) -> None:
    (tmp_path / "catalog.json").write_text('{"layout": 1}')
    remedy = "remove the output and build again"
    message = f"catalog.json has layout 1, which is no longer supported; {remedy}"
    wanted = (2, "", f"skillbuild: {message}\n")
    assert run(capsys, tmp_path, repo.parent / "new") == wanted
    with served(files_of(tmp_path)) as url:
        assert run(capsys, repo.parent / "old", url) == wanted


@pytest.mark.parametrize("data", [None, b"other"], ids=["missing", "damaged"])
def test_a_part_that_cannot_be_had_is_an_error(
    repo: Path, tmp_path: Path, capsys: Capture, data: bytes | None
) -> None:
    out = tmp_path / "out"
    shutil.copytree(repo.parent / "new", out)
    [part] = parts_of(out)
    (out / part.path).unlink()
    if data is not None:
        (out / part.path).write_bytes(data)
    state = "missing" if data is None else "damaged"
    remedy = "remove the output and build again"
    message = f"skillbuild: {part.path}, a part of catalog.json, is {state}; {remedy}\n"
    assert run(capsys, repo.parent / "old", out) == (2, "", message)
    with served(files_of(out)) as url:
        assert run(capsys, url, repo.parent / "old")[2] == message


def test_where_nothing_is_published_yet_everything_is_new(repo: Path, capsys: Capture) -> None:
    with served(files_of(repo.parent / "nowhere")) as url:
        status, out, _ = run(capsys, "--allow-missing", url, repo.parent / "new")
        assert (status, out.splitlines()[-1]) == (0, "2 added")
        assert run(capsys, url, repo.parent / "new")[0] == 2

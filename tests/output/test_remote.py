"""`build --previous`: files of the published release stay resolvable in a fresh output."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from helpers import outputs, repos
from helpers.outputs import entry_of, parts_of, record_of, rewrite_entries
from helpers.repos import published, skill_md
from helpers.web import files_of, path_of, reply, served
from skillbuild import build
from skillbuild.build import Options
from skillbuild.cli import main
from skillbuild.errors import OutputError
from skillbuild.model import Digest
from skillbuild.output import base, verify
from skillbuild.release.layout import blob_path
from skillbuild.storage import disk

ADVICE = "build without --previous to start over"
FILES: repos.Files = {
    "skills/pdf/SKILL.md": skill_md("pdf"),
    "skills/pdf/number": "0\n",
    "skills/csv/SKILL.md": skill_md("csv"),
}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return repos.repository(tmp_path / "repo", FILES)


@pytest.fixture
def old(tmp_path: Path, repo: Path) -> Path:
    """What is published: the first release."""
    repos.build(repo, tmp_path / "old")
    return tmp_path / "old"


def change(repo: Path, number: int) -> None:
    """One skill has another file, the other one is gone."""
    files = {path: text for path, text in FILES.items() if "csv" not in path}
    repos.commit(repo, {**files, "skills/pdf/number": f"{number}\n"}, day=number)


def resolves(old: Path, out: Path) -> None:
    """Every file that the first index and the first record name is in the second output."""
    for path, digest in outputs.addressed_of(old).items():
        assert Digest.of((out / path).read_bytes()) == digest
    for skill in json.loads((old / "index.json").read_bytes())["skills"]:
        for archive in skill["archives"]:
            assert (out / archive["path"]).stat().st_size == archive["size"]
    verdict = verify.verify(out)
    assert (verdict.faults, verdict.remarks) == ((), ())


def test_a_published_release_resolves_in_the_next_output(
    tmp_path: Path, repo: Path, old: Path
) -> None:
    change(repo, 1)
    with served(files_of(old, "/repo/")) as url:
        report = repos.build(repo, tmp_path / "new", previous=f"{url}/repo/")
    resolves(old, tmp_path / "new")
    assert report.release is not None
    assert list(report.release.removed) == ["csv"]
    repos.build(repo, old)
    assert repos.digests(tmp_path / "new") == repos.digests(old)


def test_a_directory_is_as_good_as_a_url(tmp_path: Path, repo: Path, old: Path) -> None:
    change(repo, 1)
    repos.build(repo, tmp_path / "new", previous=old)
    resolves(old, tmp_path / "new")


def test_releases_in_fresh_directories_retain_as_many_as_one_directory(
    tmp_path: Path, repo: Path, old: Path
) -> None:
    before = old
    for number in range(1, 5):
        change(repo, number)
        repos.build(repo, tmp_path / f"{number}", previous=before)
        resolves(before, tmp_path / f"{number}")
        before = tmp_path / f"{number}"
        repos.build(repo, old)
    assert repos.digests(before) == repos.digests(old)
    assert not (before / blob_path(Digest.of(b"1\n"))).exists()
    assert (before / blob_path(Digest.of(b"2\n"))).exists()


def test_the_published_commit_again_gives_the_published_bytes(
    tmp_path: Path, repo: Path, old: Path
) -> None:
    change(repo, 1)
    repos.build(repo, old)
    repos.build(repo, tmp_path / "new", previous=old)
    assert repos.digests(tmp_path / "new") == repos.digests(old)


def test_the_result_does_not_depend_on_the_earlier_content_of_the_output(
    tmp_path: Path, repo: Path, old: Path
) -> None:
    change(repo, 1)
    repos.build(repo, tmp_path / "used")
    change(repo, 2)
    repos.build(repo, tmp_path / "used", previous=old)
    repos.build(repo, tmp_path / "fresh", previous=old)
    assert repos.digests(tmp_path / "used") == repos.digests(tmp_path / "fresh")
    assert repos.build(repo, tmp_path / "used", previous=old).unchanged


def test_an_output_that_knows_no_earlier_release_is_built_again(
    tmp_path: Path, repo: Path, old: Path
) -> None:
    change(repo, 1)
    repos.build(repo, tmp_path / "new")
    assert not repos.build(repo, tmp_path / "new", previous=old).unchanged
    resolves(old, tmp_path / "new")


def test_an_older_commit_than_the_published_one_is_refused(
    tmp_path: Path, repo: Path, old: Path
) -> None:
    first = repos.git(repo, "rev-parse", "main")
    change(repo, 1)
    repos.build(repo, old)
    with pytest.raises(OutputError, match=f"{old} was built from the newer commit"):
        repos.build(repo, tmp_path / "new", first, previous=old)
    options = Options(allow_older=True, jobs=1)
    again = repos.build(repo, tmp_path / "new", first, options, previous=old)
    assert published(again) == ["csv", "pdf"]


def run(repo: Path, out: Path, previous: object, *more: str) -> int:
    options = ["--out", f"{out}", "--previous", f"{previous}", "--jobs=1", *more]
    return main.main(["build", f"{repo}", *options])


def test_without_a_published_release_the_build_reports_a_first_one(
    tmp_path: Path, repo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with served(lambda request: reply(request, 404, b"")) as url:
        assert run(repo, tmp_path / "new", url) == 0
        note = f"skillbuild: {url} has no release yet; this is the first\n"
        assert capsys.readouterr().err == note
        assert run(repo, tmp_path / "new", url, "-q") == 0
        assert capsys.readouterr().err == ""
    (tmp_path / "empty").mkdir()
    assert run(repo, tmp_path / "new", tmp_path / "empty") == 0
    assert "has no release yet" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (500, b"", "catalog.json: HTTP Error 500: Internal Server Error; "),
        (403, b"", "catalog.json: HTTP Error 403: Forbidden; "),
        (200, b"<html>", "catalog.json: received a web page instead of the file"),
        (200, b'{"layout": 3}', "catalog.json is damaged: "),
        (200, b'{"layout": 2}', "catalog.json has layout 2, which is no longer supported; "),
        (200, b'{"layout": 1}', "catalog.json has layout 1, which is no longer supported; "),
        (200, b'{"layout": 4}', " was written by a newer skillbuild; upgrade, or "),
    ],
)
def test_an_address_without_a_release_is_an_error(
    tmp_path: Path,
    repo: Path,
    capsys: pytest.CaptureFixture[str],
    status: int,
    body: bytes,
    message: str,
) -> None:
    with served(lambda request: reply(request, status, body)) as url:
        assert run(repo, tmp_path / "new", url) == 2
    error = capsys.readouterr().err
    assert message in error
    assert ADVICE in error
    assert url in error
    assert not (tmp_path / "new").exists()


def test_a_directory_that_is_not_there_is_an_error(
    tmp_path: Path, repo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(repo, tmp_path / "new", tmp_path / "gone") == 2
    note = f"skillbuild: {tmp_path}/gone is not a directory; {ADVICE}\n"
    assert capsys.readouterr().err == note


DAMAGES: dict[str, tuple[Callable[[bytes], tuple[int, bytes]], str]] = {
    "missing": (lambda data: (404, b""), " is missing at "),
    "error": (lambda data: (503, b""), "HTTP Error 503: Service Unavailable; run build again, or "),
    "wrong": (lambda data: (200, data.swapcase()), " is damaged at "),
    "short": (lambda data: (200, data[:-1]), " is damaged at "),
    "large": (lambda data: (200, data + b"more"), " is damaged at "),
}


def blob_of_a_gone_skill(old: Path) -> str:
    return blob_path(Digest.of(skill_md("csv").encode()))


def index_blob(old: Path) -> str:
    return blob_path(record_of(old).fixed.index.digest)


def archive_of_a_gone_skill(old: Path) -> str:
    return f"{entry_of(old, 'csv')['archives'][0]['path']}"


def icon_of_a_gone_skill(old: Path) -> str:
    return f"{entry_of(old, 'csv')['icons'][0]['path']}"


KINDS: dict[str, Callable[[Path], str]] = {
    "blob": blob_of_a_gone_skill,
    "index": index_blob,
    "archive": archive_of_a_gone_skill,
    "icon": icon_of_a_gone_skill,
}


def fails(repo: Path, old: Path, damaged_path: str, damage: str) -> str:
    """The error of a build while one file of the published release cannot be had."""
    answer, _ = DAMAGES[damage]
    new = repo.parent / "new"

    def damaged(request: BaseHTTPRequestHandler) -> None:
        data = disk.read(old / path_of(request)[1:]) or b""
        is_damaged = path_of(request) == f"/{damaged_path}"
        reply(request, *(answer(data) if is_damaged else (200, data)))

    with served(damaged) as url, pytest.raises(OutputError) as caught:
        repos.build(repo, new, previous=url)
    assert not new.exists()
    assert url in f"{caught.value}"
    assert damaged_path in f"{caught.value}"
    return f"{caught.value}"


@pytest.mark.parametrize("damage", list(DAMAGES))
@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.nightly
def test_a_file_that_cannot_be_had_is_named_and_nothing_is_published(
    repo: Path, old: Path, damage: str, kind: str
) -> None:
    change(repo, 1)
    message = DAMAGES[damage][1]
    error = fails(repo, old, KINDS[kind](old), damage)
    assert message in error
    assert error.endswith(ADVICE)


def part(old: Path) -> str:
    [part] = parts_of(old)
    return part.path


def release_object(old: Path) -> str:
    return blob_path(record_of(old).release_digest)


@pytest.mark.parametrize(
    ("path_in", "damage", "message"),
    [
        (part, "missing", ", a part of catalog.json, is missing; "),
        (part, "wrong", ", a part of catalog.json, is damaged; "),
        (part, "short", ", a part of catalog.json, is damaged; "),
        (part, "large", ", a part of catalog.json, is damaged; "),
        (part, "error", "HTTP Error 503: Service Unavailable; run build again, or "),
        (release_object, "missing", ", an earlier release, is missing; "),
        (release_object, "wrong", ", an earlier release, is damaged; "),
        (release_object, "short", ", an earlier release, is damaged; "),
        (release_object, "large", ", an earlier release, is damaged; "),
        (release_object, "error", "HTTP Error 503: Service Unavailable; run build again, or "),
    ],
)
@pytest.mark.nightly
def test_a_piece_of_the_record_that_cannot_be_had_is_named_with_what_to_do(
    repo: Path, old: Path, path_in: Callable[[Path], str], damage: str, message: str
) -> None:
    change(repo, 1)
    error = fails(repo, old, path_in(old), damage)
    assert message in error
    assert ADVICE in error


def test_a_file_of_unknown_size_is_bounded(
    tmp_path: Path, repo: Path, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(repo, 1)
    with served(files_of(old)) as url:
        previous = base.opened(url)
        monkeypatch.setattr(base, "MOST_BYTES", 10)
        request = repos.request_of(repo)
        with pytest.raises(OutputError, match=r" is damaged at .*; publish it again, or "):
            build.build(request, tmp_path / "new", previous)


def test_a_record_that_names_a_file_by_another_digest_is_refused(
    tmp_path: Path, repo: Path, old: Path
) -> None:
    """An archive alone: the path of any other file is never read but made of its digest."""
    path = "archives/x-0000000000000000.zip"

    def lie(entries: Any) -> None:
        entries[0]["archives"][0] |= {"path": path, "digest": f"sha256:{'2' * 64}"}

    rewrite_entries(old, lie)
    change(repo, 1)
    with pytest.raises(
        OutputError,
        match=f"{old} has a file whose path does not match its digest: {path}; {ADVICE}",
    ):
        repos.build(repo, tmp_path / "new", previous=old)


WRONG = f"sha256:{'2' * 64}"


def test_a_published_name_with_dot_dot_is_refused(tmp_path: Path, repo: Path, old: Path) -> None:
    def lie(entries: Any) -> None:
        entries[0] |= {"path": "a/B", "flatName": "a/../x"}

    rewrite_entries(old, lie)
    with pytest.raises(
        OutputError,
        match=r"has a file whose path does not match its digest: .*; build without --previous",
    ):
        repos.build(repo, tmp_path / "new", previous=old)


def test_a_file_that_the_output_has_is_not_fetched(tmp_path: Path, repo: Path, old: Path) -> None:
    change(repo, 1)
    shutil.copytree(old, tmp_path / "new")
    asked: list[str] = []

    def answer(request: BaseHTTPRequestHandler) -> None:
        asked.append(path_of(request))
        files_of(old)(request)

    with served(answer) as url:
        repos.build(repo, tmp_path / "new", previous=url)
    assert asked == ["/catalog.json", f"/{part(old)}"]
    resolves(old, tmp_path / "new")

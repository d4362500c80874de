"""`verify URL`: the address serves the index that was built, now or after a while."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import skill_md
from helpers.web import files_of, reply, served
from skillbuild.cli import main
from skillbuild.model import Digest
from skillbuild.output import verify_url

AGAIN = "publish the output again, or wait longer with --wait"
Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two releases of one repository."""
    folder = tmp_path_factory.mktemp("online")
    repo = repos.repository(folder / "repo", {"skills/pdf/SKILL.md": skill_md("pdf")})
    repos.build(repo, folder / "old")
    repos.commit(repo, {"skills/csv/SKILL.md": skill_md("csv")}, day=1)
    repos.build(repo, folder / "new")
    return folder / "old", folder / "new"


def index_of(out: Path) -> Digest:
    return Digest.of((out / "index.json").read_bytes())


def test_a_site_that_serves_the_release_passes_at_once(
    outputs: tuple[Path, Path], capsys: Capture
) -> None:
    _, new = outputs
    with served(files_of(new, "/skills/")) as url:
        arguments = ["verify", f"{url}/skills/", "--index-digest", str(index_of(new))]
        assert main.main([*arguments, "--wait", "600"]) == 0
        line = f"{url}/skills/ serves the index of its record\n"
        assert capsys.readouterr().out == line


def test_another_release_is_named_and_fails(outputs: tuple[Path, Path], capsys: Capture) -> None:
    old, new = outputs
    with served(files_of(old)) as url:
        assert main.main(["verify", url, "--index-digest", str(index_of(new))]) == 1
        assert capsys.readouterr().out == (
            f"{url}: error: index.json is {index_of(old)} in place of {index_of(new)}; {AGAIN}\n"
            f"{url} does not serve the index of its record\n"
        )


def test_an_index_of_another_release_than_the_record_fails(outputs: tuple[Path, Path]) -> None:
    old, new = outputs

    def mixed(request: BaseHTTPRequestHandler) -> None:
        files_of(old if request.path.startswith("/index") else new)(request)

    with served(mixed) as url:
        assert verify_url.verify(url, None, 0) == [
            f"index.json is not the index that catalog.json names; {AGAIN}"
        ]


def test_a_host_that_needs_a_while_is_asked_again(outputs: tuple[Path, Path]) -> None:
    old, new = outputs
    pauses: list[float] = []

    def answer(request: BaseHTTPRequestHandler) -> None:
        files_of(old if len(pauses) < 2 else new)(request)

    with served(answer) as url:
        assert verify_url.verify(url, index_of(new), 600, pauses.append) == []
    assert pauses == [5.0, 5.0]


def test_an_address_without_a_published_index_fails(outputs: tuple[Path, Path]) -> None:
    with served(lambda request: reply(request, 503, b"")) as url:
        (fault,) = verify_url.verify(url, None, 0)
        assert "503" in fault
    with served(files_of(outputs[0] / "skills")) as url:
        assert verify_url.verify(url, None, 0) == [f"index.json is not there; {AGAIN}"]


def test_no_cache_can_answer_for_the_two_files_that_change(outputs: tuple[Path, Path]) -> None:
    asked: list[str] = []

    def answer(request: BaseHTTPRequestHandler) -> None:
        asked.append(request.path)
        files_of(outputs[1])(request)

    with served(answer) as url:
        verify_url.verify(url, None, 0)
        verify_url.verify(url, None, 0)
    names = [path.partition("?")[0] for path in asked]
    assert names == ["/index.json", "/catalog.json"] * 2
    assert len(set(asked)) == 4

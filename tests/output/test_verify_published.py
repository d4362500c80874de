"""`verify --whole` of what is published: each file is fetched, hashed and not kept.

And `verify URL`, which waits for the index that was built.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote

import pytest

from helpers import repos
from helpers.outputs import parts_of, write_foreign
from helpers.repos import skill_md
from helpers.web import files_of, path_of, reply, served
from skillbuild.cli import main
from skillbuild.model import Digest
from skillbuild.output import verify
from skillbuild.release.layout import (
    HEAD_FILES,
    RECORD_FILE,
    SEARCH_FILE,
    blob_path,
    is_at_fixed_address,
)
from skillbuild.storage import disk

Capture = pytest.CaptureFixture[str]
TEXT = ".well-known/skills/csv/SKILL.md"
FILES: repos.Files = {
    "skills/pdf/SKILL.md": skill_md("pdf"),
    "skills/pdf/odd.md": "# Odd\n",
    "skills/csv/SKILL.md": skill_md("csv"),
}
AGAIN = "publish the output again (publish --recheck)"
WAIT = "publish the output again (publish --recheck), or wait longer with --wait"


class Site:
    """Serves an output and counts what is asked; `status` answers for a path in its place."""

    def __init__(self, out: Path) -> None:
        self.out, self.url = out, ""
        self.asked: Counter[str] = Counter()
        self.status: dict[str, int] = {}

    def __call__(self, request: BaseHTTPRequestHandler) -> None:
        path = unquote(path_of(request))[1:]
        self.asked[path] += 1
        data = disk.read(self.out / path)
        status = self.status.get(path, 404 if data is None else 200)
        reply(request, status, data or b"", **{"Content-Length": f"{len(data or b'')}"})


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The second release of a repository, with an older version of a skill."""
    folder = tmp_path_factory.mktemp("published")
    settings = 'formats = ["discovery", "pages", "zip"]\n[versions]\nsince = "first"\n'
    repo = repos.repository(folder / "repo", {**FILES, "skillbuild.toml": settings})
    repos.build(repo, folder / "out")
    changed = {**FILES, "skillbuild.toml": settings, "skills/csv/SKILL.md": skill_md("csv", "New.")}
    repos.commit(repo, changed, day=1)
    repos.build(repo, folder / "out")
    return folder / "out"


@pytest.fixture
def site(built: Path, tmp_path: Path) -> Iterator[Site]:
    site = Site(shutil.copytree(built, tmp_path / "out"))
    with served(site) as site.url:
        yield site


def change(site: Site, path: str, data: bytes) -> None:
    (site.out / path).chmod(0o644)
    (site.out / path).write_bytes(data)


def run(site: Site, *more: str) -> int:
    return main.main(["verify", "--whole", site.url, *more])


def test_every_file_is_fetched_and_hardly_one_twice(site: Site, capsys: Capture) -> None:
    assert run(site) == 0
    verdict = verify.verify(site.out)
    [line] = capsys.readouterr().out.splitlines()
    assert line.startswith(f"{site.url} holds: {verdict.files} files, ")
    assert line.endswith(", 0 faults")
    assert {*site.asked} == {*disk.files_below(site.out)} - {disk.LOCK_FILE}
    # Archives that two versions have in common; what the record consists of is read and hashed.
    often = {path for path, times in site.asked.items() if times > 1} - {*HEAD_FILES}
    assert {path.partition("/")[0] for path in often} <= {"archives", "blobs", "record", "versions"}
    assert {site.asked[path] for path in often} == {2}
    assert not often & {blob_path(Digest.of((site.out / TEXT).read_bytes()))}
    assert not often & {part.path for part in parts_of(site.out)}


@pytest.mark.parametrize(
    ("path", "core"),
    [
        (blob_path(Digest.of(b"# Odd\n")), True),
        ("archives", True),
        ("icons", True),
        ("record", True),
        ("versions", True),
        ("skills/pdf/index.html", False),
        (TEXT, False),
        (SEARCH_FILE, False),
    ],
)
@pytest.mark.parametrize("kind", ["missing", "other"])
@pytest.mark.nightly
def test_what_is_wrong_is_what_is_wrong_with_the_same_directory(
    site: Site, path: str, kind: str, *, core: bool
) -> None:
    if (site.out / path).is_dir():
        names = sorted(disk.files_below(site.out / path))
        name = next(name for name in names if path != "versions" or "/version.json" in name)
        path = f"{path}/{name}"
    if kind == "missing":
        (site.out / path).unlink()
    else:
        data = (site.out / path).read_bytes()
        change(site, path, data[:-2] + bytes([data[-2] ^ 1]) + data[-1:])
    local = verify.verify(site.out)
    published = verify.verify_published(site.url, lambda read, files, size: None)
    assert _without_remedies(published) == _without_remedies(local) != []
    assert published.holds(whole=False) is not core


def _without_remedies(verdict: verify.Verdict) -> list[tuple[str, str, bool]]:
    faults = [
        (fault.path, fault.message.partition("; ")[0], fault.core) for fault in verdict.faults
    ]
    return sorted(faults)


def test_an_index_of_somebody_else_is_told_in_one_line(site: Site, capsys: Capture) -> None:
    write_foreign(site.out)
    assert run(site) == 1
    message = "the lines for files at fixed addresses do not match the release's filesDigest"
    fault, verdict = capsys.readouterr().out.splitlines()
    assert fault == f"SHA256SUMS: error: {message}; {AGAIN}"
    assert verdict.startswith(f"{site.url} does not hold: ")


def test_a_release_json_of_another_release_is_told(site: Site, capsys: Capture) -> None:
    change(site, "release.json", b"{}")
    assert main.main(["verify", site.url]) == 1
    message = "release.json is not the file that catalog.json names"
    assert capsys.readouterr().out.startswith(f"{site.url}: error: {message}; {WAIT}\n")
    assert run(site) == 1


@pytest.mark.parametrize("whole", [[], ["--whole"]])
def test_a_release_of_an_older_layout_is_told_to_be_built_again(
    site: Site, capsys: Capture, whole: list[str]
) -> None:
    change(site, RECORD_FILE, b'{"layout":2}')
    assert main.main(["verify", site.url, *whole]) in (1, 2)
    remedy = "build the output again and publish it"
    message = f"catalog.json has layout 2, which is no longer supported; {remedy}"
    printed, errors = capsys.readouterr()
    assert f"{message}\n" in printed + errors


def test_a_fault_says_what_to_do_where_it_is_published(site: Site, capsys: Capture) -> None:
    (site.out / "skills/pdf/index.html").unlink()
    assert run(site) == 1
    fault, verdict = capsys.readouterr().out.splitlines()
    assert fault == f"skills/pdf/index.html: error: missing; {AGAIN}"
    assert verdict.startswith(f"{site.url} does not hold: ")


def test_a_file_that_nobody_may_read_is_a_fault_and_the_others_are_read(site: Site) -> None:
    path = blob_path(Digest.of(b"# Odd\n"))
    site.status[path] = 403
    [fault] = verify.verify_published(site.url, lambda read, files, size: None).faults
    assert (fault.path, fault.core) == (path, True)
    assert "HTTP Error 403" in fault.message


def test_a_file_that_is_away_for_now_is_told_with_all_other_faults(
    site: Site, capsys: Capture
) -> None:
    path = blob_path(Digest.of(b"# Odd\n"))
    site.status[path] = 503
    site.status["skills/pdf/index.html"] = 404
    assert run(site) == 1
    first, second, _ = capsys.readouterr().out.splitlines()
    assert first == f"{path}: error: HTTP Error 503: Service Unavailable; {AGAIN}"
    assert second == f"skills/pdf/index.html: error: missing; {AGAIN}"


def test_a_release_is_not_judged_while_its_origin_is_away(
    site: Site, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify, "_MOST_UNAVAILABLE", 3)
    for path in disk.files_below(site.out / "blobs"):
        site.status[f"blobs/{path}"] = 503
    assert run(site) == 2
    out, errors = capsys.readouterr()
    assert out == ""
    assert "files cannot be read; the last error: " in errors
    assert "HTTP Error 503" in errors


def test_a_release_that_is_replaced_meanwhile_is_not_judged(site: Site, capsys: Capture) -> None:
    (site.out / "skills/pdf/index.html").unlink()
    record = (site.out / RECORD_FILE).read_bytes()

    def replace(read: int, files: int, size: int) -> None:
        change(site, RECORD_FILE, record + b"\n")

    with pytest.raises(Exception, match=r"another release was published to .* meanwhile"):
        verify.verify_published(site.url, replace)


def test_numbers_of_what_was_read_and_is_to_be_read_are_told(site: Site) -> None:
    told: list[tuple[int, int, int]] = []
    verdict = verify.verify_published(site.url, lambda *numbers: told.append(numbers))
    assert [read for read, _, _ in told] == [*range(1, len(told) + 1)]
    read, files, size = told[-1]
    assert (read, size) == (files, verdict.size)


def test_demands_are_made_of_what_is_published_too(site: Site, capsys: Capture) -> None:
    assert run(site, "--max-bytes", "1000") == 1
    assert "over the limit of 1.0 kB" in capsys.readouterr().out
    assert main.main(["verify", site.url, "--max-bytes", "1000"]) == 2
    assert (
        "--max-bytes needs an output directory; for a URL, also pass --whole"
        in capsys.readouterr().err
    )
    assert not [path for path in site.asked if path not in HEAD_FILES and site.asked[path] > 9]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two releases of one repository."""
    folder = tmp_path_factory.mktemp("online")
    repo = repos.repository(folder / "repo", {"skills/pdf/SKILL.md": skill_md("pdf")})
    repos.build(repo, folder / "old")
    repos.commit(repo, {"skills/csv/SKILL.md": skill_md("csv")}, day=1)
    repos.build(repo, folder / "new")
    return folder / "old", folder / "new"


def release_of(out: Path) -> Digest:
    return Digest.of((out / "release.json").read_bytes())


def test_a_site_that_serves_the_release_passes_at_once(
    outputs: tuple[Path, Path], capsys: Capture
) -> None:
    _, new = outputs
    with served(files_of(new, "/skills/")) as url:
        arguments = ["verify", f"{url}/skills/", "--release", str(release_of(new))]
        assert main.main([*arguments, "--wait", "600"]) == 0
        line = f"{url}/skills/ serves the release that its catalog.json names\n"
        assert capsys.readouterr().out == line


def test_another_release_is_named_and_fails(outputs: tuple[Path, Path], capsys: Capture) -> None:
    old, new = outputs
    with served(files_of(old)) as url:
        arguments = ["verify", url, "--release", str(release_of(new))]
        assert main.main([*arguments, "--wait", "1"]) == 1
        digests = f"{release_of(old)} instead of {release_of(new)}"
        assert capsys.readouterr().out == (
            f"{url}: error: the release is {digests}; {WAIT}\n"
            f"{url} does not serve the release that its catalog.json names\n"
        )


def test_an_index_of_another_release_than_the_record_fails(outputs: tuple[Path, Path]) -> None:
    old, new = outputs

    def mixed(request: BaseHTTPRequestHandler) -> None:
        files_of(old if request.path.startswith("/index") else new)(request)

    with served(mixed) as url:
        assert verify.verify_heads(url, None, 0) == [
            f"index.json is not the file that catalog.json names; {WAIT}"
        ]


FOREIGN = b'{"skills": []}\n'


@pytest.mark.parametrize(
    "path", [".well-known/agent-skills/index.json", "llms.txt", "search/manifest.js"]
)
def test_an_index_of_clients_that_is_not_of_the_release_fails(
    outputs: tuple[Path, Path], tmp_path: Path, path: str
) -> None:
    out = Path(shutil.copytree(outputs[1], tmp_path / "out"))
    before = Digest.of((out / path).read_bytes())
    (out / path).write_bytes(FOREIGN)
    with served(files_of(out)) as url:
        assert verify.verify_heads(url, None, 0) == [
            f"{path} does not belong to this release; {WAIT}"
        ]
        sums = (out / "SHA256SUMS").read_bytes()
        line = f"{Digest.of(FOREIGN).hex}  {path}\n".encode()
        sums = sums.replace(f"{before.hex}  {path}\n".encode(), line)
        (out / "SHA256SUMS").write_bytes(sums)
        (fault,) = verify.verify_heads(url, None, 0)
    assert fault.startswith("SHA256SUMS: the lines for files at fixed addresses do not match")


def test_checksums_of_another_release_than_the_record_fail(outputs: tuple[Path, Path]) -> None:
    old, new = outputs

    def mixed(request: BaseHTTPRequestHandler) -> None:
        files_of(old if request.path.startswith("/SHA256SUMS") else new)(request)

    with served(mixed) as url:
        (fault,) = verify.verify_heads(url, None, 0)
    assert fault == f"SHA256SUMS does not belong to the same release as catalog.json; {WAIT}"


def test_a_host_that_needs_a_while_is_asked_again(outputs: tuple[Path, Path]) -> None:
    old, new = outputs
    pauses: list[float] = []

    def answer(request: BaseHTTPRequestHandler) -> None:
        files_of(old if len(pauses) < 2 else new)(request)

    with served(answer) as url:
        assert verify.verify_heads(url, release_of(new), 600, pauses.append) == []
    assert pauses == [5.0, 5.0]


def test_an_address_without_a_published_index_fails(outputs: tuple[Path, Path]) -> None:
    with served(lambda request: reply(request, 503, b"")) as url:
        (fault,) = verify.verify_heads(url, None, 0)
        assert "503" in fault
    with served(files_of(outputs[0] / "skills")) as url:
        assert verify.verify_heads(url, None, 0) == [f"{url}/catalog.json: missing; {WAIT}"]


def test_no_cache_can_answer_for_the_head_files_that_change(outputs: tuple[Path, Path]) -> None:
    asked: list[str] = []

    def answer(request: BaseHTTPRequestHandler) -> None:
        asked.append(request.path)
        files_of(outputs[1])(request)

    with served(answer) as url:
        verify.verify_heads(url, None, 0)
        verify.verify_heads(url, None, 0)
    names = [path.partition("?")[0] for path in asked]
    heads = ["/catalog.json", "/index.json", "/release.json", "/SHA256SUMS"]
    paths = filter(is_at_fixed_address, disk.files_below(outputs[1]))
    fixed = [f"/{path}" for path in paths if path != "index.json"]
    assert len(fixed) > 4
    assert sorted(names) == sorted([*heads, *fixed] * 2)
    assert len(set(asked)) == len(asked)

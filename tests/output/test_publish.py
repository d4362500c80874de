"""Publishing: existing files are trusted by digest only, and no other file is ever changed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest

from helpers import outputs, repos
from helpers.outputs import entries_of, entry_of, head_of, record_of
from helpers.repos import Program, published, skill_md
from helpers.web import files_of, served
from skillbuild.build import Options, Report
from skillbuild.errors import OutputError
from skillbuild.model import Digest, OutputFile
from skillbuild.output import verify
from skillbuild.output.base import Empty
from skillbuild.output.stage import staging
from skillbuild.release.layout import blob_path, is_addressed
from skillbuild.storage import disk

FILES: repos.Files = {
    "skills/pdf/SKILL.md": skill_md("pdf", body="See `scripts/fill.py`.\n"),
    "skills/pdf/scripts/fill.py": Program("#!/usr/bin/env python3\n"),
    "skills/csv/SKILL.md": skill_md("csv"),
}
LESS: repos.Files = {path: text for path, text in FILES.items() if "csv" not in path}

posix = pytest.mark.skipif(os.name != "posix", reason="the platform has no such files")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return repos.repository(tmp_path / "repo", FILES)


@pytest.fixture
def out(tmp_path: Path, repo: Path) -> Path:
    repos.build(repo, tmp_path / "out")
    return tmp_path / "out"


def holds(out: Path) -> None:
    """Both levels of `verify` are content and have nothing to remark."""
    verdict = verify.verify(out)
    assert (verdict.faults, verdict.remarks) == ((), ())


def stats(folder: Path) -> dict[str, tuple[int, int, int, int]]:
    """Inode, size, time of change and of status change of a folder and everything below."""
    return {
        path.relative_to(folder).as_posix(): (
            status.st_ino,
            status.st_size,
            status.st_mtime_ns,
            status.st_ctime_ns,
        )
        for path in [folder, *folder.rglob("*")]
        for status in [path.lstat()]
    }


# What is there already.


def test_a_first_build_verifies(out: Path) -> None:
    holds(out)
    top = {path.name for path in out.iterdir()}
    assert {"catalog.json", "index.json", "SHA256SUMS", "blobs", "archives"} <= top
    assert not [name for name in top if name.startswith(".stage-")]


def test_sha256sums_lists_every_file_but_itself(out: Path) -> None:
    lines = (out / "SHA256SUMS").read_text().splitlines()
    assert lines == sorted(lines, key=lambda line: line[66:])
    listed = {line[66:]: line[:64] for line in lines}
    written = repos.digests(out)
    del written["SHA256SUMS"]
    assert listed == written


def test_blobs_are_named_by_their_digest_and_archives_by_its_beginning(out: Path) -> None:
    for path in (out / "blobs/sha256").iterdir():
        assert path.name == hashlib.sha256(path.read_bytes()).hexdigest()
    for path in (out / "archives").iterdir():
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert path.name.partition(".")[0].rpartition("-")[2] == digest[:16]


def test_building_again_writes_nothing(repo: Path, out: Path) -> None:
    """But for the stage in it, which is there while it builds."""
    before = {**stats(out), ".": ()}
    again = repos.build(repo, out)
    assert again.unchanged
    assert {**stats(out), ".": ()} == before


def test_building_again_reports_the_same_warnings(tmp_path: Path) -> None:
    files = {"a/SKILL.md": skill_md("other", body="[x](gone.md)\n")}
    repo = repos.repository(tmp_path / "repo", files)
    first = repos.build(repo, tmp_path / "out")
    again = repos.build(repo, tmp_path / "out")
    assert again.unchanged
    assert again.findings == first.findings
    assert [code for _, code in repos.codes(again)] == ["name-mismatch", "link-broken"]


def test_building_a_rename_of_the_branch_writes_nothing(repo: Path, out: Path) -> None:
    before = {**stats(out), ".": ()}
    repos.git(repo, "branch", "--move", "main", "trunk")
    assert repos.build(repo, out, "trunk").unchanged
    assert {**stats(out), ".": ()} == before


@pytest.mark.parametrize("damage", ["index.json", "SHA256SUMS"], ids=["index", "checksums"])
def test_a_missing_pointer_is_written_again(repo: Path, out: Path, damage: str) -> None:
    before = repos.digests(out)
    (out / damage).unlink()
    assert not repos.build(repo, out).unchanged
    assert repos.digests(out) == before


def test_recheck_mends_what_a_plain_build_trusts(repo: Path, out: Path) -> None:
    before = repos.digests(out)
    for path in [*(out / "blobs/sha256").iterdir(), *(out / "archives").iterdir()]:
        path.chmod(0o644)
        path.write_bytes(b"" if path.stat().st_size % 2 else b"damaged")
    (out / "index.html").write_text("changed")
    assert repos.build(repo, out).unchanged
    assert not repos.build(repo, out, options=Options(recheck=True, jobs=1)).unchanged
    assert repos.digests(out) == before
    holds(out)


def test_a_wrong_blob_is_never_trusted_by_its_name(repo: Path, tmp_path: Path, out: Path) -> None:
    names = sorted(path.name for path in (out / "blobs/sha256").iterdir())
    fresh = tmp_path / "fresh"
    (fresh / "blobs/sha256").mkdir(parents=True)
    for number, name in enumerate(names):
        (fresh / "blobs/sha256" / name).write_bytes(b"wrong" * number)
    shutil.copy(out / "catalog.json", fresh / "catalog.json")
    repos.build(repo, fresh)
    assert repos.digests(fresh) == repos.digests(out)
    holds(fresh)


def test_a_build_beside_another_has_all_its_blobs_or_fails(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", FILES)
    report = repos.build(repo, tmp_path / "out")
    assert report.release is not None
    blob = blob_path(Digest.of(skill_md("csv").encode()))
    with staging(tmp_path / "out", Empty()) as stage:
        stage.add({blob: (tmp_path / "out" / blob).read_bytes()})
        disk.remove(tmp_path / "out", blob)
        stage.write([OutputFile("index.json", b"")])
        stage.fixed_files(report.release.catalog)
        with pytest.raises(OutputError, match="is gone; run build again"):
            stage.publish(report.release, 2)


def test_two_files_at_one_path_are_never_published(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", FILES)
    release = repos.build(repo, tmp_path / "out").release
    assert release is not None
    with staging(tmp_path / "other", Empty()) as stage:
        stage.write([OutputFile("x/index.json", b"1"), OutputFile("x/index.json", b"2")])
        stage.fixed_files(release.catalog)
        with pytest.raises(ValueError, match=r"two formats publish x/index\.json"):
            stage.publish(release, 2)
    assert not (tmp_path / "other").exists()


# Earlier releases.


def built(repo: Path, out: Path, files: repos.Files, day: int, keep: int = 2) -> Report:
    repos.commit(repo, files, day=day)
    return repos.build(repo, out, "main", keep=keep)


def numbered(number: int) -> repos.Files:
    return {**LESS, "skills/pdf/number": f"{number}\n"}


def blob(out: Path, text: str) -> bool:
    return (out / blob_path(Digest.of(text.encode()))).exists()


@pytest.mark.parametrize("keep", [1, 2, 3])
def test_the_files_of_earlier_releases_stay_as_long_as_asked(
    tmp_path: Path, repo: Path, keep: int
) -> None:
    out = tmp_path / "out"
    for number in range(6):
        report = built(repo, out, numbered(number), number, keep)
        holds(out)
    assert report.release is not None
    assert len(report.release.releases) == keep
    assert [blob(out, f"{number}\n") for number in range(6)] == [
        number >= 5 - keep for number in range(6)
    ]


def test_every_file_of_the_previous_release_resolves(tmp_path: Path, repo: Path, out: Path) -> None:
    entries = entries_of(out)
    built(repo, out, numbered(1), 1)
    assert [entry["path"] for entry in entries] == ["csv", "pdf"]
    for entry in entries:
        for item in entry["resources"]:
            data = (out / "blobs/sha256" / item["digest"].removeprefix("sha256:")).read_bytes()
            assert len(data) == item["size"]
        for item in entry["archives"]:
            assert (out / item["path"]).stat().st_size == item["size"]


def addressed_of(out: Path) -> dict[str, str]:
    """Every addressed file of the release that an output holds: its digest in hex by path."""
    return {path: digest.hex for path, digest in outputs.addressed_of(out).items()}


def assert_sums_are_complete(out: Path) -> None:
    lines = (out / "SHA256SUMS").read_text().splitlines()
    written = repos.digests(out)
    del written["SHA256SUMS"]
    assert {line[66:]: line[:64] for line in lines} == written


@pytest.mark.parametrize("keep", [1, 2, 3])
@pytest.mark.parametrize("cache", [True, False], ids=["cache", "no cache"])
def test_every_file_of_the_kept_releases_is_there_and_no_other(
    tmp_path: Path, repo: Path, keep: int, cache: bool
) -> None:
    """Parts, index, release object, blobs, archives, icons; an old index.json resolves, too."""
    out, releases, indexes = tmp_path / "out", [], []
    for number in range(6):
        changed: repos.Files = {**numbered(number), "skills/pdf/assets/icon.svg": ICON % number}
        added = {f"skills/s{number}/SKILL.md": skill_md(f"s{number}")}
        repos.commit(repo, {**changed, **added}, day=number)
        repos.build(repo, out, "main", Options(cache=cache, jobs=1), keep=keep)
        releases.append(addressed_of(out))
        indexes.append((out / "index.json").read_bytes())
        holds(out)
        assert_sums_are_complete(out)
    kept = {path: digest for files in releases[-keep - 1 :] for path, digest in files.items()}
    folders = {"archives", "blobs", "icons", "record", "search"}
    assert {path.partition("/")[0] for path in kept} == folders
    written = repos.digests(out)
    assert {path: written.get(path) for path in kept} == kept
    gone = {path for files in releases for path in files} - kept.keys()
    assert len(gone) >= 6 * (5 - keep)
    assert gone.isdisjoint(written)
    assert {path.partition("/")[0] for path in gone} == {path.partition("/")[0] for path in kept}
    addressed = {path for path in written if is_addressed(path)}
    assert addressed == kept.keys()
    for index in indexes[-keep - 1 :]:
        assert (out / blob_path(Digest.of(index))).read_bytes() == index
        for skill in json.loads(index)["skills"]:
            assert all((out / each["path"]).is_file() for each in skill["archives"])
    digests = [each["digest"] for each in head_of(out)["publication"]["releases"]]
    earlier = [json.loads((out / blob_path(Digest.parse(each))).read_bytes()) for each in digests]
    assert [f"sha256:{Digest.of(index).hex}" for index in indexes[-2 : -keep - 2 : -1]] == [
        release["indexDigest"] for release in earlier
    ]


ICON = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 %dh9"/></svg>'


def test_a_release_is_the_same_bytes_whatever_was_published_before(
    tmp_path: Path, repo: Path
) -> None:
    repos.build(repo, tmp_path / "old")
    shutil.copytree(tmp_path / "old", tmp_path / "cached")
    repos.build(repo, tmp_path / "cached", options=Options(cache=True, recheck=True, jobs=1))
    repos.commit(repo, {**numbered(7), "skills/new/SKILL.md": skill_md("new")}, day=1)
    shutil.copytree(tmp_path / "old", tmp_path / "plain")
    repos.build(repo, tmp_path / "fresh")
    repos.build(repo, tmp_path / "plain")
    repos.build(repo, tmp_path / "cached", options=Options(cache=True, jobs=1))
    repos.build(repo, tmp_path / "previous", previous=tmp_path / "old")
    with served(files_of(tmp_path / "old")) as url:
        repos.build(repo, tmp_path / "fetched", previous=url)
    places = ["fresh", "plain", "cached", "previous", "fetched"]
    halves = {name: head_of(tmp_path / name) for name in places}
    releases = {record_of(tmp_path / name).release_object for name in places}
    assert len(releases) == 1
    publications = [halves[name]["publication"] for name in places]
    assert publications[0] == {"releases": [], "removed": [], "before": None}
    first = Digest.of((tmp_path / "old/catalog.json").read_bytes())
    assert publications[1]["before"] == str(first)
    assert len(publications[1]["releases"]) == len(publications[1]["removed"]) == 1
    assert publications[2:] == [publications[1]] * 3
    whole = [repos.digests(tmp_path / name) for name in places[1:]]
    assert whole == [whole[0]] * 4


def test_the_head_before_stays_when_the_same_release_is_published_again(
    repo: Path, out: Path
) -> None:
    built(repo, out, LESS, 1)
    before = head_of(out)
    repos.build(repo, out, "main", Options(recheck=True, jobs=1))
    assert head_of(out) == before


def test_long_lists_stand_in_blobs_and_are_read_back(tmp_path: Path) -> None:
    """What is ignored, left out and removed, each in a list of more than 16 kB."""
    files: dict[str, repos.Content] = {"good/SKILL.md": skill_md("good")}
    files |= {f".claude/skills/hidden-skill-{n}/SKILL.md": skill_md("x") for n in range(300)}
    files |= {f"skills/a-directory-without-a-skill-{n}/SKILL.md": "x" for n in range(500)}
    gone = {f"gone-{n}/SKILL.md": skill_md(f"gone-{n}") for n in range(120)}
    repo, out = repos.empty(tmp_path / "repo", bare=True), tmp_path / "out"
    options = Options(skip_invalid=True, jobs=1)
    for number, source in enumerate([{**files, **gone}, files, {**files, "x": "x"}]):
        repos.commit(repo, source, day=number)
        repos.build(repo, out, options=options)
        holds(out)
        assert_sums_are_complete(out)
    head = head_of(out)
    lists = [head["release"]["skipped"], head["release"]["ignored"], head["publication"]]
    stored = [*lists[:2], lists[2]["removed"]]
    for each in stored:
        data = (out / blob_path(Digest.parse(each["digest"]))).read_bytes()
        assert (Digest.of(data), len(data)) == (Digest.parse(each["digest"]), each["size"])
        assert len(data) > 16 * 1024
    assert (out / "catalog.json").stat().st_size < 8 * 1024
    release = record_of(out)
    assert sorted(f"{path}/SKILL.md" for path in release.catalog.skipped) == sorted(
        path for path, text in files.items() if text == "x"
    )
    assert {*release.catalog.ignored} == {path for path in files if path.startswith(".claude")}
    assert {f"{path}/SKILL.md" for path in release.removed} == gone.keys()
    (out / blob_path(Digest.parse(stored[1]["digest"]))).unlink()
    with pytest.raises(OutputError, match=r"ignored is in blobs/.*, which is missing or dam"):
        verify.verify(out)


def test_a_build_writes_again_what_a_lost_head_file_gives(repo: Path, out: Path) -> None:
    """The blobs of the base's own release object and index follow from its head files."""
    lost = [blob_path(Digest.of((out / "index.json").read_bytes()))]
    lost.append(blob_path(record_of(out).release_digest))
    for path in lost:
        (out / path).unlink()
    built(repo, out, numbered(1), 1)
    holds(out)
    assert all((out / path).is_file() for path in lost)


def test_a_lost_part_is_written_again_with_the_same_release(repo: Path, out: Path) -> None:
    before = repos.digests(out)
    shutil.rmtree(out / "record")
    repos.build(repo, out)
    assert repos.digests(out) == before


def test_a_lost_part_or_release_object_is_refused_with_a_remedy_that_works(
    repo: Path, out: Path
) -> None:
    shutil.rmtree(out / "record")
    repos.commit(repo, LESS, day=1)
    message = r"record/.*, a part of catalog\.json, is missing; remove the output and build again"
    refused(repo, out, message)
    shutil.rmtree(out)
    repos.build(repo, out)
    for number in (2, 3):
        built(repo, out, numbered(number), number)
    [_, oldest] = record_of(out).releases
    (out / blob_path(oldest.digest)).unlink()
    repos.commit(repo, numbered(4), day=4)
    message = "blobs/.*, an earlier release, is missing; remove the output and build again"
    with pytest.raises(OutputError, match=message):
        repos.build(repo, out, "main", keep=3)
    shutil.rmtree(out)
    repos.build(repo, out)
    holds(out)


def test_a_skill_that_is_gone_is_removed_until_it_is_back(
    tmp_path: Path, repo: Path, out: Path
) -> None:
    digest, commit = entry_of(out, "csv")["skillDigest"], repos.git(repo, "rev-parse", "main")
    last = {"path": "csv", "lastDigest": digest, "lastCommit": commit}
    built(repo, out, LESS, 1)
    assert head_of(out)["publication"]["removed"] == [last]
    assert [path.name for path in (out / "skills/csv").iterdir()] == ["index.html"]
    built(repo, out, {**LESS, "other": "x"}, 2)
    assert head_of(out)["publication"]["removed"] == [last]
    built(repo, out, FILES, 3)
    assert head_of(out)["publication"]["removed"] == []
    holds(out)


def test_an_older_commit_is_refused_unless_it_is_asked_for(
    tmp_path: Path, repo: Path, out: Path
) -> None:
    first = repos.git(repo, "rev-parse", "main")
    built(repo, out, LESS, 1)
    before = repos.digests(out)
    with pytest.raises(OutputError, match=f"newer commit .*; pass --rev {first[:12]} to publish"):
        repos.build(repo, out, first)
    assert repos.digests(out) == before
    older = repos.build(repo, out, first, Options(allow_older=True, jobs=1))
    assert published(older) == ["csv", "pdf"]
    holds(out)


def test_a_build_of_another_branch_is_no_older_one(tmp_path: Path, repo: Path, out: Path) -> None:
    repos.git(repo, "branch", "side", "main")
    repos.commit(repo, LESS, branch="side", day=1)
    built(repo, out, {**FILES, "other": "x"}, 2)
    assert published(repos.build(repo, out, "side")) == ["pdf"]


# Places that are not written to.


def refused(repo: Path, out: Path, message: str) -> None:
    """A build into `out` fails with `message` and changes nothing below its parent."""
    before = stats(out.parent) if out.parent.is_dir() else {}
    with pytest.raises(OutputError, match=message):
        repos.build(repo, out, options=Options(recheck=True, jobs=1))
    after = stats(out.parent) if out.parent.is_dir() else {}
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert changed <= {out.name, "."}


def test_the_repository_itself_is_refused(repo: Path) -> None:
    refused(repo, repo, "is a git repository; pass an empty directory")


def test_a_bare_repository_is_refused(tmp_path: Path, repo: Path) -> None:
    bare = repos.clone(repo, tmp_path / "bare.git", "--bare")
    refused(repo, bare, "pass a")


def test_the_home_and_the_root_directory_are_refused(
    tmp_path: Path, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", f"{home}")
    monkeypatch.setenv("USERPROFILE", f"{home}")
    for place in (home, Path(home.anchor), tmp_path / "home/../home"):
        with pytest.raises(OutputError, match="is a home or root directory"):
            repos.build(repo, place)
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("name", ["thesis.doc", "index.json", "SHA256SUMS", ".hidden"])
def test_a_directory_with_other_things_is_refused(tmp_path: Path, repo: Path, name: str) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (place / name).write_text("mine\n")
    refused(repo, place, "is not empty and was not built by skillbuild; pass an empty directory")


@pytest.mark.parametrize("data", ["", "junk", "[]", '{"layout": "1"}', '{"name": "x"}'])
def test_a_catalog_of_somebody_else_is_refused(tmp_path: Path, repo: Path, data: str) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (place / "catalog.json").write_text(data)
    refused(repo, place, "is not empty and was not built by skillbuild")


def test_an_output_of_a_newer_layout_is_refused(repo: Path, out: Path) -> None:
    (out / "catalog.json").write_text('{"layout": 4}')
    refused(repo, out, r"written by a newer skillbuild \(layout 4\); upgrade skillbuild")


def test_an_output_of_an_older_layout_is_refused_with_a_remedy_that_works(
    repo: Path, out: Path
) -> None:
    (out / "catalog.json").write_text('{"layout": 1}')
    refused(
        repo, out, r"has layout 1, which is no longer supported; remove the output and build again$"
    )
    shutil.rmtree(out)
    repos.build(repo, out)
    holds(out)


def test_a_damaged_record_is_refused_with_a_remedy_that_works(repo: Path, out: Path) -> None:
    (out / "catalog.json").write_text('{"layout": 3}')
    refused(repo, out, r"catalog\.json is damaged: .*; remove the output and build again")


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_release_with_a_search_of_another_format_is_refused_before_all_work(
    tmp_path: Path, repo: Path, monkeypatch: pytest.MonkeyPatch, elsewhere: bool
) -> None:
    """No release could retain it; without earlier releases the next one takes its place."""
    with monkeypatch.context() as patched:
        patched.setattr("skillbuild.release.search.encoding.FORMAT", 9)
        repos.build(repo, tmp_path / "out")
    out, previous = tmp_path / "out", None
    if elsewhere:
        out, previous = tmp_path / "new", tmp_path / "out"
    repos.commit(repo, {**FILES, "skills/csv/SKILL.md": skill_md("csv", "New.")}, day=1)
    with monkeypatch.context() as patched:
        patched.setattr("skillbuild.build._build", pytest.fail)
        with pytest.raises(
            OutputError, match="the previous release: the search index has format 9;"
        ):
            repos.build(repo, out, previous=previous)
    if not elsewhere:
        repos.build(repo, out, keep=0)
        holds(out)


def test_a_file_in_place_of_the_output_is_refused(tmp_path: Path, repo: Path) -> None:
    (tmp_path / "file").write_text("mine")
    refused(repo, tmp_path / "file", "is not a directory")
    refused(repo, tmp_path / "file/below", "not a directory")


@posix
@pytest.mark.parametrize("to_output", [True, False])
def test_a_link_in_place_of_the_output_is_refused(
    tmp_path: Path, repo: Path, out: Path, to_output: bool
) -> None:
    (tmp_path / "link").symlink_to("out" if to_output else "nowhere")
    refused(repo, tmp_path / "link", "is a symbolic link; pass the directory itself")


@posix
@pytest.mark.parametrize(
    "planted",
    [
        "index.json",
        "catalog.json",
        "SHA256SUMS",
        "index.html",
        "blobs",
        "blobs/sha256",
        "archives",
        "record",
        "assets",
        "skills",
        "skills/pdf",
        "skills/pdf/index.html",
        "new",
        "deep/new",
    ],
)
@pytest.mark.parametrize("dangling", [True, False])
def test_a_planted_link_is_refused_and_nothing_goes_through_it(
    tmp_path: Path, repo: Path, out: Path, planted: str, dangling: bool
) -> None:
    outside = tmp_path / "outside"
    place = out / planted
    if place.exists():
        place.rename(outside)
    elif not dangling:
        outside.mkdir()
    if dangling and outside.is_dir():
        shutil.rmtree(outside)
    elif dangling:
        outside.unlink(missing_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(outside)
    before = repos.digests(tmp_path)
    repos.commit(repo, {**FILES, "skills/pdf/more.md": "More.\n"}, day=1)
    links = r"is a symbolic link|is not empty and was not built by skillbuild"
    message = r"a part of catalog\.json, is damaged" if planted == "record" else links
    with pytest.raises(OutputError, match=message):
        repos.build(repo, out)
    assert {
        path: digest for path, digest in repos.digests(tmp_path).items() if "repo/" not in path
    } == {path: digest for path, digest in before.items() if "repo/" not in path}


@pytest.mark.parametrize("planted", ["blobs", "archives", "skills/pdf", "assets"])
def test_a_file_in_place_of_a_folder_is_an_error(
    tmp_path: Path, repo: Path, out: Path, planted: str
) -> None:
    shutil.rmtree(out / planted)
    (out / planted).write_text("in the way")
    before = (out / "catalog.json").read_bytes(), (out / "index.json").read_bytes()
    repos.commit(repo, {**FILES, "skills/pdf/more.md": "More.\n"}, day=1)
    with pytest.raises(OutputError, match=r"^cannot write .*: (not a directory|file exists)$"):
        repos.build(repo, out)
    assert ((out / "catalog.json").read_bytes(), (out / "index.json").read_bytes()) == before


@pytest.mark.parametrize("planted", ["index.json", "catalog.json", "index.html"])
def test_a_folder_in_place_of_a_file_is_an_error(
    tmp_path: Path, repo: Path, out: Path, planted: str
) -> None:
    (out / planted).unlink()
    (out / planted / "deep").mkdir(parents=True)
    with pytest.raises(
        OutputError, match=r"is a directory$|directory not empty$|is not an? output|empty"
    ):
        repos.build(repo, out, options=Options(recheck=True, jobs=1))
    assert (out / planted / "deep").is_dir()


# What killed builds leave behind.


def test_an_unlocked_stage_is_removed(repo: Path, out: Path) -> None:
    (out / ".stage-abc/blobs").mkdir(parents=True)
    (out / ".stage-abc/blobs/x").write_text("half")
    (out / ".SHA256SUMS.new").write_text("half")
    repos.build(repo, out, options=Options(recheck=True, jobs=1))
    holds(out)


def test_a_build_with_nothing_to_do_removes_an_unlocked_stage(repo: Path, out: Path) -> None:
    (out / ".stage-abc/blobs").mkdir(parents=True)
    assert repos.build(repo, out).unchanged
    holds(out)
    assert not (out / ".stage-abc").exists()


def test_a_locked_stage_stays(repo: Path, out: Path) -> None:
    (out / ".stage-abc").mkdir()
    with disk.locked(out / ".stage-abc", wait=True):
        repos.build(repo, out, options=Options(recheck=True, jobs=1))
        assert (out / ".stage-abc").is_dir()


def test_an_output_that_was_killed_before_its_first_commit_is_taken_over(
    tmp_path: Path, repo: Path
) -> None:
    (tmp_path / "out/.stage-abc").mkdir(parents=True)
    (tmp_path / "out/blobs/sha256").mkdir(parents=True)
    (tmp_path / "out/blobs/sha256" / ("0" * 64)).write_text("left over")
    repos.build(repo, tmp_path / "out")
    holds(tmp_path / "out")


def test_an_interrupted_publish_is_not_taken_for_a_complete_one(
    tmp_path: Path, repo: Path, out: Path
) -> None:
    before = repos.digests(out)
    repos.commit(repo, {**LESS, "skills/new/SKILL.md": skill_md("new")}, day=1)
    (out / "index.json").rename(tmp_path / "index.json")
    (out / "index.json").mkdir()
    with pytest.raises(OutputError, match="is a directory"):
        repos.build(repo, out, "main")
    (out / "index.json").rmdir()
    (tmp_path / "index.json").rename(out / "index.json")
    assert verify.verify(out).holds(whole=False)
    assert not verify.verify(out).holds(whole=True)
    assert not repos.build(repo, out, "main~1").unchanged
    assert repos.digests(out) == before
    holds(out)


def test_blobs_of_no_release_are_removed_by_the_next_build(repo: Path, out: Path) -> None:
    (out / "blobs/sha256" / ("0" * 64)).write_text("left over")
    (out / "archives/old-0123456789abcdef.zip").write_text("left over")
    before = verify.verify(out)
    assert before.remarks == (
        "2 files belong to no release; the first is archives/old-0123456789abcdef.zip",
    )
    assert before.holds(whole=True)
    repos.build(repo, out, options=Options(recheck=True, jobs=1))
    holds(out)


def test_a_file_that_no_build_wrote_stays(repo: Path, out: Path) -> None:
    (out / "CNAME").write_text("skills.example.org\n")
    repos.build(repo, out, options=Options(recheck=True, jobs=1))
    assert (out / "CNAME").read_text() == "skills.example.org\n"


@pytest.mark.parametrize("path", ["../outside", "/etc/outside", "a/../../outside", "a\\..\\b"])
def test_a_planted_checksum_makes_no_build_remove_a_file_outside_the_output(
    tmp_path: Path, repo: Path, out: Path, path: str
) -> None:
    (tmp_path / "outside").write_text("mine")
    with (out / "SHA256SUMS").open("a") as checksums:
        checksums.write(f"{'0' * 64}  {path}\n")
    repos.build(repo, out, options=Options(recheck=True, jobs=1))
    assert (tmp_path / "outside").read_text() == "mine"
    holds(out)


def test_a_failed_first_build_leaves_no_output(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", {"a/SKILL.md": "no frontmatter"})
    assert repos.build(repo, tmp_path / "out").release is None
    assert not (tmp_path / "out").exists()


def test_a_failed_build_removes_the_files_that_a_killed_first_build_left(tmp_path: Path) -> None:
    repo, out = repos.repository(tmp_path / "repo", FILES), tmp_path / "out"
    repos.build(repo, out)
    (out / "catalog.json").unlink()
    (out / ".stage-abc").mkdir()
    repos.commit(repo, {"a/SKILL.md": "no frontmatter"}, day=1)
    assert repos.build(repo, out, "main").release is None
    assert list(out.iterdir()) == []


def test_a_failed_build_leaves_the_old_output_as_it_was(repo: Path, out: Path) -> None:
    before = repos.digests(out)
    repos.commit(repo, {**FILES, "skills/bad/SKILL.md": "no frontmatter"}, day=1)
    assert repos.build(repo, out, "main").release is None
    assert repos.digests(out) == before
    holds(out)

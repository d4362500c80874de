"""Verifying: every kind of damage is named, and whether another build will fix it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helpers import repos
from helpers.outputs import (
    parts_of,
    record_of,
    rewrite_entries,
    rewrite_parts,
    write_foreign,
    write_head,
)
from helpers.repos import Program, skill_md
from skillbuild.build import Options
from skillbuild.config import FORMATS
from skillbuild.errors import OutputError
from skillbuild.media import archive
from skillbuild.model import Digest, File
from skillbuild.output import verify
from skillbuild.output.verify import Fault
from skillbuild.release.layout import blob_path

RUN = "#!/bin/sh\necho hello\n"
FILES: repos.Files = {
    "skillbuild.toml": f"formats = {list(FORMATS)}\n",
    "pdf/SKILL.md": skill_md("pdf"),
    "pdf/run.sh": Program(RUN),
    "csv/SKILL.md": skill_md("csv"),
}
RUN_BLOB = blob_path(Digest.of(RUN.encode()))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    repo = repos.repository(tmp_path / "repo", FILES)
    repos.build(repo, tmp_path / "out")
    return tmp_path / "out"


def faults(out: Path) -> list[Fault]:
    """Every fault without its hint."""
    ordered = sorted(verify.verify(out).faults, key=lambda fault: (fault.path, fault.message))
    return [replace(fault, hint="") for fault in ordered]


def archive_of(out: Path, skill: str, suffix: str) -> Path:
    [path] = (out / "archives").glob(f"{skill}-{'?' * 16}.{suffix}")
    return path


def rewrite(path: Path, data: bytes) -> None:
    path.chmod(0o644)
    path.write_bytes(data)


def test_a_fresh_output_verifies(out: Path) -> None:
    verdict = verify.verify(out)
    assert (verdict.faults, verdict.remarks) == ((), ())
    assert verdict.files == sum(path.is_file() for path in out.rglob("*"))


def test_a_missing_blob_is_named(out: Path) -> None:
    (out / RUN_BLOB).unlink()
    assert faults(out) == [Fault(RUN_BLOB, "missing", core=True)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "0 bytes instead of 21"),
        (RUN.encode() * 100, "larger than 21 bytes"),
        (RUN.swapcase().encode(), "wrong digest"),
    ],
)
def test_a_damaged_blob_is_named(out: Path, data: bytes, message: str) -> None:
    rewrite(out / RUN_BLOB, data)
    assert faults(out) == [Fault(RUN_BLOB, message, core=True)]


@pytest.mark.skipif(os.name != "posix", reason="the platform has no such files")
def test_a_link_in_place_of_a_blob_is_not_followed(tmp_path: Path, out: Path) -> None:
    (out / RUN_BLOB).rename(tmp_path / "outside")
    (out / RUN_BLOB).symlink_to(tmp_path / "outside")
    assert faults(out) == [Fault(RUN_BLOB, "is a symbolic link", core=True)]


@pytest.mark.parametrize("suffix", ["zip", "tar.gz"])
def test_a_truncated_archive_is_named(out: Path, suffix: str) -> None:
    path = archive_of(out, "pdf", suffix)
    data = path.read_bytes()
    rewrite(path, data[:-10])
    message = f"{len(data) - 10:,} bytes instead of {len(data):,}"
    assert faults(out) == [Fault(f"archives/{path.name}", message, core=True)]


SKILL_MD = File("SKILL.md", skill_md("pdf").encode(), executable=False)
RUN_SH = File("run.sh", RUN.encode(), executable=True)
OTHERS = {
    "exec bit": [SKILL_MD, File("run.sh", RUN.encode(), executable=False)],
    "content": [SKILL_MD, File("run.sh", b"rm -rf ~\n", executable=True)],
    "name": [SKILL_MD, File("../run.sh", RUN.encode(), executable=True)],
    "less": [SKILL_MD],
    "more": [SKILL_MD, RUN_SH, File("zzz", b"", executable=False)],
    "twice": [SKILL_MD, RUN_SH, RUN_SH],
    "order": [RUN_SH, SKILL_MD],
}


@pytest.mark.parametrize("other", list(OTHERS))
def test_an_archive_that_holds_something_else_is_named(out: Path, other: str) -> None:
    path = archive_of(out, "pdf", "zip")
    data = archive.zip_bytes(OTHERS[other])
    rewrite(path, data)

    def change(entries: Any) -> None:
        described = entries[1]["archives"][0]
        assert described["path"] == f"archives/{path.name}"
        described |= {"digest": str(Digest.of(data)), "size": len(data)}

    rewrite_entries(out, change)
    message = "the unpacked files do not match pdf"
    assert Fault(f"archives/{path.name}", message, core=True) in faults(out)


def test_an_upload_without_its_folder_is_named(out: Path) -> None:
    path = archive_of(out, "pdf", "upload.zip")
    data = archive.zip_bytes([SKILL_MD, RUN_SH])
    rewrite(path, data)
    described = {"digest": str(Digest.of(data)), "size": len(data)}
    rewrite_entries(out, lambda entries: entries[1]["upload"].update(described))
    message = "the unpacked files do not match pdf"
    assert Fault(f"archives/{path.name}", message, core=True) in faults(out)


def test_an_archive_that_is_none_is_named(out: Path) -> None:
    path = archive_of(out, "pdf", "zip")
    rewrite(path, b"junk")

    def change(entries: Any) -> None:
        described = entries[1]["archives"][0]
        described |= {"digest": str(Digest.of(b"junk")), "size": 4}

    rewrite_entries(out, change)
    message = "unreadable archive: File is not a zip file"
    assert Fault(f"archives/{path.name}", message, core=True) in faults(out)


def test_a_skill_digest_that_does_not_follow_from_its_files_is_named(out: Path) -> None:
    def change(entries: Any) -> None:
        entries[0]["skillDigest"] = f"sha256:{'0' * 64}"

    rewrite_entries(out, change)
    assert faults(out) == [Fault("catalog.json", "csv: skillDigest does not match", core=True)]


# The record.


def part_of(out: Path) -> str:
    [part] = parts_of(out)
    return part.path


def test_a_rewritten_record_without_a_change_verifies(out: Path) -> None:
    """So that whatever the tests below change is the only fault."""
    before = repos.digests(out)
    rewrite_entries(out, lambda entries: None)
    assert (faults(out), repos.digests(out)) == ([], before)
    rewrite_parts(out, lambda data: data)
    assert (faults(out), repos.digests(out)) == ([], before)


COUNTED = Fault("catalog.json", "lists 2 skills, but its parts contain 0", core=True)


def test_a_missing_part_is_named(out: Path) -> None:
    path = part_of(out)
    (out / path).unlink()
    assert COUNTED in faults(out)
    assert Fault(path, "missing", core=True) in faults(out)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.replace(b"csv", b"CSV"), "wrong digest"),
        (lambda data: data[:-1], " bytes instead of "),
        (lambda data: b"", "0 bytes instead of "),
    ],
    ids=["content", "cut", "empty"],
)
def test_a_part_with_a_wrong_digest_is_named(
    out: Path, change: Callable[[bytes], bytes], message: str
) -> None:
    path = part_of(out)
    rewrite(out / path, change((out / path).read_bytes()))
    assert COUNTED in faults(out)
    [named] = [fault for fault in faults(out) if fault.path == path]
    assert message in named.message
    assert named.core


def reversed_lines(data: bytes) -> bytes:
    return b"".join(reversed(data.splitlines(keepends=True)))


ORDER = "the skills are not sorted by path"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (reversed_lines, ORDER),
        (lambda data: data.splitlines(keepends=True)[0] * 2, ORDER),
        (lambda data: data.splitlines(keepends=True)[0], "lists 2 skills, but its parts contain 1"),
        (
            lambda data: data + data.replace(b"csv", b"zip"),
            "lists 2 skills, but its parts contain 4",
        ),
    ],
    ids=["reversed", "twice", "fewer", "more"],
)
def test_a_part_whose_entries_are_not_as_they_must_be_is_named(
    out: Path, change: Callable[[bytes], bytes], message: str
) -> None:
    rewrite_parts(out, change)
    assert Fault("catalog.json", message, core=True) in faults(out)


@pytest.mark.parametrize("content", [b"junk\n", b"7\n", b"{}\n", b"\n"])
def test_a_part_with_something_else_in_it_is_an_error(out: Path, content: bytes) -> None:
    rewrite_parts(out, lambda data: content)
    with pytest.raises(OutputError, match=r"catalog\.json is damaged: .*; remove the output"):
        verify.verify(out)


def head_with(out: Path, *changes: tuple[bytes, bytes]) -> None:
    """Replace something of the head, and its digest wherever that is named."""
    head = (out / "catalog.json").read_bytes()
    former = blob_path(record_of(out).release_digest)
    for old, new in changes:
        assert head.count(old) == 1
        head = head.replace(old, new)
    write_head(out, head)
    (out / former).unlink()
    checksums = (out / "SHA256SUMS").read_text()
    object_path = blob_path(Digest.of(release_object_in(head)))
    names = {former: object_path, **{name: name for name in ("catalog.json", "release.json")}}
    for path, now in names.items():
        before = next(line for line in checksums.splitlines() if line[66:] == path)
        digest = Digest.of((out / now).read_bytes()).hex
        checksums = checksums.replace(before, f"{digest}  {now}")
    (out / "SHA256SUMS").write_text(checksums)


def release_object_in(head: bytes) -> bytes:
    return head.splitlines()[1].removeprefix(b'"release":').removesuffix(b",")


@pytest.mark.parametrize(
    "changes",
    [
        [(b'"first":"csv"', b'"first":"b"')],
        [(b'"first":"csv"', b'"first":"pdf"')],
        [
            (b'"count":2}', b'"count":2,"unlisted":{"site":1}}'),
            (b'"skills":2,"unlisted":{}', b'"skills":2,"unlisted":{"site":1}'),
        ],
    ],
    ids=["before", "after", "unlisted"],
)
def test_a_part_that_is_described_wrongly_is_named(
    out: Path, changes: list[tuple[bytes, bytes]]
) -> None:
    head_with(out, *changes)
    message = "the parts do not match the digests and sizes in the record"
    assert faults(out) == [Fault("catalog.json", message, core=True)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"skills":2', b'"skills":1'),
        (b'"count":2', b'"count":3'),
        (b'"unlisted":{}', b'"unlisted":{"mcp":1}'),
    ],
)
def test_a_head_that_counts_wrongly_is_an_error(out: Path, old: bytes, new: bytes) -> None:
    head = (out / "catalog.json").read_bytes()
    assert head.count(old) == 1
    write_head(out, head.replace(old, new))
    with pytest.raises(OutputError, match=r"release\.counts does not match the parts; remove"):
        verify.verify(out)


def test_a_head_and_its_parts_that_both_count_wrongly_are_named(out: Path) -> None:
    head_with(out, (b'"skills":2', b'"skills":3'), (b'"count":2', b'"count":3'))
    assert faults(out) == [
        Fault("catalog.json", "lists 3 skills, but its parts contain 2", core=True)
    ]


def test_a_lost_release_object_or_index_blob_is_named(out: Path) -> None:
    release = record_of(out)
    for digest in (release.release_digest, release.fixed.index.digest):
        data = (out / blob_path(digest)).read_bytes()
        (out / blob_path(digest)).unlink()
        assert faults(out) == [Fault(blob_path(digest), "missing", core=True)]
        (out / blob_path(digest)).write_bytes(data)
    assert faults(out) == []


def test_what_an_earlier_release_lost_of_its_record_is_named(tmp_path: Path, out: Path) -> None:
    index, part = blob_path(record_of(out).fixed.index.digest), part_of(out)
    former = blob_path(record_of(out).release_digest)
    repo = tmp_path / "repo"
    repos.commit(repo, {path: text for path, text in FILES.items() if "run" not in path}, day=1)
    repos.build(repo, out, "main")
    messages = {
        index: Fault(index, "missing", core=True),
        former: Fault("catalog.json", f"{former}, an earlier release, is missing", core=True),
        part: Fault("catalog.json", f"{part}, a part of catalog.json, is missing", core=True),
    }
    for path, fault in messages.items():
        data = (out / path).read_bytes()
        (out / path).unlink()
        assert fault in faults(out)
        assert not verify.verify(out).holds(whole=False)
        (out / path).write_bytes(data)
    assert faults(out) == []


def test_an_output_of_an_older_layout_is_told_to_be_built_again(out: Path) -> None:
    for layout in (1, 2):
        (out / "catalog.json").write_text(f'{{"layout": {layout}, "entries": []}}')
        with pytest.raises(OutputError) as caught:
            verify.verify(out)
        what = f"catalog.json has layout {layout}, which is no longer supported"
        assert str(caught.value) == f"{what}; remove the output and build again"


def test_an_index_of_somebody_else_is_told_though_its_line_was_rewritten_too(out: Path) -> None:
    write_foreign(out)
    message = "the lines for files at fixed addresses do not match the release's filesDigest"
    assert faults(out) == [Fault("SHA256SUMS", message, core=True)]
    assert not verify.verify(out).holds(whole=False)


def test_a_changed_release_json_is_named(out: Path) -> None:
    for data in (b"{}", (out / "release.json").read_bytes() + b"\n"):
        rewrite(out / "release.json", data)
        message = "does not belong to this release"
        assert faults(out) == [Fault("release.json", message, core=False)]


@pytest.mark.parametrize("text", ['{"skills":[]}\n', ""])
def test_a_stale_index_is_named_and_left_to_the_next_build(out: Path, text: str) -> None:
    (out / "index.json").write_text(text)
    verdict = verify.verify(out)
    message = "does not belong to this release"
    assert Fault("index.json", message, core=False) in faults(out)
    assert [fault.path for fault in verdict.faults if fault.core] == []
    assert (verdict.holds(whole=False), verdict.holds(whole=True)) == (True, False)


@pytest.mark.parametrize("page", ["index.html", "skills/pdf/index.html", "404.html", ".nojekyll"])
def test_a_changed_or_missing_page_is_named(out: Path, page: str) -> None:
    with (out / page).open("a") as file:
        file.write("more")
    changed = "changed since it was published"
    assert faults(out) == [Fault(page, changed, core=False)]
    (out / page).unlink()
    assert faults(out) == [Fault(page, "missing", core=False)]


def rewrite_page(out: Path, page: str, text: str) -> None:
    """Change a page, and the checksums so that the change itself is no fault."""
    before = Digest.of((out / page).read_bytes()).hex
    (out / page).write_text(text)
    checksums = out / "SHA256SUMS"
    checksums.write_text(checksums.read_text().replace(before, Digest.of(text.encode()).hex))


ACTIVE = {
    "<script>alert(1)</script>": "<script>",
    '<script src="https://evil.test/x.js"></script>': "<script>",
    '<script src="//evil.test/x.js"></script>': "<script>",
    '<img src="x" onerror="alert(1)">': "<img onerror>",
    "<svg/onload=alert(1)>": "<svg onload>",
    '<p style="background:url(x)">': "<p style>",
    '<a href="javascript:alert(1)">x</a>': "<a href> to javascript:",
    '<a href=" &#106;ava\tscript:alert(1)">x</a>': "<a href> to javascript:",
    "<A HREF='DATA:text/html,x'>x</a>": "<a href> to data:",
    "<img src='data:text/html;base64,AA=='>": "<img src> to data:",
    "<a href='data:image/svg+xml;base64,AA=='>x</a>": "<a href> to data:",
    "<IFRAME></IFRAME>": "<iframe>",
    "<form>": "<form>",
    "<base href='x'>": "<base>",
    '<meta http-equiv="refresh" content="0;url=x">': "<meta> that leads elsewhere",
    '<a title=">" onclick="x">': "<a> without end",
    "<b": "<b> without end",
}


@pytest.mark.parametrize("payload", list(ACTIVE))
def test_active_content_in_a_page_is_named(out: Path, payload: str) -> None:
    page = (out / "index.html").read_text()
    rewrite_page(out, "index.html", page + payload)
    wanted = Fault("index.html", f"active content: {ACTIVE[payload]}", core=False)
    assert faults(out) == [wanted]
    verdict = verify.verify(out)
    assert (verdict.holds(whole=False), verdict.holds(whole=True)) == (True, False)


def test_a_page_without_a_policy_is_named(out: Path) -> None:
    rewrite_page(out, "404.html", "<!doctype html><p>Nothing here</p>")
    assert faults(out) == [
        Fault("404.html", "active content: no content security policy", core=False)
    ]


def test_missing_checksums_are_named(out: Path) -> None:
    (out / "SHA256SUMS").unlink()
    assert faults(out) == [Fault("SHA256SUMS", "missing", core=False)]


def test_a_path_with_two_digests_is_named(out: Path) -> None:
    with (out / "SHA256SUMS").open("a") as checksums:
        checksums.write(f"{'0' * 64}  llms.txt\n")
    message = "SHA256SUMS lists this file with two digests"
    assert Fault("llms.txt", message, core=False) in faults(out)


def test_an_interrupted_publish_is_named(out: Path) -> None:
    checksums = out / "SHA256SUMS"
    lines = checksums.read_text().splitlines(keepends=True)
    checksums.write_text("".join(line for line in lines if "catalog.json" not in line))
    message = "a publish was interrupted"
    assert Fault("SHA256SUMS", message, core=False) in faults(out)


def test_a_foreign_file_is_named(out: Path) -> None:
    (out / "deep").mkdir()
    (out / "deep/mine.txt").write_text("mine")
    message = "belongs to no release: SHA256SUMS does not list it"
    assert faults(out) == [Fault("deep/mine.txt", message, core=False)]
    verdict = verify.verify(out)
    assert (verdict.holds(whole=False), verdict.holds(whole=True)) == (True, False)


@pytest.mark.parametrize("path", [f"blobs/sha256/{'0' * 64}", ".stage-x/y", ".index.json.new"])
def test_files_that_a_killed_build_left_are_a_remark(out: Path, path: str) -> None:
    (out / path).parent.mkdir(exist_ok=True)
    (out / path).write_text("left over")
    verdict = verify.verify(out)
    assert verdict.faults == ()
    assert verdict.remarks == (f"1 file belongs to no release: {path}",)
    (out / ".stage-a").mkdir()
    (out / ".stage-a/b").write_text("left over")
    files = f"2 files belong to no release; the first is {min(path, '.stage-a/b')}"
    assert verify.verify(out).remarks == (files,)


def test_a_file_of_an_earlier_release_is_hashed_too(tmp_path: Path, out: Path) -> None:
    repo = tmp_path / "repo"
    repos.commit(repo, {path: text for path, text in FILES.items() if "run" not in path}, day=1)
    repos.build(repo, out, "main")
    assert faults(out) == []
    rewrite(out / RUN_BLOB, b"other")
    assert faults(out) == [Fault(RUN_BLOB, "5 bytes instead of 21", core=True)]
    rewrite(out / RUN_BLOB, RUN.swapcase().encode())
    assert faults(out) == [Fault(RUN_BLOB, "wrong digest", core=True)]
    (out / RUN_BLOB).unlink()
    assert faults(out) == [Fault(RUN_BLOB, "missing", core=True)]


# What each kind of fault says to do, and that doing it fixes the output.


def shifted(out: Path) -> None:
    """The record says of a skill what does not follow from its files."""
    rewrite_entries(out, lambda entries: entries[0].update(skillDigest=f"sha256:{'0' * 64}"))


def junk_archive(out: Path) -> None:
    path = archive_of(out, "pdf", "zip")
    rewrite(path, b"junk")
    described = {"digest": str(Digest.of(b"junk")), "size": 4}
    rewrite_entries(out, lambda entries: entries[1]["archives"][0].update(described))


def other_archive(out: Path) -> None:
    path, data = archive_of(out, "pdf", "zip"), archive.zip_bytes([SKILL_MD])
    rewrite(path, data)
    described = {"digest": str(Digest.of(data)), "size": len(data)}
    rewrite_entries(out, lambda entries: entries[1]["archives"][0].update(described))


def miscounted(out: Path) -> None:
    head_with(out, (b'"skills":2', b'"skills":3'), (b'"count":2', b'"count":3'))


def append(out: Path, path: str, text: str) -> None:
    with (out / path).open("a") as file:
        file.write(text)


def interrupted(out: Path) -> None:
    lines = (out / "SHA256SUMS").read_text().splitlines(keepends=True)
    (out / "SHA256SUMS").write_text("".join(line for line in lines if "catalog" not in line))


SCRIPT = "<script>alert(1)</script>"
KINDS: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda out: (out / RUN_BLOB).unlink(), verify.REBUILD),
    "1 byte instead of 21": (lambda out: rewrite(out / RUN_BLOB, b"x"), verify.REBUILD),
    "wrong digest": (
        lambda out: rewrite(out / RUN_BLOB, RUN.swapcase().encode()),
        verify.REBUILD,
    ),
    "lists 2 skills, but its parts contain 0": (
        lambda out: (out / part_of(out)).unlink(),
        verify.DISTRUST,
    ),
    "lists 3 skills, but its parts contain 2": (miscounted, verify.DISTRUST),
    "csv: skillDigest does not match": (shifted, verify.DISTRUST),
    "unreadable archive: File is not a zip file": (junk_archive, verify.DISTRUST),
    "the unpacked files do not match pdf": (other_archive, verify.DISTRUST),
    "does not belong to this release": (lambda out: (out / "index.json").unlink(), verify.PUBLISH),
    "a publish was interrupted": (interrupted, verify.PUBLISH),
    "SHA256SUMS lists this file with two digests": (
        lambda out: append(out, "SHA256SUMS", f"{'0' * 64}  llms.txt\n"),
        verify.DISTRUST,
    ),
    "changed since it was published": (lambda out: append(out, "llms.txt", "x"), verify.REBUILD),
    "active content: <script>": (lambda out: append(out, "index.html", SCRIPT), verify.REMEDY),
    "belongs to no release: SHA256SUMS does not list it": (
        lambda out: (out / "mine.txt").write_text("mine"),
        verify.REMOVE,
    ),
}


@pytest.mark.parametrize("message", list(KINDS))
def test_a_fault_says_what_to_do_and_that_mends_the_output(
    tmp_path: Path, out: Path, message: str
) -> None:
    damage, hint = KINDS[message]
    damage(out)
    assert {fault.hint for fault in verify.verify(out).faults if fault.message == message} == {hint}
    if hint == verify.REMOVE:
        (out / "mine.txt").unlink()
    else:
        recheck = "--recheck" in hint
        repos.build(tmp_path / "repo", out, options=Options(recheck=recheck, jobs=1))
    assert faults(out) == []


def test_missing_checksums_say_what_to_do_and_that_mends_the_output(
    tmp_path: Path, out: Path
) -> None:
    (out / "SHA256SUMS").unlink()
    [fault] = verify.verify(out).faults
    assert fault == Fault("SHA256SUMS", "missing", core=False, hint=verify.PUBLISH)
    repos.build(tmp_path / "repo", out)
    assert faults(out) == []


def test_what_an_earlier_release_lost_is_to_be_restored(tmp_path: Path, out: Path) -> None:
    """No build of a later commit can make it again."""
    former, part = blob_path(record_of(out).release_digest), part_of(out)
    repo = tmp_path / "repo"
    repos.commit(repo, {path: text for path, text in FILES.items() if "run" not in path}, day=1)
    repos.build(repo, out, "main")
    for path in (RUN_BLOB, former, part):
        data = (out / path).read_bytes()
        (out / path).unlink()
        assert {fault.hint for fault in verify.verify(out).faults} == {verify.RESTORE}
        (out / path).write_bytes(data)
    assert faults(out) == []


def test_all_faults_are_named_at_once(out: Path) -> None:
    (out / RUN_BLOB).unlink()
    (out / "index.html").unlink()
    rewrite(archive_of(out, "csv", "zip"), b"")
    assert len(faults(out)) == 3


@pytest.mark.parametrize("name", ["nul\0", "../../../../etc/passwd", "/etc/passwd", "café"])
def test_odd_paths_in_the_checksums_are_faults(out: Path, name: str) -> None:
    with (out / "SHA256SUMS").open("a") as checksums:
        checksums.write(f"{'0' * 64}  {name}\n")
    assert [fault.path for fault in faults(out)] == [name]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda out: None, "catalog.json is missing; run build again"),
        (lambda out: (out / "catalog.json").write_text("x"), "catalog.json is damaged"),
        (lambda out: (out / "catalog.json").mkdir(), "catalog.json: not a regular file"),
    ],
    ids=["empty", "damaged", "folder"],
)
def test_without_a_record_there_is_nothing_to_verify(
    tmp_path: Path, make: Callable[[Path], object], message: str
) -> None:
    make(tmp_path)
    with pytest.raises(OutputError) as caught:
        verify.verify(tmp_path)
    assert message in str(caught.value)


def test_verifying_a_path_that_is_no_directory_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="gone is not a directory"):
        verify.verify(tmp_path / "gone")

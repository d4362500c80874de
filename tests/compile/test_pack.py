"""Packing: an entry says exactly what the skill holds, and its digests are easy to recompute."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace

import pytest

from helpers import facts
from helpers.repos import skill_md
from skillbuild.compile import pack
from skillbuild.config import Config, Format
from skillbuild.media import archive
from skillbuild.model import (
    Archive,
    Digest,
    EntryFinding,
    File,
    Frontmatter,
    Resource,
    Skill,
)

Files = tuple[File, ...]
SKILL_MD = skill_md("refunds").encode()
FILES = (
    File("SKILL.md", SKILL_MD, executable=False),
    File("copy of SKILL.md", SKILL_MD, executable=False),
    File("empty", b"", executable=False),
    File("scripts/run.sh", b"#!/bin/sh\n", executable=True),
)
VALUE = {"name": "refunds", "description": "Does one thing."}
SKILL = Skill(
    "acme/refunds", "skills/refunds", Frontmatter(VALUE, {}), "Do it.\n", 5, FILES, "refunds"
)
CONFIG = Config(formats=("pages", "tar.gz", "zip"))
BARE = Config(formats=())
UPLOAD = Config(formats=("upload",))


def sha256(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def test_an_entry_describes_every_file_and_both_archives() -> None:
    note = EntryFinding("file-large", "skills/refunds/empty", None, None, "large", "shorten it")
    packed = pack.pack_skill(SKILL, {}, CONFIG, {"mcp": ("internal",)}, (note,))
    tar, zipped = archive.tar_bytes(FILES), archive.zip_bytes(FILES)
    gzipped = archive.gzip_bytes(tar)
    start = "skill://acme/refunds"
    md, nothing, script = (Digest.of(FILES[i].data) for i in (0, 2, 3))
    zip_digest, gzip_digest = Digest.of(zipped), Digest.of(gzipped)
    lines = [
        f"{md} {len(SKILL_MD)} - SKILL.md\n",
        f"{md} {len(SKILL_MD)} - copy of SKILL.md\n",
        f"{nothing} 0 - empty\n",
        f"{script} 10 x scripts/run.sh\n",
    ]
    zip_name = f"refunds-{zip_digest.short}.zip"
    gzip_name = f"refunds-{gzip_digest.short}.tar.gz"
    size = len(SKILL_MD)
    plain = "text/plain"
    assert packed.entry == facts.entry(
        "acme/refunds",
        directory="skills/refunds",
        frontmatter=VALUE,
        resources=(
            Resource(f"{start}/SKILL.md", "SKILL.md", md, size, "text/markdown", False),
            Resource(
                f"{start}/copy%20of%20SKILL.md",
                "copy of SKILL.md",
                md,
                size,
                "text/markdown",
                False,
            ),
            Resource(f"{start}/empty", "empty", nothing, 0, plain, False),
            Resource(
                f"{start}/scripts/run.sh", "scripts/run.sh", script, 10, "application/x-sh", True
            ),
        ),
        archives=(
            Archive.of(zip_name, archive.ZIP_TYPE, zip_digest, len(zipped)),
            Archive.of(gzip_name, archive.TAR_TYPE, gzip_digest, len(gzipped)),
        ),
        icons=(),
        skill_digest=Digest.of("".join(lines).encode()),
        tar_digest=Digest.of(tar),
        flat_name="refunds",
        warnings=(note,),
        unlisted={"mcp": ("internal",)},
    )
    assert packed.blobs == {md: SKILL_MD, nothing: b"", script: b"#!/bin/sh\n"}
    assert packed.archives == {zip_name: zipped, gzip_name: gzipped}


def test_the_digest_of_an_empty_file_is_that_of_sha256_without_input() -> None:
    packed = pack.pack_skill(SKILL, {}, BARE)
    empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert str(packed.entry.resources[2].digest) == empty


@pytest.mark.parametrize(
    ("formats", "suffixes", "has_tar"),
    [
        (("pages", "tar.gz", "zip"), ["zip", "tar.gz"], True),
        (("zip",), ["zip"], False),
        (("tar.gz",), ["tar.gz"], True),
        (("pages",), [], False),
    ],
)
def test_only_the_formats_that_are_asked_for_are_packed(
    formats: tuple[Format, ...], suffixes: list[str], has_tar: bool
) -> None:
    entry = pack.pack_skill(SKILL, {}, Config(formats=formats)).entry
    assert [item.file_name.partition(".")[2] for item in entry.archives] == suffixes
    assert (entry.tar_digest is not None) is has_tar


@pytest.mark.parametrize("path", ["résumé.md", "a" * 101])
def test_a_skill_that_does_not_fit_a_tar_has_a_zip_alone(path: str) -> None:
    odd = replace(SKILL, files=(*FILES, File(path, b"x", executable=False)))
    entry = pack.pack_skill(odd, {}, CONFIG).entry
    assert [item.media_type for item in entry.archives] == [archive.ZIP_TYPE]
    assert entry.tar_digest is None


def digest_of(*files: File) -> Digest:
    return pack.pack_skill(replace(SKILL, files=files), {}, BARE).entry.skill_digest


def test_the_skill_digest_sees_content_name_and_exec_bit_and_nothing_else() -> None:
    first = digest_of(*FILES)
    assert digest_of(*reversed(FILES)) == first
    internal = {"mcp": ("internal",)}
    elsewhere = pack.pack_skill(replace(SKILL, path="x/refunds"), {}, CONFIG, internal)
    assert elsewhere.entry.skill_digest == first
    changed = {
        digest_of(*FILES[:3]),
        digest_of(*FILES[:3], replace(FILES[3], executable=False)),
        digest_of(*FILES[:3], replace(FILES[3], path="run.sh")),
        digest_of(*FILES[:3], replace(FILES[3], data=b"")),
    }
    assert len({first, *changed}) == 5


@pytest.mark.parametrize("encoder", ["zip_bytes", "tar_bytes"])
@pytest.mark.parametrize(
    "packs",
    [
        lambda files: files[:-1],
        lambda files: files[::-1],
        lambda files: (*files[:-1], replace(files[-1], executable=False)),
        lambda files: (replace(files[0], data=SKILL_MD.upper()), *files[1:]),
        lambda files: (replace(files[0], path="SKILL.mD"), *files[1:]),
    ],
    ids=["one file less", "another order", "no bit", "other content", "another name"],
)
def test_an_archive_that_holds_something_else_than_the_skill_is_never_published(
    monkeypatch: pytest.MonkeyPatch, encoder: str, packs: Callable[[Files], Files]
) -> None:
    encode: Callable[[Files], bytes] = getattr(archive, encoder)
    monkeypatch.setattr(archive, encoder, lambda files, _=None: encode(packs(files)))
    for formats in (CONFIG,) if encoder == "tar_bytes" else (CONFIG, UPLOAD):
        with pytest.raises(archive.ArchiveError, match="does not match the skill"):
            pack.pack_skill(SKILL, {}, formats)


def test_the_zip_for_uploads_has_the_files_in_a_folder_of_the_name() -> None:
    packed = pack.pack_skill(SKILL, {}, UPLOAD)
    assert packed.entry.archives == ()
    described = packed.entry.upload
    assert described is not None
    assert described.file_name == f"refunds-{described.digest.short}.upload.zip"
    data = packed.archives[described.file_name]
    assert (described.digest, described.size) == (Digest.of(data), len(data))
    inside = tuple(replace(file, path=f"refunds/{file.path}") for file in FILES)
    assert archive.unpack(data, archive.ZIP_TYPE) == inside
    assert data == archive.zip_bytes(inside)
    both = pack.pack_skill(SKILL, {}, Config(formats=("upload", "zip")))
    assert both.archives[described.file_name] == data
    assert [each.file_name for each in both.entry.archives] == [
        f"refunds-{Digest.of(archive.zip_bytes(FILES)).short}.zip"
    ]


def test_a_title_is_no_folder_of_an_upload() -> None:
    titled = replace(SKILL, frontmatter=Frontmatter({**VALUE, "name": "All Refunds"}, {}))
    entry = pack.pack_skill(titled, {}, UPLOAD).entry
    assert entry.folder == "refunds"

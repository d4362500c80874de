"""Archives: every reader unpacks the packed files, and the bytes are the same everywhere."""

import gzip
import hashlib
import io
import shutil
import struct
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from helpers import CASES
from skillbuild.media import archive
from skillbuild.media.archive import TAR_TYPE, ZIP_TYPE, ArchiveError
from skillbuild.model import File
from skillbuild.paths import fits_ustar

GOLDEN = CASES / "archive-format-1.txt"

fuzz = settings(derandomize=True, database=None, deadline=None, max_examples=150)


def noise(size: int) -> bytes:
    """Bytes that no encoder makes smaller, the same in every run."""
    return hashlib.shake_256(b"noise").digest(size)


PLAIN = (
    File("LICENSE", b"", executable=False),
    File("SKILL.md", b"---\nname: a\n---\nDo it.\n", executable=False),
    File("assets/big.txt", b"".join(b"%d bottles\n" % i for i in range(40_000)), executable=False),
    File("assets/noise.bin", noise(70_000), executable=False),
    File("scripts/run.sh", b"#!/bin/sh\necho hi\n", executable=True),
)
FOREIGN = (*PLAIN, File("ü/résumé.md", b"x" * 100, executable=False))


def tgz(files: Sequence[File]) -> bytes:
    return archive.gzip_bytes(archive.tar_bytes(files))


segments = st.text("abcXYZ09-_ .#%&+é漢", min_size=1, max_size=12).map(lambda text: f"n{text}")
paths = st.lists(segments, min_size=1, max_size=4).map("/".join)
contents = st.one_of(
    st.binary(max_size=600),
    st.tuples(st.binary(max_size=9), st.integers(0, 3000)).map(lambda pair: pair[0] * pair[1]),
)
file_lists = st.lists(
    st.builds(File, paths, contents, st.booleans()), max_size=6, unique_by=lambda file: file.path
).map(tuple)
ascii_lists = file_lists.map(lambda files: tuple(file for file in files if fits_ustar(file.path)))


@fuzz
@given(file_lists)
@example(())
@example(FOREIGN)
def test_a_zip_unpacks_to_what_was_packed(files: tuple[File, ...]) -> None:
    assert archive.unpack(archive.zip_bytes(files), ZIP_TYPE) == files


@fuzz
@given(ascii_lists)
@example(())
@example(PLAIN)
def test_a_tar_unpacks_to_what_was_packed(files: tuple[File, ...]) -> None:
    assert archive.unpack(tgz(files), TAR_TYPE) == files


@fuzz
@given(st.binary(max_size=3000))
def test_the_gzip_of_the_standard_library_reads_the_archive(data: bytes) -> None:
    assert gzip.decompress(archive.gzip_bytes(data)) == data


def test_the_bytes_of_format_1_never_change() -> None:
    archives = {
        "zip": archive.zip_bytes(PLAIN),
        "zip, non-ASCII": archive.zip_bytes(FOREIGN),
        "zip, empty": archive.zip_bytes(()),
        "tar": archive.tar_bytes(PLAIN),
        "tar.gz": tgz(PLAIN),
        "tar, empty": archive.tar_bytes(()),
    }
    lines = [f"{hashlib.sha256(data).hexdigest()}  {what}\n" for what, data in archives.items()]
    assert archive.ARCHIVE_FORMAT == 1
    assert "".join(lines) == GOLDEN.read_text("utf-8")


def test_a_zip_holds_names_modes_and_contents_and_no_other_metadata() -> None:
    with zipfile.ZipFile(io.BytesIO(archive.zip_bytes(FOREIGN))) as opened:
        assert opened.comment == b""
        headers = [
            (
                info.filename,
                oct(info.external_attr >> 16),
                info.external_attr & 0xFFFF,
                info.date_time,
                info.create_system,
                info.create_version,
                info.extract_version,
                info.compress_type,
                info.flag_bits,
                info.extra + info.comment,
            )
            for info in opened.infolist()
        ]
    day = (1980, 1, 1, 0, 0, 0)
    stored, deflated = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
    assert headers == [
        ("LICENSE", "0o100644", 0, day, 3, 20, 20, stored, 0, b""),
        ("SKILL.md", "0o100644", 0, day, 3, 20, 20, stored, 0, b""),
        ("assets/big.txt", "0o100644", 0, day, 3, 20, 20, deflated, 0, b""),
        ("assets/noise.bin", "0o100644", 0, day, 3, 20, 20, stored, 0, b""),
        ("scripts/run.sh", "0o100755", 0, day, 3, 20, 20, stored, 0, b""),
        ("ü/résumé.md", "0o100644", 0, day, 3, 20, 20, deflated, 0x800, b""),
    ]


def test_a_zip_repeats_its_directory_in_its_local_headers() -> None:
    data = archive.zip_bytes(FOREIGN)
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        for info in opened.infolist():
            local = data[info.header_offset : info.header_offset + 30]
            name = info.filename.encode()
            wanted = (20, info.flag_bits, info.compress_type, 0, 33, info.CRC)
            sizes = (info.compress_size, info.file_size, len(name), 0)
            assert struct.unpack("<4sHHHHHIIIHH", local) == (b"PK\3\4", *wanted, *sizes)


def test_a_tar_holds_names_modes_and_contents_and_no_other_metadata() -> None:
    data = archive.tar_bytes(PLAIN)
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as opened:
        headers = [
            (info.name, oct(info.mode), info.mtime, info.uid, info.gid, info.uname + info.gname)
            for info in opened
        ]
        kinds = {(info.type, info.linkname, len(info.pax_headers)) for info in opened}
    assert headers == [
        ("LICENSE", "0o644", 315_532_800, 0, 0, ""),
        ("SKILL.md", "0o644", 315_532_800, 0, 0, ""),
        ("assets/big.txt", "0o644", 315_532_800, 0, 0, ""),
        ("assets/noise.bin", "0o644", 315_532_800, 0, 0, ""),
        ("scripts/run.sh", "0o755", 315_532_800, 0, 0, ""),
    ]
    assert kinds == {(tarfile.REGTYPE, "", 0)}
    assert data[257:265] == b"ustar\00000"
    assert len(data) % 10_240 == 0


def test_a_gzip_header_has_no_name_no_time_and_no_host() -> None:
    assert archive.gzip_bytes(b"x")[:10] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"


@pytest.mark.parametrize(
    ("path", "fits"),
    [
        ("a" * 100, True),
        ("a" * 101, False),
        ("d/" + "a" * 100, True),
        ("d/" + "a" * 101, False),
        ("d" * 155 + "/" + "a" * 100, True),
        ("d" * 156 + "/" + "a" * 100, False),
        ("d" * 100 + "/" + "e" * 54 + "/" + "a" * 100, True),
        ("é", False),
        ("a b#%&.md", True),
    ],
)
def test_a_path_fits_a_tar_when_it_is_ascii_and_splits_at_155_and_100(
    path: str, fits: bool
) -> None:
    assert fits_ustar(path) is fits
    if fits:
        files = (File(path, b"x", executable=True),)
        assert archive.unpack(tgz(files), TAR_TYPE) == files


def test_a_path_that_does_not_fit_is_refused_not_cut() -> None:
    with pytest.raises(ArchiveError, match="does not fit into a ustar header"):
        archive.tar_bytes([File("a" * 101, b"", executable=False)])


def zip_with_a_link() -> bytes:
    info = zipfile.ZipInfo("link")
    info.create_system, info.external_attr = 3, 0o120777 << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as opened:
        opened.writestr(info, "SKILL.md")
    return buffer.getvalue()


def zip_with_a_folder() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as opened:
        opened.mkdir("folder")
    return buffer.getvalue()


def zip_without_a_name() -> bytes:
    return archive.zip_bytes([File("", b"x", executable=False)])


def zip_by_lzma() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as opened:
        info = zipfile.ZipInfo("SKILL.md")
        info.create_system, info.external_attr = 3, 0o100644 << 16
        opened.writestr(info, "Do it.", zipfile.ZIP_LZMA)
    return buffer.getvalue()


def tar_with(kind: bytes) -> bytes:
    info = tarfile.TarInfo("odd")
    info.type, info.linkname = kind, "SKILL.md"
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as opened:
        opened.addfile(info)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (zip_with_a_link(), ZIP_TYPE),
        (zip_with_a_folder(), ZIP_TYPE),
        (zip_without_a_name(), ZIP_TYPE),
        (tar_with(tarfile.SYMTYPE), TAR_TYPE),
        (tar_with(tarfile.LNKTYPE), TAR_TYPE),
        (tar_with(tarfile.DIRTYPE), TAR_TYPE),
        (tar_with(tarfile.FIFOTYPE), TAR_TYPE),
    ],
    ids=[
        "zip link",
        "zip folder",
        "zip no name",
        "tar link",
        "tar hard link",
        "tar folder",
        "tar pipe",
    ],
)
def test_an_archive_with_anything_but_files_is_refused(data: bytes, media_type: str) -> None:
    with pytest.raises(ArchiveError, match="not a plain file"):
        archive.unpack(data, media_type)


def test_a_zip_with_another_compression_method_is_refused() -> None:
    with pytest.raises(ArchiveError, match=r"unknown compression of 'SKILL\.md'"):
        archive.unpack(zip_by_lzma(), ZIP_TYPE)


@pytest.mark.parametrize("media_type", ["text/markdown", "", "application/x-tar"])
def test_an_unknown_type_is_refused(media_type: str) -> None:
    with pytest.raises(ArchiveError, match="unknown archive type"):
        archive.unpack(archive.zip_bytes(PLAIN), media_type)


SMALL = (
    File("SKILL.md", b"---\nname: a\n---\n" + b"Do it. " * 60, executable=False),
    File("run.sh", b"#!/bin/sh\n", executable=True),
)
PACKED = {ZIP_TYPE: archive.zip_bytes(SMALL), TAR_TYPE: tgz(SMALL)}


def unpacks_or_is_refused(data: bytes, media_type: str) -> None:
    try:
        archive.unpack(data, media_type)
    except ArchiveError:
        return


@settings(fuzz, max_examples=600)
@given(st.sampled_from(sorted(PACKED)), st.data())
def test_damage_gives_one_kind_of_error_whatever_it_hits(
    media_type: str, data: st.DataObject
) -> None:
    damaged = bytearray(PACKED[media_type])
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    unpacks_or_is_refused(bytes(damaged), media_type)


@pytest.mark.parametrize("media_type", sorted(PACKED))
def test_an_archive_cut_at_any_byte_gives_one_kind_of_error(media_type: str) -> None:
    whole = PACKED[media_type]
    for length in range(len(whole)):
        unpacks_or_is_refused(whole[:length], media_type)
        unpacks_or_is_refused(whole[length:], media_type)


def run(*command: str | Path, cwd: Path) -> None:
    done = subprocess.run(command, cwd=cwd, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def by_zipfile(packed: Path, folder: Path) -> None:
    with zipfile.ZipFile(packed) as opened:
        for info in opened.infolist():
            opened.extract(info, folder)
            (folder / info.filename).chmod(info.external_attr >> 16 & 0o777)


def by_tarfile(packed: Path, folder: Path) -> None:
    with tarfile.open(packed) as opened:
        if hasattr(tarfile, "data_filter"):  # Python 3.11.4
            opened.extraction_filter = tarfile.data_filter
        opened.extractall(folder)  # noqa: S202 - an archive that this test wrote


def by_gnu_tar(packed: Path, folder: Path) -> None:
    run("tar", "-xpf", packed, cwd=folder)


def by_bsdtar(packed: Path, folder: Path) -> None:
    run("bsdtar", "-xpf", packed, cwd=folder)


def by_unzip(packed: Path, folder: Path) -> None:
    run("unzip", "-q", packed, cwd=folder)


Reader = Callable[[Path, Path], None]


def program(reader: Reader, name: str, suffix: str) -> object:
    missing = shutil.which(name) is None
    marks = pytest.mark.skipif(missing, reason=f"{name} is not installed")
    return pytest.param(reader, suffix, marks=marks, id=f"{suffix} by {name}")


@pytest.mark.parametrize(
    ("reader", "suffix"),
    [
        pytest.param(by_zipfile, "zip", id="zip by zipfile"),
        pytest.param(by_tarfile, "tar.gz", id="tar.gz by tarfile"),
        pytest.param(by_tarfile, "tar", id="tar by tarfile"),
        program(by_gnu_tar, "tar", "tar.gz"),
        program(by_gnu_tar, "tar", "tar"),
        program(by_bsdtar, "bsdtar", "tar.gz"),
        program(by_bsdtar, "bsdtar", "tar"),
        program(by_bsdtar, "bsdtar", "zip"),
        program(by_unzip, "unzip", "zip"),
    ],
)
def test_other_readers_unpack_the_same_files_with_their_modes(
    tmp_path: Path, reader: Reader, suffix: str
) -> None:
    writers = {"zip": archive.zip_bytes, "tar.gz": tgz, "tar": archive.tar_bytes}
    packed, folder = tmp_path / f"skill.{suffix}", tmp_path / "unpacked"
    packed.write_bytes(writers[suffix](PLAIN))
    folder.mkdir()
    reader(packed, folder)
    unpacked = {
        path.relative_to(folder).as_posix(): (path.read_bytes(), oct(path.stat().st_mode & 0o777))
        for path in folder.rglob("*")
        if path.is_file()
    }
    assert unpacked == {file.path: (file.data, oct(archive.mode(file))) for file in PLAIN}

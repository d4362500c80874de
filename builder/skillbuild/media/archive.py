"""Writes zip and tar.gz archives with the same bytes on every machine, and reads archives strictly.

Archives contain regular files in the given order, without directories, owners or timestamps. The
compression always uses one pinned encoder, because different builds of zlib compress the same input
differently. If the bytes for equal files ever change, `ARCHIVE_FORMAT` must change, too.
"""

from __future__ import annotations

import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Sequence

import deflate

from skillbuild.model import File
from skillbuild.paths import split_for_ustar

ARCHIVE_FORMAT = 1
ZIP_TYPE = "application/zip"
TAR_TYPE = "application/gzip"

_LEVEL = 6
_EPOCH_1980 = 315_532_800
_DOS_DATE_1980 = (1 << 5) | 1
_UTF8_NAME = 0x800
_MADE_BY_UNIX = (3 << 8) | 20
_DEFLATED, _STORED = 8, 0
_GZIP_HEADER = bytes([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
_BLOCK = 512
_RECORD = 20 * _BLOCK


class ArchiveError(Exception):
    """Raised for a file that cannot be put into an archive, and for an archive that cannot be
    read.
    """


def mode(file: File) -> int:
    """Return the permission bits of a file in an archive: 0644 or 0755, the only modes that git
    knows.
    """
    return 0o755 if file.executable else 0o644


def deflated(files: Sequence[File]) -> list[bytes]:
    """Return the content of each file as raw deflate data, as in a zip."""
    return [bytes(deflate.deflate_compress(file.data, _LEVEL)) for file in files]


def in_folder(files: Sequence[File], folder: str) -> tuple[File, ...]:
    """Return the same files, with `folder` prepended to their paths."""
    return tuple(File(f"{folder}/{file.path}", file.data, file.executable) for file in files)


def zip_bytes(files: Sequence[File], contents: Sequence[bytes] | None = None) -> bytes:
    """Create a zip without extra fields. Each file is stored or deflated, whichever is smaller.

    A caller that already has the result of `deflated(files)` can pass it as `contents`.
    """
    body, directory = io.BytesIO(), io.BytesIO()
    for file, packed in zip(files, contents or deflated(files), strict=True):
        name = file.path.encode()
        method = _DEFLATED if len(packed) < len(file.data) else _STORED
        content = packed if method else file.data
        common = struct.pack(
            "<HHHHHIIIHH",
            20,
            0 if file.path.isascii() else _UTF8_NAME,
            method,
            0,
            _DOS_DATE_1980,
            deflate.crc32(file.data),
            len(content),
            len(file.data),
            len(name),
            0,
        )
        offset = body.tell()
        body.write(b"PK\3\4" + common + name + content)
        attributes = (0o100000 | mode(file)) << 16
        tail = struct.pack("<HHHII", 0, 0, 0, attributes, offset)
        directory.write(b"PK\1\2" + struct.pack("<H", _MADE_BY_UNIX) + common + tail + name)
    index = directory.getvalue()
    count = len(files)
    end = struct.pack("<HHHHIIH", 0, 0, count, count, len(index), body.tell(), 0)
    return body.getvalue() + index + b"PK\5\6" + end


def tar_bytes(files: Sequence[File]) -> bytes:
    """Create an uncompressed ustar archive. Every path must fit into a header (`fits_ustar`)."""
    blocks = []
    for file in files:
        padding = -len(file.data) % _BLOCK
        blocks += [_ustar_header(file), file.data, bytes(padding)]
    tar = b"".join(blocks) + bytes(2 * _BLOCK)
    return tar + bytes(-len(tar) % _RECORD)


def gzip_bytes(data: bytes) -> bytes:
    """Compress data as one gzip member without name or time (RFC 1952). The compression level is
    fixed.
    """
    packed = bytes(deflate.deflate_compress(data, _LEVEL))
    return _GZIP_HEADER + packed + struct.pack("<II", deflate.crc32(data), len(data) & 0xFFFFFFFF)


def zlib_bytes(data: bytes) -> bytes:
    """Compress data as a zlib stream (RFC 1950), as in a PNG."""
    return bytes(deflate.zlib_compress(data, _LEVEL))


def _ustar_header(file: File) -> bytes:
    split = split_for_ustar(file.path)
    if split is None:
        raise ArchiveError(f"path does not fit into a ustar header: {file.path!r}")
    prefix, name = split
    fields = [
        name.ljust(100, b"\0"),
        b"%07o\0" % mode(file),
        b"0000000\0" * 2,
        b"%011o\0" % len(file.data),
        b"%011o\0" % _EPOCH_1980,
        b" " * 8,
        b"0" + bytes(100) + b"ustar\00000" + bytes(64) + b"0000000\0" * 2,
        prefix.ljust(155, b"\0") + bytes(12),
    ]
    header = b"".join(fields)
    return header[:148] + b"%06o\0 " % sum(header) + header[156:]


def unpack(data: bytes, media_type: str) -> tuple[File, ...]:
    """Return the files of an archive, in archive order, as read by Python's `zipfile` and
    `tarfile`.

    Raises `ArchiveError` for damaged archives, for unknown types, and for anything in an archive
    that is not a regular file.
    """
    try:
        if media_type == ZIP_TYPE:
            return _unzip(data)
        if media_type == TAR_TYPE:
            return _untar(data)
    except (zipfile.BadZipFile, tarfile.TarError, OSError, EOFError, ValueError) as error:
        raise ArchiveError(f"unreadable archive: {error}") from error
    except (zlib.error, struct.error, NotImplementedError, RuntimeError) as error:
        raise ArchiveError(f"unreadable archive: {error}") from error
    raise ArchiveError(f"unknown archive type {media_type}")


def _unzip(data: bytes) -> tuple[File, ...]:
    members = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            kind = info.external_attr >> 28
            if not info.filename or info.is_dir() or kind != 0o10:
                raise ArchiveError(f"not a plain file: {info.filename!r}")
            if info.compress_type not in (_STORED, _DEFLATED):
                raise ArchiveError(f"unknown compression of {info.filename!r}")
            executable = bool(info.external_attr >> 16 & 0o111)
            members.append(File(info.filename, archive.read(info), executable))
    return tuple(members)


def _untar(data: bytes) -> tuple[File, ...]:
    inflater = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    tar = inflater.decompress(data)
    if not inflater.eof or inflater.unused_data:
        raise ArchiveError("unreadable archive: expected exactly one complete gzip member")
    members = []
    with tarfile.open(fileobj=io.BytesIO(tar), mode="r:") as archive:
        for info in archive:
            if not info.isreg() or info.issparse():
                raise ArchiveError(f"not a plain file: {info.name!r}")
            # Slice the data directly: the file object that `tarfile` would open costs more than the
            # rest.
            content = tar[info.offset_data : info.offset_data + info.size]
            if len(content) != info.size:
                raise ArchiveError(f"unreadable archive: {info.name!r} is truncated")
            members.append(File(info.name, content, bool(info.mode & 0o111)))
    return tuple(members)

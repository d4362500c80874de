"""Opening and replacing files that others may have planted something in the place of."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from skillbuild.storage import no_follow

posix = pytest.mark.skipif(os.name != "posix", reason="the platform has no such files")


@posix
def test_a_link_is_refused_and_a_pipe_is_empty(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    with no_follow.open_file(tmp_path / "file") as file:
        assert file.read() == b"x"
    with pytest.raises(OSError, match="symbolic links"):
        no_follow.open_file(tmp_path / "link")
    with no_follow.open_file(tmp_path / "pipe") as pipe:
        assert pipe.read() == b""


@posix
def test_a_created_file_is_its_users_alone_and_replaces_none(tmp_path: Path) -> None:
    with no_follow.create_file(tmp_path / "new") as file:
        file.write(b"x")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("new", "link"):
        with pytest.raises(FileExistsError):
            no_follow.create_file(tmp_path / name)


def test_replacing_a_file_writes_it_whole_and_leaves_no_other(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    no_follow.replace_file(tmp_path / "file", [b"ne", memoryview(b"w")])
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"new")]


@posix
def test_a_replaced_file_is_its_users_alone(tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(b"other")
    (tmp_path / "file").symlink_to("outside")
    no_follow.replace_file(tmp_path / "file", [b"new"])
    status = (tmp_path / "file").lstat()
    assert (stat.S_ISREG(status.st_mode), stat.S_IMODE(status.st_mode)) == (True, 0o600)
    assert (tmp_path / "outside").read_bytes() == b"other"


def test_a_file_that_cannot_be_replaced_leaves_no_temporary_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        no_follow.replace_file(tmp_path / "folder", [b"new"])
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]

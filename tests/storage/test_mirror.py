"""A mirror of an origin: bounded, checked on every read, shared by processes, with few who wait."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from skillbuild.model import Digest
from skillbuild.storage import disk
from skillbuild.storage.files import (
    MOST_BYTES,
    DamagedError,
    MissingError,
    UnavailableError,
    UnreachableError,
    Versioned,
)
from skillbuild.storage.mirror import Mirror, NotHereError, StoredFiles, without_fetching


def key(data: bytes) -> str:
    return Digest.of(data).hex


def get(cache: StoredFiles, data: bytes) -> bytes | None:
    return cache.get(key(data), lambda stored: stored == data)


def keys(folder: Path) -> set[str]:
    return {path.rpartition("/")[2] for path in disk.files_below(folder)}


def test_what_was_put_is_there_for_every_process(tmp_path: Path) -> None:
    cache = StoredFiles(tmp_path / "a")
    assert get(cache, b"1") is None
    cache.put(key(b"1"), b"1")
    assert get(cache, b"1") == b"1"
    assert get(StoredFiles(tmp_path / "a"), b"1") == b"1"


def test_a_file_that_is_not_right_is_none_and_goes(tmp_path: Path) -> None:
    cache = StoredFiles(tmp_path)
    cache.put(key(b"1"), b"2")
    assert get(cache, b"1") is None
    assert keys(tmp_path) == set()


def test_a_link_in_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"1")
    place = tmp_path / "cache" / key(b"1")[:2]
    place.mkdir(parents=True)
    (place / key(b"1")).symlink_to(tmp_path / "secret")
    assert get(StoredFiles(tmp_path / "cache"), b"1") is None


def test_the_least_recently_used_files_go_first(tmp_path: Path) -> None:
    cache = StoredFiles(tmp_path, 10_000)
    texts = [b"%d" % number * 1000 for number in range(10)]
    for number, text in enumerate(texts):
        cache.put(key(text), text)
        age = time.time() - 100_000 + number
        os.utime(tmp_path / key(text)[:2] / key(text), (age, age))
    assert get(cache, texts[0]) == texts[0]
    cache.put(key(b"more" * 250), b"more" * 250)
    assert keys(tmp_path) == {key(b"more" * 250), *map(key, [texts[0], *texts[3:]])}


def test_what_is_too_large_for_the_cache_is_not_stored(tmp_path: Path) -> None:
    StoredFiles(tmp_path, 1000).put(key(b"x"), b"x" * 251)
    StoredFiles(tmp_path, 0).put(key(b"x"), b"x")
    assert keys(tmp_path) == set()


def test_temporary_files_of_killed_processes_go(tmp_path: Path) -> None:
    (tmp_path / "aa").mkdir()
    for name, age in (("aa1.12.34", 7200), ("aa2.12.34", 60)):
        (tmp_path / "aa" / name).write_bytes(b"half")
        os.utime(tmp_path / "aa" / name, (time.time() - age,) * 2)
    StoredFiles(tmp_path).put(key(b"1"), b"1")
    assert keys(tmp_path) == {"aa2.12.34", key(b"1")}


def test_a_folder_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    cache = StoredFiles(tmp_path / "file")
    cache.put(key(b"1"), b"1")
    assert get(cache, b"1") is None


@pytest.mark.nightly
def test_many_writers_stay_near_the_bound(tmp_path: Path) -> None:
    texts = [b"%05d" % number * 20 for number in range(2000)]

    def write(some: list[bytes]) -> None:
        cache = StoredFiles(tmp_path, 20_000)
        for text in some:
            cache.put(key(text), text)
            assert get(cache, text) in (text, None)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, [texts[start::4] for start in range(4)]))
    sizes = [(tmp_path / path).stat().st_size for path in disk.files_below(tmp_path)]
    assert 10_000 < sum(sizes) < 25_000


class Slow:
    """An origin whose answers wait until they are let go."""

    where = "https://skills.example/"

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.asked: list[str] = []
        self.free = threading.Event()

    def read(self, path: str, most: int) -> bytes:
        self.asked.append(path)
        assert self.free.wait(10)
        if path not in self.files:
            raise MissingError(path)
        return self.files[path]

    def read_changing(self, path: str, most: int, tag: str = "") -> Versioned:
        return Versioned(self.read(path, most), "")

    def size(self, path: str) -> int:
        return len(self.read(path, MOST_BYTES))

    def paths(self) -> Iterator[str]:
        return iter(self.files)


def named(*texts: bytes) -> dict[str, bytes]:
    return {f"blobs/{key(text)}": text for text in texts}


def mirror_of(origin: Slow, folder: Path) -> Mirror:
    def proves_itself(path: str, data: bytes) -> bool:
        return path.rpartition("/")[2] == key(data)

    return Mirror(origin, StoredFiles(folder), proves_itself)


def wait_until(is_so: Callable[[], object]) -> None:
    for _ in range(500):
        if is_so():
            return
        time.sleep(0.01)
    raise AssertionError


def test_a_file_is_asked_for_once_and_then_read_from_the_directory(tmp_path: Path) -> None:
    origin = Slow(named(b"1"))
    [path] = origin.files
    mirror = mirror_of(origin, tmp_path)
    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(mirror.read, path, 1) for _ in range(4)]
        wait_until(lambda: origin.asked)
        origin.free.set()
        assert [answer.result() for answer in answers] == [b"1"] * 4
    assert mirror_of(origin, tmp_path).read(path, 1) == b"1"
    assert origin.asked == [path]
    assert mirror.size(path) == 1
    with pytest.raises(DamagedError, match="larger than 0 bytes"):
        mirror.read(path, 0)


def test_what_does_not_prove_itself_is_damaged_and_not_kept(tmp_path: Path) -> None:
    origin = Slow({f"blobs/{key(b'1')}": b"2"})
    origin.free.set()
    mirror = mirror_of(origin, tmp_path)
    for _ in range(2):
        with pytest.raises(DamagedError, match="wrong digest at https://skills"):
            mirror.read(next(iter(origin.files)), 1)
    with pytest.raises(MissingError):
        mirror.read(f"blobs/{key(b'3')}", 1)
    assert keys(tmp_path) == set()
    assert len(origin.asked) == 3


def test_who_may_not_wait_for_an_origin_gets_what_is_here(tmp_path: Path) -> None:
    origin = Slow(named(b"1", b"2"))
    origin.free.set()
    mirror = mirror_of(origin, tmp_path)
    here, elsewhere = origin.files
    mirror.read(here, 1)
    with without_fetching():
        assert mirror.read(here, 1) == b"1"
        for ask in (mirror.read, mirror.read_changing):
            with pytest.raises(NotHereError, match=elsewhere):
                ask(elsewhere, 1)
    assert origin.asked == [here]
    assert mirror.read(elsewhere, 1) == b"2"


def test_closing_ends_all_who_wait(tmp_path: Path) -> None:
    origin = Slow(named(*(b"%d" % number for number in range(12))))
    mirror = mirror_of(origin, tmp_path)
    with ThreadPoolExecutor(12) as pool:
        answers = [pool.submit(mirror.read, path, 2) for path in origin.files]
        wait_until(lambda: len(origin.asked) == 12)
        mirror.close()
        for answer in answers:
            with pytest.raises(UnavailableError, match="the program is shutting down"):
                answer.result(5)
    with pytest.raises(UnavailableError, match="the program is shutting down"):
        mirror.read("later", 1)
    assert len(origin.asked) == 12
    origin.free.set()


def test_an_origin_that_cannot_be_reached_is_left_alone_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Gone(Slow):
        def read(self, path: str, most: int) -> bytes:
            self.asked.append(path)
            raise UnreachableError(f"{self.where}{path}", "connection refused")

    origin = Gone({})
    mirror = mirror_of(origin, tmp_path)
    for path in ("a", "b"):
        with pytest.raises(UnavailableError, match="connection refused"):
            mirror.read(path, 1)
    assert origin.asked == ["a"]
    monkeypatch.setattr("skillbuild.storage.mirror._REST", 0.0)
    mirror = mirror_of(origin, tmp_path)
    for _ in range(2):
        with pytest.raises(UnreachableError):
            mirror.read("b", 1)
    assert origin.asked == ["a", "b", "b"]


def test_bytes_that_were_refused_are_let_go(tmp_path: Path) -> None:
    """Whoever keeps the error keeps no frame that has them."""
    origin = Slow({f"blobs/{key(b'1')}": b"x" * 1000})
    origin.free.set()
    with pytest.raises(DamagedError) as caught:
        mirror_of(origin, tmp_path).read(next(iter(origin.files)), 1000)
    held = [value for each in list(caught.traceback)[1:] for value in each.frame.f_locals.values()]
    assert held
    assert origin.files[next(iter(origin.files))] not in held
    assert caught.value.__context__ is None

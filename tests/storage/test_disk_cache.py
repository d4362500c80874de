"""The cache of what was read from afar: bounded, checked on every read, shared by processes."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from skillbuild.model import Digest
from skillbuild.storage import disk
from skillbuild.storage.disk_cache import DiskCache


def key(data: bytes) -> str:
    return Digest.of(data).hex


def get(cache: DiskCache, data: bytes) -> bytes | None:
    return cache.get(key(data), lambda stored: stored == data)


def keys(folder: Path) -> set[str]:
    return {path.rpartition("/")[2] for path in disk.files_below(folder)}


def test_what_was_put_is_there_for_every_process(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path / "a")
    assert get(cache, b"1") is None
    cache.put(key(b"1"), b"1")
    assert get(cache, b"1") == b"1"
    assert DiskCache(tmp_path / "a").size(key(b"1")) == 1
    assert get(DiskCache(tmp_path / "a"), b"1") == b"1"


def test_a_file_that_is_not_right_is_none_and_goes(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path)
    cache.put(key(b"1"), b"2")
    assert get(cache, b"1") is None
    assert keys(tmp_path) == set()


def test_a_link_in_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"1")
    place = tmp_path / "cache" / key(b"1")[:2]
    place.mkdir(parents=True)
    (place / key(b"1")).symlink_to(tmp_path / "secret")
    assert get(DiskCache(tmp_path / "cache"), b"1") is None


def test_the_least_recently_used_files_go_first(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path, 10_000)
    texts = [b"%d" % number * 1000 for number in range(10)]
    for number, text in enumerate(texts):
        cache.put(key(text), text)
        age = time.time() - 100_000 + number
        os.utime(tmp_path / key(text)[:2] / key(text), (age, age))
    assert get(cache, texts[0]) == texts[0]
    cache.put(key(b"more" * 250), b"more" * 250)
    assert keys(tmp_path) == {key(b"more" * 250), *map(key, [texts[0], *texts[3:]])}


def test_what_is_too_large_for_the_cache_is_not_stored(tmp_path: Path) -> None:
    DiskCache(tmp_path, 1000).put(key(b"x"), b"x" * 251)
    DiskCache(tmp_path, 0).put(key(b"x"), b"x")
    assert keys(tmp_path) == set()


def test_temporary_files_of_killed_processes_go(tmp_path: Path) -> None:
    (tmp_path / "aa").mkdir()
    for name, age in (("aa1.12.34", 7200), ("aa2.12.34", 60)):
        (tmp_path / "aa" / name).write_bytes(b"half")
        os.utime(tmp_path / "aa" / name, (time.time() - age,) * 2)
    DiskCache(tmp_path).put(key(b"1"), b"1")
    assert keys(tmp_path) == {"aa2.12.34", key(b"1")}


def test_a_folder_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    cache = DiskCache(tmp_path / "file")
    cache.put(key(b"1"), b"1")
    assert (get(cache, b"1"), cache.size(key(b"1"))) == (None, None)


def test_many_writers_stay_near_the_bound(tmp_path: Path) -> None:
    texts = [b"%05d" % number * 20 for number in range(2000)]

    def write(some: list[bytes]) -> None:
        cache = DiskCache(tmp_path, 20_000)
        for text in some:
            cache.put(key(text), text)
            assert get(cache, text) in (text, None)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, [texts[start::4] for start in range(4)]))
    sizes = [(tmp_path / path).stat().st_size for path in disk.files_below(tmp_path)]
    assert 10_000 < sum(sizes) < 25_000

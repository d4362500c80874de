"""A release in the server's memory: cached values belong to it and are freed with it."""

import gc
import shutil
import threading
import weakref
from collections.abc import Iterator
from functools import partial
from operator import mul
from pathlib import Path

import anyio
import pytest

from skillbuild.serve.methods.describe import describe
from skillbuild.serve.methods.generic import ListParams
from skillbuild.serve.methods.resources import list_resources
from skillbuild.serve.state.caches import BoundedCache
from skillbuild.serve.state.content import children, read_document
from skillbuild.serve.state.look_up import selection
from skillbuild.serve.state.release import PUBLIC, ServedRelease, load_release
from skillbuild.serve.state.search import ServedSearch
from skillbuild.serve.state.watch import DirectoryWatcher
from skillbuild.storage.files import DamagedError, Directory, UnavailableError
from skillbuild.uris import INDEX_URI


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Without the garbage collector only reference counts free an object."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
def test_nothing_holds_a_release_that_was_replaced(out: Path) -> None:
    release = load_release(out)
    skills = release.skills(PUBLIC, 0, 100)
    assert len(skills) == 5
    uris = [file.uri for skill in skills for file in skill.files]
    assert all(describe(release, uri) is not None for uri in (*uris, INDEX_URI, "skill://acme"))
    assert children(release, "skill://pdf")
    assert release.last_modified("pdf") is not None
    freed = weakref.ref(release), weakref.ref(release.parts)
    del release
    assert [each() for each in freed] == [None, None]


def test_a_cache_drops_the_least_recently_used_value() -> None:
    cache: BoundedCache[str, str | None] = BoundedCache(2)
    computed: list[str] = []

    def get(key: str) -> None:
        cache.get(key, lambda: computed.append(key))

    for key in ("a", "b", "a", "c", "a", "b"):
        get(key)
    assert computed == ["a", "b", "c", "b"]


def test_threads_may_share_a_cache() -> None:
    cache: BoundedCache[int, int] = BoundedCache(3)
    wrong: list[int] = []

    def ask() -> None:
        for number in range(20_000):
            key = number % 7
            if cache.get(key, partial(mul, key, 2)) != key * 2:
                wrong.append(key)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_an_index_that_is_too_large_for_an_answer_is_no_resource(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uri = "skill://index.json"
    for only in (None, selection(["pdf"])):
        release = load_release(out, only)
        assert describe(release, uri) is not None
        assert read_document(release, uri)
        size = release.record.fixed.index.size
        with monkeypatch.context() as patched:
            patched.setattr("skillbuild.serve.state.release.LARGEST_DOCUMENT", size - 1)
            assert describe(release, uri) is None
            assert read_document(release, uri) is None
            listed = list_resources(release, ListParams())["resources"]
            assert isinstance(listed, list)
            assert len(listed) == release.skill_count
            assert not [each for each in listed if each["uri"] == uri]


def test_a_search_ends_at_its_deadline_and_the_next_one_is_answered(out: Path) -> None:
    digest = load_release(out).record.fixed.search
    with pytest.raises(UnavailableError, match="the search: it took more than 0 seconds"):
        ServedSearch(Directory(out), digest, None, most_seconds=0).find("refunds", 0, 9)
    search = ServedSearch(Directory(out), digest, None)
    assert [hit.path for hit in search.find("deep", 0, 9).part] == ["acme/support/refunds/deep"]


def test_words_that_are_held_in_memory_end_at_the_deadline_too(out: Path) -> None:
    search = ServedSearch(Directory(out), load_release(out).record.fixed.search, None)
    assert search.find("refunds", 0, 9).total == 3
    search._most_seconds = 0
    with pytest.raises(UnavailableError):
        search.find("refunds", 0, 9)


def test_who_meets_damage_is_answered_from_the_release_that_came_meanwhile(
    out: Path, tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(out, tmp_path / "out"))
    watcher = DirectoryWatcher(copy)
    first = watcher.release
    data = (copy / "catalog.json").read_bytes()

    def answer(release: ServedRelease) -> bool:
        if release is first:
            (copy / "catalog.json").write_bytes(data + b"\n")
            raise DamagedError("x", "gone")
        return True

    assert anyio.run(watcher.answered, answer)
    assert watcher.release is not first


def test_who_meets_damage_without_another_release_hears_of_it(out: Path) -> None:
    def fail(release: ServedRelease) -> None:
        raise DamagedError("x", "gone")

    with pytest.raises(DamagedError, match="gone"):
        anyio.run(DirectoryWatcher(out).answered, fail)

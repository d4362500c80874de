"""Object stores: conditions, sizes, and what is said without the extra. A store in memory keeps the
conditions as the real ones do; `tests/judges/anywhere.py` tries those.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("obstore")

from obstore.store import MemoryStore

from helpers import repos
from helpers.repos import skill_md
from skillbuild.storage import origins
from skillbuild.storage.cloud import Store
from skillbuild.storage.files import DamagedError, MissingError, Versioned
from skillbuild.storage.targets import ConflictError


@pytest.fixture
def store() -> Store:
    return Store("s3://bucket/skills/", store=MemoryStore())


def test_an_object_is_created_once_and_updated_by_its_version(store: Store) -> None:
    first = store.create("a", b"1", {"Content-Type": "text/plain"})
    with pytest.raises(ConflictError, match=r"^somebody else changed s3://bucket/skills/a$"):
        store.create("a", b"2", {})
    second = store.update("a", b"3", {}, first)
    for version in (first, None):
        with pytest.raises(ConflictError):
            store.update("a", b"4", {}, version)
    assert store.read_version("a", 1) == (b"3", second)
    store.update("b", b"5", {}, None)
    store.overwrite("b", b"66", {})
    assert (store.read("b", 2), store.size("b")) == (b"66", 2)
    assert (store.has("b"), store.has("c")) == (True, False)


def test_an_object_is_read_only_if_it_is_small_enough_and_has_changed(store: Store) -> None:
    store.create("a", b"123", {})
    with pytest.raises(DamagedError, match=r"^s3://bucket/skills/a: larger than 2 bytes$"):
        store.read("a", 2)
    versioned = store.read_changing("a", 3)
    assert versioned.data == b"123"
    assert store.read_changing("a", 3, versioned.tag) == Versioned(None, versioned.tag)
    for read in (store.read, store.read_changing):
        with pytest.raises(MissingError, match=r"^s3://bucket/skills/b: missing$"):
            read("b", 1)


def test_objects_are_listed_and_removed(store: Store) -> None:
    for path in ("a/b", "c"):
        store.create(path, path.encode(), {})
    objects = {item.path: item for item in store.objects()}
    assert {path: item.size for path, item in objects.items()} == {"a/b": 3, "c": 1}
    assert all(item.changed > 0 for item in objects.values())
    store.remove(["a/b", "c"])
    store.remove(["c"])
    assert list(store.objects()) == []


def test_without_the_extra_one_line_names_it() -> None:
    program = (
        "import sys; sys.modules['obstore'] = None\n"
        "from skillbuild.cli.main import main; sys.exit(main(['diff', 's3://b/x', 'az://b/x']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    line = "s3://, gs:// and az:// require the skillbuild[cloud] extra, which is not installed"
    assert (done.returncode, done.stderr) == (2, f"skillbuild: {line}\n")


@pytest.mark.parametrize("command", ["build", "verify"])
def test_what_needs_no_origin_loads_no_client_of_one(tmp_path: Path, command: str) -> None:
    repo = repos.repository(tmp_path / "repo", {"skills/pdf/SKILL.md": skill_md("pdf")})
    repos.build(repo, tmp_path / "out")
    arguments = ["build", f"{repo}", "-o", f"{tmp_path}/new"]
    program = (
        f"import sys; from skillbuild.cli.main import main\n"
        f"main({arguments if command == 'build' else ['verify', f'{tmp_path}/out']})\n"
        "print({'httpx2', 'obstore'} & sys.modules.keys(), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert done.stderr == "set()\n"


@pytest.mark.parametrize(
    ("address", "remote", "store"),
    [
        ("https://a.example/", True, False),
        ("s3://b/c", True, True),
        ("gs://b", True, True),
        ("az://b/c", True, True),
        ("out", False, False),
        ("ftp://a.example", False, False),
    ],
)
def test_an_address_says_what_it_is(address: str, remote: bool, store: bool) -> None:
    assert (origins.is_remote(address), origins.is_store(address)) == (remote, store)

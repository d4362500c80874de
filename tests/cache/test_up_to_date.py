"""A build with nothing to do says the same as the one before, and notices whatever did change."""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import skill_md
from skillbuild import assets
from skillbuild.cache import own_files, up_to_date
from skillbuild.cache.own_files import Stored
from skillbuild.cache.up_to_date import given_to
from skillbuild.cli import grammar, main

FILES: repos.Files = {
    "a/SKILL.md": skill_md("a", body="[x](gone.md)\n"),
    "b/SKILL.md": skill_md("b"),
    "bad/SKILL.md": "# Bad\n",
}
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", f"{tmp_path / 'cache'}")
    return tmp_path / "cache/skillbuild"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return repos.repository(tmp_path / "repo", FILES)


def build(repo: Path, *options: str) -> int:
    out = f"--out={repo.parent / 'out'}"
    return main.main(["build", f"{repo}", out, "--skip-invalid", *options])


def stopped(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> bool:
    """Whether a build ends before anything that could build is asked to."""
    asked: list[argparse.Namespace] = []

    class AskedError(Exception):
        pass

    def note(options: argparse.Namespace) -> None:
        asked.append(options)
        raise AskedError

    with monkeypatch.context() as patched, suppress(AskedError):
        patched.setattr("skillbuild.cli.building.request_of", note)
        assert main.main(["build", *arguments, "--skip-invalid"]) == 0
    return not asked


def again(repo: Path, *options: str) -> list[str]:
    return [f"{repo}", f"--out={repo.parent / 'out'}", *options]


def times(out: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in [out, *out.rglob("*")]}


def test_the_second_build_says_the_same_and_writes_nothing(repo: Path, capsys: Capture) -> None:
    assert build(repo) == 0
    first = capsys.readouterr()
    before = times(repo.parent / "out")
    assert build(repo) == 0
    second = capsys.readouterr()
    assert times(repo.parent / "out") == before
    *findings, last = first.out.splitlines()
    *again, closing = second.out.splitlines()
    assert (again, second.err) == (findings, first.err)
    assert [line.partition(":")[0] for line in findings if not line.startswith(" ")] == [
        "a/SKILL.md",
        "bad/SKILL.md",
    ]
    assert last.rpartition(", ")[0] == closing.rpartition(", ")[0]
    assert ", nothing changed in 0." in closing
    assert closing.rpartition(" ")[2] == last.rpartition(" ")[2]


def test_a_build_with_nothing_to_do_loads_nothing_that_builds(repo: Path) -> None:
    out = f"{repo.parent / 'out'}"
    for round_ in range(2):
        variables = {"PYTHONPROFILEIMPORTTIME": "1"}
        command = ("build", f"{repo}", "-o", out, "--skip-invalid", "-q")
        with repos.skillbuild(*command, variables=variables) as run:
            errors = run.communicate()[1].decode()
        assert run.returncode == 0
        heavy = ("jinja2", "pygments", "yaml", "multiprocessing")
        loaded = [name for name in heavy if f"| {name}\n" in errors or f"  {name}\n" in errors]
        assert (loaded == []) is (round_ == 1)


Edit = Callable[[Path], object]
EDITS: dict[str, Edit] = {
    "a new commit": lambda repo: repos.commit(repo, {**FILES, "c/SKILL.md": skill_md("c")}, day=1),
    "an empty commit": lambda repo: repos.commit(repo, FILES, day=1),
    "no record": lambda repo: (repo.parent / "out/catalog.json").unlink(),
    "another record": lambda repo: (repo.parent / "out/catalog.json").write_bytes(b"{}"),
    "an index of the same size": lambda repo: rewrite(repo.parent / "out/index.json"),
    "unfinished checksums": lambda repo: (repo.parent / "out/SHA256SUMS").write_bytes(b""),
    "a lost blob": lambda repo: next((repo.parent / "out/blobs/sha256").iterdir()).unlink(),
    "a lost archive": lambda repo: next((repo.parent / "out/archives").iterdir()).unlink(),
    "a file more": lambda repo: (repo.parent / "out/archives/x").write_bytes(b""),
    "a copied output": lambda repo: move_and_copy(repo.parent / "out"),
    "no output": lambda repo: shutil.rmtree(repo.parent / "out"),
}


def rewrite(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data.replace(b"a", b"A"))


def move_and_copy(out: Path) -> None:
    out.rename(out.with_name("moved"))
    shutil.copytree(out.with_name("moved"), out)


@pytest.mark.parametrize("edit", EDITS.values(), ids=list(EDITS))
def test_any_change_of_source_or_output_starts_a_build(
    repo: Path, monkeypatch: pytest.MonkeyPatch, edit: Edit
) -> None:
    build(repo)
    assert stopped(monkeypatch, *again(repo))
    edit(repo)
    assert not stopped(monkeypatch, *again(repo))


@pytest.mark.parametrize("folder", ["blobs/sha256", "archives"])
def test_a_lost_file_is_written_again(repo: Path, folder: str) -> None:
    out = repo.parent / "out"
    build(repo)
    before = repos.digests(out)
    next((out / folder).iterdir()).unlink()
    build(repo)
    assert repos.digests(out) == before


@pytest.mark.parametrize(
    "options",
    [
        ["--base-url=https://example.org"],
        ["--strict"],
        ["--format=json"],
        ["--recheck"],
        ["--no-cache"],
        ["--keep=1"],
        ["--report=json=report.json"],
        ["--rev=HEAD"],
        ["-q"],
    ],
    ids=" ".join,
)
def test_other_options_start_a_build(
    repo: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    build(repo)
    assert not stopped(monkeypatch, *again(repo, *options))


def test_a_directory_in_the_repository_is_another_source(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = f"--out={repo.parent / 'out'}"
    monkeypatch.chdir(repo)
    assert main.main(["build", out, "--skip-invalid", "-q"]) == 0
    assert stopped(monkeypatch, out, "-q")
    monkeypatch.chdir(repo / "b")
    assert not stopped(monkeypatch, out, "-q")


def test_without_a_cache_nothing_is_stored(repo: Path, own_folder: Path) -> None:
    build(repo, "--no-cache")
    assert not own_folder.exists()


def test_a_cache_that_cannot_be_written_is_no_failure(repo: Path, own_folder: Path) -> None:
    own_folder.parent.write_bytes(b"a file where the folder should be")
    assert (build(repo), build(repo)) == (0, 0)


@pytest.mark.parametrize("kind", ["stamp", "results"])
def test_what_is_stored_is_for_its_user_alone(repo: Path, own_folder: Path, kind: str) -> None:
    build(repo)
    [path] = own_folder.glob(f"*.{kind}")
    assert path.stat().st_mode & 0o777 == 0o600


# Stored values are read back unchanged or not at all.


def cached_files(folder: Path) -> list[Path]:
    return [*folder.iterdir()]


def content(stored: Stored | None) -> bytes | None:
    return stored.data[stored.start : stored.end] if stored else None


def read(out: Path, kind: str = "name") -> bytes | None:
    return content(own_files.read(out, kind))


def test_a_stored_value_is_read_back(tmp_path: Path) -> None:
    own_files.write(tmp_path / "out", "name", [b"one ", b"two"])
    assert read(tmp_path / "out") == b"one two"
    assert read(tmp_path / "out", "other") is None
    assert read(tmp_path / "elsewhere") is None


def test_what_is_read_stays_while_another_value_takes_its_place(tmp_path: Path) -> None:
    out, large = tmp_path / "out", bytes(range(256)) * 8192
    own_files.write(out, "name", [large[:7], large[7:]])
    before = own_files.read(out, "name")
    own_files.write(out, "name", [b"new"])
    assert content(before) == large
    assert read(out) == b"new"


def test_a_stored_value_with_a_changed_or_missing_byte_is_ignored(
    tmp_path: Path, own_folder: Path
) -> None:
    own_files.write(tmp_path / "out", "name", [b"value"])
    [path] = cached_files(own_folder)
    whole = path.read_bytes()
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= 1
        path.write_bytes(changed)
        assert read(tmp_path / "out") is None
        path.write_bytes(whole[:place])
        assert read(tmp_path / "out") is None
    path.write_bytes(whole)
    assert read(tmp_path / "out") == b"value"


def test_a_stored_value_of_another_output_is_ignored(tmp_path: Path, own_folder: Path) -> None:
    own_files.write(tmp_path / "first", "name", [b"first"])
    [first] = cached_files(own_folder)
    own_files.write(tmp_path / "second", "name", [b"second"])
    second = next(path for path in cached_files(own_folder) if path != first)
    second.write_bytes(first.read_bytes())
    assert read(tmp_path / "second") is None


@pytest.mark.skipif(os.name != "posix", reason="modes, links and pipes are those of POSIX")
def test_only_a_plain_file_that_others_cannot_write_is_read(
    tmp_path: Path, own_folder: Path
) -> None:
    out = tmp_path / "out"
    own_files.write(out, "name", [b"value"])
    [path] = cached_files(own_folder)
    for mode in (0o666, 0o620, 0o602):
        path.chmod(mode)
        assert read(out) is None
    path.chmod(0o600)
    path.rename(tmp_path / "aside")
    path.symlink_to(tmp_path / "aside")
    assert read(out) is None
    path.unlink()
    os.mkfifo(path)
    assert read(out) is None


@pytest.mark.skipif(os.name != "posix", reason="files have an owner on POSIX")
def test_a_file_of_somebody_else_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_files.write(tmp_path / "out", "name", [b"value"])
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    assert read(tmp_path / "out") is None


def test_files_that_no_build_used_for_long_are_removed(tmp_path: Path, own_folder: Path) -> None:
    own_files.write(tmp_path / "old", "name", [b"old"])
    for path in own_folder.iterdir():
        os.utime(path, (1, 1))
    own_files.write(tmp_path / "new", "name", [b"new"])
    assert read(tmp_path / "old") is None
    assert read(tmp_path / "new") == b"new"
    assert len(cached_files(own_folder)) == 1


@pytest.mark.parametrize("name", ["site-packages", "dist-packages"])
def test_a_package_that_comes_or_goes_starts_a_build(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """So does another version of a renderer."""
    folder = tmp_path / name
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    build(repo)
    assert stopped(monkeypatch, *again(repo))
    (folder / "jinja2-99.dist-info").mkdir()
    assert not stopped(monkeypatch, *again(repo))


def test_a_clone_that_gets_its_history_is_built_again(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repos.commit(repo, FILES, day=1)
    clone = repos.clone(repo, tmp_path / "clones/repo", "--depth=1")
    build(clone)
    assert stopped(monkeypatch, *again(clone))
    repos.git(clone, "fetch", "--quiet", "--unshallow")
    assert not stopped(monkeypatch, *again(clone))
    build(clone)
    assert (clone.parent / "out/history.json").exists()


def test_a_build_over_a_release_elsewhere_is_made(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = f"--previous={repo.parent / 'out'}"
    other = [f"{repo}", f"--out={repo.parent / 'other'}", published]
    build(repo)
    assert main.main(["build", *other, "--skip-invalid", "-q"]) == 0
    assert not stopped(monkeypatch, *other, "-q")


def test_changed_code_in_a_checkout_of_skillbuild_builds_again(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(repo)
    assert stopped(monkeypatch, *again(repo))
    monkeypatch.setattr(assets, "fingerprint", lambda: [("build.py", 1, 1)])
    assert not stopped(monkeypatch, *again(repo))
    build(repo)
    assert stopped(monkeypatch, *again(repo))


def test_an_installed_skillbuild_examines_none_of_its_own_files(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        up_to_date, "__file__", "/usr/lib/python3/dist-packages/skillbuild/cache/up_to_date.py"
    )
    monkeypatch.setattr(assets, "fingerprint", lambda: pytest.fail("files were read"))
    options = grammar.parser().parse_args(["build", f"{repo}", f"--out={repo.parent / 'out'}"])
    assert given_to(options) is not None

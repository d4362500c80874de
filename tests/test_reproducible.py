"""Same commit, same bytes: whatever the host, the clone, the settings of the shell, the Python."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from helpers import CASES, outputs, repos
from helpers.repos import Link, Program, skill_md
from skillbuild.release.layout import DATES_FILE, blob_path

GOLDEN = CASES / "published-digests.txt"

FILES: repos.Files = {
    "skillbuild.toml": 'title = "Example"\nexclude = ["old/**"]\n'
    'formats = ["discovery", "marketplace", "pages", "tar.gz", "upload", "zip"]\n',
    ".gitattributes": "*.md text eol=crlf\n",
    "skills/pdf/SKILL.md": skill_md("pdf", body="# PDF\n\nRun `scripts/fill.py`.\n"),
    "skills/pdf/scripts/fill.py": Program("#!/usr/bin/env python3\nprint('\u00fc')\n" * 40),
    "skills/pdf/assets/data.bin": bytes(range(256)) * 64,
    "skills/pdf/assets/empty": "",
    "skills/café/SKILL.md": skill_md("cafe", "Br\u00fche \u2603 \U0001f600"),
    "skills/café/résumé.txt": "résumé\r\n",
    "plugins/git/skills/commit/SKILL.md": skill_md("commit"),
    "plugins/hg/skills/commit/SKILL.md": skill_md("commit", "x" * 1100),
    "skills/outer/SKILL.md": skill_md("outer"),
    "skills/outer/inner/SKILL.md": skill_md("inner", body="See [it](../SKILL.md).\n"),
    "old/SKILL.md": "nothing\n",
    "alias": Link("skills/pdf"),
}


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = repos.empty(tmp_path_factory.mktemp("source") / "repo")
    repos.commit(top, {**FILES, "skills/pdf/SKILL.md": skill_md("pdf")})
    repos.commit(top, FILES, day=1)
    repos.checkout(top)
    repos.git(top, "tag", "v1")
    return top


Digests = Mapping[str, str]


def build(
    repo: Path | str,
    out: Path,
    *options: str,
    cwd: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> Digests:
    """Digests of all files that a build in a process of its own writes."""
    command = ["build", f"{repo}", "--out", f"{out}", *options]
    with repos.skillbuild(*command, cwd=cwd, variables=variables) as run:
        _, errors = run.communicate()
    assert run.returncode == 0, errors.decode()
    return repos.digests(out)


@pytest.fixture(scope="module")
def reference_out(repo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("reference") / "out"
    build(repo, out)
    return out


@pytest.fixture(scope="module")
def reference(reference_out: Path) -> Digests:
    return repos.digests(reference_out)


def promised(digests: Digests) -> Digests:
    """The files that do not depend on how much history is available: all but pages and dates."""
    prefixes = (
        "index.json",
        "llms.txt",
        "release.json",
        "catalog.json",
        "record/",
        "blobs/",
        "archives/",
        "icons/",
        "search/",
        ".well-known/",
        "claude/",
    )
    return {
        path: digest
        for path, digest in digests.items()
        if path.startswith(prefixes) and path != DATES_FILE
    }


def in_shell(*options: str, **variables: str) -> Callable[[Path, Path], Digests]:
    return lambda repo, out: build(repo, out, *options, variables=variables)


def of_somebody_else(repo: Path, out: Path) -> Digests:
    nowhere = {"HOME": "/nowhere", "XDG_CONFIG_HOME": "/nowhere", "USER": "x"}
    clock = {"TZ": "Pacific/Kiritimati", "SOURCE_DATE_EPOCH": "1"}
    before = os.umask(0o077)
    try:
        return build(repo, out, variables={**nowhere, **clock, "COLUMNS": "20", "CI": "true"})
    finally:
        os.umask(before)


def elsewhere(repo: Path, out: Path) -> Digests:
    return build(".", out, "--rev", "v1", cwd=repo)


def cloned(*options: str) -> Callable[[Path, Path], Digests]:
    return lambda repo, out: build(repos.clone(repo, out.parent / "clone", *options), out)


def bare(repo: Path, out: Path) -> Digests:
    return build(repos.clone(repo, out.parent / "clone", "--bare"), out, "--rev", "main")


def detached(repo: Path, out: Path) -> Digests:
    clone = repos.clone(repo, out.parent / "clone")
    repos.git(clone, "checkout", "--quiet", "--detach")
    return build(clone, out, "--rev", repos.git(repo, "rev-parse", "HEAD"))


def dirty(repo: Path, out: Path) -> Digests:
    clone = repos.clone(repo, out.parent / "clone")
    shutil.rmtree(clone / "skills/pdf")
    (clone / "skills/new").mkdir()
    (clone / "skills/new/SKILL.md").write_text(skill_md("new"))
    (clone / "skillbuild.toml").write_text('title = "Other"\n')
    (clone / "secret.env").write_text("TOKEN=1\n")
    repos.git(clone, "add", "skills")
    return build(clone, out)


def over_another_release(repo: Path, out: Path) -> Digests:
    """Only the record and the pages name the release before; the rest is as in a first build."""
    build(repo, out, "--rev", "main~1")
    return build(repo, out)


@pytest.mark.parametrize(
    "variant",
    [
        pytest.param(of_somebody_else, id="clock, home, umask, terminal"),
        pytest.param(in_shell("--jobs", "1", LC_ALL="C", LANG="C"), id="ASCII, one worker"),
        pytest.param(
            in_shell("--jobs", "4", LC_ALL="tr_TR.UTF-8", PYTHONHASHSEED="7"),
            id="Turkish, hash seed, four workers",
        ),
        pytest.param(elsewhere, id="working directory, by tag"),
        pytest.param(bare, id="bare clone, by branch"),
        pytest.param(detached, id="detached clone, by id"),
        pytest.param(dirty, id="dirty working tree"),
    ],
)
def test_a_build_is_a_function_of_the_commit(
    tmp_path: Path,
    repo: Path,
    reference: Digests,
    variant: Callable[[Path, Path], Digests],
) -> None:
    assert variant(repo, tmp_path / "out") == reference


def test_a_shallow_clone_gives_the_same_but_for_the_dates_on_pages(
    tmp_path: Path, repo: Path, reference: Digests
) -> None:
    shallow = cloned("--depth=1")(repo, tmp_path / "out")
    assert promised(shallow) == promised(reference)


def test_an_earlier_release_in_the_output_changes_no_index_blob_or_archive(
    tmp_path: Path, repo: Path, reference: Digests
) -> None:
    after = over_another_release(repo, tmp_path / "out")
    before = {
        path: digest for path, digest in promised(reference).items() if path != "catalog.json"
    }
    assert {path: after.get(path) for path in before} == before


def test_line_ends_are_those_of_the_commit(repo: Path, reference: Digests, tmp_path: Path) -> None:
    assert b"\r\n" in (repo / "skills/pdf/SKILL.md").read_bytes()
    build(repo, tmp_path / "out")
    blobs = {path.read_bytes() for path in (tmp_path / "out/blobs/sha256").iterdir()}
    assert str(FILES["skills/pdf/SKILL.md"]).encode() in blobs
    assert str(FILES["skills/café/résumé.txt"]).encode() in blobs


# Other Pythons, and the digests that all of them must give.


def addressed(out: Path) -> Digests:
    """The files that do not depend on the rendering libraries.

    These are named in the object `release`, which is a blob, too.
    """
    prefixes = ("index.json", "record/", "blobs/", "archives/", "search/")
    named = blob_path(outputs.record_of(out).release_digest)
    return {
        path: digest
        for path, digest in repos.digests(out).items()
        if path.startswith(prefixes) and path != named
    }


def as_text(out: Path) -> str:
    return "".join(f"{digest}  {path}\n" for path, digest in addressed(out).items())


def test_the_published_bytes_are_those_of_every_other_machine(
    reference_out: Path, update: bool
) -> None:
    if update:
        GOLDEN.write_text(as_text(reference_out), "utf-8")
    assert as_text(reference_out) == GOLDEN.read_text("utf-8")


NEEDED = (
    "import deflate, jinja2, markdown_it, pathspec, pygments, yaml._yaml, sys; print(sys.version)"
)


@functools.cache
def other_pythons() -> Sequence[str]:
    """Pythons of other versions on this machine that have what skillbuild needs."""
    named = [shutil.which(f"python3.{minor}") for minor in range(11, 16)]
    installed = sorted((Path.home() / ".pyenv/versions").glob("3.1[1-9]*/bin/python"))
    given = os.environ.get("SKILLBUILD_PYTHONS", "").split(os.pathsep)
    pythons = {}
    for python in [*filter(None, named), *map(str, installed), *filter(None, given)]:
        asked = subprocess.run([python, "-c", NEEDED], capture_output=True, text=True, check=False)
        if asked.returncode == 0:
            pythons[asked.stdout.split()[0].rpartition(".")[0]] = python
    return tuple(pythons.values())


def test_other_pythons_give_the_same_bytes(tmp_path: Path, repo: Path) -> None:
    """Runs each Python that can run the build; without one, the digests file is the only test."""
    for number, python in enumerate(other_pythons()):
        out = tmp_path / f"out{number}"
        with repos.skillbuild("build", f"{repo}", "--out", f"{out}", python=python) as run:
            _, errors = run.communicate()
        assert run.returncode == 0, errors.decode()
        assert as_text(out) == GOLDEN.read_text("utf-8"), python

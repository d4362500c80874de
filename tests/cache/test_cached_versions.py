"""What the last build made of older states is taken over, and gives the bytes of a fresh build."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers import outputs, repos
from helpers.repos import Content, Files, skill_md
from skillbuild.build import Options
from skillbuild.check.trust.evidence import Evidence
from skillbuild.compile import pack, states
from skillbuild.compile.pack import Packed
from skillbuild.config import Config
from skillbuild.model import Skill
from skillbuild.output import verify
from skillbuild.source.lineage import State
from skillbuild.source.tree import Reader

HEAD = '[versions]\nsince = "first"\n'
KEY = "AKIA" + "Y4K7QZ2MX5TRJWN3"
CACHED = Options(jobs=1, cache=True, skip_invalid=True)
IN_TWO = Options(jobs=2, cache=True, skip_invalid=True)
FRESH = Options(jobs=1, skip_invalid=True)
ASIDE = ("catalog.json", "SHA256SUMS")
"""They tell what was published before, too."""


def settings(more: str = "") -> dict[str, Content]:
    return {"skillbuild.toml": HEAD + more}


def skill(name: str, body: str, group: str = "a", **more: Content) -> dict[str, Content]:
    folder = f"{group}/{name}"
    files: dict[str, Content] = {f"{folder}/SKILL.md": skill_md(name, body=f"{body}\n")}
    return files | {f"{folder}/{path}.md": content for path, content in more.items()}


CSV = skill("csv", "Reads.", notes="One.\n")
LINKS = skill("links", "See [it](../csv/notes.md) and [that](../no/a.md).")
ACCEPTED = '[[ignore]]\nrule = "secret"\nreason = "a test"\nfingerprint = "c3b191ee929c9e14"\n'
STEPS: dict[str, Files] = {
    "first": {**settings(), **CSV, **LINKS, **skill("pdf", "1")},
    "edited": {**settings(), **CSV, **LINKS, **skill("pdf", "2", more=f"key = {KEY}\n")},
    "fixed": {**settings(), **CSV, **LINKS, **skill("pdf", "3")},
    "accepted": {**settings(ACCEPTED), **CSV, **LINKS, **skill("pdf", "3")},
    "accepted and edited": {**settings(ACCEPTED), **CSV, **LINKS, **skill("pdf", "4")},
    "accepted no more": {**settings(), **CSV, **LINKS, **skill("pdf", "4")},
    "reverted": {**settings(), **CSV, **LINKS, **skill("pdf", "1")},
    "edited again": {**settings(), **CSV, **LINKS, **skill("pdf", "5")},
    "of equal files": {
        **settings(),
        **CSV,
        **LINKS,
        **skill("pdf", "5"),
        **skill("pdf", "1", "b"),
    },
    "one of them edited": {
        **settings(),
        **CSV,
        **LINKS,
        **skill("pdf", "5"),
        **skill("pdf", "6", "b"),
    },
    "gone": {**settings(), **CSV, **skill("pdf", "6", "b")},
    "moved": {**settings(), **CSV, **skill("pdf", "6", "c"), **LINKS},
    "at another level": {
        **settings('[rules]\nlink-broken = "error"\n'),
        **CSV,
        **skill("pdf", "7", "c"),
        **LINKS,
    },
    "excluded": {**settings(), "skillbuild.toml": f'exclude = ["**/notes.md"]\n{HEAD}', **CSV},
    "fewer kept": {**settings("keep = 2\n"), **CSV, **skill("pdf", "8", "c")},
    "fewer kept still": {**settings("keep = 2\n"), **CSV, **skill("pdf", "9", "c")},
}


def agree(out: Path, fresh: Path, when: str) -> None:
    """The release is that of a fresh build, and every file of it is there."""
    assert verify.verify(out).faults == (), when
    record = outputs.record_of(fresh)
    assert outputs.record_of(out).release_object == record.release_object, when
    own, both = repos.digests(fresh), repos.digests(out)
    own = {path: digest for path, digest in own.items() if path not in ASIDE}
    assert {path: both.get(path) for path in own} == own, when


@pytest.mark.nightly
def test_each_edit_builds_the_same_with_and_without_earlier_results(tmp_path: Path) -> None:
    repo = repos.empty(tmp_path / "repo")
    for day, (when, files) in enumerate(STEPS.items()):
        repos.commit(repo, files, day=day)
        repos.build(repo, tmp_path / "fresh" / f"{day}", options=FRESH)
        for name, options in (("one", CACHED), ("two", IN_TWO)):
            repos.build(repo, tmp_path / name, options=options)
            agree(tmp_path / name, tmp_path / "fresh" / f"{day}", f"{when}, {name}")


def test_a_yank_takes_what_was_stored_away_and_its_end_brings_it_back(tmp_path: Path) -> None:
    repo = repos.empty(tmp_path / "repo")
    for day in range(3):
        repos.commit(repo, {**settings(), **skill("pdf", f"{day}")}, day=day)
        repos.build(repo, tmp_path / "out", options=CACHED)
    [entry] = outputs.record_of(tmp_path / "out").catalog.entries
    middle = entry.versions[1]
    yank = f'[yanked]\n"{middle.digest}" = "a name"\n'
    for day, more in enumerate((yank, yank, ""), 3):
        repos.commit(repo, {**settings(more), **skill("pdf", f"{day}")}, day=day)
        repos.build(repo, tmp_path / "out", options=CACHED)
        repos.build(repo, tmp_path / f"fresh-{day}", options=FRESH)
        agree(tmp_path / "out", tmp_path / f"fresh-{day}", f"{day}")
        is_there = (tmp_path / "out" / middle.address / "version.json").exists()
        assert is_there is not bool(more)


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Bodies of the states that were read, and of the versions whose files were staged."""
    done: list[str] = []
    check, make = states.check_state, pack.pack_version

    def checked(state: State, config: Config, reader: Reader, evidence: Evidence) -> object:
        found, skill = check(state, config, reader, evidence)
        done.append(f"read {skill.body.strip() if skill else ''}")
        return found, skill

    def packed(skill: Skill, config: Config, same: Packed | None) -> Packed:
        if config.formats:
            done.append(f"make {skill.body.strip()}")
        return make(skill, config, same)

    monkeypatch.setattr("skillbuild.compile.versions.check_state", checked)
    monkeypatch.setattr("skillbuild.compile.versions.pack_version", packed)
    return done


def edited(tmp_path: Path, days: int) -> Path:
    """A repository whose skill was edited on so many days, the last of them not built yet."""
    repo = repos.empty(tmp_path / "repo")
    for day in range(days):
        repos.commit(repo, {**settings(), **skill("pdf", f"{day}"), **CSV}, day=day)
        if day == days - 2:
            repos.build(repo, tmp_path / "out", options=CACHED)
    return repo


def test_one_new_version_reads_the_one_before_and_makes_itself(
    tmp_path: Path, work: list[str]
) -> None:
    repo = edited(tmp_path, 5)
    work.clear()
    repos.build(repo, tmp_path / "out", options=CACHED)
    assert work == ["read 3", "make 4"]


def test_a_state_that_is_refused_is_not_read_again(tmp_path: Path, work: list[str]) -> None:
    repo = repos.empty(tmp_path / "repo")
    for day, more in enumerate((f"key = {KEY}\n", "One.\n", "Two.\n", "Three.\n")):
        repos.commit(repo, {**settings(), **skill("pdf", f"{day}", more=more)}, day=day)
        if day:
            work.clear()
            repos.build(repo, tmp_path / "out", options=CACHED)
    assert work == ["read 2", "make 3"]


def forgotten(out: Path) -> None:
    stored_file(out).unlink()


def cut(out: Path) -> None:
    path = stored_file(out)
    path.write_bytes(path.read_bytes()[:-100])


def of_another_release(out: Path) -> None:
    before = stored_file(out).read_bytes()
    repos.commit(out.parent / "repo", {**settings(), **skill("pdf", "x"), **CSV}, day=8)
    repos.build(out.parent / "repo", out, options=CACHED)
    stored_file(out).write_bytes(before)


def stored_file(out: Path) -> Path:
    [path] = (Path(os.environ["XDG_CACHE_HOME"]) / "skillbuild").glob("*.results")
    return path


@pytest.mark.parametrize("damage", [forgotten, cut, of_another_release])
def test_results_that_do_not_fit_the_output_are_not_used(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    damage: Callable[[Path], None],
    work: list[str],
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", f"{tmp_path / 'cache'}")
    repo = edited(tmp_path, 4)
    damage(tmp_path / "out")
    repos.commit(repo, {**settings(), **skill("pdf", "last"), **CSV}, day=9)
    work.clear()
    repos.build(repo, tmp_path / "out", options=CACHED)
    assert "make 0" in work
    repos.build(repo, tmp_path / "fresh", options=FRESH)
    agree(tmp_path / "out", tmp_path / "fresh", damage.__name__)

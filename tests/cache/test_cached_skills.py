"""A build writes the same bytes with a cache, without one, and with a damaged or stale one."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from helpers import repos
from helpers.repos import Link, Program, skill_md
from skillbuild.build import Options, Report
from skillbuild.cache import own_files
from skillbuild.compile.result import SkillResult
from skillbuild.compile.skill import SkillCompiler
from skillbuild.errors import OutputError, SkillbuildError
from skillbuild.output import verify
from skillbuild.output.stage import Publication, Stage
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Reader

STEPS = 12
SKIP = Options(skip_invalid=True, jobs=1)
GROUPS = ("", "skills/", "plugins/a/skills/", "plugins/b/skills/")
TARGETS = ("SKILL.md", "notes.md", "gone.md", "")


@dataclass
class World:
    """A source that changes at random; its skills are the folders with a SKILL.md."""

    chance: random.Random
    files: dict[str, repos.Content] = field(default_factory=dict)
    names: int = 0

    def skills(self) -> list[str]:
        ends = "/SKILL.md"
        return sorted(path.removesuffix(ends) for path in self.files if path.endswith(ends))

    def any_skill(self) -> str:
        return self.chance.choice(self.skills() or [self.add_skill()])

    def change(self) -> str:
        """Do one thing to the source; says which."""
        edit = self.chance.choice(EDITS)
        edit(self)
        return edit.__name__

    def add_skill(self) -> str:
        self.names += 1
        name = self.chance.choice([f"s{self.names}", "twin", "other"])
        folder = self.chance.choice(GROUPS) + name
        self.files[f"{folder}/SKILL.md"] = skill_md(name, body=f"Skill {self.names}.\n")
        return folder

    def copy_skill(self) -> None:
        folder = self.any_skill()
        for path in [path for path in self.files if path.startswith(f"{folder}/")]:
            copy = f"plugins/copies/{folder.rpartition('/')[2]}"
            self.files[copy + path.removeprefix(folder)] = self.files[path]

    def rename_in_place(self) -> None:
        name = self.chance.choice(["twin", "A Title", "Another Title", "[no name]"])
        self.files[f"{self.any_skill()}/SKILL.md"] = skill_md(name)

    def nest_skill(self) -> None:
        self.names += 1
        name = f"inner{self.names}"
        self.files[f"{self.any_skill()}/{name}/SKILL.md"] = skill_md(name)

    def edit(self) -> None:
        folder = self.any_skill()
        name = folder.rpartition("/")[2]
        body = f"Edit {self.chance.random()}.\n"
        self.files[f"{folder}/SKILL.md"] = skill_md(name, f"Does {self.chance.random()}.", body)

    def spoil_listings(self) -> None:
        """Typed clients cannot read it, or no listing may have it."""
        folder, value = self.any_skill(), self.chance.choice(["version: 1", "internal: true"])
        front = f"name: {folder.rpartition('/')[2]}\ndescription: Does it.\nmetadata:\n  {value}"
        self.files[f"{folder}/SKILL.md"] = f"---\n{front}\n---\nDo it.\n"

    def link(self) -> None:
        """To a file of another skill, to one it has not, or to a folder that is no skill."""
        folder, other = self.any_skill(), self.any_skill()
        target = os.path.relpath(other, folder) + "/" + self.chance.choice(TARGETS)
        self.files[f"{folder}/SKILL.md"] = skill_md(
            folder.rpartition("/")[2], body=f"See [that]({target.rstrip('/')}).\n"
        )

    def add_file(self) -> None:
        name = self.chance.choice(["notes.md", "run.py", "data.bin"])
        self.files[f"{self.any_skill()}/{name}"] = f"{name} {self.chance.randrange(3)}\n"

    def flip_mode(self) -> None:
        path = f"{self.any_skill()}/run.py"
        now = self.files.get(path)
        self.files[path] = "print()\n" if isinstance(now, Program) else Program("print()\n")

    def spoil(self) -> None:
        self.files[f"{self.any_skill()}/link"] = Link("SKILL.md")

    def fix(self) -> None:
        self.files = {
            path: content for path, content in self.files.items() if not isinstance(content, Link)
        }

    def remove_file(self) -> None:
        if self.files:
            del self.files[self.chance.choice(sorted(self.files))]

    def remove_skill(self) -> None:
        self._move(self.any_skill(), None)

    def rename_skill(self) -> None:
        self.names += 1
        old = self.any_skill()
        new = f"{old.rpartition('/')[0]}/r{self.names}".lstrip("/")
        self._move(old, new)
        if f"{new}/SKILL.md" in self.files:
            self.files[f"{new}/SKILL.md"] = skill_md(f"r{self.names}")

    def _move(self, old: str, new: str | None) -> None:
        below = [path for path in self.files if path.startswith(f"{old}/")]
        for path in below:
            content = self.files.pop(path)
            if new is not None:
                self.files[new + path.removeprefix(old)] = content

    def configure(self) -> None:
        choose = self.chance.choice
        lines = [
            choose(['title = "One"', 'title = "Two"']),
            choose(["", 'base_url = "https://one.example.org"']),
            choose(["", 'icons = ["brand/icon.svg"]']),
            choose(["", 'templates = "brand"']),
            choose(["", "keep = 1"]),
            choose(["", 'exclude = ["plugins/b/**"]', 'exclude = ["skills/**/notes.md"]']),
            choose(["", 'formats = ["zip", "pages"]', 'formats = ["zip", "discovery"]']),
            choose(["", 'listing = "all"']),
            choose(["", '[rules]\nlink-broken = "off"']),
            choose(["", IGNORING.format('rule = "link-broken"\npaths = ["skills/*"]')]),
            choose(["", IGNORING.format('rule = "name-mismatch"')]),
        ]
        self.files["skillbuild.toml"] = "\n".join(filter(None, lines)) + "\n"
        self.files["brand/icon.svg"] = SVG.format(self.chance.randrange(2))
        self.files["brand/404.html"] = MISSING.format(self.chance.randrange(2))
        if 'templates = "brand"' in lines:
            del self.files["brand/icon.svg"]
            self.files["skillbuild.toml"] = str(self.files["skillbuild.toml"]).replace(
                'icons = ["brand/icon.svg"]\n', ""
            )

    def nothing(self) -> None:
        """A commit without a change is a release of its own."""


SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">'
    '<rect width="{}" height="8"/></svg>\n'
)
IGNORING = '[[ignore]]\n{}\nreason = "it is meant"\n'
MISSING = '{{% extends "default/404.html" %}}{{% block title %}}{}{{% endblock %}}\n'
EDITS: list[Callable[[World], object]] = [
    World.add_skill,
    World.add_skill,
    World.copy_skill,
    World.rename_in_place,
    World.nest_skill,
    World.edit,
    World.edit,
    World.spoil_listings,
    World.link,
    World.link,
    World.add_file,
    World.flip_mode,
    World.spoil,
    World.fix,
    World.remove_file,
    World.remove_skill,
    World.rename_skill,
    World.configure,
    World.nothing,
]


def comparable(run: Callable[[], Report]) -> object:
    """The report of a build without what depends on the cache, or the error it ended in."""
    try:
        report = run()
    except SkillbuildError as error:
        return type(error), str(error)
    return replace(report, unchanged=False, size=0)


def run(repo: Path, out: Path, options: Options) -> object:
    return comparable(lambda: repos.build(repo, out, options=options))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.nightly
def test_random_edits_build_the_same_with_and_without_a_cache(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    world = World(chance)
    repo = repos.empty(tmp_path / "repo", bare=True)
    warm, cold = tmp_path / "warm", tmp_path / "cold"
    walked = []
    for step in range(STEPS):
        walked.append([world.change() for _ in range(2 + (step == 0) * 8)])
        repos.commit(repo, world.files, day=chance.randrange(3))
        strict, skip = chance.random() < 0.1, chance.random() < 0.8
        options = Options(strict=strict, skip_invalid=skip, allow_older=True, jobs=1)
        cached = run(repo, warm, replace(options, cache=True))
        assert cached == run(repo, cold, options), walked
        assert repos.digests(warm) == repos.digests(cold), walked
        if chance.random() < 0.5:
            again = run(repo, warm, replace(options, cache=True))
            if isinstance(cached, Report):  # Nothing has changed since the release before.
                cached = replace(cached, moved=0, gone=(), delisted=())
            assert again == cached, walked
            assert repos.digests(warm) == repos.digests(cold), walked
    if (warm / "catalog.json").exists():
        assert verify.verify(warm).faults == ()


# One change at a time.

BASE: repos.Files = {
    "skillbuild.toml": 'title = "One"\nicons = ["brand/icon.svg"]\n',
    "brand/icon.svg": SVG.format(1),
    "skills/a/SKILL.md": skill_md("a", body="See [b](../b/SKILL.md) and [c](../c/notes.md).\n"),
    "skills/a/run.py": "print()\n",
    "skills/b/SKILL.md": skill_md("b"),
    "plugins/p/skills/b2/SKILL.md": skill_md("b2"),
}
VIA_COPY = skill_md("a", body="See [b](../../plugins/b/SKILL.md).\n")
TWIN = {"plugins/p/skills/b/SKILL.md": skill_md("b")}
OUTER = {"skills/b/in/SKILL.md": skill_md("in", body="See [b](../SKILL.md).\n")}
LINKED = {"skills/c/SKILL.md": skill_md("c"), "skills/c/notes.md": "Notes.\n"}
BAD: repos.Files = {"skills/b/link": Link("SKILL.md")}
SPOILED: repos.Files = {
    f"skills/{name}/SKILL.md": f"---\nname: {name}\ndescription: d\nmetadata: x\n---\nDo it.\n"
    for name in ("x", "y")
}
SHARED: repos.Files = {
    **BASE,
    "plugins/p/skills/b2/SKILL.md": skill_md("b2", "d\nmetadata: {icon: ../../logo.svg}"),
    "skills/b/SKILL.md": skill_md("b", "d\nmetadata: {icon: ../a/mark.svg}"),
    "plugins/p/logo.svg": SVG.format(3),
    "skills/a/mark.svg": SVG.format(4),
}
RUNNING: repos.Files = {
    **BASE,
    "skills/a/SKILL.md": skill_md("a", body="Use draw-it.\n\n```sh\npython scripts/draw.py\n```\n"),
}
DRAWING: repos.Files = {
    "more/draw-it/SKILL.md": skill_md("draw-it"),
    "more/draw-it/scripts/draw.py": "print()\n",
}
DEPRECATING = (
    'title = "One"\nicons = ["brand/icon.svg"]\n[deprecated]\nb = { reason = "x", use = "a" }\n'
)
EXCLUDING = 'title = "One"\nicons = ["brand/icon.svg"]\nexclude = ["{}"]\n'
OWN = {**BASE, "skillbuild.toml": 'templates = "own"\n', "own/404.html": MISSING.format(1)}
BESIDE: repos.Files = {
    **BASE,
    "skills/b/SKILL.md": skill_md("b", body="See [that](../shared.md).\n"),
    "skills/shared.md": "Shared.\n",
}
CHANGES: dict[str, tuple[repos.Files, repos.Files]] = {
    "an edit": (BASE, {**BASE, "skills/b/SKILL.md": skill_md("b", "New.")}),
    "a file more": (BASE, {**BASE, "skills/a/more.md": "More.\n"}),
    "a skill more": (BASE, {**BASE, "skills/d/SKILL.md": skill_md("d")}),
    "a path is taken twice": (BASE, {**BASE, "plugins/b/SKILL.md": skill_md("b", "Other.")}),
    "a copy comes": (BASE, {**BASE, "plugins/b/SKILL.md": skill_md("b")}),
    "a further copy comes": (BASE, {**BASE, "skills/skills/b/SKILL.md": skill_md("b")}),
    "a copy goes": ({**BASE, "plugins/b/SKILL.md": skill_md("b")}, BASE),
    "a link leads into a copy": (
        BASE,
        {**BASE, "skills/a/SKILL.md": VIA_COPY, "plugins/b/SKILL.md": skill_md("b")},
    ),
    "a link led into a copy": (
        {**BASE, "skills/a/SKILL.md": VIA_COPY, "plugins/b/SKILL.md": skill_md("b")},
        {**BASE, "skills/a/SKILL.md": VIA_COPY},
    ),
    "a name becomes a title": (BASE, {**BASE, "skills/b/SKILL.md": skill_md("A Title")}),
    "a title is taken twice": (
        {**BASE, "skills/b/SKILL.md": skill_md("A Title")},
        {**BASE, "skills/b/SKILL.md": skill_md("A Title"), "t/SKILL.md": skill_md("A Title")},
    ),
    "a flat name is taken twice": (BASE, {**BASE, **TWIN}),
    "a flat name is free again": ({**BASE, **TWIN}, BASE),
    "a nested skill comes": (BASE, {**BASE, **OUTER}),
    "a nested skill goes": ({**BASE, **OUTER}, BASE),
    "a linked skill comes": (BASE, {**BASE, **LINKED}),
    "a linked skill goes": ({**BASE, **LINKED}, BASE),
    "a linked file goes": ({**BASE, **LINKED}, {**BASE, "skills/c/SKILL.md": skill_md("c")}),
    "a linked skill becomes a folder": (
        {**BASE, **LINKED},
        {**BASE, "skills/c/notes.md": "Notes.\n"},
    ),
    "a linked skill moves below another": (
        {**BASE, **LINKED},
        {**BASE, **LINKED, "skills/SKILL.md": skill_md("skills")},
    ),
    "a linked skill turns bad": ({**BASE, **LINKED}, {**BASE, **LINKED, **BAD}),
    "a linked skill turns good": ({**BASE, **LINKED, **BAD}, {**BASE, **LINKED}),
    "an outer skill turns bad": ({**BASE, **OUTER}, {**BASE, **OUTER, **BAD}),
    "a script that is run comes": (RUNNING, {**RUNNING, "scripts/draw.py": "print()\n"}),
    "a skill with a script that is run comes": (RUNNING, {**RUNNING, **DRAWING}),
    "a skill with a script that is run turns bad": (
        {**RUNNING, **DRAWING},
        {**RUNNING, **DRAWING, "more/draw-it/link": Link("SKILL.md")},
    ),
    "a plugin comes around a script that is run": (
        {**RUNNING, "skills/scripts/draw.py": "print()\n"},
        {
            **RUNNING,
            "skills/scripts/draw.py": "print()\n",
            "skills/.claude-plugin/plugin.json": "{}\n",
        },
    ),
    "a mode": (BASE, {**BASE, "skills/a/run.py": Program("print()\n")}),
    "the title": (BASE, {**BASE, "skillbuild.toml": 'title = "Two"\n'}),
    "a rule": (BASE, {**BASE, "skillbuild.toml": '[rules]\nlink-broken = "off"\n'}),
    "an entry that silences": (
        BASE,
        {**BASE, "skillbuild.toml": IGNORING.format('rule = "link-broken"')},
    ),
    "files of a skill are excluded": (
        {**BASE, **LINKED},
        {**BASE, **LINKED, "skillbuild.toml": 'exclude = ["*.py", "notes.md"]\n'},
    ),
    "the address": (BASE, {**BASE, "skillbuild.toml": 'base_url = "https://example.org"\n'}),
    "the icon": (BASE, {**BASE, "brand/icon.svg": SVG.format(2)}),
    "a shared icon": (SHARED, {**SHARED, "plugins/p/logo.svg": SVG.format(5)}),
    "the icon of another skill": (SHARED, {**SHARED, "skills/a/mark.svg": SVG.format(5)}),
    "a shared icon goes": (SHARED, {k: v for k, v in SHARED.items() if k != "plugins/p/logo.svg"}),
    "a shared icon becomes a link": (
        SHARED,
        {**SHARED, "plugins/p/logo.svg": Link("../../skills/a/mark.svg")},
    ),
    "a shared icon becomes too large": (
        SHARED,
        {**SHARED, "plugins/p/logo.svg": SVG.format(3) + " " * 256 * 1024},
    ),
    "a shared icon is excluded": (
        SHARED,
        {**SHARED, "skillbuild.toml": EXCLUDING.format("logo.svg")},
    ),
    "the icon of another skill is excluded": (
        SHARED,
        {**SHARED, "skillbuild.toml": EXCLUDING.format("mark.svg")},
    ),
    "a shared icon becomes one of a skill": (
        SHARED,
        {**SHARED, "plugins/p/SKILL.md": skill_md("p")},
    ),
    "the other skill turns bad": (SHARED, {**SHARED, "skills/a/link": Link("SKILL.md")}),
    "a file outside of skills that one names": (
        BESIDE,
        {**BESIDE, "skills/shared.md": "Other.\n"},
    ),
    "a file outside of skills goes": (
        BESIDE,
        {path: text for path, text in BESIDE.items() if path != "skills/shared.md"},
    ),
    "a template": (OWN, {**OWN, "own/404.html": MISSING.format(2)}),
    "own templates": (BASE, OWN),
    "a tag": (
        BASE,
        {**BASE, "skills/b/SKILL.md": "---\nname: b\ndescription: d\ntags: x\n---\nDo.\n"},
    ),
    "a skill more to protect": (SPOILED, {**SPOILED, "skills/d/SKILL.md": skill_md("d")}),
    "a skill that spoils listings": (BASE, {**BASE, **SPOILED}),
    "every skill is listed": (
        {**BASE, **SPOILED},
        {**BASE, **SPOILED, "skillbuild.toml": 'listing = "all"\n'},
    ),
    "a skill is deprecated": (BASE, {**BASE, "skillbuild.toml": DEPRECATING}),
    "a skill is deprecated no more": ({**BASE, "skillbuild.toml": DEPRECATING}, BASE),
    "the skill to use instead is left out": (
        {**BASE, "skillbuild.toml": DEPRECATING},
        {**BASE, "skillbuild.toml": DEPRECATING, "skills/a/link": Link("SKILL.md")},
    ),
    "nothing": (BASE, BASE),
}


@dataclass(frozen=True)
class Pair:
    """Two outputs of one source: `warm` is built with the cache, `cold` without."""

    warm: Path
    cold: Path

    def build(self, repo: Path, options: Options = SKIP, revision: str = "HEAD") -> None:
        def run_once(out: Path, *, use_cache: bool) -> object:
            wanted = replace(options, cache=use_cache)
            return comparable(lambda: repos.build(repo, out, revision, wanted))

        assert run_once(self.warm, use_cache=True) == run_once(self.cold, use_cache=False)
        assert repos.digests(self.warm) == repos.digests(self.cold)


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path / "warm", tmp_path / "cold")


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Directories of the skills that a build really compiles, as it does."""
    directories: list[str] = []
    run = SkillCompiler.run

    def noted(
        self: SkillCompiler, tree: SkillTree, outline: Outline, reader: Reader
    ) -> SkillResult:
        directories.append(tree.directory)
        return run(self, tree, outline, reader)

    monkeypatch.setattr(SkillCompiler, "run", noted)
    return directories


def test_a_change_of_a_file_mode_alone_recompiles_the_skill(tmp_path: Path, pair: Pair) -> None:
    """Without pages no date shows that something has changed."""
    repo = repos.empty(tmp_path / "repo", bare=True)
    plain = {**BASE, "skillbuild.toml": 'formats = ["zip", "tar.gz", "discovery"]\n'}
    repos.commit(repo, plain)
    pair.build(repo)
    repos.commit(repo, {**plain, "skills/a/run.py": Program("print()\n")}, day=1)
    pair.build(repo)


def test_another_commit_date_of_the_same_files_changes_the_page(tmp_path: Path, pair: Pair) -> None:
    """A page says when its skill was last changed, and history can be another one."""
    repo = repos.empty(tmp_path / "repo", bare=True)
    first = repos.commit(repo, BASE)
    second = repos.commit(repo, BASE, branch="other", day=5)
    for revision in (first, second, first):
        pair.build(repo, replace(SKIP, allow_older=True), revision)


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
@pytest.mark.parametrize(
    "is_undone", [False, pytest.param(True, marks=pytest.mark.nightly)], ids=["", "and undone"]
)
def test_a_single_change_builds_the_same_with_and_without_a_cache(
    tmp_path: Path, pair: Pair, change: tuple[repos.Files, repos.Files], *, is_undone: bool
) -> None:
    before, after = change
    repo = repos.empty(tmp_path / "repo", bare=True)
    for day, files in enumerate([before, after, before] if is_undone else [before, after]):
        repos.commit(repo, files, day=day)
        pair.build(repo)


def compiled_each_time(
    tmp_path: Path, sources: Sequence[repos.Files], compiled: list[str]
) -> list[list[str]]:
    """The skills that each build compiles; the sources are commits of one repository, in order."""
    repo = repos.empty(tmp_path / "repo", bare=True)
    seen = []
    for day, files in enumerate(sources):
        repos.commit(repo, files, day=day)
        repos.build(repo, tmp_path / "out", options=Options(cache=True, jobs=1))
        seen.append(sorted(compiled))
        compiled.clear()
    return seen


def test_only_what_changed_is_compiled(tmp_path: Path, compiled: list[str]) -> None:
    sources = [BASE, {**BASE, "skills/b/SKILL.md": skill_md("b", "New.")}, {**BASE, **LINKED}]
    seen = compiled_each_time(tmp_path, sources, compiled)
    # `a` leads to `c`, so it is compiled again when that one is added; `b` has its old text again,
    # but another commit has changed it.
    assert seen == [
        ["plugins/p/skills/b2", "skills/a", "skills/b"],
        ["skills/b"],
        ["skills/a", "skills/b", "skills/c"],
    ]


def test_a_changed_icon_compiles_the_skills_that_name_it(
    tmp_path: Path, compiled: list[str]
) -> None:
    plain = {**SHARED, "skillbuild.toml": 'formats = ["zip"]\n'}
    other = {**plain, "plugins/p/other.svg": SVG.format(7)}
    sources = [
        plain,
        other,
        {**other, "plugins/p/logo.svg": SVG.format(5)},
        {**other, "skills/a/mark.svg": SVG.format(6)},
    ]
    assert compiled_each_time(tmp_path, sources, compiled) == [
        ["plugins/p/skills/b2", "skills/a", "skills/b"],
        [],
        ["plugins/p/skills/b2"],
        ["plugins/p/skills/b2", "skills/a", "skills/b"],
    ]


def test_a_file_elsewhere_compiles_the_skills_that_run_it(
    tmp_path: Path, compiled: list[str]
) -> None:
    sources = [
        RUNNING,
        {**RUNNING, "more/draw-it/SKILL.md": skill_md("draw-it")},
        {**RUNNING, **DRAWING},
        {**RUNNING, **DRAWING, "skills/scripts/draw.py": "print()\n"},
        {**RUNNING, **DRAWING, "skills/scripts/other.py": "print()\n"},
    ]
    assert compiled_each_time(tmp_path, sources, compiled) == [
        ["plugins/p/skills/b2", "skills/a", "skills/b"],
        ["more/draw-it"],
        ["more/draw-it", "skills/a"],
        ["skills/a"],
        ["skills/a"],
    ]


def test_what_a_skill_runs_elsewhere_is_told_anew(tmp_path: Path) -> None:
    repo = repos.empty(tmp_path / "repo", bare=True)
    seen = []
    beside: repos.Files = {"skills/scripts/draw.py": "print()\n"}
    for day, more in enumerate(({}, DRAWING, beside, {})):
        repos.commit(repo, {**RUNNING, **more}, day=day)
        report = repos.build(repo, tmp_path / "out", options=Options(cache=True, jobs=1))
        [item] = [item for item in report.findings if item.code.startswith("path-")]
        seen.append((item.code, item.cause))
    assert seen == [
        ("path-missing", "folders"),
        ("path-outside", "more/draw-it"),
        ("path-outside", "."),
        ("path-missing", "folders"),
    ]


def test_a_changed_setting_compiles_all(tmp_path: Path, compiled: list[str]) -> None:
    sources = [BASE, {**BASE, "skillbuild.toml": DEPRECATING}, BASE]
    every = ["plugins/p/skills/b2", "skills/a", "skills/b"]
    assert compiled_each_time(tmp_path, sources, compiled) == [every] * 3


def test_an_output_restored_with_its_cache_builds_the_same(
    tmp_path: Path, compiled: list[str]
) -> None:
    """A CI cache restores output and cache: the same files with other times and inodes."""
    repo = repos.empty(tmp_path / "repo", bare=True)
    out, options = tmp_path / "out", Options(cache=True, jobs=1)
    repos.commit(repo, BASE)
    repos.build(repo, out, options=options)
    out.rename(tmp_path / "away")
    shutil.copytree(tmp_path / "away", out, copy_function=shutil.copyfile)
    compiled.clear()
    repos.commit(repo, {**BASE, **LINKED}, day=1)
    repos.build(repo, out, options=options)
    assert sorted(compiled) == ["skills/a", "skills/c"]
    assert verify.verify(out).faults == ()


def test_a_file_that_nobody_asked_for_is_removed(tmp_path: Path) -> None:
    repo = repos.empty(tmp_path / "repo", bare=True)
    out, options = tmp_path / "out", Options(cache=True, jobs=1)
    repos.commit(repo, BASE)
    repos.build(repo, out, options=options)
    for day, stray in enumerate([f"blobs/sha256/{'0' * 64}", "archives/x-0123456789abcdef.zip"]):
        (out / stray).write_bytes(b"")
        repos.commit(repo, {**BASE, **LINKED} if day else BASE, day=day)
        repos.build(repo, out, options=options)
        assert not (out / stray).exists()


def test_a_clone_with_more_history_is_built_again(tmp_path: Path, pair: Pair) -> None:
    repo = repos.empty(tmp_path / "repo", bare=True)
    repos.commit(repo, BASE)
    repos.commit(repo, {**BASE, "skills/b/SKILL.md": skill_md("b", "New.")}, day=1)
    clone = repos.clone(repo, tmp_path / "clone", "--depth=1")
    pair.build(clone)
    repos.git(clone, "fetch", "--quiet", "--unshallow")
    pair.build(clone)
    assert (pair.warm / "history.json").exists()


def test_building_an_older_commit_and_the_newer_one_again_gives_the_same(
    tmp_path: Path, pair: Pair
) -> None:
    repo = repos.empty(tmp_path / "repo", bare=True)
    first = repos.commit(repo, BASE)
    repos.commit(repo, {**BASE, **LINKED}, day=1)
    pair.build(repo)
    pair.build(repo, replace(SKIP, allow_older=True), first)
    pair.build(repo)


def test_a_release_with_skipped_skills_is_not_rewritten_when_nothing_changed(
    tmp_path: Path,
) -> None:
    repo = repos.repository(tmp_path / "repo", {**BASE, **BAD})
    out = tmp_path / "out"
    first = repos.build(repo, out, options=SKIP)
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    for options in (SKIP, replace(SKIP, cache=True), replace(SKIP, cache=True)):
        again = repos.build(repo, out, options=options)
        assert again.unchanged
        assert (again.findings, again.invalid) == (first.findings, first.invalid)
        assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == before
    assert not repos.build(repo, out, options=replace(SKIP, recheck=True)).unchanged


# The cache does not fit the output.


def spoil_record(out: Path) -> None:
    """Another build of the same commit has published since, without a cache."""
    repos.build(out.parent / "repo", out, options=replace(SKIP, recheck=True), keep=0)


def forget(out: Path) -> None:
    for path in cache_files():
        path.unlink()


def cut(out: Path) -> None:
    for path in cache_files():
        path.write_bytes(path.read_bytes()[:-100])


def flip(out: Path) -> None:
    for path in cache_files():
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)


def edited(out: Path) -> None:
    """Other values of the same length."""
    for path in cache_files():
        path.write_bytes(path.read_bytes().replace(b"skills/b", b"skills/x"))


def of_another_shape(out: Path) -> None:
    """Whole, as by a version that stores values of another shape."""
    own_files.write(out, "results", [b'release\t\t["x"]\nwalk\t\t{"a": 1}\n'])


def stale(out: Path) -> None:
    """The cached results of the release before this one."""
    before = {path: path.read_bytes() for path in cache_files()}
    repos.commit(out.parent / "repo", {**BASE, **LINKED}, day=1)
    repos.build(out.parent / "repo", out, options=replace(SKIP, cache=True))
    for path, data in before.items():
        path.write_bytes(data)


def cache_files() -> list[Path]:
    return sorted((Path(os.environ["XDG_CACHE_HOME"]) / "skillbuild").glob("*.results"))


@pytest.mark.parametrize(
    "damage", [spoil_record, forget, cut, flip, edited, of_another_shape, stale]
)
def test_a_damaged_or_stale_cache_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: Callable[[Path], None]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", f"{tmp_path / 'cache'}")
    repo = repos.empty(tmp_path / "repo", bare=True)
    repos.commit(repo, BASE)
    warm, cold = tmp_path / "warm", tmp_path / "cold"
    repos.build(repo, warm, options=replace(SKIP, cache=True))
    damage(warm)
    shutil.copytree(warm, cold)
    repos.commit(repo, {**BASE, "skills/b/SKILL.md": skill_md("b", "New.")}, day=2)
    cached = run(repo, warm, replace(SKIP, cache=True))
    assert cached == run(repo, cold, SKIP)
    assert repos.digests(warm) == repos.digests(cold)
    assert verify.verify(warm).faults == ()


@pytest.mark.parametrize("folder", ["blobs/sha256", "archives"])
def test_a_lost_file_of_an_unchanged_skill_is_written_again(tmp_path: Path, folder: str) -> None:
    repo = repos.empty(tmp_path / "repo", bare=True)
    repos.commit(repo, BASE)
    out, options = tmp_path / "out", Options(cache=True, jobs=1)
    repos.build(repo, out, options=options)
    for path in (out / folder).iterdir():
        path.unlink()
    repos.commit(repo, {**BASE, "skills/c/SKILL.md": skill_md("c")}, day=1)
    repos.build(repo, out, options=options)
    assert verify.verify(out).faults == ()


def test_a_link_in_place_of_the_folder_of_a_changed_page_is_an_error(tmp_path: Path) -> None:
    repo = repos.empty(tmp_path / "repo", bare=True)
    repos.commit(repo, BASE)
    out, options = tmp_path / "out", Options(cache=True, jobs=1)
    repos.build(repo, out, options=options)
    (out / "skills").rename(tmp_path / "elsewhere")
    (out / "skills").symlink_to(tmp_path / "elsewhere")
    before = repos.digests(tmp_path / "elsewhere")
    repos.commit(repo, {**BASE, "skills/b/SKILL.md": skill_md("b", "New.")}, day=1)
    with pytest.raises(OutputError, match="symbolic link"):
        repos.build(repo, out, options=options)
    assert repos.digests(tmp_path / "elsewhere") == before


def test_another_build_that_publishes_meanwhile_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one removes what this one believes to be there."""
    repo = repos.empty(tmp_path / "repo", bare=True)
    first = repos.commit(repo, BASE)
    out, options = tmp_path / "out", Options(cache=True, allow_older=True, jobs=1)
    repos.build(repo, out, options=options)
    less = {path: text for path, text in BASE.items() if not path.startswith("plugins/")}
    other = repos.commit(repo, less, branch="other", day=1)
    publish, others = Stage.publish, [other]

    def late(stage: Stage, *arguments: Any, **more: Any) -> Publication:
        if others:
            repos.build(repo, out, others.pop(), replace(options, cache=False), keep=0)
        return publish(stage, *arguments, **more)

    monkeypatch.setattr(Stage, "publish", late)
    second = repos.commit(repo, {**BASE, "skills/b/SKILL.md": skill_md("b", "New.")}, day=2)
    assert first != second
    repos.build(repo, out, second, options)
    assert verify.verify(out).release.catalog.commit == second
    assert verify.verify(out).faults == ()

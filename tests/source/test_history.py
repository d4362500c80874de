"""The stored results of an earlier walk over the log are used only where they are exact."""

import hashlib
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import pytest

from helpers import repos
from skillbuild.build import Options
from skillbuild.model import Change
from skillbuild.source import git, history

NEW = ""
"""The recorded start of a walk over the whole log."""
Texts = Mapping[str, str]
A, B, C = ({f"{name}/SKILL.md": name} for name in "abc")


@dataclass
class Source:
    """A repository, and the commits from which the walks for one output read its log."""

    repo: Path
    out: Path
    asked: list[str]
    days: int = 0
    last: history.Walk | None = None

    def commit(self, files: Texts, *parents: str, day: int | None = None) -> str:
        """Put these files on top of the given commits; without any, a history begins."""
        self.days += 1
        seconds = repos.FIRST_SECOND + 86_400 * (self.days if day is None else day)
        lines = ["commit refs/heads/main", f"committer Ada <a@b> {seconds} +0000", "data 0", ""]
        lines += [f"{'merge' if n else 'from'} {parent}" for n, parent in enumerate(parents)]
        lines += ["deleteall"]
        for path, content in files.items():
            lines += [f"M 100644 inline {path}", f"data {len(content)}", content]
        stream = "\n".join([*lines, "done", ""]).encode()
        repos.git(self.repo, "fast-import", "--quiet", "--force", stdin=stream)
        return repos.git(self.repo, "rev-parse", "main")

    def changes(self, commit: str, *, fresh: bool = False, below: str = "") -> Mapping[str, Change]:
        """The last changes, read with and without the stored walk; both must be equal."""
        repository = git.find(self.repo / below)
        assert repository is not None
        tree = git.resolve(repository, commit).tree
        paths = [path for path, _, _ in git.list_tree(repository, tree)]
        wanted = [path.rpartition("/")[0] for path in paths if path.endswith("SKILL.md")]
        whole = history.walk_log(repository, commit, wanted)
        self.asked.clear()
        walk = self.walk(repository, commit, wanted, fresh=fresh)
        assert last_changes(walk) == last_changes(whole)
        assert (walk and walk.first_changes()) == (whole and whole.first_changes())
        assert (walk and walk.touched) == (whole and whole.touched)
        return last_changes(whole)

    def walk(
        self, repository: git.Repository, commit: str, wanted: list[str], *, fresh: bool = False
    ) -> history.Walk | None:
        """Continue the last walk, as a build with a cache does."""
        is_plain = git.is_plain(repository)
        earlier = self.last if is_plain and not fresh else None
        walk = history.walk_log(repository, commit, wanted, earlier)
        self.last = walk if walk and is_plain else self.last
        return walk

    def first_in_log(self, commit: str, folder: str) -> Change:
        """The same for one folder, as `git log` gives it."""
        form = ["--full-history", "--no-merges", "-1", "--format=%H %ct"]
        fields = repos.git(self.repo, "log", *form, commit, "--", folder or ".").split()
        return Change(fields[0], int(fields[1]))


def last_changes(walk: history.Walk | None) -> Mapping[str, Change]:
    return walk.last_changes() if walk else {}


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Source:
    asked: list[str] = []
    log_names = history.log_names

    def noted(repository: git.Repository, commit: str, since: str = "") -> object:
        asked.append(since or NEW)
        return log_names(repository, commit, since)

    monkeypatch.setattr(history, "log_names", noted)
    return Source(repos.empty(tmp_path / "repo"), tmp_path / "out", asked)


def edited(files: Texts, path: str) -> Texts:
    return {**files, path: f"{files.get(path, '')}."}


def test_only_commits_since_the_stored_walk_are_walked(source: Source) -> None:
    files = {**A, **B}
    first = source.commit(files)
    source.changes(first)
    assert source.asked == [NEW]
    second = source.commit(edited(files, "a/SKILL.md"), first)
    third = source.commit({**edited(files, "a/SKILL.md"), **C}, second)
    changes = source.changes(third)
    assert source.asked == [first, NEW]
    assert {name: change.commit for name, change in changes.items()} == {
        "a": second,
        "b": first,
        "c": third,
    }
    source.changes(third)
    assert source.asked == [third]
    source.changes(third, fresh=True)
    assert source.asked == [NEW]


def test_files_of_the_last_change_are_known_with_and_without_the_stored_walk(
    source: Source,
) -> None:
    files = {**A, "a/x.md": "x", "a/in/SKILL.md": "in", "b/SKILL.md": "b", "b/y.md": "y"}
    first = source.commit(files)
    second = source.commit({**files, "a/x.md": "z", "a/in/SKILL.md": "z"}, first)
    source.changes(second)
    walk = source.last
    assert walk is not None
    assert walk.touched == {
        "a": ["in/SKILL.md", "x.md"],
        "a/in": ["SKILL.md"],
        "b": ["SKILL.md", "y.md"],
    }
    third = source.commit({**files, "b/SKILL.md": "c"}, second)
    source.changes(third)
    assert source.last is not None
    assert source.last.touched["b"] == ["SKILL.md"]
    assert source.last.touched["a"] == ["in/SKILL.md", "x.md"]


def test_commit_dates_that_go_backwards_change_nothing_in_a_linear_history(source: Source) -> None:
    files = {**A, **B}
    first = source.commit(files, day=9)
    source.changes(first)
    second = source.commit(edited(files, "a/SKILL.md"), first, day=5)
    third = source.commit(edited(files, "b/SKILL.md"), second, day=7)
    assert source.changes(third)["a"].commit == third
    assert source.asked == [first]


def test_a_merge_is_walked_from_the_beginning(source: Source) -> None:
    files = {**A, **B}
    first = source.commit(files, day=1)
    side = source.commit(edited(files, "a/SKILL.md"), first, day=2)
    main = source.commit(edited(files, "b/SKILL.md"), first, day=3)
    source.changes(main)
    both = edited(edited(files, "a/SKILL.md"), "b/SKILL.md")
    merged = source.commit(both, main, side, day=4)
    assert source.changes(merged)["a"].commit == side
    assert source.asked == [main, NEW]
    later = source.commit(edited(both, "b/SKILL.md"), merged, day=5)
    source.changes(later)
    assert source.asked == [merged]


def test_a_merge_is_walked_from_the_beginning_when_its_second_parent_was_walked(
    source: Source,
) -> None:
    """The stored walk is of the second parent."""
    first = source.commit({**A, **B}, day=1)
    walked = source.commit(edited({**A, **B}, "a/SKILL.md"), first, day=3)
    source.changes(walked)
    other = source.commit(edited({**A, **B}, "b/SKILL.md"), first, day=2)
    merged = source.commit(edited(edited({**A, **B}, "a/SKILL.md"), "b/SKILL.md"), other, walked)
    source.changes(merged)
    assert source.asked == [walked, NEW]


def test_a_log_out_of_order_is_walked_from_the_beginning(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = source.commit({**A, **B})
    source.changes(first)
    second = source.commit(edited({**A, **B}, "a/SKILL.md"), first)
    third = source.commit(edited({**A, **B}, "b/SKILL.md"), second)
    log_names = history.log_names

    def short(repository: git.Repository, commit: str, since: str = "") -> Iterator[str]:
        records = log_names(repository, commit, since)
        return islice(records, 2 if since else 0, None)

    monkeypatch.setattr(history, "log_names", short)
    assert source.changes(third)["b"].commit == third
    assert source.asked == [first, NEW]


def test_a_walk_reads_on_after_every_skill_has_its_last_change(source: Source) -> None:
    first = source.commit({**A, **B})
    source.changes(first)
    second = source.commit(edited({**A, **B}, "b/SKILL.md"), first)
    third = source.commit({**A, **B, "c": ""}, second)
    fourth = source.commit(edited(edited({**A, **B}, "a/SKILL.md"), "b/SKILL.md"), third)
    source.changes(fourth)
    assert source.asked == [first]


@pytest.mark.parametrize("kind", ["amended", "older", "other history"])
def test_a_stored_walk_from_a_commit_that_is_no_ancestor_is_unused(
    source: Source, kind: str
) -> None:
    first = source.commit({**A, **B})
    walked = source.commit(edited({**A, **B}, "a/SKILL.md"), first)
    source.changes(walked)
    match kind:
        case "amended":
            commit = source.commit(edited({**A, **B}, "b/SKILL.md"), first)
        case "older":
            commit = first
        case _:
            commit = source.commit({**A, **B})
    source.changes(commit)
    assert source.asked == [walked, NEW]


def test_a_stored_walk_from_a_commit_that_is_gone_is_unused(source: Source, tmp_path: Path) -> None:
    walked = source.commit(A)
    source.changes(walked)
    other = replace(source, repo=repos.empty(tmp_path / "other"))
    commit = other.commit({**A, **B})
    assert other.changes(commit)["a"].commit == commit
    assert source.asked == [walked, NEW]


def test_another_folder_as_source_has_another_history(source: Source) -> None:
    files: Texts = {"one/a/SKILL.md": "1", "two/a/SKILL.md": "2", "one/SKILL.md": ""}
    first = source.commit(files)
    second = source.commit(edited(files, "two/a/SKILL.md"), first)
    repos.checkout(source.repo)
    assert source.changes(second, below="one")["a"].commit == first
    assert source.changes(second, below="two")["a"].commit == second
    assert source.asked == [NEW]
    third = source.commit(edited(edited(files, "two/a/SKILL.md"), "one/b.md"), second)
    fourth = source.commit(edited(files, "two/a/SKILL.md"), third)
    assert source.changes(fourth, below="two")["a"].commit == second
    assert source.asked == [second]
    assert source.changes(fourth, below="one")[""].commit == fourth
    assert source.asked == [NEW]


def test_a_directory_missing_from_the_stored_walk_is_searched_in_all_history(
    source: Source,
) -> None:
    first = source.commit({**A, **B})
    repository = git.find(source.repo)
    assert repository is not None
    source.walk(repository, first, ["a"])
    second = source.commit(edited({**A, **B}, "a/SKILL.md"), first)
    assert source.changes(second)["b"].commit == first
    assert source.asked == [first, NEW]


def test_files_that_only_a_merge_commit_added_have_no_last_change(source: Source) -> None:
    first, other = source.commit(A, day=1), source.commit(B, day=2)
    merged = source.commit({**A, **B, **C}, first, other)
    assert source.changes(merged).keys() == {"a", "b"}
    later = source.commit({**edited(A, "a/SKILL.md"), **B, **C}, merged)
    assert source.changes(later).keys() == {"a", "b"}
    assert source.asked == [merged]


def test_a_skill_that_left_and_came_back_has_its_new_date(source: Source) -> None:
    first = source.commit({**A, **B})
    source.changes(first)
    second = source.commit(B, first)
    source.changes(second)
    third = source.commit({**A, **B}, second)
    assert source.changes(third)["a"].commit == third
    assert source.asked == [second, NEW]
    assert source.last is not None
    assert source.last.first_changes()["a"].commit == first


def test_commits_are_counted_as_if_all_were_walked(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = source.commit({**A, **B})
    source.changes(first)
    third = source.commit(edited(A, "a/SKILL.md"), source.commit(A, first))
    fourth = source.commit({**A, **B}, third)
    monkeypatch.setattr(history, "MOST_STEPS", 3)
    assert source.changes(third).keys() == {"a"}
    assert source.asked == [first]
    assert source.changes(fourth) == {}
    monkeypatch.setattr(history, "MOST_STEPS", 8)
    assert source.changes(fourth).keys() == {"a", "b"}
    assert source.asked == [third, NEW]


def plant_grafts(repo: Path, commit: str, parent: str) -> None:
    grafts = repo / ".git/info/grafts"
    grafts.parent.mkdir(exist_ok=True)
    grafts.write_text(f"{commit} {parent}\n")


def plant_commit_graph(repo: Path, commit: str, parent: str) -> None:
    """A commit-graph file that is valid but for one parent (gitformat-commit-graph, CDAT)."""
    repos.git(repo, "commit-graph", "write", "--reachable")
    path = repo / ".git/objects/info/commit-graph"
    data = bytearray(path.read_bytes()[:-20])
    chunks = {
        bytes(data[start : start + 4]): int.from_bytes(data[start + 4 : start + 12])
        for start in range(8, 8 + 12 * data[6], 12)
    }
    count = (chunks[b"CDAT"] - chunks[b"OIDL"]) // 20
    ids = [data[chunks[b"OIDL"] + 20 * n :][:20].hex() for n in range(count)]
    start = chunks[b"CDAT"] + 36 * ids.index(commit) + 20
    data[start : start + 4] = ids.index(parent).to_bytes(4)
    path.chmod(0o644)
    path.write_bytes(data + hashlib.sha1(data, usedforsecurity=False).digest())


@pytest.mark.parametrize("plant", [plant_grafts, plant_commit_graph])
def test_no_file_of_a_repository_gives_a_commit_other_parents(
    source: Source, plant: Callable[[Path, str, str], None]
) -> None:
    """The same commit has the same dates, whatever a repository says of it elsewhere."""
    files: Texts = {**A, **B}
    first = source.commit(files)
    files = edited(files, "a/SKILL.md")
    second = source.commit(files, first)
    third = source.commit(edited(files, "b/SKILL.md"), second)
    plant(source.repo, third, first)
    listed = repos.git(source.repo, "rev-list", third).split()
    assert listed == [third, first]
    assert {name: change.commit for name, change in source.changes(third).items()} == {
        "a": second,
        "b": third,
    }


def test_replaced_commits_are_ignored_by_a_walk(source: Source) -> None:
    first = source.commit({**A, **B})
    second = source.commit(edited({**A, **B}, "a/SKILL.md"), first)
    source.changes(second)
    third = source.commit(edited({**A, **B}, "b/SKILL.md"), second)
    repos.git(source.repo, "replace", "--graft", third, first)
    assert source.changes(third)["a"].commit == third
    assert source.asked == [second]


@pytest.mark.parametrize("option", ["--depth=1", "--filter=tree:0"])
def test_a_shallow_or_treeless_clone_has_no_history(
    source: Source, tmp_path: Path, option: str
) -> None:
    first = source.commit({**A, **B})
    second = source.commit(edited({**A, **B}, "a/SKILL.md"), first)
    source.changes(second)
    repos.git(source.repo, "config", "uploadpack.allowFilter", "true")
    clone = repos.clone(source.repo, tmp_path / "clone", option)
    assert replace(source, repo=clone).changes(second) == {}
    assert source.changes(second).keys() == {"a", "b"}
    assert source.asked == [second]


@pytest.mark.parametrize("since", [True, False])
def test_settings_and_files_of_a_clone_do_not_change_its_history(
    source: Source, *, since: bool
) -> None:
    first = repos.commit(source.repo, {**A, **B, "a/module": repos.Submodule()})
    source.changes(first)
    moved = {"a/module": repos.Submodule("2" * 40)}
    second = repos.commit(source.repo, {**A, **B, **moved}, day=1)
    ignored = '[submodule "a/module"]\npath = a/module\nignore = all\n'
    (source.repo / ".gitmodules").write_text(ignored)
    for name in ("diff.ignoreSubmodules", "submodule.a/module.ignore"):
        repos.git(source.repo, "config", name, "all")
    repos.git(source.repo, "config", "log.showRoot", "false")
    last = source.changes(second, fresh=not since)
    assert (last["a"].commit, last["b"].commit) == (second, first)
    assert source.asked == [first if since else NEW]


@dataclass
class Graph:
    """A history that grows at random; any commit can become a parent."""

    chance: random.Random
    source: Source
    files: dict[str, Texts] = field(default_factory=dict)
    """Files by commit."""
    head: str = ""

    def grow(self) -> None:
        ways = [self.go_on] * 6 + [self.merge, self.rewrite, self.begin]
        (self.chance.choice(ways) if self.head else self.begin)()

    def begin(self) -> None:
        files: Texts = {f"s{n}/SKILL.md": f"{n}" for n in range(3)}
        self.add({**files, "SKILL.md": "", "s1/in/SKILL.md": "x"})

    def go_on(self) -> None:
        for _ in range(self.chance.randrange(1, 4)):
            self.add(self.changed(self.files[self.head]), self.head)

    def merge(self) -> None:
        other = self.chance.choice(list(self.files))
        if other != self.head:
            both = {**self.files[other], **self.files[self.head]}
            self.add(self.changed(both) if self.chance.random() < 0.3 else both, self.head, other)

    def rewrite(self) -> None:
        self.head = self.chance.choice(list(self.files))
        self.go_on()

    def add(self, files: Texts, *parents: str) -> None:
        day = self.chance.choice([None, None, self.chance.randrange(9)])
        self.head = self.source.commit(files, *parents, day=day)
        self.files[self.head] = files

    def changed(self, files: Texts) -> Texts:
        path, folder = self.chance.choice(list(files)), f"s{self.chance.randrange(5)}"
        match self.chance.randrange(6):
            case 0:
                return {**files, f"{folder}/deep/in/SKILL.md": f"{self.chance.random()}"}
            case 1:
                rest = {name: text for name, text in files.items() if name != path}
                return rest or files
            case 2:
                old = f"{path.partition('/')[0]}/"
                moved = {name.replace(old, f"{folder}/", 1): files[name] for name in files}
                return moved if len(moved) == len(files) else files
            case 3:
                return files
            case _:
                return edited(files, path)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.nightly
def test_random_histories_give_the_same_with_and_without_a_stored_walk(
    source: Source, seed: int
) -> None:
    graph, ways = Graph(random.Random(seed), source), []
    for _ in range(14):
        graph.grow()
        changes = source.changes(graph.head)
        ways.append(source.asked[-1:] == [NEW])
        for folder, change in changes.items():
            assert change == source.first_in_log(graph.head, folder)
    assert {*ways} == {True, False}


@pytest.mark.parametrize(
    ("options", "since"),
    [
        (Options(cache=True), True),
        (Options(cache=True, recheck=True), False),
        (Options(), False),
    ],
)
def test_a_build_uses_the_walk_that_the_build_before_it_stored(
    source: Source, options: Options, *, since: bool
) -> None:
    first = source.commit({"a/SKILL.md": repos.skill_md("a")})
    repos.build(source.repo, source.out, options=Options(cache=True, jobs=1))
    source.commit({"a/SKILL.md": repos.skill_md("a", "New.")}, first)
    source.asked.clear()
    repos.build(source.repo, source.out, options=replace(options, jobs=1))
    assert source.asked == [first if since else NEW]


def test_a_build_upon_a_release_published_elsewhere_uses_no_stored_walk(
    source: Source, tmp_path: Path
) -> None:
    first = source.commit({"a/SKILL.md": repos.skill_md("a")})
    options = Options(cache=True, jobs=1)
    repos.build(source.repo, source.out, options=options)
    repos.build(source.repo, tmp_path / "published", options=options)
    source.commit({"a/SKILL.md": repos.skill_md("a", "New.")}, first)
    source.asked.clear()
    repos.build(source.repo, source.out, options=options, previous=tmp_path / "published")
    assert source.asked == [NEW]


def test_a_stored_walk_covers_refused_skills(source: Source) -> None:
    bad: Texts = {"a/SKILL.md": repos.skill_md("a"), "b/SKILL.md": "no header"}
    first = source.commit(bad)
    options = Options(cache=True, skip_invalid=True, jobs=1)
    repos.build(source.repo, source.out, options=options)
    source.commit({**bad, "skillbuild.toml": 'title = "One"\n'}, first)
    source.asked.clear()
    repos.build(source.repo, source.out, options=options)
    assert source.asked == [first]

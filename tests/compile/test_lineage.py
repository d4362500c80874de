"""The states of skills along the first-parent line, in real repositories."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import Content, Files, skill_md
from skillbuild.compile.history import lineage_of
from skillbuild.compile.pool import Pool
from skillbuild.compile.request import Options, Request
from skillbuild.compile.skills import plan_skills
from skillbuild.errors import ConfigError, GitError
from skillbuild.source import tree
from skillbuild.source.lineage import Lineage

ALL = {"skillbuild.toml": '[versions]\nsince = "first"\n'}
HERE = {"skillbuild.toml": "[versions]\n"}


def lineage(repo: Path) -> Lineage:
    """The lineage of HEAD by the settings in it."""
    source = tree.open_commit(repo, "HEAD")
    leaves = source.leaves()
    config = tree.read_config(source, leaves)
    request = Request(source, leaves, config, Options(jobs=1))
    with source.reader() as reader:
        followed = lineage_of(
            request, plan_skills(request, Pool(request).read_names, reader), reader
        )
    assert followed is not None
    return followed


def history(tmp_path: Path, *commits: Files) -> Path:
    """A repository with one commit a day."""
    repo = repos.empty(tmp_path / "repo")
    for day, files in enumerate(commits):
        repos.commit(repo, files, day=day)
    return repo


def shown(followed: Lineage) -> Mapping[str, list[str]]:
    """By directory, the number of the commit and the directory of each state, the newest first."""
    states = {**followed.states, **{f"-{each.directory}": each.states for each in followed.gone}}
    return {
        directory: [f"{each.order} {each.directory}" for each in every]
        for directory, every in states.items()
    }


def skill(name: str, body: str = "Do it.\n", **more: Content) -> dict[str, Content]:
    """A skill in the directory of its name."""
    files: dict[str, Content] = {f"{name}/SKILL.md": skill_md(name, body=body)}
    return files | {f"{name}/{path}": content for path, content in more.items()}


def test_each_change_of_a_directory_is_a_state_and_nothing_else_is(tmp_path: Path) -> None:
    repo = history(
        tmp_path,
        {**ALL, **skill("pdf")},
        {**ALL, **skill("pdf"), "README.md": "Text"},
        {**ALL, **skill("pdf", notes="More")},
        {**ALL, **skill("pdf")},
    )
    assert shown(lineage(repo)) == {"pdf": ["3 pdf", "2 pdf", "0 pdf"]}
    states = lineage(repo).states["pdf"]
    assert states[0].tree == states[2].tree
    assert states[0].tree == repos.git(repo, "rev-parse", "HEAD:pdf")
    assert states[1].change.commit == repos.git(repo, "rev-parse", "HEAD~1")


def test_versions_begin_where_the_settings_first_have_them(tmp_path: Path) -> None:
    repo = history(
        tmp_path,
        {**HERE, **skill("pdf", "1")},
        skill("pdf", "2"),
        {"skillbuild.toml": "[versions", **skill("pdf", "3")},
        {**HERE, **skill("pdf", "3"), **skill("csv")},
        {**HERE, **skill("pdf", "4"), **skill("csv")},
    )
    followed = lineage(repo)
    assert shown(followed) == {"pdf": ["1 pdf", "0 pdf"], "csv": ["0 csv"]}
    assert followed.since == repos.git(repo, "rev-parse", "HEAD~1")


def test_what_the_first_commit_takes_away_was_never_there(tmp_path: Path) -> None:
    drafts = {**skill("draft"), **skill("pdf")}
    repo = history(tmp_path, drafts, {**HERE, **skill("pdf")})
    assert shown(lineage(repo)) == {"pdf": ["0 pdf"]}


def test_versions_begin_with_the_commit_that_the_settings_name(tmp_path: Path) -> None:
    repo = history(tmp_path, skill("pdf", "1"), skill("pdf", "2"), skill("pdf", "3"))
    since = repos.git(repo, "rev-parse", "HEAD~1")
    settings = {"skillbuild.toml": f'[versions]\nsince = "{since}"\n'}
    repos.commit(repo, {**settings, **skill("pdf", "4")}, day=3)
    assert shown(lineage(repo)) == {"pdf": ["2 pdf", "1 pdf", "0 pdf"]}


def test_a_commit_that_is_not_on_the_line_is_an_error(tmp_path: Path) -> None:
    settings = {"skillbuild.toml": f'[versions]\nsince = "{"0" * 40}"\n'}
    repo = history(tmp_path, {**settings, **skill("pdf")})
    with pytest.raises(GitError, match="not in the first-parent history"):
        lineage(repo)


def test_a_move_with_the_same_files_is_followed_and_a_copy_is_not(tmp_path: Path) -> None:
    moved = {"office/pdf/SKILL.md": skill_md("pdf")}
    repo = history(
        tmp_path,
        {**ALL, **skill("pdf", "Old.\n")},
        {**ALL, **skill("pdf")},
        {**ALL, **moved},
        {**ALL, **moved, "copy/pdf/SKILL.md": skill_md("pdf"), "copy/pdf/more": "x"},
        {**ALL, **moved, "copy/pdf/SKILL.md": skill_md("pdf", "Other."), "copy/pdf/more": "x"},
    )
    assert shown(lineage(repo)) == {
        "office/pdf": ["2 office/pdf", "1 pdf", "0 pdf"],
        "copy/pdf": ["4 copy/pdf", "3 copy/pdf"],
    }


def test_a_folder_that_moves_takes_its_skills_along_also_back(tmp_path: Path) -> None:
    before = {"a/pdf/SKILL.md": skill_md("pdf"), "a/csv/SKILL.md": skill_md("csv")}
    after = {path.replace("a/", "b/"): text for path, text in before.items()}
    repo = history(tmp_path, {**ALL, **before}, {**ALL, **after}, {**ALL, **before})
    assert shown(lineage(repo)) == {
        "a/pdf": ["2 a/pdf", "1 b/pdf", "0 a/pdf"],
        "a/csv": ["2 a/csv", "1 b/csv", "0 a/csv"],
    }


def test_of_several_places_with_one_tree_none_is_followed(tmp_path: Path) -> None:
    two = {"b/pdf/SKILL.md": skill_md("pdf")}
    two_appear = history(
        tmp_path / "appear",
        {**ALL, **skill("pdf")},
        {**ALL, **two, "c/pdf/SKILL.md": skill_md("pdf")},
    )
    assert shown(lineage(two_appear)) == {
        "b/pdf": ["1 b/pdf"],
        "c/pdf": ["1 c/pdf"],
        "-pdf": ["0 pdf"],
    }
    two_vanish = history(
        tmp_path / "vanish",
        {**ALL, **skill("pdf"), "a/pdf/SKILL.md": skill_md("pdf")},
        {**ALL, **two},
    )
    assert shown(lineage(two_vanish)) == {
        "b/pdf": ["1 b/pdf"],
        "-a/pdf": ["0 a/pdf"],
        "-pdf": ["0 pdf"],
    }


@pytest.mark.parametrize(
    "moved",
    [
        {"documents/SKILL.md": skill_md("documents")},
        {"skills/pdf/SKILL.md": skill_md("pdf", body="Edited.\n")},
    ],
    ids=["another name", "the same path"],
)
def test_a_move_that_changes_the_skill_is_not_followed(
    tmp_path: Path, moved: dict[str, Content]
) -> None:
    repo = history(tmp_path, {**ALL, **skill("pdf")}, {**ALL, **moved})
    directory = next(iter(moved)).removesuffix("/SKILL.md")
    assert shown(lineage(repo)) == {directory: [f"1 {directory}"], "-pdf": ["0 pdf"]}


def test_settings_tell_of_moves_that_no_commit_shows(tmp_path: Path) -> None:
    settings = {
        "skillbuild.toml": '[versions]\nsince = "first"\n[moved]\n"old/pdf" = "new/forms"\n'
    }
    repo = history(
        tmp_path,
        {"old/pdf/SKILL.md": skill_md("pdf")},
        {"README.md": "Nothing here."},
        {**settings, "new/forms/SKILL.md": skill_md("forms", body="All else.\n")},
    )
    assert shown(lineage(repo)) == {"new/forms": ["2 new/forms", "0 old/pdf"]}


def test_a_chain_of_moves_in_the_settings_is_followed_to_its_beginning(tmp_path: Path) -> None:
    moved = {"skillbuild.toml": f'{ALL["skillbuild.toml"]}[moved]\n"a" = "b"\n"b" = "c"\n'}
    states = [{**ALL, **skill("a", "1")}, {**ALL, **skill("b", "2")}, {**moved, **skill("c", "3")}]
    assert shown(lineage(history(tmp_path, *states))) == {"c": ["2 c", "1 b", "0 a"]}


def test_a_move_of_what_never_was_is_an_error_that_suggests(tmp_path: Path) -> None:
    settings = {"skillbuild.toml": '[versions]\n[moved]\n"old/pdv" = "new/pdf"\n'}
    repo = history(
        tmp_path,
        {"old/pdf/SKILL.md": skill_md("pdf")},
        {**settings, "new/pdf/SKILL.md": skill_md("pdf", "Changed.")},
    )
    with pytest.raises(ConfigError, match="did you mean old/pdf"):
        lineage(repo)


def test_what_is_gone_keeps_its_states_and_what_is_back_has_them(tmp_path: Path) -> None:
    repo = history(
        tmp_path,
        {**ALL, **skill("pdf"), **skill("csv")},
        {**ALL, **skill("csv", "2")},
        {**ALL, **skill("pdf", "Again.\n")},
    )
    followed = lineage(repo)
    assert shown(followed) == {"pdf": ["2 pdf", "0 pdf"], "-csv": ["1 csv", "0 csv"]}
    assert followed.gone[0].change.commit == repos.git(repo, "rev-parse", "HEAD")


def test_a_skill_at_the_root_has_the_trees_of_the_commits(tmp_path: Path) -> None:
    repo = history(
        tmp_path,
        {**ALL, "SKILL.md": skill_md("repo")},
        {**ALL, "SKILL.md": skill_md("repo"), "more": "x"},
    )
    trees = [repos.git(repo, "rev-parse", f"{each}^{{tree}}") for each in ("HEAD", "HEAD~1")]
    assert [each.tree for each in lineage(repo).states[""]] == trees


def test_merges_count_for_what_they_bring_in(tmp_path: Path) -> None:
    repo = history(tmp_path, {**ALL, **skill("pdf", "1")})
    main = repos.git(repo, "rev-parse", "main")
    repos.git(repo, "branch", "side")
    for day, body in enumerate(("side 1", "side 2")):
        repos.commit(repo, {**ALL, **skill("pdf", body)}, branch="side", day=day)
    side = repos.git(repo, "rev-parse", "side")
    merged = repos.git(
        repo, "-c", "user.name=a", "-c", "user.email=a@example.org",
        "commit-tree", f"{side}^{{tree}}", "-p", main, "-p", side, "-m", "Merge",
    )  # fmt: skip
    repos.git(repo, "update-ref", "refs/heads/main", merged)
    states = lineage(repo).states["pdf"]
    assert [each.change.commit for each in states] == [merged, main]


def merge(repo: Path, tree: str, *parents: str) -> str:
    """A merge commit with the tree of a commit, to which `main` moves."""
    command = ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit-tree"]
    merged = repos.git(
        repo,
        *command,
        f"{tree}^{{tree}}",
        *(part for each in parents for part in ("-p", each)),
        "-m",
        "Merge",
    )
    repos.git(repo, "update-ref", "refs/heads/main", merged)
    return merged


def test_a_merge_of_several_branches_is_one_commit_of_the_line(tmp_path: Path) -> None:
    repo = history(tmp_path, {**ALL, **skill("pdf", "1")})
    main = repos.git(repo, "rev-parse", "main")
    sides = []
    for name in ("one", "two", "three"):
        repos.git(repo, "branch", name, main)
        sides.append(repos.commit(repo, {**ALL, **skill("pdf", name)}, branch=name, day=1))
    merged = merge(repo, sides[1], main, *sides)
    states = lineage(repo).states["pdf"]
    assert [each.change.commit for each in states] == [merged, main]
    assert states[0].tree == repos.git(repo, "rev-parse", f"{sides[1]}:pdf")


def test_branches_merged_crosswise_have_one_line_each(tmp_path: Path) -> None:
    repo = history(tmp_path, {**ALL, **skill("pdf", "0")})
    repos.git(repo, "branch", "side")
    left = repos.commit(repo, {**ALL, **skill("pdf", "left")}, day=1)
    right = repos.commit(repo, {**ALL, **skill("pdf", "right")}, branch="side", day=1)
    crossed = merge(repo, right, left, right)
    merge(repo, left, right, left)
    last = merge(repo, left, crossed, right)
    states = lineage(repo).states["pdf"]
    first = repos.git(repo, "rev-list", "--max-parents=0", "HEAD")
    assert [each.change.commit for each in states] == [last, crossed, left, first]


@pytest.mark.parametrize(
    ("name", "most", "reason"),
    [
        ("MOST_COMMITS", 1, "more than 1 commits"),
        ("MOST_WORK", 5, "2 commits, each with a folder of 3 entries"),
        ("MOST_CHANGES", 3, "more than 3 changes"),
    ],
)
def test_a_history_that_is_too_long_is_an_error_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, most: int, reason: str
) -> None:
    files = {**HERE, **skill("pdf"), **skill("csv")}
    repo = history(tmp_path, files, {**files, **skill("pdf", "2"), **skill("csv", "2")})
    repos.build(repo, tmp_path / "out", "HEAD~1")
    before = repos.digests(tmp_path / "out")
    monkeypatch.setattr(f"skillbuild.source.first_parent.{name}", most)
    with pytest.raises(GitError, match=f"{reason}.*--without-versions"):
        repos.build(repo, tmp_path / "out")
    assert repos.digests(tmp_path / "out") == before


def test_a_directory_that_was_a_file_for_a_while_has_no_state_then(tmp_path: Path) -> None:
    repo = history(
        tmp_path,
        {**ALL, **skill("pdf", "1")},
        {**ALL, "pdf": "A file.", **skill("csv")},
        {**ALL, **skill("pdf", "2"), **skill("csv")},
    )
    assert shown(lineage(repo))["pdf"] == ["2 pdf", "0 pdf"]


def test_a_name_in_another_case_is_a_move(tmp_path: Path) -> None:
    repo = history(
        tmp_path,
        {**ALL, "Skills/pdf/SKILL.md": skill_md("pdf")},
        {**ALL, "skills/pdf/SKILL.md": skill_md("pdf")},
    )
    assert shown(lineage(repo)) == {"skills/pdf": ["1 skills/pdf", "0 Skills/pdf"]}


def test_a_source_inside_a_repository_is_followed_by_itself(tmp_path: Path) -> None:
    repo = history(
        tmp_path,
        {"in/skillbuild.toml": "[versions]\n", "in/pdf/SKILL.md": skill_md("pdf")},
        {"in/skillbuild.toml": "[versions]\n", "in/pdf/SKILL.md": skill_md("pdf", "2"), "x": "y"},
        {"in/skillbuild.toml": "[versions]\n", "in/pdf/SKILL.md": skill_md("pdf", "2")},
    )
    (repo / "in").mkdir()
    assert shown(lineage(repo / "in")) == {"pdf": ["1 pdf", "0 pdf"]}


def test_a_shallow_clone_is_an_error_with_the_remedy(tmp_path: Path) -> None:
    repo = history(tmp_path, {**HERE, **skill("pdf", "1")}, {**HERE, **skill("pdf", "2")})
    repos.git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{repo}", "shallow")
    with pytest.raises(GitError, match="fetch-depth: 0"):
        lineage(tmp_path / "shallow")


def test_replace_refs_and_grafts_change_nothing(tmp_path: Path) -> None:
    repo = history(tmp_path, {**ALL, **skill("pdf", "1")}, {**ALL, **skill("pdf", "2")})
    first = shown(lineage(repo))
    head, before = (repos.git(repo, "rev-parse", each) for each in ("HEAD", "HEAD~1"))
    repos.git(repo, "replace", before, head)
    (repo / ".git/info").mkdir(exist_ok=True)
    (repo / ".git/info/grafts").write_text(f"{head}\n")
    assert shown(lineage(repo)) == first


def test_each_time_that_a_skill_is_taken_away_is_known(tmp_path: Path) -> None:
    repo = history(
        tmp_path,
        {**ALL, **skill("pdf"), **skill("csv")},
        {**ALL, **skill("csv")},
        {**ALL, **skill("pdf")},
        {**ALL, **skill("csv", "2")},
        ALL,
    )
    followed = lineage(repo)
    ends = {
        each.directory: [(state.order, state.end and state.end.order) for state in each.states]
        for each in followed.gone
    }
    assert ends == {"csv": [(3, 4), (0, 2)], "pdf": [(2, 3), (0, 1)]}
    newest = followed.gone[0].states[0].end
    assert newest is not None
    assert newest.change.commit == repos.git(repo, "rev-parse", "HEAD")
    repos.commit(repo, {**ALL, **skill("pdf")}, day=5)
    states = lineage(repo).states["pdf"]
    assert [(state.order, state.end and state.end.order) for state in states] == [
        (5, None),
        (2, 3),
        (0, 1),
    ]


def at(folder: str, files: Files) -> dict[str, Content]:
    return {f"{folder}/{path}": content for path, content in files.items()}


@pytest.mark.parametrize(
    ("folder", "head"),
    [
        (".claude/skills", ""),
        ("node_modules", ""),
        ("drafts", 'exclude = ["drafts/**"]\n'),
        ("drafts", 'roots = ["skills/**"]\n'),
    ],
    ids=["dot-directory", "junk", "exclude", "roots"],
)
def test_what_stood_in_a_directory_that_is_ignored_today_was_no_skill(
    tmp_path: Path, folder: str, head: str
) -> None:
    now = {**at("skills", skill("pdf")), "skillbuild.toml": head + ALL["skillbuild.toml"]}
    repo = history(
        tmp_path,
        {**at(folder, skill("pdf", "Old.\n")), **at(folder, {**skill("csv"), **skill("a")})},
        {**at(folder, skill("pdf")), **at(folder, skill("csv"))},
        {**at("skills", skill("pdf")), **at(folder, skill("csv"))},
        now,
    )
    assert shown(lineage(repo)) == {"skills/pdf": ["2 skills/pdf"]}


def test_a_skill_that_went_into_a_directory_that_is_ignored_today_ended_then(
    tmp_path: Path,
) -> None:
    kept = {**ALL, **skill("csv")}
    repo = history(
        tmp_path,
        {**kept, **skill("pdf")},
        {**kept, **at(".old", skill("pdf"))},
        {**kept, **at(".old", skill("pdf", "Edited."))},
        kept,
    )
    followed = lineage(repo)
    assert shown(followed) == {"csv": ["0 csv"], "-pdf": ["0 pdf"]}
    assert followed.gone[0].change.commit == repos.git(repo, "rev-parse", "HEAD~2")


def test_where_all_skills_lie_below_dot_directories_these_have_a_history(tmp_path: Path) -> None:
    repo = history(
        tmp_path,
        {**ALL, **at(".claude/skills", skill("pdf")), **at(".claude/skills", skill("csv"))},
        {**ALL, **at(".claude/skills", skill("pdf", "2"))},
    )
    assert shown(lineage(repo)) == {
        ".claude/skills/pdf": ["1 .claude/skills/pdf", "0 .claude/skills/pdf"],
        "-.claude/skills/csv": ["0 .claude/skills/csv"],
    }


@pytest.mark.parametrize("is_deleted", [False, True], ids=["still there", "deleted"])
def test_what_stands_in_an_output_was_no_skill(tmp_path: Path, is_deleted: bool) -> None:
    source = {**ALL, **at(".claude/skills", skill("pdf"))}
    copy = {"docs/catalog.json": "{}", "docs/blobs/sha256/00": "x"}
    served = at("docs/.well-known/skills", {**skill("pdf"), **skill("csv")})
    kept = at("docs/.well-known/skills", skill("pdf"))
    repo = history(
        tmp_path,
        source,
        {**source, **copy, **served},
        source if is_deleted else {**source, **copy, **kept},
    )
    assert shown(lineage(repo)) == {".claude/skills/pdf": ["0 .claude/skills/pdf"]}

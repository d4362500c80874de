"""The paths that skills are published under, and what is wrong between two of them."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.support import MemorySource, outline_in, skill_md
from skillbuild.config import Config
from skillbuild.errors import ConfigError
from skillbuild.model import Place
from skillbuild.paths import collision_key, prefixes
from skillbuild.source.git import MOST_ENTRIES
from skillbuild.source.outline import Outline
from skillbuild.source.tree import Kind, Leaf


def outline_of(names: Mapping[str, str], paths: Mapping[str, str] | None = None) -> Outline:
    """The outline of a source with skills by directory, each with its name."""
    files = {f"{folder}/SKILL.md".lstrip("/"): skill_md(name) for folder, name in names.items()}
    return outline_in(MemorySource(files), Config(paths=paths or {}))


def paths_of(outline: Outline) -> dict[str, str | None]:
    return {skill.directory: skill.path for skill in outline.skills}


def codes(outline: Outline) -> dict[str, list[str]]:
    """Errors and warnings, by directory."""
    by_directory = {
        folder: [item.rule.code for item in findings if not item.is_note]
        for folder, findings in outline.findings.items()
    }
    return {folder: codes for folder, codes in by_directory.items() if codes}


@pytest.mark.parametrize(
    ("directory", "name", "path"),
    [
        ("skills/pdf", "pdf", "pdf"),
        ("pdf", "pdf", "pdf"),
        ("plugins/git/skills/commit", "commit", "git/commit"),
        ("skills/skills/x", "x", "x"),
        (".x/skills/.curated/y", "y", "y"),
        (".claude/skills/x", "x", "x"),
        (".github/team/skills/x", "x", "team/x"),
        ("a/b/c/d", "d", "a/b/c/d"),
        ("a/wrong", "right", "a/right"),
        ("a/skills", "skills", "a/skills"),
        ("skills", "pdf", "pdf"),
        ("my-skills/x", "x", "my-skills/x"),
        ("Skills/x", "x", "Skills/x"),
        ("", "pdf", "pdf"),
    ],
)
def test_a_path_is_the_directory_without_housekeeping_and_ends_in_the_name(
    directory: str, name: str, path: str
) -> None:
    assert paths_of(outline_of({directory: name})) == {directory: path}


@pytest.mark.parametrize(
    ("mapped", "path"),
    [
        ({"skills/a/pdf": "x/pdf"}, "x/pdf"),
        ({"skills/a": "tools"}, "tools/pdf"),
        ({"skills/a": ""}, "pdf"),
        ({"skills": "s"}, "s/a/pdf"),
        ({"skills": "s", "skills/a": "t"}, "t/pdf"),
        ({"skills/b": "t"}, "a/pdf"),
        ({"skills/a/pd": "t"}, "a/pdf"),
        ({"skills/a/pdf": "x/other"}, "x/other"),
    ],
)
def test_paths_are_mapped_by_the_nearest_directory(mapped: dict[str, str], path: str) -> None:
    skills = {"skills/a/pdf": "pdf", "skills/a/pd/x": "x", "skills/b/y": "y"}
    assert paths_of(outline_of(skills, mapped))["skills/a/pdf"] == path


def test_an_inner_skill_has_the_path_of_the_outer_and_the_unaltered_rest() -> None:
    outline = outline_of(
        {"plugins/a": "b", "plugins/a/skills/c": "c", "plugins/a/skills/c/.x/d": "d"}
    )
    assert paths_of(outline) == {"plugins/a": "b", "plugins/a/skills/c": "b/skills/c"}
    assert outline.by_directory["plugins/a/skills/c"].outer == "plugins/a"
    assert codes(outline) == {}


def test_an_outer_skill_owns_the_files_of_the_inner_ones_by_the_bytes_of_their_paths() -> None:
    files = {"a/SKILL.md": skill_md("a"), "a/b/SKILL.md": skill_md("b"), "a/b/x": b"", "c/y": b""}
    files |= {"a/b-c": b"", "a/é": b"", "a/\uffff": b"", "a/\U0001f600": b"", "ab/z": b""}
    outline = outline_in(MemorySource(files, links={"a/b/link"}))
    assert [leaf.path for leaf in outline.by_directory["a"].leaves] == [
        "a/SKILL.md",
        "a/b-c",
        "a/b/SKILL.md",
        "a/b/link",
        "a/b/x",
        "a/é",
        "a/\uffff",
        "a/\U0001f600",
    ]
    inner = outline.by_directory["a/b"]
    assert [inner.relative(leaf) for leaf in inner.leaves] == ["SKILL.md", "link", "x"]


@pytest.mark.parametrize("name", ["Bad", "", "a--b", "1.5", "[a]", "a\nb: 'c"])
def test_a_skill_without_a_usable_name_has_no_path(name: str) -> None:
    outline = outline_of({"a": name, "a/b": "b", "c": "c"})
    assert paths_of(outline) == {"a": None, "a/b": "a/b", "c": "c"}


def test_a_skill_that_cannot_be_read_has_no_path() -> None:
    files = {f"{name}/SKILL.md": skill_md(name) for name in ("a", "b", "c", "d")}
    files["d/SKILL.md"] += b"x" * 16 * 1024 * 1024
    source = MemorySource(files, missing={"a/SKILL.md"}, damaged={"b/SKILL.md"})
    assert paths_of(outline_in(source)) == {"a": None, "b": None, "c": "c", "d": None}


def test_a_path_taken_twice_is_an_error_at_both_places() -> None:
    outline = outline_of({"skills/x": "x", "plugins/x": "x", "y": "y"})
    assert [
        (item.path, item.place, item.message, item.hint)
        for findings in outline.findings.values()
        for item in findings
    ] == [
        (
            "plugins/x/SKILL.md",
            Place(2, 7),
            "skill path x clashes with x of skills/x/SKILL.md",
            'set another path in skillbuild.toml: [paths] "plugins/x" = "other/x"',
        ),
        (
            "skills/x/SKILL.md",
            Place(2, 7),
            "skill path x clashes with x of plugins/x/SKILL.md",
            'set another path in skillbuild.toml: [paths] "skills/x" = "other/x"',
        ),
    ]


CLASH = ["skill-path-collision"]


@pytest.mark.parametrize(
    ("names", "clashing"),
    [
        ({"a": "a", "a/skills/b": "b"}, []),
        ({"skills/a": "a", "a/b": "b"}, ["a/b", "skills/a"]),
        ({"skills/a": "a", "a/b/c": "c", "a/skills/b": "b"}, ["a/b/c", "a/skills/b", "skills/a"]),
        ({"g/A/x": "x", "g/a/x": "x"}, ["g/A/x", "g/a/x"]),
        ({"g/A/x": "x", "g/a/y": "y"}, []),
        ({"g/Straße/x": "x", "g/STRASSE/x": "x"}, ["g/STRASSE/x", "g/Straße/x"]),
        ({"g/Ⅻ/x": "x", "g/xii/x": "x"}, ["g/xii/x", "g/Ⅻ/x"]),
        ({"g/x": "x", "h/x": "x"}, []),
        ({"a": "a", "ab": "ab", "a-b": "a-b"}, []),
        ({"one": "same", "two": "same", "three": "same"}, ["one", "three", "two"]),
    ],
)
def test_paths_clash_when_equal_or_inside_one_another(
    names: dict[str, str], clashing: list[str]
) -> None:
    outline = outline_of(names)
    assert sorted(codes(outline)) == clashing
    assert {code for several in codes(outline).values() for code in several} <= {*CLASH}


def test_a_mapping_settles_a_clash_and_can_make_one() -> None:
    names = {"skills/x": "x", "plugins/x": "x", "y": "y"}
    assert codes(outline_of(names, {"plugins/x": "other/x"})) == {}
    assert codes(outline_of(names, {"plugins/x": "y/x"})) == {"plugins/x": CLASH, "y": CLASH}


def test_a_skill_at_the_root_allows_no_other() -> None:
    assert codes(outline_of({"": "pdf"})) == {}
    assert codes(outline_of({"": "pdf", "a": "a", "b/c": "c"})) == {"": ["skill-at-root"]}


def test_a_path_belongs_to_its_innermost_skill() -> None:
    outline = outline_of({"a": "a", "a/b": "b", "c": "c"})
    skills = {
        path: outline.skill_at(path) for path in ("a/x", "a/b", "a/b/c/d", "ab", "", "c/SKILL.md")
    }
    assert {path: skill and skill.directory for path, skill in skills.items()} == {
        "a/x": "a",
        "a/b": "a/b",
        "a/b/c/d": "a/b",
        "ab": None,
        "": None,
        "c/SKILL.md": "c",
    }


def test_leaves_are_below_their_skill_and_sorted_by_the_bytes_of_their_path() -> None:
    below = ["a/é", "a/b/SKILL.md", "a/b/x", "a/\udc80", "a/SKILL.md", "a/b.md"]
    beside = ["a-/x", "a.md", "a0/x", "a!/x", "b/SKILL.md"]
    heads = {path: skill_md("a") for path in [*below, *beside] if path.endswith("SKILL.md")}
    outline = outline_in(MemorySource(dict.fromkeys([*below, *beside], b"") | heads))
    assert {skill.directory: [leaf.path for leaf in skill.leaves] for skill in outline.skills} == {
        "a": ["a/SKILL.md", "a/b.md", "a/b/SKILL.md", "a/b/x", "a/\udc80", "a/é"],
        "a/b": ["a/b/SKILL.md", "a/b/x"],
        "b": ["b/SKILL.md"],
    }
    assert [skill.outer for skill in outline.skills] == [None, "a", None]


def test_a_folder_can_be_deeper_than_python_recurses() -> None:
    deep = "d/" * 2000 + "x"
    files = {"SKILL.md": skill_md("a"), f"{deep}/y": b"", f"{deep}/SKILL.md": skill_md("b")}
    assert [skill.outer for skill in outline_in(MemorySource(files)).skills] == [None, ""]


def test_a_tree_over_a_million_entries_is_refused_unread() -> None:
    leaf = Leaf("a/SKILL.md", Kind.FILE)
    outline = outline_in(MemorySource({}), leaves=[leaf] * (MOST_ENTRIES + 1))
    assert paths_of(outline) == {}
    assert [(item.rule.code, item.path, item.message) for item in outline.general] == [
        ("too-many-entries", ".", "1,000,001 files; the limit is 1,000,000")
    ]


FOLDERS = st.lists(
    st.sampled_from(["a", "A", "b", "skills", "plugins", ".x"]), min_size=1, max_size=4
)
SKILLS = st.dictionaries(FOLDERS.map("/".join), st.sampled_from(["a", "b", "c"]), max_size=6)


@given(SKILLS)
def test_skills_without_findings_never_share_a_path(names: dict[str, str]) -> None:
    outline = outline_of(names)
    good = [
        skill
        for skill in outline.skills
        if skill.path and not outline.findings.get(skill.directory)
    ]
    keys = [collision_key(skill.path or "") for skill in good]
    assert len(set(keys)) == len(keys)
    outer = {skill.path: skill.outer for skill in good}
    for skill in good:
        assert skill.path is not None
        for part in prefixes(skill.path):
            assert part not in outer or skill.directory.startswith(f"{skill.outer}/")


@pytest.mark.parametrize(
    ("key", "remedy"),
    [("skills/pfd", "did you mean skills/pdf?"), ("zzzzzzzzzz", "name a directory with skills")],
)
def test_a_key_in_paths_that_names_no_directory_is_an_error(key: str, remedy: str) -> None:
    names = {"skills/pdf": "pdf", "skills/csv": "csv"}
    with pytest.raises(ConfigError) as caught:
        outline_of(names, {"skills": "tools", key: "tools/x"})
    assert f"{caught.value}" == f"skillbuild.toml: [paths] {key!r} holds no skill; {remedy}"

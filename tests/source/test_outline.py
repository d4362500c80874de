"""The paths that skills are published under, and what is wrong between two of them."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.support import MemorySource, outline_in, skill_md
from skillbuild.config import Config, Limits
from skillbuild.errors import ConfigError
from skillbuild.model import Place
from skillbuild.paths import collision_key, inside, prefixes
from skillbuild.source.git import MOST_ENTRIES
from skillbuild.source.outline import Outline
from skillbuild.source.tree import Kind, Leaf


def outline_of(names: Mapping[str, str], paths: Mapping[str, str] | None = None) -> Outline:
    """The outline of a source with skills by directory, each with its name.

    Their bodies differ, so none is a copy of another, unless two directories end in the same `=`
    and text.
    """
    files = {
        inside(folder, "SKILL.md"): skill_md(name, body=folder.partition("=")[2] or folder)
        for folder, name in names.items()
    }
    return outline_in(MemorySource(files), Config(paths=paths or {}))


def paths_of(outline: Outline) -> dict[str, str | None]:
    return {skill.directory: skill.path for skill in outline.skills}


def codes(outline: Outline) -> dict[str, list[str]]:
    """Errors and warnings, by directory."""
    by_directory = {
        folder: [item.code for item in findings if not item.is_note]
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
        ("a/skills/skills/x", "x", "a/x"),
        ("skills/.curated/x", "x", "x"),
        (".x/skills/.curated/y", "y", "y"),
        (".claude/skills/x", "x", "x"),
        (".github/team/skills/x", "x", "team/x"),
        ("a/b/c/d", "d", "a/b/c/d"),
        ("acme--tools--debug", "debug", "acme--tools--debug/debug"),
        ("skills/Word", "word", "Word/word"),
        ("skills/pdf", "PDF Toolkit", "pdf"),
        ("skills/PDF Toolkit", "PDF Toolkit", "PDF Toolkit"),
        ("skills/pdf", "1.5", "pdf"),
        ("skills/pdf", "[a]", "pdf"),
        ("skills/pdf", "a\nb: 'c", "pdf"),
        ("a/skills", "skills", "a/skills"),
        ("skills", "foo", "skills/foo"),
        ("plugins/skills", "plugins", "skills/plugins"),
        ("my-skills/x", "x", "my-skills/x"),
        ("Skills/x", "x", "Skills/x"),
        (".claude/skills/skills", "x", "skills/x"),
        ("", "pdf", "pdf"),
    ],
)
def test_a_path_is_the_directory_without_housekeeping_and_ends_in_the_name(
    directory: str, name: str, path: str
) -> None:
    outline = outline_of({directory: name})
    assert paths_of(outline) == {directory: path}
    assert {code for several in codes(outline).values() for code in several} <= {
        "skill-path-authority"
    }


@pytest.mark.parametrize(
    ("directory", "path"),
    [
        ("a/.x", "a/.x/b"),
        ("skills/.well-known", ".well-known/b"),
        ("a/-", "a/-/b"),
        ("plugins/index.html", "index.html/b"),
    ],
)
def test_the_last_segment_is_never_left_out_of_a_path(directory: str, path: str) -> None:
    outline = outline_in(
        MemorySource({f"{directory}/SKILL.md": skill_md("b")}), Config(roots=("**",))
    )
    assert paths_of(outline) == {directory: path}
    reserved = [] if directory == "a/.x" else ["skill-path-segment"]
    assert codes(outline).get(directory, []) == reserved


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


def test_below_a_mapped_directory_the_rest_follows_the_same_rules() -> None:
    names = {"team/skills/Word": "word", "team/plugins/x/skills/z": "z"}
    assert paths_of(outline_of(names, {"team": "t"})) == {
        "team/skills/Word": "t/Word/word",
        "team/plugins/x/skills/z": "t/x/z",
    }


def test_an_inner_skill_has_the_path_of_the_outer_the_unaltered_rest_and_its_name() -> None:
    outline = outline_of(
        {
            "plugins/o": "m",
            "plugins/o/i": "n",
            "plugins/o/i/plugins/x/k": "Title",
            "plugins/o/i/plugins/x/k/l": "l",
        }
    )
    assert paths_of(outline) == {
        "plugins/o": "o/m",
        "plugins/o/i": "o/m/i/n",
        "plugins/o/i/plugins/x/k": "o/m/i/n/plugins/x/k",
        "plugins/o/i/plugins/x/k/l": "o/m/i/n/plugins/x/k/l",
    }
    assert [skill.outer for skill in outline.skills] == [
        None,
        "plugins/o",
        "plugins/o/i",
        "plugins/o/i/plugins/x/k",
    ]
    assert codes(outline) == {}


def test_an_inner_skill_is_mapped_by_itself_alone_and_takes_what_is_in_it_along() -> None:
    names = {"o": "o", "o/i": "i", "o/i/j": "j", "o/k": "k"}
    assert paths_of(outline_of(names, {"o/i": "x/i"})) == {
        "o": "o",
        "o/i": "x/i",
        "o/i/j": "x/i/j",
        "o/k": "o/k",
    }


def test_a_directory_inside_a_skill_is_not_mapped() -> None:
    names = {"o": "o", "o/d/i": "i"}
    assert paths_of(outline_of(names, {"o/d": "x"})) == {"o": "o", "o/d/i": "o/d/i"}


def test_an_outer_skill_that_is_refused_still_holds_its_inner_ones() -> None:
    outline = outline_of({"skills/-": "- x", "skills/-/i": "i", "g/a": "1.5", "g/a/b": "b"})
    assert paths_of(outline) == {
        "g/a": "g/a",
        "g/a/b": "g/a/b",
        "skills/-": "-",
        "skills/-/i": "-/i",
    }


def test_a_file_of_the_outer_skill_and_an_inner_skill_cannot_have_one_uri() -> None:
    files = {
        "o/SKILL.md": skill_md("o"),
        "o/i/SKILL.md": skill_md("n"),
        "o/j/SKILL.md": skill_md("n"),
    }
    files |= {"o/i/n/x": b"", "o/i/m": b"", "o/j/nn": b""}
    outline = outline_in(MemorySource(files))
    assert paths_of(outline) == {"o": "o", "o/i": "o/i/n", "o/j": "o/j/n"}
    assert [(item.path, item.code, item.message) for item in outline.findings["o/i"]] == [
        (
            "o/i/SKILL.md",
            "skill-path-collision",
            "o/i/n of the outer skill has the same URI as the skill path o/i/n",
        ),
    ]
    assert "skill-path-collision" not in codes(outline).get("o/j", [])


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


def test_a_skill_that_cannot_be_read_has_the_path_of_its_directory() -> None:
    files = {f"skills/{name}/SKILL.md": skill_md(f"{name}-x") for name in ("a", "b", "c", "d")}
    files["skills/d/SKILL.md"] += b"x" * 16 * 1024 * 1024
    missing, damaged = {"skills/a/SKILL.md"}, {"skills/b/SKILL.md"}
    settings = Config(limits=Limits(bytes=16 * 1024 * 1024))
    outline = outline_in(MemorySource(files, missing=missing, damaged=damaged), settings)
    assert paths_of(outline) == {
        "skills/a": "a",
        "skills/b": "b",
        "skills/c": "c/c-x",
        "skills/d": "d",
    }


CLASH = ["skill-path-collision"]


@pytest.mark.parametrize(
    ("names", "paths"),
    [
        # One path for several: all take their whole directory that can.
        ({"skills/x": "x", "plugins/x": "x"}, {"skills/x": "skills/x", "plugins/x": "plugins/x"}),
        ({"x": "x", "skills/x": "x"}, {"x": "x", "skills/x": "skills/x"}),
        (
            {"skills/.a/x": "x", "skills/.b/x": "x"},
            {"skills/.a/x": "skills/a/x", "skills/.b/x": "skills/b/x"},
        ),
        (
            {"skills/x": "n", "plugins/x": "n"},
            {"skills/x": "skills/x/n", "plugins/x": "plugins/x/n"},
        ),
        # One inside another: the longer one does, if it can.
        ({"a": "a", "skills/a/b": "b"}, {"a": "a", "skills/a/b": "skills/a/b"}),
        ({"skills/a": "a", "a/b": "b"}, {"skills/a": "skills/a", "a/b": "a/b"}),
        ({"skills/a": "a", "plugins/a/b": "b"}, {"skills/a": "a", "plugins/a/b": "plugins/a/b"}),
        # What is nested follows.
        (
            {"skills/x": "x", "skills/x/i": "n", "plugins/x": "x"},
            {"skills/x": "skills/x", "skills/x/i": "skills/x/i/n", "plugins/x": "plugins/x"},
        ),
        ({"a": "a", "a/skills/b": "b"}, {"a": "a", "a/skills/b": "a/skills/b"}),
        # No clash.
        ({"g/x": "x", "h/x": "x"}, {"g/x": "g/x", "h/x": "h/x"}),
        ({"a": "a", "ab": "ab", "a-b": "a-b"}, {"a": "a", "ab": "ab", "a-b": "a-b"}),
        ({"one": "x", "two": "x"}, {"one": "one/x", "two": "two/x"}),
        ({"g/A/x": "x", "g/a/y": "y"}, {"g/A/x": "g/A/x", "g/a/y": "g/a/y"}),
    ],
)
def test_skills_whose_paths_clash_take_their_whole_directory(
    names: dict[str, str], paths: dict[str, str]
) -> None:
    outline = outline_of(names)
    assert paths_of(outline) == paths
    assert [code for several in codes(outline).values() for code in several] == []


def test_a_note_names_the_skill_that_a_moved_one_clashes_with() -> None:
    outline = outline_of({"skills/x": "x", "x": "x", "y": "y"})
    assert [
        (item.path, item.place, item.code, item.message, item.hint)
        for findings in outline.findings.values()
        for item in findings
        if item.code != "discovery-omitted"
    ] == [
        (
            "skills/x/SKILL.md",
            Place(2, 7),
            "skill-path-moved",
            "the skill path is skills/x, because x clashes with x/SKILL.md",
            'set another path in skillbuild.toml: [paths] "skills/x" = "other/x"',
        ),
    ]


@pytest.mark.parametrize(
    ("names", "refused"),
    [
        ({"g/A/x": "x", "g/a/x": "x"}, ["g/a/x"]),
        ({"g/Straße/x": "x", "g/STRASSE/x": "x"}, ["g/Straße/x"]),
        ({"g/Ⅻ/x": "x", "g/xii/x": "x"}, ["g/Ⅻ/x"]),
        ({"skills/a/G/x": "x", "a/g/x": "x", "plugins/a/g/x": "x"}, ["skills/a/G/x"]),
        # A skill that was there before a clash moved others to its path.
        ({"plugins/skills": "x", "skills/x": "x", "x": "x"}, ["skills/x"]),
        ({"skills/plugins": "x", "skills/x": "x", "plugins/x": "x"}, ["plugins/x"]),
        ({"g/A/x": "x", "g/a/x/y": "y"}, ["g/a/x/y"]),
        ({"g/A/x": "x", "g/A/x/i": "i", "g/a/x": "x", "g/a/x/j": "j"}, ["g/a/x", "g/a/x/j"]),
    ],
)
def test_of_skills_that_still_want_one_place_all_but_one_are_refused(
    names: dict[str, str], refused: list[str]
) -> None:
    outline = outline_of(names | {"third": "third"})
    assert codes(outline) == dict.fromkeys(refused, CLASH)


def test_a_refused_skill_names_the_one_that_keeps_the_path() -> None:
    outline = outline_of({"g/A/x": "x", "g/a/x": "x"})
    assert [(item.place, item.message, item.hint) for item in outline.findings["g/a/x"]] == [
        (
            Place(2, 7),
            "the skill path g/a/x clashes with the path g/A/x of g/A/x/SKILL.md",
            'set another path in skillbuild.toml: [paths] "g/a/x" = "other/x"',
        ),
    ]


@pytest.mark.parametrize(
    ("mapped", "paths", "refused"),
    [
        ({"plugins/x": "other/x"}, {"plugins/x": "other/x", "skills/x": "x", "y": "y"}, []),
        # A path set by hand stays; what was there moves if it can, or is refused.
        ({"plugins/x": "y/x"}, {"plugins/x": "y/x", "skills/x": "x", "y": "y"}, ["y"]),
        ({"y": "x"}, {"plugins/x": "plugins/x", "skills/x": "skills/x", "y": "x"}, []),
        ({"y": "x/y"}, {"plugins/x": "plugins/x", "skills/x": "skills/x", "y": "x/y"}, []),
        (
            {"plugins": "y/z", "skills": "y/z"},
            {"plugins/x": "y/z/x", "skills/x": "y/z/x", "y": "y"},
            ["skills/x", "y"],
        ),
    ],
)
def test_a_mapping_settles_a_clash_and_can_make_one(
    mapped: dict[str, str], paths: dict[str, str], refused: list[str]
) -> None:
    outline = outline_of({"skills/x": "x", "plugins/x": "x", "y": "y"}, mapped)
    assert paths_of(outline) == paths
    assert [folder for folder, several in codes(outline).items() if several == CLASH] == refused


def test_a_skill_at_the_root_allows_no_other_and_moves_none() -> None:
    assert codes(outline_of({"": "pdf"})) == {}
    outline = outline_of({"": "a", "a": "a", "skills/b": "b", "a/c": "c"})
    assert paths_of(outline) == {"": None, "a": "a", "a/c": "a/c", "skills/b": "b"}
    assert codes(outline) == {"": ["skill-at-root"]}


@pytest.mark.parametrize("name", ["PDF Toolkit", "1.5"])
def test_a_skill_at_the_root_has_no_path_without_a_valid_name(name: str) -> None:
    assert paths_of(outline_of({"": name})) == {"": None}
    assert paths_of(outline_of({"": name}, {"": "tools/pdf"})) == {"": "tools/pdf"}


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
    files[f"{'d/' * 1000}SKILL.md"] = skill_md("c")
    assert [skill.outer for skill in outline_in(MemorySource(files)).skills] == [
        None,
        None,
        "d/" * 999 + "d",
    ]


def test_a_tree_over_a_million_entries_is_refused_unread() -> None:
    leaf = Leaf("a/SKILL.md", Kind.FILE)
    outline = outline_in(MemorySource({}), leaves=[leaf] * (MOST_ENTRIES + 1))
    assert paths_of(outline) == {}
    assert [(item.code, item.path, item.message) for item in outline.general] == [
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
    [
        ("skills/pfd", "did you mean skills/pdf?"),
        ("zzzzzzzzzz", "name a directory that contains skills"),
    ],
)
def test_a_key_in_paths_that_names_no_directory_is_an_error(key: str, remedy: str) -> None:
    names = {"skills/pdf": "pdf", "skills/csv": "csv"}
    with pytest.raises(ConfigError) as caught:
        outline_of(names, {"skills": "tools", key: "tools/x"})
    assert f"{caught.value}" == f"skillbuild.toml: [paths] {key!r} contains no skill; {remedy}"

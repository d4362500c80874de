"""Places that hold when skills come, go and are fixed; copies; and sources of many skills."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from helpers.support import MemorySource, outline_in, skill_md
from skillbuild.config import Config
from skillbuild.diagnostics import has_errors
from skillbuild.paths import base_name, collision_key, inside, prefixes
from skillbuild.source.outline import Outline
from skillbuild.source.skill_tree import SkillTree
from skillbuild.source.tree import Kind, Leaf

UNREADABLE = b"no fence"


@dataclass(frozen=True)
class Drawn:
    """A source with skills by directory: each with a name, and a body that copies share."""

    skills: Mapping[str, tuple[str, str]]
    paths: Mapping[str, str]

    def files(self) -> dict[str, bytes]:
        return {
            inside(folder, "SKILL.md"): UNREADABLE + body.encode()
            if name == "unreadable"
            else skill_md(name, body=body)
            for folder, (name, body) in self.skills.items()
        }

    def outline(self) -> Outline:
        return outline_in(MemorySource(self.files()), self.config)

    @property
    def config(self) -> Config:
        # Dot-directories count too: otherwise they depend on what is outside of them.
        return Config(paths=self.paths, roots=("**",))

    def with_skill(self, folder: str, name: str, body: str) -> Drawn:
        return replace(self, skills={**self.skills, folder: (name, body)})


SEGMENTS = st.sampled_from(["a", "A", "b", "-", "skills", "plugins", ".x", ".a"])
FOLDERS = st.lists(SEGMENTS, min_size=1, max_size=4).map("/".join)
NAMES = st.sampled_from(["a", "b", "skills", "Title A", "unreadable"])
SKILLS = st.dictionaries(FOLDERS, st.tuples(NAMES, st.sampled_from(["1", "2"])), max_size=7)
PATHS = st.sampled_from(["a", "a/b", "b/a", "skills/a"])


@st.composite
def sources(draw: st.DrawFn) -> Drawn:
    skills = draw(SKILLS)
    folders = sorted({part for folder in skills for part in [folder, *prefixes(folder)]})
    mapped = (
        st.dictionaries(st.sampled_from(folders), PATHS, max_size=2) if folders else st.just({})
    )
    return Drawn(skills, draw(mapped))


def places(outline: Outline) -> dict[str, str | None]:
    """Skill path by directory, of copies too."""
    own = {tree.directory: tree.path for tree in outline.skills}
    return own | {copy: own[folder] for copy, folder in outline.originals.items()}


def is_refused(outline: Outline, folder: str) -> bool:
    return has_errors(outline.findings.get(folder, ()))


@given(sources())
def test_skills_that_are_not_refused_never_share_a_place(source: Drawn) -> None:
    outline = source.outline()
    good = [tree for tree in outline.skills if not is_refused(outline, tree.directory)]
    by_key = {collision_key(tree.path or ""): tree for tree in good}
    assert len(by_key) == len(good)
    for key, tree in by_key.items():
        for part in prefixes(key):
            outer = by_key.get(part)
            assert outer is None or is_inside(tree, outer)


def is_inside(tree: SkillTree, outer: SkillTree) -> bool:
    return any(tree.directory.startswith(f"{each}/") for each in [outer.directory, *outer.copies])


@given(sources())
def test_every_skill_has_a_flat_name_that_no_other_has(source: Drawn) -> None:
    outline = source.outline()
    names = [tree.flat_name for tree in outline.skills]
    assert None not in names
    assert len(set(names)) == len(names)


@given(sources())
def test_every_skill_md_is_that_of_a_skill_or_a_copy(source: Drawn) -> None:
    outline = source.outline()
    assert {*outline.by_directory} | {*outline.originals} == {*source.skills}
    assert outline.by_directory.keys().isdisjoint(outline.originals)


@given(sources(), st.data())
def test_the_order_of_the_listing_does_not_matter(source: Drawn, data: st.DataObject) -> None:
    memory = MemorySource(source.files())
    shuffled: list[Leaf] = data.draw(st.permutations(memory.leaves()))
    assert outline_in(memory, source.config, shuffled) == source.outline()


def clashing(outline: Outline) -> set[str]:
    """Directories of skills that another one moved or refused, copies included."""
    codes = {"skill-path-moved", "skill-path-collision"}
    met = {
        folder
        for folder, findings in outline.findings.items()
        if any(item.code in codes for item in findings)
    }
    return met | {copy for copy, folder in outline.originals.items() if folder in met}


@given(sources(), FOLDERS, NAMES)
@example(Drawn({"a/b": ("b", "1"), "skills/a": ("a", "1")}, {}), "plugins/a", "a")
def test_a_new_skill_moves_others_only_by_a_clash_or_from_around_them(
    source: Drawn, folder: str, name: str
) -> None:
    assume(folder not in source.skills)
    before, after = source.outline(), source.with_skill(folder, name, "new").outline()
    now = places(after)
    moved = {each for each, path in places(before).items() if now[each] != path}
    excused = clashing(before) | clashing(after) | {folder}
    assert {each for each in moved if excused.isdisjoint([each, *prefixes(each)])} == set()


@given(sources(), FOLDERS)
def test_to_mend_a_skill_under_the_name_of_its_directory_changes_no_place_and_no_flat_name(
    source: Drawn, folder: str
) -> None:
    refused = source.with_skill(folder, "unreadable", "refused").outline()
    fixed = source.with_skill(folder, base_name(folder), "fixed").outline()
    assert places(fixed) == places(refused)
    assert {tree.directory: tree.flat_name for tree in fixed.skills} == {
        tree.directory: tree.flat_name for tree in refused.skills
    }


@given(sources(), FOLDERS, NAMES)
def test_to_mend_a_skill_moves_others_only_by_a_clash_or_from_around_them(
    source: Drawn, folder: str, name: str
) -> None:
    before = source.with_skill(folder, "unreadable", "refused").outline()
    after = source.with_skill(folder, name, "fixed").outline()
    now = places(after)
    moved = {each for each, path in places(before).items() if now[each] != path}
    excused = clashing(before) | clashing(after) | {folder}
    assert {each for each in moved if excused.isdisjoint([each, *prefixes(each)])} == set()


def test_the_first_skill_outside_of_dot_directories_hides_those_inside() -> None:
    inside_files = {".claude/skills/a/SKILL.md": skill_md("a")}
    assert places(outline_in(MemorySource(inside_files))) == {".claude/skills/a": "a"}
    both = inside_files | {"skills/b/SKILL.md": skill_md("b")}
    assert places(outline_in(MemorySource(both))) == {"skills/b": "b"}


def copied(*folders: str, name: str = "x") -> dict[str, bytes]:
    """The same skill in several directories."""
    return {
        path: data
        for folder in folders
        for path, data in {
            f"{folder}/SKILL.md": skill_md(name),
            f"{folder}/docs/a.md": b"A",
            f"{folder}/i/SKILL.md": skill_md("n"),
        }.items()
    }


def test_directories_with_one_path_and_the_same_files_are_one_skill() -> None:
    files = copied("plugins/x", "skills/x", ".plugins/skills/x", "y/x")
    outline = outline_in(MemorySource(files), Config(roots=("**",)))
    assert {tree.directory: (tree.path, tree.copies, tree.outer) for tree in outline.skills} == {
        "plugins/x": ("x", ("skills/x", ".plugins/skills/x"), None),
        "plugins/x/i": ("x/i/n", ("skills/x/i", ".plugins/skills/x/i"), "plugins/x"),
        "y/x": ("y/x", (), None),
        "y/x/i": ("y/x/i/n", (), "y/x"),
    }
    assert not any(has_errors(findings) for findings in outline.findings.values())


def test_links_into_a_copy_lead_to_the_skill() -> None:
    outline = outline_in(MemorySource(copied("plugins/x", "skills/x")))
    directories = {
        path: (
            skill.directory if (skill := outline.skill_at(path)) else None,
            outline.original(path),
        )
        for path in ("skills/x", "skills/x/docs/a.md", "skills/x/i/z", "plugins/x/y", "skills/y")
    }
    assert directories == {
        "skills/x": ("plugins/x", "plugins/x"),
        "skills/x/docs/a.md": ("plugins/x", "plugins/x/docs/a.md"),
        "skills/x/i/z": ("plugins/x/i", "plugins/x/i/z"),
        "plugins/x/y": ("plugins/x", "plugins/x/y"),
        "skills/y": (None, "skills/y"),
    }


def test_an_inner_skill_that_is_mapped_is_no_copy_even_inside_of_one() -> None:
    files = copied("plugins/x", "skills/x")
    outline = outline_in(MemorySource(files), Config(paths={"skills/x/i": "z/n"}))
    assert places(outline) == {
        "plugins/x": "x",
        "plugins/x/i": "x/i/n",
        "skills/x": "x",
        "skills/x/i": "z/n",
    }
    inner = outline.skill_at("skills/x/i/SKILL.md")
    assert inner is not None
    assert (inner.directory, inner.outer) == ("skills/x/i", "plugins/x")


@pytest.mark.parametrize(
    ("change", "executable"),
    [({"skills/x/more": b""}, ""), ({"skills/x/docs/a.md": b"B"}, ""), ({}, "skills/x/docs/a.md")],
)
def test_another_path_bit_or_content_makes_another_skill(
    change: dict[str, bytes], executable: str
) -> None:
    files = copied("plugins/x", "skills/x") | change
    outline = outline_in(MemorySource(files, executable={executable}))
    assert outline.originals == {}
    assert [tree.path for tree in outline.skills] == [
        "plugins/x",
        "plugins/x/i/n",
        "skills/x",
        "skills/x/i/n",
    ]


def test_contents_with_object_ids_are_not_read() -> None:
    leaves = [
        Leaf(f"{folder}/SKILL.md", Kind.FILE, object_id)
        for folder, object_id in (("skills/a", "1"), ("plugins/a", "1"), ("skills/plugins/a", "2"))
    ]
    nothing = MemorySource({}, missing={leaf.path for leaf in leaves})
    outline = outline_in(nothing, leaves=leaves)
    assert {tree.directory: (tree.path, tree.copies) for tree in outline.skills} == {
        "plugins/a": ("plugins/a", ("skills/a",)),
        "skills/plugins/a": ("skills/plugins/a", ()),
    }


def test_copies_move_together_unless_one_has_the_whole_path() -> None:
    other = {"z/x/SKILL.md": skill_md("x", body="Other.")}
    files = copied("skills/x", "plugins/x") | {"plugins/skills/x/SKILL.md": skill_md("x", body="O")}
    assert places(outline_in(MemorySource(files))) == {
        "plugins/x": "plugins/x",
        "plugins/x/i": "plugins/x/i/n",
        "skills/x": "plugins/x",
        "skills/x/i": "plugins/x/i/n",
        "plugins/skills/x": "plugins/skills/x",
    }
    files = copied("skills/z/x", "z/x") | {"plugins/z/x/SKILL.md": skill_md("x", body="O")} | other
    files |= copied("z/x")
    assert places(outline_in(MemorySource(files)))["skills/z/x"] == "z/x"


def test_copies_are_as_firm_in_their_place_as_the_firmest_of_them() -> None:
    files = copied("a/x", "deep/down/x") | {"t/x/SKILL.md": skill_md("x", body="Other.")}
    mapped = Config(paths={"deep/down/x": "a/x", "t": "a"})
    outline = outline_in(MemorySource(files), mapped)
    assert [folder for folder in outline.by_directory if is_refused(outline, folder)] == ["t/x"]
    files = copied("skills/x", "x/n", name="n")
    files |= {"plugins/x/n/SKILL.md": skill_md("n", body="Other.")}
    assert places(outline_in(MemorySource(files))) == {
        "skills/x": "x/n",
        "skills/x/i": "x/n/i/n",
        "x/n": "x/n",
        "x/n/i": "x/n/i/n",
        "plugins/x/n": "plugins/x/n",
    }


MANY = range(5000)


@pytest.mark.parametrize(
    "folders",
    [
        [f"skills/s{number}" for number in MANY],
        # All of one path, before and after they take their whole directory.
        [f"{f'{number:b}'.replace('0', 'skills/').replace('1', 'plugins/')}x" for number in MANY],
        # Each inside all before it, in the source or by its path alone.
        ["/".join(["d"] * number) for number in range(1, 400)],
        ["/".join(["d"] * number) + "/skills/x/y/z" for number in range(1, 400)],
        # One above, many below.
        ["a", *(f"skills/a/s{number}" for number in MANY)],
        ["skills/a", *(f"a/s{number}/x" for number in MANY)],
    ],
    ids=["apart", "one path", "nested", "crossed", "below", "above"],
)
@pytest.mark.parametrize("object_id", ["{}", "same"])
@pytest.mark.nightly
def test_many_skills_are_placed_in_time_that_grows_with_their_number(
    folders: list[str], object_id: str
) -> None:
    leaves = [
        Leaf(f"{folder}/SKILL.md", Kind.FILE, object_id.format(number))
        for number, folder in enumerate(folders)
    ]
    nothing = MemorySource({}, missing={leaf.path for leaf in leaves})
    started = time.process_time()
    outline = outline_in(nothing, leaves=leaves)
    assert time.process_time() - started < 10
    assert len(outline.by_directory) + len(outline.originals) == len(folders)

"""Which SKILL.md are skills; every other one is reported with the reason."""

import pytest

from skillbuild.config import Config
from skillbuild.errors import ConfigError
from skillbuild.source import discovery
from skillbuild.source.tree import Kind, Leaf


def find(
    *paths: str, roots: tuple[str, ...] = (), exclude: tuple[str, ...] = ()
) -> discovery.Discovered:
    """`path` is a file, `path@` a link, `path/@` a submodule."""
    config = Config(roots=roots, exclude=exclude)
    return discovery.find([leaf(path) for path in paths], config)


def leaf(path: str) -> Leaf:
    if path.endswith("/@"):
        return Leaf(path[:-2], Kind.SUBMODULE)
    return Leaf(path[:-1], Kind.LINK) if path.endswith("@") else Leaf(path, Kind.FILE)


def test_a_skill_is_a_directory_with_a_skill_md_at_any_depth() -> None:
    discovered = find(
        "b/SKILL.md",
        "a/SKILL.md",
        "a/inner/SKILL.md",
        "plugins/x/skills/y/SKILL.md",
        "SKILL.md",
        "README.md",
        "c/SKILL.md.txt",
        "d/MY-SKILL.md",
        "e/xSKILL.md",
    )
    directories = ("", "a", "a/inner", "b", "plugins/x/skills/y")
    assert discovered == discovery.Discovered(directories, {}, ())


def test_dot_directories_are_passed_over_where_there_are_others() -> None:
    discovered = find("a/SKILL.md", ".claude/skills/b/SKILL.md", "c/.agents/skills/d/SKILL.md")
    assert discovered.directories == ("a",)
    assert discovered.ignored == {
        ".claude/skills/b/SKILL.md": "dot-directory",
        "c/.agents/skills/d/SKILL.md": "dot-directory",
    }


def test_dot_directories_with_skills_count_where_there_is_nothing_else() -> None:
    discovered = find(
        ".claude/skills/a/SKILL.md",
        ".agents/skills/b/SKILL.md",
        ".github/x/y/skills/c/SKILL.md",
        "apps/web/.claude/skills/d/SKILL.md",
        "skills/.curated/f/SKILL.md",
        ".cache/e/SKILL.md",
        "skills/.hidden/SKILL.md",
    )
    assert discovered.directories == (
        ".agents/skills/b",
        ".claude/skills/a",
        ".github/x/y/skills/c",
        "apps/web/.claude/skills/d",
        "skills/.curated/f",
    )
    assert discovered.ignored == {
        ".cache/e/SKILL.md": "dot-directory",
        "skills/.hidden/SKILL.md": "dot-directory",
    }


def test_an_excluded_skill_does_not_keep_dot_directories_out() -> None:
    discovered = find("tests/a/SKILL.md", ".claude/skills/b/SKILL.md", exclude=("tests/",))
    assert discovered.directories == (".claude/skills/b",)
    assert discovered.ignored == {"tests/a/SKILL.md": "excluded"}


def test_links_and_submodules_are_no_skills_and_are_reported() -> None:
    discovered = find("a/SKILL.md", "b/SKILL.md@", "c/SKILL.md/@", "CLAUDE.md@", "skills@", "lib/@")
    assert discovered.directories == ("a",)
    assert discovered.ignored == {"b/SKILL.md": "link", "c/SKILL.md": "submodule"}


def test_skills_inside_of_caches_are_ignored() -> None:
    discovered = find("a/SKILL.md", "node_modules/b/SKILL.md", "a/__pycache__/SKILL.md")
    assert discovered.directories == ("a",)
    assert discovered.ignored == {
        "node_modules/b/SKILL.md": "junk",
        "a/__pycache__/SKILL.md": "junk",
    }


@pytest.mark.parametrize(
    ("exclude", "left"),
    [
        (("tests/",), ["a", "b/fixtures/c", "template"]),
        (("tests/**",), ["a", "b/fixtures/c", "template"]),
        (("**/fixtures/**",), ["a", "template", "tests/x"]),
        (("fixtures",), ["a", "template", "tests/x"]),
        (("/template/SKILL.md",), ["a", "b/fixtures/c", "tests/x"]),
        (("t*",), ["a", "b/fixtures/c"]),
        (("/c/", "a/SKILL.md"), ["b/fixtures/c", "template", "tests/x"]),
        (("SKILL.md",), []),
        (("skill.md", "A"), ["a", "b/fixtures/c", "template", "tests/x"]),
    ],
)
def test_exclude_takes_globs_as_gitignore_does(exclude: tuple[str, ...], left: list[str]) -> None:
    paths = ("a/SKILL.md", "b/fixtures/c/SKILL.md", "template/SKILL.md", "tests/x/SKILL.md")
    discovered = find(*paths, exclude=exclude)
    assert list(discovered.directories) == left
    assert len(discovered.ignored) + len(left) == len(paths)
    assert set(discovered.ignored.values()) <= {"excluded"}


def test_roots_decide_where_skills_are_dot_directories_included() -> None:
    discovered = find(
        ".claude/skills/a/SKILL.md",
        "skills/b/SKILL.md",
        "skills/old/c/SKILL.md",
        "other/d/SKILL.md",
        roots=(".claude/skills/", "/skills/"),
        exclude=("old",),
    )
    assert discovered.directories == (".claude/skills/a", "skills/b")
    assert discovered.ignored == {
        "skills/old/c/SKILL.md": "excluded",
        "other/d/SKILL.md": "outside roots",
    }


def test_roots_that_match_nothing_give_no_skills() -> None:
    assert find(".claude/skills/a/SKILL.md", roots=("x/",)).directories == ()


def test_a_misspelled_skill_is_an_error_where_it_would_have_been_a_skill() -> None:
    discovered = find(
        "a/skill.md",
        "b/Skill.md",
        "b/SKILL.md",
        "c/SKILL.MD@",
        "tests/d/skill.md",
        ".github/skills/e/skill.md",
        "node_modules/f/skill.md",
        "g/my-skill.md",
        "skill.md",
        exclude=("tests",),
    )
    assert [(item.code, item.path, item.hint) for item in discovered.misspelled] == [
        (
            "skill-file-case",
            "a/skill.md",
            "git mv ./a/skill.md ./a/SKILL.md || mv ./a/skill.md ./a/SKILL.md",
        ),
        ("skill-file-case", "skill.md", "git mv ./skill.md ./SKILL.md || mv ./skill.md ./SKILL.md"),
    ]


@pytest.mark.parametrize("glob", ["[z-a]", "\\"])
def test_a_glob_that_cannot_be_read_is_named(glob: str) -> None:
    for config in (Config(exclude=(glob,)), Config(roots=(glob,))):
        with pytest.raises(
            ConfigError,
            match=r"^invalid glob in roots, exclude, plugins, trust or \[\[ignore\]\]: ",
        ):
            discovery.find([], config)


def test_outputs_inside_the_source_are_not_read() -> None:
    written = [
        "out/catalog.json",
        "out/blobs/sha256/aa",
        "out/.well-known/skills/a/SKILL.md",
        "docs/catalog.json",
        "docs/b/SKILL.md",
    ]
    leaves = [Leaf(path, Kind.FILE) for path in written]
    remaining, ignored = discovery.without_outputs(leaves)
    assert [leaf.path for leaf in remaining] == ["docs/catalog.json", "docs/b/SKILL.md"]
    assert ignored == {"out/.well-known/skills/a/SKILL.md": "output"}

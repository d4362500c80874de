"""Skills below dot-directories that are left out, and the line that brings them back."""

import re

import pytest

from helpers.support import MemorySource, check, outline_in, skill_md
from skillbuild.diagnostics import Finding
from skillbuild.source import tree

HIDDEN = (
    ".github/skills/x",
    ".github/plugins/p/skills/y",
    "apps/web/.claude/skills/z",
    "skills/.curated/w",
    "odd[1]*/.agents/skills/v",
    ".x?y\\/skills/u",
)
FOUND = ("skills/hello", "skills/with space", "plugins/a/skills/b", "odd[1]*/t")


def files_of(*directories: str) -> dict[str, bytes]:
    return {
        f"{directory}/SKILL.md": skill_md(f"s{number}")
        for number, directory in enumerate(directories)
    }


def hidden_in(files: dict[str, bytes]) -> list[Finding]:
    source = MemorySource(files)
    findings = check(source, tree.read_config(source, source.leaves())).findings
    return [item for item in findings if item.code == "skills-hidden"]


def directories_in(files: dict[str, bytes]) -> set[str]:
    source = MemorySource(files)
    return set(outline_in(source, tree.read_config(source, source.leaves())).by_directory)


@pytest.mark.parametrize("many", [0, 4, 5, 6, 40])
def test_the_line_in_the_hint_brings_back_all_that_is_hidden(many: int) -> None:
    found = [*FOUND, *(f"top{number}/s" for number in range(many))]
    hidden = [*HIDDEN, *(f"apps/{number}/.claude/skills/a" for number in range(many))]
    files = files_of(*found, *hidden)
    assert directories_in(files) == {*found}
    (item,) = hidden_in(files)
    assert item.message.startswith(f"{len(hidden)} skills in dot-directories are left out")
    assert {place.path for place in item.places} == {f"{each}/SKILL.md" for each in hidden}
    line = re.search(r"roots = \[.*\](?= in skillbuild\.toml)", item.hint)
    assert line is not None
    files["skillbuild.toml"] = line[0].encode()
    assert directories_in(files) == {*found, *hidden}
    assert hidden_in(files) == []


def test_one_skill_that_hides_many_is_told_with_their_number_and_folders() -> None:
    hidden = [f".github/skills/s{number}" for number in range(165)]
    assert hidden_in(files_of(*hidden)) == []
    (item,) = hidden_in(files_of(*hidden, "skills/hello"))
    assert item.message == (
        "165 skills in dot-directories are left out because there are skills elsewhere:"
        " .github/ (165)"
    )
    assert item.hint == (
        'to publish them, set roots = ["/skills/", "/.github/"] in skillbuild.toml;'
        " otherwise, exclude them"
    )


def test_a_dot_directory_below_a_folder_with_skills_is_covered_by_it() -> None:
    files = files_of("python/a", "python/.github/skills/b", ".github/skills/c")
    (item,) = hidden_in(files)
    assert 'set roots = ["/python/", "/.github/"] in skillbuild.toml' in item.hint


def test_the_line_for_a_skill_at_the_top_is_that_of_the_hidden_ones() -> None:
    files = {"SKILL.md": skill_md("top"), **files_of(".claude/skills/a", ".claude/skills/b")}
    (item,) = hidden_in(files)
    assert 'set roots = ["/.claude/"] in skillbuild.toml' in item.hint
    files["skillbuild.toml"] = b'roots = ["/.claude/"]'
    assert directories_in(files) == {".claude/skills/a", ".claude/skills/b"}


def test_what_nobody_misses_is_not_told() -> None:
    own = {
        "a/SKILL.md": skill_md("a"),
        "a/x.md": b"X.",
        "b/SKILL.md": skill_md("b"),
        "b/.claude/skills/template/SKILL.md": skill_md("template"),
    }
    copies = {f".agents/skills/{path}": data for path, data in own.items()}
    not_meant = {
        ".cache/x/SKILL.md": b"",
        "docs/.claude/SKILL.md": b"",
        ".claude/agents/SKILL.md": b"",
    }
    assert hidden_in({**own, **copies, **not_meant}) == []
    (item,) = hidden_in({**own, **copies, ".agents/skills/a/x.md": b"Y."})
    assert (item.path, item.others) == (".agents/skills/a/SKILL.md", ())

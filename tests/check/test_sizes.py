"""How large a skill can be: which listings it is in, and what a finding says about its folders."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.support import MemorySource, check, outline_in
from skillbuild.check.sizes import largest_folder
from skillbuild.check.skill import check_skill
from skillbuild.config import Config, Limits
from skillbuild.diagnostics import Finding
from skillbuild.source import outline, tree

MIB = 2**20
MAIN = b"---\nname: a\ndescription: Does one thing.\n---\nDo it.\n"


def skill_of(count: int, size: int, folder: str = "") -> MemorySource:
    """A skill of so many files with so many bytes in all; all but SKILL.md are in a folder."""
    files = {"s/a/SKILL.md": MAIN}
    files |= {f"s/a/{folder}{number}.png": b"" for number in range(count - 1)}
    whole, rest = divmod(size - len(MAIN), MIB)
    sizes = [MIB] * whole + [rest]
    files |= {f"s/a/{folder}{number}.png": bytes(each) for number, each in enumerate(sizes)}
    return MemorySource(files)


def findings(source: MemorySource, config: Config | None = None) -> list[Finding]:
    return [*check(source, config or Config()).findings]


def unlisted(source: MemorySource) -> set[str]:
    """The listings that leave out the one skill of a source."""
    planned = outline_in(source)
    with source.reader() as reader:
        [skill] = planned.skills
        return set(check_skill(skill, planned, reader, Config()).unlisted)


MCP = {"mcp"}
DISCOVERY = {"mcp", "discovery-0.1", "discovery-0.2"}


@pytest.mark.parametrize(
    ("count", "size", "code", "listings"),
    [
        (512, 16 * MIB, None, set()),
        (513, 9999, "skill-large", MCP),
        (17, 16 * MIB + 1, "skill-large", MCP),
        (1000, 50 * MIB, "skill-large", MCP),
        (1001, 9999, "skill-very-large", DISCOVERY),
        (51, 50 * MIB + 1, "skill-very-large", DISCOVERY),
        (10_000, 100 * MIB, "skill-very-large", DISCOVERY),
        (10_001, 9999, "too-many-files", None),
        (101, 100 * MIB + 1, "skill-too-large", None),
    ],
)
def test_each_step_is_met_exactly(
    count: int, size: int, code: str | None, listings: set[str] | None
) -> None:
    source = skill_of(count, size)
    assert len(source.files) == count or code in ("skill-very-large", "skill-large")
    assert [item.code for item in findings(source)] == ([code] if code else [])
    if listings is not None:
        assert unlisted(source) == listings


def test_the_settings_lower_the_limits_of_refusal_and_not_the_steps() -> None:
    assert (Limits().files, Limits().bytes) == (10_000, 100 * MIB)
    source = skill_of(600, 9999)
    lower = Config(limits=Limits(files=599))
    assert [item.code for item in findings(source, lower)] == ["too-many-files"]
    enough = Config(limits=Limits(files=600))
    assert [item.code for item in findings(source, enough)] == ["skill-large"]


def test_a_refused_skill_is_not_read() -> None:
    large = skill_of(10_001, 9999)
    damaged = replace(large, damaged=set(large.files) - {"s/a/SKILL.md"})
    assert [item.code for item in findings(damaged)] == ["too-many-files"]


def excluded(source: MemorySource, hint: str) -> MemorySource:
    """The same source with the setting that a hint says."""
    start = hint.index("set exclude = ") + len("set ")
    setting = hint[start : hint.index(" in skillbuild.toml")]
    return replace(source, files={**source.files, "skillbuild.toml": setting.encode()})


def checked(source: MemorySource) -> list[str]:
    config = tree.read_config(source, source.leaves())
    return [item.code for item in findings(source, config)]


@pytest.mark.parametrize(
    ("folder", "named", "is_output"),
    [
        ("target/", "target", True),
        ("crate/target/debug/deps/", "crate/target", True),
        ("data/deep/", "data/deep", False),
        ("odd {x} [y]/", "odd {x} [y]", False),
    ],
)
@pytest.mark.parametrize(
    ("count", "size", "amount"), [(10_001, 9999, "10,000 files"), (3, 101 * MIB, "bytes")]
)
def test_the_largest_folder_is_named_and_the_hint_excludes_it(
    folder: str, named: str, is_output: bool, count: int, size: int, amount: str
) -> None:
    source = skill_of(count, size, folder)
    [item] = findings(source)
    assert item.code == ("too-many-files" if count > 3 else "skill-too-large")
    assert f"; {named}/ contains " in item.message
    assert item.message.endswith(amount)
    assert item.hint.startswith(f"{named}/ looks like build output: set exclude") is is_output
    assert checked(excluded(source, item.hint)) == []


def test_a_skill_of_one_folder_has_a_hint_without_one() -> None:
    [item] = findings(skill_of(10_001, 9999))
    assert item.message == "10,001 files; the limit is 10,000"
    hint = "split the skill, pack its data into one file, or have it download large files"
    assert item.hint == hint


def test_what_clients_do_with_a_large_skill_is_said() -> None:
    messages = [findings(skill_of(count, 9999, "x/"))[0].message for count in (513, 1001)]
    clients = (
        "MCP clients refuse a skill with more than 512 files or 16 MiB",
        "npx skills drops a skill with more than 1,000 files or 50 MiB",
    )
    assert messages == [
        f"513 files and 9,999 bytes; {clients[0]}; x/ contains 512 files",
        f"1,001 files and 9,999 bytes; {clients[1]}; x/ contains 1,000 files",
    ]


@pytest.mark.parametrize(
    ("weights", "largest"),
    [
        ({"SKILL.md": 5}, None),
        ({"a/x": 3, "b/x": 3, "c/x": 3}, ("a", 3)),
        ({"a/b/x": 6, "a/c/x": 3, "d": 1}, ("a/b", 6)),
        ({"a/b/x": 4, "a/c/x": 4, "d": 1}, ("a", 8)),
        ({"build/target/x": 6, "a": 1}, ("build", 6)),
        ({"a/x": 0}, ("a", 0)),
    ],
)
def test_the_folder_that_weighs_most(
    weights: dict[str, int], largest: tuple[str, int] | None
) -> None:
    assert largest_folder(weights.items()) == largest


PATHS = st.lists(st.sampled_from(["a", "b", "target"]), min_size=1, max_size=4).map("/".join)


@given(st.dictionaries(PATHS, st.integers(0, 9)))
def test_the_largest_folder_holds_what_is_said(weights: dict[str, int]) -> None:
    found = largest_folder(weights.items())
    assert (found is None) is not any("/" in path for path in weights)
    if found is not None:
        folder, weight = found
        assert weight == sum(weights[path] for path in weights if path.startswith(f"{folder}/"))


POINTER = (
    b"version https://git-lfs.github.com/spec/v1\n"
    b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
)


@pytest.mark.parametrize(
    ("pointers", "others", "globs"),
    [
        (["x.bin"], [], ["/s/a/x.bin"]),
        (["img/a.png", "img/b.png", "c.png"], ["img/x.svg"], ["/s/a/img/*.png", "/s/a/c.png"]),
        (["img/a.png", "img/b.png"], ["img/c.png"], ["/s/a/img/a.png", "/s/a/img/b.png"]),
        (
            ["model [1].bin", "LICENSE", "NOTICE"],
            [],
            [
                "/s/a/LICENSE",
                "/s/a/NOTICE",
                "/s/a/model ?1?.bin",
            ],
        ),
    ],
)
def test_the_hint_about_pointers_excludes_these_files_and_no_other(
    pointers: list[str], others: list[str], globs: list[str]
) -> None:
    files = {"s/a/SKILL.md": MAIN, **{f"s/a/{path}": POINTER for path in pointers}}
    files |= {f"s/a/{path}": b"\x89PNG" for path in others}
    source = MemorySource(files)
    [item] = [each for each in findings(source) if each.is_error]
    assert (item.code, len(item.places)) == ("file-lfs", len(pointers))
    named = item.hint.partition("[")[2].partition("] in skillbuild.toml")[0]
    assert sorted(named.split(", ")) == sorted(f'"{glob}"' for glob in globs)
    fixed = excluded(source, item.hint)
    assert "file-lfs" not in checked(fixed)
    planned = outline_in(fixed, tree.read_config(fixed, fixed.leaves()))
    [skill] = planned.skills
    assert {skill.relative(leaf) for leaf in skill.leaves} == {"SKILL.md", *others}


@pytest.mark.parametrize(
    ("links", "globs"),
    [
        (["CLAUDE.md"], '"/s/a/CLAUDE.md"'),
        (["tests/x/CLAUDE.md"], '"/s/a/tests/x/CLAUDE.md"'),
        (["CLAUDE.md", "ref/a.md", "ref/b.md"], '"/s/a/CLAUDE.md", "/s/a/ref/*.md"'),
    ],
)
def test_the_hint_about_links_excludes_them_and_no_other_file(links: list[str], globs: str) -> None:
    kept = ["SKILL.md", "AGENTS.md", "ref/c.txt"]
    files = {f"s/a/{path}": MAIN if path == "SKILL.md" else b"Text.\n" for path in kept}
    source = MemorySource(files, links=[f"s/a/{path}" for path in links])
    [item] = findings(source)
    assert (item.code, len(item.places)) == ("file-link", len(links))
    copy = "replace the link with a copy of the file"
    assert item.hint == f"{copy}, or set exclude = [{globs}] in skillbuild.toml"
    fixed = excluded(source, item.hint)
    assert checked(fixed) == []
    [skill] = outline_in(fixed, tree.read_config(fixed, fixed.leaves())).skills
    assert {skill.relative(leaf) for leaf in skill.leaves} == {*kept}


def test_equal_files_of_a_source_are_counted_once_and_refused_skills_not_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outline, "MOST_BYTES", 2 * MIB)
    half = {f"s/{name}/x.png": bytes(MIB // 2) for name in "abcd"}
    mains = {
        f"s/{name}/SKILL.md": MAIN.replace(b"name: a", b"name: %b" % name.encode())
        for name in "abcd"
    }
    large = {"s/e/SKILL.md": MAIN.replace(b"name: a", b"name: e"), "s/e/x.png": bytes(3 * MIB)}
    [item] = findings(MemorySource({**half, **mains}))
    assert (item.code, item.path) == ("source-too-large", ".")
    assert "the largest is s/" in item.message
    limited = Config(limits=Limits(bytes=MIB * 2))
    left = {path: data for path, data in {**half, **mains, **large}.items() if "/d/" not in path}
    assert [each.code for each in findings(MemorySource(left), limited)] == ["skill-too-large"]

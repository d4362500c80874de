"""The changes between two releases, and how they are rendered."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from helpers import facts
from skillbuild.model import (
    Catalog,
    Deprecation,
    Digest,
    Entry,
    Facts,
    Json,
    RunFact,
    RunKind,
    Unlisted,
    changed,
)
from skillbuild.release.compare import FileChange, Read, SkillChange, compare_catalogs
from skillbuild.release.entry import skill_digest
from skillbuild.report.changes import changes_summary, render_changes
from skillbuild.report.json_reports import changes_from_json

Files = Mapping[str, bytes]
OLD, NEW = Digest.of(b"old"), Digest.of(b"new")
HOSTILE = "`x` **b**\n## no\n::error::no <script> | @all \x1b[31m"


def entry(path: str, files: Files, programs: tuple[str, ...] = (), tools: str = "") -> Entry:
    frontmatter: dict[str, Json] = {"name": path, "description": "Does."}
    if tools:
        frontmatter["allowed-tools"] = tools
    resources = tuple(
        facts.resource(path, name, Digest.of(data), len(data), executable=x)
        for name, data in sorted(files.items())
        for x in [name in programs]
    )
    digest = skill_digest(resources)
    return facts.entry(path, frontmatter=frontmatter, resources=resources, skill_digest=digest)


def changes(old: list[tuple[Entry, Files]], new: list[tuple[Entry, Files]]) -> list[SkillChange]:
    """Compare two catalogs of entries, each given with the bytes of its files."""

    def side(entries: list[tuple[Entry, Files]]) -> tuple[Catalog, dict[Digest, bytes]]:
        held = tuple(item for item, _ in entries)
        blobs = {Digest.of(data): data for _, files in entries for data in files.values()}
        catalog = Catalog("0" * 40, "0" * 40, "T", "", None, None, (), held)
        return catalog, blobs

    (before, old_blobs), (after, new_blobs) = side(old), side(new)
    return list(compare_catalogs(before, after, reader(old_blobs), reader(new_blobs)))


def reader(blobs: Mapping[Digest, bytes]) -> Read:
    return lambda file: blobs.get(file.digest)


def skill(
    path: str, files: Files, programs: tuple[str, ...] = (), tools: str = ""
) -> tuple[Entry, Files]:
    return entry(path, files, programs, tools), files


PDF: Files = {"SKILL.md": b"Fill the form.\n", "a.txt": b"a\n"}


def test_the_same_release_has_no_changes() -> None:
    assert changes([skill("pdf", PDF)], [skill("pdf", PDF)]) == []


def test_an_added_skill_has_all_its_files_and_tokens() -> None:
    now = skill("pdf", PDF)
    assert changes([], [now]) == [
        facts.skill_change(
            kind="added",
            path="pdf",
            old_path=None,
            old_digest=None,
            new_digest=now[0].skill_digest,
            files=(
                FileChange("SKILL.md", None, Digest.of(PDF["SKILL.md"])),
                FileChange("a.txt", None, Digest.of(b"a\n")),
            ),
            tokens=4,
        )
    ]


def test_a_skill_that_gave_its_path_to_another_has_moved() -> None:
    moved = (changed(entry("skills/pdf", PDF), directory="skills/pdf"), PDF)
    other: Files = {"SKILL.md": b"Another skill.\n"}
    before = (changed(entry("pdf", PDF), directory="skills/pdf"), PDF)
    after = (changed(entry("pdf", other), directory="plugins/pdf"), other)
    assert [
        (change.kind, change.old_path, change.path) for change in changes([before], [after, moved])
    ] == [("added", None, "pdf"), ("renamed", "pdf", "skills/pdf")]


def test_a_directory_with_another_path_has_moved_whatever_it_holds() -> None:
    new: Files = {"SKILL.md": b"All new.\n"}
    before = (changed(entry("pdf", PDF), directory="skills/pdf"), PDF)
    after = (changed(entry("pdf/fill", new), directory="skills/pdf"), new)
    assert [
        (change.kind, change.old_path, change.path) for change in changes([before], [after])
    ] == [("renamed", "pdf", "pdf/fill")]


def test_a_removed_skill_keeps_its_last_digest() -> None:
    was = skill("pdf", PDF)
    assert changes([was], []) == [
        facts.skill_change(
            kind="removed",
            path="pdf",
            old_path=None,
            old_digest=was[0].skill_digest,
            new_digest=None,
            files=(
                FileChange("SKILL.md", Digest.of(PDF["SKILL.md"]), None),
                FileChange("a.txt", Digest.of(b"a\n"), None),
            ),
            reason="removed",
        )
    ]


def test_a_changed_skill_names_the_files_that_differ() -> None:
    was = skill("pdf", {**PDF, "gone.txt": b"g", "same.txt": b"s"})
    text = b"Fill the form.\nThen stop.\n"
    now = skill("pdf", {**PDF, "SKILL.md": text, "same.txt": b"s", "new.txt": b"n"})
    assert changes([was], [now]) == [
        facts.skill_change(
            kind="changed",
            path="pdf",
            old_path="pdf",
            old_digest=was[0].skill_digest,
            new_digest=now[0].skill_digest,
            files=(
                FileChange("SKILL.md", Digest.of(PDF["SKILL.md"]), Digest.of(text)),
                FileChange("gone.txt", Digest.of(b"g"), None),
                FileChange("new.txt", None, Digest.of(b"n")),
            ),
            tokens=3,
        )
    ]


def test_a_skill_that_moved_is_renamed_and_has_no_file_changes() -> None:
    was, now = skill("pdf", PDF), skill("acme/pdf", PDF)
    digest = was[0].skill_digest
    assert changes([was], [now]) == [
        facts.skill_change("renamed", "acme/pdf", "pdf", digest, digest)
    ]


def test_a_skill_with_another_name_and_the_same_instructions_is_renamed() -> None:
    body = "---\nname: {}\ndescription: Does.\n---\n\nFill the form.\n"
    was = skill("pdf", {**PDF, "SKILL.md": body.format("pdf").encode()})
    now = skill("forms", {"SKILL.md": body.format("forms").encode(), "b.txt": b"b\n"})
    (change,) = changes([was], [now])
    assert (change.kind, change.path, change.old_path) == ("renamed", "forms", "pdf")
    assert [file.path for file in change.files] == ["SKILL.md", "a.txt", "b.txt"]


@pytest.mark.parametrize("body", ["", "---\nname: x\n---\n", "---\nname: x\n---\n \n"])
def test_skills_without_instructions_are_not_renamed(body: str) -> None:
    was = skill("pdf", {**PDF, "SKILL.md": body.encode()})
    now = skill("forms", {"SKILL.md": body.encode(), "b.txt": b"b\n"})
    assert [change.kind for change in changes([was], [now])] == ["added", "removed"]


def test_instructions_that_several_skills_share_do_not_make_a_rename() -> None:
    text = b"---\nname: x\n---\nFill the form.\n"
    was = [skill("a", {"SKILL.md": text, "1": b"1"}), skill("b", {"SKILL.md": text, "2": b"2"})]
    now = [skill("c", {"SKILL.md": text, "3": b"3"})]
    assert [(change.kind, change.path) for change in changes(was, now)] == [
        ("removed", "a"),
        ("removed", "b"),
        ("added", "c"),
    ]


def test_a_skill_that_leaves_the_listing_is_changed() -> None:
    held, files = skill("pdf", PDF)
    hidden = changed(held, unlisted={"mcp": ("uri-too-long",)})
    (change,) = changes([(held, files)], [(hidden, files)])
    assert (change.kind, change.files, change.signals, change.tokens) == ("changed", (), (), 0)
    assert (change.unlisted.old, change.unlisted.new) == ({}, {"mcp": ("uri-too-long",)})
    assert change.is_of_listing
    (back,) = changes([(hidden, files)], [(held, files)])
    assert (back.unlisted.old, back.unlisted.new) == ({"mcp": ("uri-too-long",)}, {})


def test_allowed_tools_are_compared_individually() -> None:
    was = skill("pdf", PDF, tools="Read, Bash(git add:*)")
    now = skill("pdf", {**PDF, "b": b""}, tools="Bash(git add:*) Bash(git commit:*) Read")
    (change,) = changes([was], [now])
    assert change.signals == ("allowed-tools: Bash(git commit:*)",)
    listed = changed(now[0], frontmatter={"name": "pdf", "allowed-tools": ["Read", "Write"]})
    (change,) = changes([was], [(listed, now[1])])
    assert change.signals == ("allowed-tools: Write",)


def test_a_file_that_is_no_longer_executable_is_a_signal() -> None:
    was = skill("pdf", {**PDF, "gone": b"g"}, programs=("a.txt", "gone"))
    (change,) = changes([was], [skill("pdf", PDF)])
    assert change.signals == ("no longer executable: a.txt",)


def test_a_copy_of_a_skill_that_stays_is_added() -> None:
    result = changes([skill("pdf", PDF)], [skill("copy", PDF), skill("pdf", PDF)])
    assert [(change.kind, change.path, change.old_path) for change in result] == [
        ("added", "copy", None)
    ]


def test_a_removed_skill_is_renamed_to_one_new_skill_only() -> None:
    result = changes([skill("pdf", PDF)], [skill("x", PDF), skill("y", PDF)])
    assert [(change.kind, change.path) for change in result] == [("renamed", "x"), ("added", "y")]


def test_changes_are_sorted_by_skill_path() -> None:
    other: Files = {"SKILL.md": b"Other.\n"}
    result = changes(
        [skill("b", PDF), skill("d", {**PDF, "x": b"x"})],
        [skill("a", other), skill("b", {**PDF, "y": b"y"}), skill("c", {"SKILL.md": b"C\n"})],
    )
    assert [(change.kind, change.path) for change in result] == [
        ("added", "a"),
        ("changed", "b"),
        ("added", "c"),
        ("removed", "d"),
    ]


def test_an_exec_bit_alone_is_a_change_and_a_signal() -> None:
    result = changes([skill("pdf", PDF)], [skill("pdf", PDF, programs=("a.txt",))])
    assert [(change.kind, change.files, change.signals) for change in result] == [
        ("changed", (), ("newly executable: a.txt",))
    ]


def test_what_a_skill_does_now_and_more_tools_are_signals() -> None:
    was, was_files = skill("pdf", PDF, programs=("a.txt",), tools="Read Bash(git:*)")
    now, files = skill(
        "pdf", {**PDF, "b": b"2"}, programs=("a.txt", "b"), tools="Read Bash(git:*) Write"
    )
    reaches, installs = RunKind.REACHES, RunKind.INSTALLS
    known = RunFact(reaches, "", "SKILL.md", 1, host="known.dev")
    runs = (
        RunFact(RunKind.DOWNLOAD, "", "b", 1, host="new.dev"),
        RunFact(reaches, "", "b", 1, host="new.dev"),
        known,
        RunFact(reaches, "", "b", 2, host="bad.dev", not_to_do=True),
        RunFact(RunKind.DECODED, "", "b", 2, not_to_do=True),
        RunFact(installs, "pip", "b", 3),
        RunFact(RunKind.PROGRAM, "gh", "b", 3),
        RunFact(RunKind.NAMES, "", "b", 4, host="link.dev"),
    )
    (change,) = changes(
        [(changed(was, facts=Facts(runs=(known,))), was_files)],
        [(changed(now, facts=Facts(runs=runs)), files)],
    )
    assert change.signals == (
        "newly executable: b",
        "now runs what it downloads from new.dev",
        "now reaches new.dev",
        "now warns against a command that runs what it decodes",
        "now installs pip packages",
        "allowed-tools: Write",
    )


def test_files_whose_bytes_are_missing_are_compared_by_digest_alone() -> None:
    was, now = entry("pdf", PDF), entry("pdf", {**PDF, "a.txt": b"b\n"})
    empty = Catalog("0" * 40, "0" * 40, "T", "", None, None, (), ())
    (skill_change,) = compare_catalogs(
        _with(empty, was), _with(empty, now), lambda file: None, lambda file: None
    )
    assert [change.path for change in skill_change.files] == ["a.txt"]
    assert (skill_change.signals, skill_change.tokens) == ((), 0)


def _with(catalog: Catalog, item: Entry) -> Catalog:
    return Catalog(catalog.commit, catalog.tree, "T", "", None, None, (), (item,))


CHANGES = [
    facts.skill_change(
        "added", "new", None, None, NEW, files=(FileChange("SKILL.md", None, NEW),), tokens=1200
    ),
    facts.skill_change(
        "changed",
        "pdf",
        "pdf",
        OLD,
        NEW,
        files=(FileChange("a", OLD, NEW), FileChange("b", None, NEW), FileChange("c", OLD, None)),
        signals=("newly executable: a",),
        tokens=-7,
    ),
    facts.skill_change("renamed", "to", "from", OLD, OLD),
    facts.skill_change("removed", "gone", None, OLD, None),
]


def test_as_text() -> None:
    assert render_changes(CHANGES, "text") == (
        "added    new, +1,200 tokens\n"
        "changed  pdf, -7 tokens\n"
        f"    ~ a {OLD.short} -> {NEW.short}\n"
        f"    + b none -> {NEW.short}\n"
        f"    - c {OLD.short} -> none\n"
        "    ! newly executable: a\n"
        "renamed  to (was from)\n"
        "removed  gone\n"
        "1 added, 1 changed, 1 renamed, 1 removed"
    )


def test_as_markdown() -> None:
    assert render_changes(CHANGES, "markdown") == (
        "**1 added, 1 changed, 1 renamed, 1 removed**\n"
        "\n"
        "#### Look twice\n"
        "\n"
        "- `pdf`: `newly executable: a`\n"
        "\n"
        "#### New\n"
        "\n"
        "- `new`, +1,200 tokens\n"
        "\n"
        "#### Changed\n"
        "\n"
        "- `pdf`, -7 tokens\n"
        f"  - ~ `a` {OLD.short} -> {NEW.short}\n"
        f"  - + `b` none -> {NEW.short}\n"
        f"  - - `c` {OLD.short} -> none\n"
        "\n"
        "#### Moved\n"
        "\n"
        "- `to`, was `from`\n"
        "\n"
        "#### Removed\n"
        "\n"
        "- `gone`"
    )


def test_as_json() -> None:
    value = json.loads(render_changes(CHANGES, "json"))
    assert value["changes"][1] == {
        "kind": "changed",
        "path": "pdf",
        "oldPath": "pdf",
        "oldDigest": str(OLD),
        "newDigest": str(NEW),
        "files": [
            {"path": "a", "oldDigest": str(OLD), "newDigest": str(NEW)},
            {"path": "b", "oldDigest": None, "newDigest": str(NEW)},
            {"path": "c", "oldDigest": str(OLD), "newDigest": None},
        ],
        "signals": ["newly executable: a"],
        "tokens": -7,
        "unlisted": {"old": {}, "new": {}},
        "deprecated": {"old": None, "new": None},
    }
    assert [change["kind"] for change in value["changes"]] == [
        "added",
        "changed",
        "renamed",
        "removed",
    ]


REPLACED, UNUSED = Deprecation("replaced.", "pay"), Deprecation("nobody uses it", None)
DEPRECATING = [
    ("changed", OLD, None, REPLACED, "deprecated", ["deprecated: replaced; use pay"]),
    ("changed", NEW, None, UNUSED, "changed", ["deprecated: nobody uses it"]),
    ("changed", OLD, REPLACED, UNUSED, "changed", ["deprecated: nobody uses it"]),
    ("changed", OLD, REPLACED, None, "changed", ["no longer deprecated"]),
    ("renamed", OLD, None, UNUSED, "renamed", ["deprecated: nobody uses it"]),
    ("added", NEW, None, UNUSED, "added", ["deprecated: nobody uses it"]),
    ("removed", None, UNUSED, None, "removed", []),
    ("changed", NEW, UNUSED, UNUSED, "changed", []),
]
HEADS = {"added": "New", "changed": "Changed", "renamed": "Moved", "removed": "Removed"}


@pytest.mark.parametrize(("kind", "digest", "old", "new", "what", "words"), DEPRECATING)
def test_a_skill_that_should_not_be_used_any_more_is_rendered(
    kind: str,
    digest: Digest | None,
    old: Deprecation | None,
    new: Deprecation | None,
    what: str,
    words: list[str],
) -> None:
    change = facts.skill_change(
        kind, "a", "a", OLD, digest, old_deprecated=old, new_deprecated=new, signals=("x",)
    )
    head, *inner, _, last = render_changes([change], "text").splitlines()
    assert (head.split()[:2], inner) == ([what, "a"], [f"    {each}" for each in words])
    assert last == f"1 {what}"
    lines = render_changes([change], "markdown").splitlines()
    assert f"#### {HEADS.get(what, 'Deprecated')}" in lines
    assert [line for line in lines if line.startswith("  - ")] == [
        f"  - `{each}`" for each in words
    ]
    written = json.loads(render_changes([change], "json"))
    assert written["changes"][0]["kind"] == kind
    assert changes_from_json(json.dumps(written)) == (change,)


def test_a_deprecation_alone_is_a_change() -> None:
    was, files = skill("pdf", PDF)
    (change,) = changes([(was, files)], [(changed(was, deprecated=REPLACED), files)])
    assert (change.kind, change.what) == ("changed", "deprecated")
    assert (change.deprecated.old, change.deprecated.new) == (None, REPLACED)


INTERNAL = {"mcp": ("internal",), "index": ("internal",)}
TYPED = {"mcp": ("metadata-type",)}
PLAIN = {"discovery-0.1": ("discovery-omitted",)}
MCP = "the MCP list"

LISTINGS = [
    ("added", {}, INTERNAL, ["internal, so not in any listing"]),
    ("added", {}, TYPED, [f"not in {MCP}: metadata-type"]),
    ("changed", {}, INTERNAL, ["internal, so not in any listing"]),
    ("changed", INTERNAL, {**INTERNAL, "site": ("internal",)}, []),
    ("changed", INTERNAL, {}, ["no longer internal"]),
    ("changed", INTERNAL, TYPED, ["no longer internal", f"not in {MCP}: metadata-type"]),
    ("changed", {}, TYPED, [f"no longer in {MCP}: metadata-type"]),
    ("changed", TYPED, {}, [f"now in {MCP}"]),
    ("changed", TYPED, {"mcp": ("x", "y")}, [f"not in {MCP}: x, y"]),
    (
        "renamed",
        PLAIN,
        TYPED,
        [f"no longer in {MCP}: metadata-type", "now in discovery v0.1 (OpenCode)"],
    ),
    ("changed", TYPED, TYPED, []),
    ("removed", TYPED, {}, []),
]


@pytest.mark.parametrize(("kind", "old", "new", "wanted"), LISTINGS)
def test_a_change_of_the_listing_is_rendered(
    kind: str, old: Unlisted, new: Unlisted, wanted: list[str]
) -> None:
    change = facts.skill_change(kind, "a", "a", OLD, NEW, old_unlisted=old, new_unlisted=new)
    assert [line.strip() for line in render_changes([change], "text").splitlines()[1:-1]] == wanted
    lines = render_changes([change], "markdown").splitlines()
    assert [line for line in lines if line.startswith("  - ")] == [
        f"  - `{each}`" for each in wanted
    ]
    (written,) = json.loads(render_changes([change], "json"))["changes"]
    assert written["unlisted"] == json.loads(json.dumps({"old": old, "new": new}))


def relisted(path: str, old: Unlisted, new: Unlisted) -> SkillChange:
    return facts.skill_change("changed", path, path, OLD, OLD, old_unlisted=old, new_unlisted=new)


def test_skills_that_one_more_takes_out_of_a_listing_are_shown_together() -> None:
    tools = {"mcp": ("allowed-tools-type",)}
    losses = [relisted(f"s{number:02}", {}, TYPED) for number in range(22)]
    changes = [
        facts.skill_change("added", "clean", None, None, NEW),
        facts.skill_change("added", "odd", None, None, NEW, new_unlisted=TYPED),
        *losses,
        relisted("tools", {}, tools),
    ]
    words = (
        f"no longer in {MCP}: metadata-type 22, allowed-tools-type 1. A client that cannot read"
        " these skills would reject the whole list, including the skills that it can read,"
        ' such as clean. To list all skills, set listing = "all" in skillbuild.toml'
    )
    assert render_changes(changes, "text").splitlines() == [
        "added    clean",
        "added    odd",
        f"    not in {MCP}: metadata-type",
        f"23 skills that have not changed: {words}",
        *(f"    s{number:02}" for number in range(20)),
        "    and 3 more",
        "2 added, 23 in different listings",
    ]
    names = ", ".join(f"`s{number:02}`" for number in range(20))
    assert render_changes(changes, "markdown").splitlines() == [
        "**2 added, 23 in different listings**",
        "",
        "#### New",
        "",
        "- `clean`",
        "- `odd`",
        f"  - `not in {MCP}: metadata-type`",
        "",
        "#### Listings",
        "",
        "| listing | new skills left out | skills removed | skills added |",
        "|---|---:|---:|---:|",
        "| the MCP list | 1 | 23 | 0 |",
        "",
        f"- 23 skills that have not changed: `{words}`",
        f"  - {names}",
        "  - and 3 more",
    ]


def test_skills_that_are_listed_again_as_none_is_left_to_protect_are_shown_together() -> None:
    changes = [facts.skill_change("removed", "clean", None, OLD, None), relisted("a", TYPED, PLAIN)]
    words = (
        f"now in {MCP}. They were left out before (metadata-type 1) because a client that cannot"
        " read them would have rejected the whole list, including the skills that it can read. Now"
        ' there are no skills that such a client can read, or listing = "all" is set'
    )
    assert render_changes(changes, "text").splitlines() == [
        "removed  clean",
        "1 skill that has not changed: no longer in discovery v0.1 (OpenCode): discovery-omitted 1",
        "    a",
        f"1 skill that has not changed: {words}",
        "    a",
        "1 removed, 1 in different listings",
    ]


def test_reasons_of_a_foreign_catalog_are_inert() -> None:
    foreign = {HOSTILE: (HOSTILE,)}
    changes = [
        facts.skill_change("added", "a", None, None, NEW, new_unlisted=foreign),
        relisted("b", {}, foreign),
    ]
    text = render_changes(changes, "text")
    assert text.isascii()
    assert "::" not in text
    markdown = render_changes(changes, "markdown").splitlines()
    outside = "".join("".join(line.split("`")[::2]) for line in markdown).replace("#### ", "")
    assert not any(sign in outside for sign in "<|@#\x1b")


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_nothing_changed(form: str) -> None:
    expected = {"text": "no changes", "markdown": "**no changes**", "json": '{\n  "changes": []\n}'}
    assert render_changes([], form) == expected[form]
    assert changes_summary([]) == "no changes"


def test_markdown_names_twenty_files_and_counts_the_rest() -> None:
    files = tuple(FileChange(f"f{n:02}", None, NEW) for n in range(23))
    lines = render_changes(
        [facts.skill_change("changed", "pdf", "pdf", OLD, NEW, files=files)], "markdown"
    ).splitlines()
    assert lines[-2:] == [f"  - + `f19` none -> {NEW.short}", "  - and 3 more files"]


def hostile() -> list[SkillChange]:
    file = FileChange(HOSTILE, OLD, NEW)
    return [
        facts.skill_change(
            "renamed",
            HOSTILE,
            HOSTILE,
            OLD,
            NEW,
            files=(file,),
            signals=(f"now reaches {HOSTILE}",),
        )
    ]


def test_names_are_inert_in_text() -> None:
    lines = render_changes(hostile(), "text").splitlines()
    assert len(lines) == 4
    assert all(line.isascii() and line.isprintable() and "::" not in line for line in lines)


def test_names_are_inert_in_markdown() -> None:
    lines = render_changes(hostile(), "markdown").splitlines()
    starts = ["**1", "", "###", "", "- `", "", "###", "", "- `", "  -"]
    assert [line[:3] for line in lines] == starts
    assert [line.count("`") for line in lines] == [0, 0, 0, 0, 4, 0, 0, 0, 4, 2]
    outside = "".join("".join(line.split("`")[::2]) for line in lines).replace("#### ", "")
    assert not any(sign in outside for sign in "<|@#\x1b")
    assert "::" not in "".join(lines)


def test_names_are_whole_in_json() -> None:
    text = render_changes(hostile(), "json")
    assert text.isascii()
    assert json.loads(text)["changes"][0]["files"][0]["path"] == HOSTILE

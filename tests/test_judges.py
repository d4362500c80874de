"""The judges of what is published and of what is fixed, in repositories made for them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import yaml12

from helpers import pages, repos
from helpers.repos import Content, Link, Submodule, skill_md
from judges import accounting, fixes, published, random_pages, sample
from judges.fixes import Answer, Fix, Tree, Typed
from judges.published import Form, Output, Verdict

_LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n"
_TITLE = "---\nname: PDF Toolkit\ndescription: Reads.\n---\n"
_CLASSES: dict[str, Content] = {
    "skills/strict/SKILL.md": skill_md("strict"),
    "skills/elsewhere/SKILL.md": skill_md("other"),
    "skills/long/SKILL.md": skill_md("long", description="x" * 1025),
    "skills/none/SKILL.md": "# No frontmatter\n",
    "skills/alias/SKILL.md": Link("../strict/SKILL.md"),
    "skills/absent/SKILL.md": skill_md("absent"),
    "skills/absent/data.txt": "taken away\n",
    "skills/lfs/SKILL.md": skill_md("lfs"),
    "skills/lfs/model.bin": _LFS,
    "skills/secret/SKILL.md": skill_md("secret"),
    "skills/secret/.env": "PASSWORD=hunter2\n",
    "skills/large/SKILL.md": skill_md("large"),
    **{f"skills/large/{number}.txt": "x" for number in range(10_000)},
    "skills/link/SKILL.md": skill_md("link"),
    "skills/link/there": Link("../strict"),
    "skills/link/inner/SKILL.md": "---\nname: [\n---\n",
    "skills/module/SKILL.md": skill_md("module"),
    "skills/module/vendor": Submodule(),
    "skills/device/SKILL.md": skill_md("device"),
    "skills/device/aux.txt": "x",
    "skills/case/SKILL.md": skill_md("case"),
    "skills/case/a/x.md": "x",
    "skills/case/A/y.md": "x",
    ".claude/skills/hidden/SKILL.md": skill_md("hidden"),
    "skills/node_modules/junk/SKILL.md": skill_md("junk"),
    "out/catalog.json": "{}",
    "out/blobs/sha256/00": "",
    "out/skills/old/SKILL.md": skill_md("old"),
}
_NAMES = "names that some file systems do not hold"
_MISSING = {
    ".claude/skills/hidden": "ignored: dot-directory",
    "out/skills/old": "ignored: output",
    "skills/absent": "files missing in the repository",
    "skills/case": _NAMES,
    "skills/device": _NAMES,
    "skills/large": "limits",
    "skills/lfs": "files that are only LFS pointers",
    "skills/module": "submodules",
    "skills/node_modules/junk": "ignored: junk",
    "skills/secret": "secrets",
}
_TWINS = {
    "plugins/a/skills/same/SKILL.md": skill_md("same"),
    "skills/same/SKILL.md": skill_md("same"),
    "skills/else/SKILL.md": skill_md("same", body="Do it twice.\n"),
}
_BOTH_TWINS = Output(
    published={"skills/same", "skills/else"},
    copies={"plugins/a/skills/same": "skills/same"},
    ignored={},
    errors=(),
    flat_names=("same", "else"),
    listed=2,
    discovery=("same", "else"),
)


def test_every_class_of_skill_is_told_apart(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", _CLASSES, bare=True)
    repos.unpack(repo)
    repos.object_file(repo, repos.git(repo, "rev-parse", "main:skills/absent/data.txt")).unlink()
    verdict = published.judge(repo, tmp_path)
    forms = {Form.STRICT: 12, Form.CONFORMING: 1, Form.USABLE: 1, Form.NO_SKILL: 2}
    assert replace(verdict, listed=0, discovery=0) == Verdict(
        forms=Counter(forms),
        published=Counter({Form.STRICT: 2, Form.CONFORMING: 1, Form.USABLE: 1}),
        primary=4,
        listed=0,
        discovery=0,
        missing=_MISSING,
        faults=verdict.faults,
    )
    assert [fault for fault in verdict.faults if "discovery" not in fault] == []


def test_copies_count_as_published(tmp_path: Path) -> None:
    commit = published.read_commit(repos.repository(tmp_path / "repo", _TWINS, bare=True))
    verdict = published.compare(commit, _BOTH_TWINS)
    assert list(published.lines("twins", verdict)) == [
        "twins: 3 SKILL.md, 3 conforming, 2 strictly",
        "  published/conforming  3/3 = 100.00%",
        "  but for excuses       3/3 = 100.00%, bar 100 %",
        "  published/strict      2/2 = 100.00%",
        "  published/usable      0/0",
        "  published, no skill   0 of 0",
        "  published, no copies  2",
        "  discovery/published   2/2 = 100.00%, bar 97%",
        "  listed/published      2/2 = 100.00%",
        "  0 faults",
    ]


@pytest.mark.parametrize(
    ("output", "faults"),
    [
        (
            replace(_BOTH_TWINS, copies={}),
            ["plugins/a/skills/same/SKILL.md: missing without an error"],
        ),
        (
            replace(_BOTH_TWINS, copies={"plugins/a/skills/same": "skills/else"}),
            ["plugins/a/skills/same is published as a copy of skills/else, but has other files"],
        ),
        (
            replace(
                _BOTH_TWINS,
                copies={},
                errors=[
                    ("plugins/a/skills/same/SKILL.md", "skill-path-collision"),
                    ("plugins/a/skills/same/SKILL.md", "secret"),
                ],
            ),
            ["plugins/a/skills/same/SKILL.md: skill-path-collision"],
        ),
        (
            replace(_BOTH_TWINS, copies={}, errors=[("plugins/a/skills/same/x", "file-submodule")]),
            ["plugins/a/skills/same/SKILL.md: file-submodule"],
        ),
        (
            replace(
                _BOTH_TWINS, copies={}, ignored={"plugins/a/skills/same/SKILL.md": "dot-directory"}
            ),
            ["plugins/a/skills/same/SKILL.md: ignored: dot-directory"],
        ),
        (
            replace(_BOTH_TWINS, flat_names=("same", None), discovery=("same", "same")),
            ["flat name: 1 skills have none", "name in discovery: 2 skills have same"],
        ),
        (
            replace(_BOTH_TWINS, discovery=("same",)),
            ["discovery offers 1 of 2 skills"],
        ),
        (
            replace(_BOTH_TWINS, published={"skills/same", "skills/else", "skills"}),
            [
                "skills is published, but is no directory with a SKILL.md",
                "discovery offers 2 of 3 skills",
            ],
        ),
    ],
    ids=[
        "lost",
        "copy of another",
        "refused for more than an excuse",
        "excuse that is not in the commit",
        "policy that does not cover it",
        "flat names",
        "discovery",
        "published from nowhere",
    ],
)
def test_what_no_excuse_covers_is_a_fault(
    tmp_path: Path, output: Output, faults: list[str]
) -> None:
    commit = published.read_commit(repos.repository(tmp_path / "repo", _TWINS, bare=True))
    assert list(published.compare(commit, output).faults) == faults


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (skill_md("pdf"), Form.STRICT),
        (skill_md("pdf").replace("\n", "\r\n"), Form.STRICT),
        (skill_md("pdf", description="x" * 1024), Form.STRICT),
        (skill_md("p" * 64), Form.CONFORMING),
        (skill_md("p" * 65), Form.USABLE),
        (skill_md("a--b"), Form.USABLE),
        (_TITLE, Form.USABLE),
        (skill_md("pdf", description="x" * 1025), Form.USABLE),
        (skill_md("7"), Form.NO_SKILL),
        (skill_md("pdf", description="a: b"), Form.NO_SKILL),
        (skill_md("pdf", description="' '"), Form.NO_SKILL),
        (skill_md("pdf", description="x\nmetadata: {[a]: b}"), Form.NO_SKILL),
        (skill_md("pdf", description="\x80"), Form.NO_SKILL),
        (skill_md("pdf")[4:], Form.NO_SKILL),
        ("\ufeff" + skill_md("pdf"), Form.NO_SKILL),
        ("---\n- name\n---\n", Form.NO_SKILL),
        ("---\nname: pdf\n", Form.NO_SKILL),
    ],
)
def test_the_specification_alone_decides_what_conforms(text: str, form: Form) -> None:
    assert published.form_of(text.encode(), "skills/pdf") is form


def test_a_sample_takes_findings_from_the_repositories_in_turn(tmp_path: Path) -> None:
    few = {"skills/a/SKILL.md": skill_md("a", body="[x](gone.md)\n")}
    many = {f"skills/s{n}/SKILL.md": skill_md(f"s{n}", body="[x](gone.md)\n") for n in range(9)}
    places = [
        place
        for name, files in (("few", few), ("many", many))
        for place in sample.findings(repos.repository(tmp_path / name / "repo", files))
    ]
    drawn = sample.draw(places, 4, random.Random(7))
    assert drawn == sample.draw(places, 4, random.Random(7))
    assert Counter(place.repo.parent.name for place in drawn) == {"few": 1, "many": 3}
    assert len(sample.draw(places, 99, random.Random(7))) == len(places) == 10
    lines = list(sample.shown(drawn[0]))
    assert lines[0].endswith(f"{drawn[0].path}:{drawn[0].line}:{drawn[0].column} warning")
    assert f"    >{drawn[0].line} [x](gone.md)" in lines


# What is fixed.


_BROKEN: dict[str, Content] = {
    "a/SKILL.md": skill_md("a", "Use: now", body="Ä\n"),
    "b/SKILL.md": repos.Program(
        "---\r\nname: b\r\nmetadata:\r\n  x: 1.10\r\ndescription: B\r\n---"
    ),
    "C_c/SKILL.md": "---\nname: c\ndescription: C\nallowed-tools: [a, b(c d)]\n---\n",
    "C_c/d_d/SKILL.md": "---\nname: d\ndescription: D\n",
    "e/SKILL.md": "---\ndescription: E\n---\n",
    "f/SKILL.md": "\ufeff" + skill_md("f"),
    "g/SKILL.md": skill_md("g", "Use: ghp" + "_kwWU1IuS3ss2wukr8QZpYy1H4dsXMc12BNsj"),
}


def _read(texts: Sequence[str]) -> list[Answer]:
    """What fixes.mjs says, without npm."""
    return [_answer(text) for text in texts]


def _answer(text: str) -> Answer:
    fenced = published._FRONTMATTER.match(text)
    if fenced is None:
        return {"faults": ["no frontmatter"]}
    try:
        return {"value": _typed(yaml12.parse_yaml(fenced[1].replace("\r", "")))}
    except Exception as error:  # Whatever the parser raises is its refusal.
        return {"faults": [str(error)]}


def _typed(value: object) -> Typed:
    if isinstance(value, dict):
        return ["mapping", [[str(key), _typed(item)] for key, item in value.items()]]
    if isinstance(value, list):
        return ["list", [_typed(item) for item in value]]
    kind = {str: "string", bool: "boolean"}.get(type(value), "number")
    return [kind, str(value).lower() if kind == "boolean" else str(value)]


@pytest.mark.parametrize("option", ["--fix", "--unsafe-fixes"])
def test_what_is_mended_is_as_it_is_declared(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = repos.repository(tmp_path / "repo", _BROKEN)
    assert list(fixes.judge(repo, option, _read)) == []
    by_option = {
        "--fix": "1 byte-order-mark, 1 exec-markdown, 1 frontmatter-unclosed, 1 metadata-type,"
        " 2 yaml-unquoted-colon\n5 skills refused before, 2 after\n",
        "--unsafe-fixes": "1 allowed-tools-type, 1 byte-order-mark, 1 exec-markdown,"
        " 1 frontmatter-unclosed, 1 metadata-type, 1 name-missing, 2 yaml-unquoted-colon\n"
        "5 skills refused before, 1 after\n",
    }
    assert capsys.readouterr().out == by_option[option]


_OLD = skill_md("a", "Use: now")
_NEW = skill_md("a", '"Use: now"')
_COLON: Fix = {
    "code": "yaml-unquoted-colon",
    "path": "a/SKILL.md",
    "line": 3,
    "field": ["description"],
    "old": "Use: now",
    "new": '"Use: now"',
    "value": "Use: now",
}


@pytest.mark.parametrize(
    ("fix", "text", "faults"),
    [
        (_COLON, _NEW, []),
        (_COLON, f"{_NEW}\n", ["a/SKILL.md: other bytes than declared"]),
        (
            _COLON | {"value": "Use"},
            _NEW,
            ["a/SKILL.md: description should be ['string', 'Use'], is ['string', 'Use: now']"],
        ),
        (
            _COLON | {"new": "Use"},
            _OLD.replace("Use: now", "Use"),
            ["a/SKILL.md: description should be ['string', 'Use: now'],"],
        ),
    ],
    ids=["as declared", "other bytes", "another value", "another text"],
)
def test_what_is_not_declared_is_a_fault(fix: Fix, text: str, faults: list[str]) -> None:
    before, after = (
        Tree({"a/SKILL.md": each.encode()}, {"a/SKILL.md": False}) for each in (_OLD, text)
    )
    compared = list(fixes.compare(before, after, [fix], _read))
    assert len(compared) == len(faults)
    assert all(line.startswith(start) for line, start in zip(compared, faults, strict=True))


def test_modes_and_names_that_are_not_declared_are_faults() -> None:
    before = Tree({"a": b"", "b": b""}, {"a": False, "b": False})
    after = Tree({"a": b"", "c": b""}, {"a": True, "c": False})
    assert list(fixes.compare(before, after, [], _read)) == [
        "b: only before the fixes",
        "c: only after the fixes",
        "a: another mode than declared",
    ]


def test_a_mended_tree_is_read_without_links(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", {"a": Link("b"), "b/c": repos.Program("x")})
    assert fixes.tree_of(repo) == Tree({"a": b"b", "b/c": b"x"}, {"a": False, "b/c": True})


def test_pages_are_drawn_from_each_kind_and_the_same_for_a_seed() -> None:
    paths = [
        "404.html",
        "index.html",
        *(f"skills/{name}/index.html" for name in "abcdef"),
        *(f"skills/{name}/-/files/SKILL.md.html" for name in "abcdef"),
        "skills/a/-/related/index.html",
        "skills/a/-/versions/0123456789abcdef/index.html",
        "tags/index.html",
        "tags/sql/index.html",
        "versions/0123456789abcdef/index.html",
    ]
    chosen = random_pages.drawn(paths, 11, "seed")
    assert chosen == random_pages.drawn(paths, 11, "seed") == sorted(chosen)
    assert Counter(pages.kind(path) for path in chosen) == {
        "difference": 1,
        "file": 3,
        "other": 2,
        "related": 1,
        "skill": 2,
        "tag": 1,
        "version": 1,
    }
    assert set(random_pages.drawn(paths, 100, "seed")) == set(paths)


def test_what_listings_leave_out_is_accounted_for(tmp_path: Path) -> None:
    nested = skill_md("nested").replace("description", "metadata:\n  a: {b: c}\ndescription", 1)
    files: dict[str, Content] = {
        **{
            f"skills/n{number}/SKILL.md": nested.replace("nested", f"n{number}")
            for number in range(5)
        },
        "skills/clean/SKILL.md": skill_md("clean"),
        "skills/title/SKILL.md": _TITLE,
        "skills/bad/SKILL.md": "# No frontmatter\n",
        "copies/skills/clean/SKILL.md": skill_md("clean"),
        "fixtures/x/SKILL.md": skill_md("x"),
        "skills/own/SKILL.md": skill_md("own").replace(
            "description", "metadata:\n  internal: true\ndescription", 1
        ),
        "skillbuild.toml": 'exclude = ["/fixtures/"]\n',
    }
    repo = repos.repository(tmp_path / "repo", files)
    assert accounting.judged(repo) == []
    report = accounting.reported(repo)
    assert set(report.unlisted["mcp"]) == {*(f"n{number}" for number in range(5)), "title"}
    assert report.listed["index"] == {entry.path for entry in report.entries} - {"own"}
    lies: list[dict[str, dict[str, Sequence[str]]]] = [
        {"mcp": {}},
        {"mcp": {**report.unlisted["mcp"], "n0": ["name-invalid"]}},
        {"mcp": {**report.unlisted["mcp"]}, "index": {"n0": ["metadata-type"]}},
    ]
    for untrue in lies:
        assert list(accounting.listing_faults(replace(report, unlisted=untrue)))
    assert list(accounting.listing_faults(replace(report, internal=[])))

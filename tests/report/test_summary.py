"""What GitHub gets: a summary within its limits, outputs nobody breaks out of, subjects."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from helpers import facts, repos
from helpers.repos import skill_md
from helpers.steps import outputs_in
from skillbuild.cli import main
from skillbuild.diagnostics import Finding, FoundAt, Severity, finding
from skillbuild.model import Digest, Place
from skillbuild.output import attestation
from skillbuild.release.checksums import Checksums
from skillbuild.release.compare import FileChange
from skillbuild.report import summary
from skillbuild.report.changes import render_changes
from skillbuild.report.json_reports import (
    FindingsReport,
    changes_from_json,
    findings_from_json,
)
from skillbuild.report.summary import Output, Run
from skillbuild.rules.registry import RULES
from skillbuild.text.wording import TOO_LARGE

DIGEST = Digest.of(b"one")
OUTPUT = Output(2, DIGEST, "c" * 40, {"skill files": 300_000_000, "archives": 250_000_000})
GITHUB_TAKES = 1024 * 1024

TEXTS = st.lists(
    st.text(st.characters(codec="utf-8"), max_size=10)
    | st.sampled_from(["`", "``", "\n", "</details>", "<b>", "|", "](", "\\", "::error::", "- "])
).map("".join)


NO_FILES = {"discovery-0.1": ("x",)}


def report_of(findings: Sequence[Finding] = (), **more: Any) -> FindingsReport:
    """A report about two skills with three files."""
    numbers = {"skills": 2, "files": 3}
    return findings_from_json(facts.findings_json(findings, **numbers | more))


def run_with(*findings: Finding) -> Run:
    return Run(report_of(findings), None, OUTPUT)


def test_the_first_lines_give_the_result() -> None:
    warning = finding(RULES["body-long"], "a/SKILL.md", Place(9, 1), "long", "cut it")
    heads = [
        summary.markdown(run).splitlines()[0]
        for run in (
            run_with(),
            Run(None, None, OUTPUT),
            run_with(warning),
            replace(run_with(), output=None),
            Run(None, None, None),
        )
    ]
    assert heads == [
        "## ✅ A catalog of 2 skills",
        "## ✅ A catalog of 2 skills",
        "## ⚠️ A catalog of 2 skills",
        "## ❌ No catalog: the log says why",
        "## ❌ skillbuild could not run; the log says why",
    ]


def test_a_summary_of_a_large_output_says_how_much_github_pages_takes() -> None:
    lines = summary.markdown(run_with()).splitlines()
    size = "Size: skill files 300.0 MB, archives 250.0 MB; 55% of the GitHub Pages limit."
    assert size in lines
    assert f"**{TOO_LARGE}.**" in lines


def test_a_finding_leads_to_its_line_in_the_source() -> None:
    item = finding(RULES["body-long"], "a b/SKILL.md", Place(9, 2), "long", "cut it")
    lines = summary.markdown(replace(run_with(item), source_url="https://git.example")).splitlines()
    where = "[`a b/SKILL.md:9:2`](https://git.example/a%20b/SKILL.md#L9)"
    start = lines.index(f"- {where} **body-long**: `long`")
    assert lines[start + 1] == "  <br>`cut it`"


def test_a_finding_with_several_places_links_to_three_of_them_and_counts_the_rest() -> None:
    item = finding(RULES["link-broken"], "a.md", Place(1, 2), "gone", "add it")
    others = tuple(FoundAt(f"{name}.md", Place(3, 4)) for name in "bcd")
    run = replace(run_with(replace(item, others=others, copies=("x.md",))), source_url="https://g")
    lines = summary.markdown(run).splitlines()
    start = lines.index("- [`a.md:1:2`](https://g/a.md#L1) **link-broken**: `gone` (and 1 copy)")
    assert lines[start + 2] == (
        "  <br>also at [`b.md:3:4`](https://g/b.md#L3), [`c.md:3:4`](https://g/c.md#L3)"
        " and 1 more place"
    )
    assert "<summary><b>1 warning</b></summary>" in "\n".join(lines)


def test_a_summary_of_very_much_stays_within_what_github_takes() -> None:
    findings = [
        finding(
            RULES[code], f"{number}/" + "\U0001f600" * 200, None, "\U0001f600" * 3000, "h" * 3000
        )
        for code in ("no-skills", "body-long")
        for number in range(2000)
    ]
    files = tuple(FileChange("f" * 500 + str(number), None, DIGEST) for number in range(300))
    changes = tuple(
        facts.skill_change(
            "changed",
            f"{number}/" + "p" * 500,
            None,
            DIGEST,
            DIGEST,
            files=files,
            signals=("s" * 500,),
        )
        for number in range(2000)
    )
    text = summary.markdown(
        replace(run_with(*findings), changes=changes, source_url="https://a.example")
    )
    assert len(text.encode()) < GITHUB_TAKES
    assert text.count("<details") == text.count("</details>") == 2
    assert "- and 1,900 more; see the log or the SARIF report" in text
    assert "more lines*" in text


@given(TEXTS, TEXTS, TEXTS)
def test_no_text_of_a_skill_is_markup(path: str, message: str, hint: str) -> None:
    item = Finding("no-skills", path, None, message, hint, Severity.ERROR)
    change = facts.skill_change("renamed", path, message, DIGEST, DIGEST, signals=(hint,))
    text = summary.markdown(
        replace(run_with(item), changes=(change,), source_url="https://a.example")
    )
    tokens = [
        inner
        for block in MarkdownIt("gfm-like", {"html": True, "linkify": False}).parse(text)
        for inner in [block, *(block.children or ())]
    ]
    html = "".join(token.content for token in tokens if token.type.startswith("html"))
    details = "<details open><summary><b>1 error</b></summary>\n"
    assert html == f"{details}{'<br>' if hint else ''}</details>\n"
    links = [token.attrs["href"] for token in tokens if token.type == "link_open"]
    assert all(str(link).startswith("https://a.example/") for link in links)
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())


@given(st.text(st.characters(codec="utf-8")))
def test_no_value_ends_an_output_early(path: str) -> None:
    change = facts.skill_change("added", path, None, None, DIGEST)
    outputs = outputs_in(
        summary.step_outputs(replace(run_with(), changes=(change,)), Path("a\nb<<c"))
    )
    assert json.loads(outputs["changed-skills"]) == [path]
    assert outputs["output-path"].endswith("a\nb<<c")
    assert outputs["release-digest"] == str(DIGEST)


def test_the_delimiter_of_a_value_is_random_and_long() -> None:
    texts = [summary.step_outputs(run_with(), Path()) for _ in range(9)]
    marks = {text.splitlines()[0].partition("<<")[2] for text in texts}
    assert len(marks) == 9
    assert all(len(mark) >= 32 for mark in marks)


def test_reports_are_read_as_they_were_written(tmp_path: Path) -> None:
    findings = (
        finding(RULES["body-long"], "a/SKILL.md", Place(9, 2), "long", "cut it"),
        finding(RULES["no-skills"], ".", None, "none"),
    )
    unlisted = {"mcp": {"a": ("name-invalid",), "b": ("metadata-type",)}}
    numbers = {"skills": 2, "files": 3, "internal": ("x", "y")}
    fields: dict[str, Any] = {**numbers, "unlisted": unlisted, "copies": {"a": "b"}}
    (tmp_path / "findings").write_text(facts.findings_json(findings, **fields))
    change = facts.skill_change(
        "renamed",
        "b",
        "a",
        DIGEST,
        DIGEST,
        files=(FileChange("f", None, DIGEST),),
        signals=("now reaches x",),
        tokens=-3,
    )
    (tmp_path / "changes").write_text(render_changes([change], "json"))
    run = summary.read_run(str(tmp_path / "findings"), str(tmp_path / "changes"), tmp_path, "")
    assert run == Run(
        report_of(findings, unlisted=unlisted, internal=("x", "y"), copies={"a": "b"}),
        (change,),
        None,
    )
    assert changes_from_json('{"changes": []}') == ()


def test_a_summary_counts_what_each_listing_leaves_out() -> None:
    unlisted = {
        "mcp": {f"s{number}": ("metadata-type",) for number in range(1200)},
        "discovery-0.1": {"a": ("name-shared",), "b/c": ("discovery-omitted", "name-shared")},
    }
    run = Run(report_of(unlisted=unlisted, internal=("own",)), None, OUTPUT)
    lines = summary.markdown(run).splitlines()
    words = "1,200 not in the MCP list, 2 not in discovery v0.1 (OpenCode), 1 internal"
    assert f"Not listed everywhere: {words}." in lines
    assert "Not listed" not in summary.markdown(run_with())
    head = "<details><summary><b>{} are left out of {}</b></summary>"
    mcp = lines.index(head.format("1,200 skills", "the MCP list"))
    assert lines[mcp + 2] == (
        "FastMCP 4.1 or the TypeScript SDK rejects the whole list if one skill has such a problem."
        ' To list them, `run skillbuild check --fix, or set listing = "all" in skillbuild.toml`.'
    )
    assert [line for line in lines if line.startswith("- `s")] == [
        f"- `s{number}`: `metadata-type`" for number in range(1200)
    ]
    plain = lines.index(head.format("2 skills", "discovery v0.1 (OpenCode)"))
    assert lines[plain + 1 : plain + 6] == [
        "",
        "- `a`: `name-shared`",
        "- `b/c`: `discovery-omitted, name-shared`",
        "",
        "</details>",
    ]


def test_copies_are_counted_where_there_are_some() -> None:
    some = Run(report_of(copies={f"{n}": "a" for n in range(1200)}), None, OUTPUT)
    line = "Directories with a copy of a skill: 1,200."
    assert line in summary.markdown(some).splitlines()
    assert "once more" not in summary.markdown(run_with())


def test_a_summary_says_which_skills_are_no_longer_listed(tmp_path: Path) -> None:
    new = Digest.of(b"two")
    changes = [
        facts.skill_change("changed", "a", "a", DIGEST, new, new_unlisted={"mcp": ("internal",)}),
        facts.skill_change("changed", "b", "b", DIGEST, new, old_unlisted={"mcp": ("internal",)}),
        facts.skill_change(
            "changed", "c", "c", DIGEST, DIGEST, new_unlisted={"discovery-0.1": ("x",)}
        ),
    ]
    (tmp_path / "changes").write_text(render_changes(changes, "json"))
    run = summary.read_run(None, str(tmp_path / "changes"), tmp_path, "")
    assert run.changes == tuple(changes)
    lines = summary.markdown(run).splitlines()
    assert [line for line in lines if line.startswith(("- ", "  - "))] == [
        "- `a`: `internal`",
        "- `a`",
        "  - `internal, so not in any listing`",
        "- `b`",
        "  - `no longer internal`",
        "- 1 skill that has not changed: `no longer in discovery v0.1 (OpenCode): x 1`",
        "  - `c`",
    ]
    assert [line for line in lines if line.startswith("| ")][-3:] == [
        "| listing | new skills left out | skills removed | skills added |",
        "| the MCP list | 0 | 1 | 1 |",
        "| discovery v0.1 (OpenCode) | 0 | 1 | 0 |",
    ]


@pytest.mark.parametrize("unlisted", [None, [], "x", {"old": {}}, {"old": {}, "new": {"mcp": [1]}}])
def test_wrong_unlisting_reasons_are_an_error_of_the_comparison(unlisted: object) -> None:
    written = json.loads(
        render_changes([facts.skill_change("added", "a", None, None, DIGEST)], "json")
    )
    written["changes"][0]["unlisted"] = unlisted
    with pytest.raises(ValueError, match=r"\$\.changes\[0\]\.unlisted"):
        changes_from_json(json.dumps(written))


def test_no_json_holds_what_the_runner_of_github_obeys() -> None:
    change = facts.skill_change("added", "##[group]", None, None, DIGEST)
    item = finding(RULES["no-skills"], "##[group]", None, "none")
    for text in (render_changes([change], "json"), facts.findings_json([item])):
        assert "##[" not in text
        assert "##[group]" in str(json.loads(text))


@pytest.mark.parametrize("text", ["{", "[]", '{"skills": "2"}', '{"changes": [{}]}'])
def test_a_file_that_is_no_report_is_one_line_on_standard_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    report = tmp_path / "report"
    report.write_text(text)
    for option in ("--findings", "--changes"):
        assert main.main(["summary", option, str(report), str(tmp_path)]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def listing(out: Path, archives: int, pages: int) -> None:
    out.mkdir(exist_ok=True)
    names = [
        "catalog.json",
        "index.json",
        *(f"archives/a-{number}.zip" for number in range(archives)),
    ]
    names += [f"page/{number}.html" for number in range(pages)]
    (out / "SHA256SUMS").write_text("".join(f"{DIGEST.hex}  {name}\n" for name in names))


@pytest.mark.parametrize(
    ("archives", "pages", "subjects_wanted"),
    [(2, 1019, 1024), (2, 1020, 5), (1021, 9, 1024), (1022, 9, 3)],
)
def test_an_attestation_names_as_much_as_it_can(
    tmp_path: Path, archives: int, pages: int, subjects_wanted: int
) -> None:
    listing(tmp_path, archives, pages)
    lines = attestation.subject_lines(tmp_path).splitlines()
    assert len(lines) == subjects_wanted
    checksums = Digest.of((tmp_path / "SHA256SUMS").read_bytes()).hex
    assert {
        f"{DIGEST.hex}  catalog.json",
        f"{DIGEST.hex}  index.json",
        f"{checksums}  SHA256SUMS",
    } <= set(lines)


def test_an_attestation_names_the_files_as_they_are(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", {"skills/pdf/SKILL.md": skill_md("pdf")})
    out = tmp_path / "out"
    repos.build(repo, out)
    arguments = ["summary", "--quiet", "--subjects", str(tmp_path / "subjects"), str(out)]
    assert main.main(arguments) == 0
    named = Checksums.parse((tmp_path / "subjects").read_bytes()).hex_digests()
    assert named == {path: Digest.of((out / path).read_bytes()).hex for path in named}
    assert named.keys() == repos.digests(out).keys()

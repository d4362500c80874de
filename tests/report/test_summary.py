"""What GitHub is told: a summary within its limits, outputs nobody breaks out of, subjects."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from helpers import repos
from helpers.repos import skill_md
from helpers.runner import outputs_in
from skillbuild.cli import main
from skillbuild.diagnostics import Finding, Severity, finding
from skillbuild.model import Digest, Place
from skillbuild.output import attestation
from skillbuild.release import record
from skillbuild.release.compare import FileChange, SkillChange
from skillbuild.report import summary
from skillbuild.report.changes import changes_from_json, render_changes
from skillbuild.report.findings import findings_json
from skillbuild.report.summary import FindingsReport, Output, Run
from skillbuild.rules.registry import RULES
from skillbuild.text.json_fields import Fields
from skillbuild.text.wording import TOO_LARGE

ONE = Digest.of(b"one")
OUTPUT = Output(2, ONE, "c" * 40, {"skill files": 300_000_000, "archives": 250_000_000})
GITHUB_TAKES = 1024 * 1024

TEXTS = st.lists(
    st.text(st.characters(codec="utf-8"), max_size=10)
    | st.sampled_from(["`", "``", "\n", "</details>", "<b>", "|", "](", "\\", "::error::", "- "])
).map("".join)


def told(*found: Finding) -> Run:
    errors = sum(item.is_error for item in found)
    return Run(FindingsReport(2, 3, errors, len(found) - errors, 0, found), None, OUTPUT)


def test_the_first_lines_say_how_it_went() -> None:
    warning = finding(RULES["body-long"], "a/SKILL.md", Place(9, 1), "long", "cut it")
    heads = [
        summary.markdown(run).splitlines()[0]
        for run in (
            told(),
            Run(None, None, OUTPUT),
            told(warning),
            replace(told(), output=None),
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


def test_a_large_output_is_told_how_much_github_pages_takes() -> None:
    lines = summary.markdown(told()).splitlines()
    size = "Size: skill files 300.0 MB, archives 250.0 MB; 55% of what GitHub Pages takes."
    assert size in lines
    assert f"**{TOO_LARGE}.**" in lines


def test_a_finding_leads_to_its_line_in_the_source() -> None:
    item = finding(RULES["body-long"], "a b/SKILL.md", Place(9, 2), "long", "cut it")
    lines = summary.markdown(replace(told(item), source_url="https://git.example")).splitlines()
    where = "[`a b/SKILL.md:9:2`](https://git.example/a%20b/SKILL.md#L9)"
    start = lines.index(f"- {where} **body-long**: `long`")
    assert lines[start + 1] == "  <br>`cut it`"


def test_a_summary_of_very_much_stays_within_what_github_takes() -> None:
    found = [
        finding(
            RULES[code], f"{number}/" + "\U0001f600" * 200, None, "\U0001f600" * 3000, "h" * 3000
        )
        for code in ("no-skills", "body-long")
        for number in range(2000)
    ]
    files = tuple(FileChange("f" * 500 + str(number), None, ONE) for number in range(300))
    changes = tuple(
        SkillChange("changed", f"{number}/" + "p" * 500, None, ONE, ONE, files, ("s" * 500,))
        for number in range(2000)
    )
    text = summary.markdown(replace(told(*found), changes=changes, source_url="https://a.example"))
    assert len(text.encode()) < GITHUB_TAKES
    assert text.count("<details") == text.count("</details>") == 2
    assert "- and 1,900 more, in the log and the SARIF report" in text
    assert "more lines*" in text


@given(TEXTS, TEXTS, TEXTS)
def test_no_text_of_a_skill_is_markup(path: str, message: str, hint: str) -> None:
    item = Finding(RULES["no-skills"], path, None, message, hint, Severity.ERROR)
    change = SkillChange("renamed", path, message, ONE, ONE, (), (hint,))
    text = summary.markdown(replace(told(item), changes=(change,), source_url="https://a.example"))
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
    change = SkillChange("added", path, None, None, ONE)
    found = outputs_in(summary.outputs(replace(told(), changes=(change,)), Path("a\nb<<c")))
    assert json.loads(found["changed-skills"]) == [path]
    assert found["output-path"].endswith("a\nb<<c")
    assert found["index-digest"] == str(ONE)


def test_the_mark_that_ends_a_value_cannot_be_known_before() -> None:
    marks = {summary.outputs(told(), Path()).splitlines()[0].partition("<<")[2] for _ in range(9)}
    assert len(marks) == 9
    assert all(len(mark) >= 32 for mark in marks)


def test_reports_are_read_as_they_were_written(tmp_path: Path) -> None:
    found = (
        finding(RULES["body-long"], "a/SKILL.md", Place(9, 2), "long", "cut it"),
        finding(RULES["no-skills"], ".", None, "none"),
    )
    counts = {"skills": 2, "files": 3, "errors": 1, "warnings": 1, "unlisted": 0}
    (tmp_path / "found").write_text(findings_json(found, "", dict(counts)))
    change = SkillChange(
        "renamed", "b", "a", ONE, ONE, (FileChange("f", None, ONE),), ("new host: x",), -3
    )
    (tmp_path / "changes").write_text(render_changes([change], "json"))
    run = summary.read_run(str(tmp_path / "found"), str(tmp_path / "changes"), tmp_path, "")
    assert run == Run(FindingsReport(2, 3, 1, 1, 0, found), (change,), None)
    assert changes_from_json(Fields({"changes": []}, "x")) == ()


@pytest.mark.parametrize("text", ["{", "[]", '{"skills": "2"}', '{"changes": [{}]}'])
def test_what_is_no_report_is_one_line(
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
    (out / "SHA256SUMS").write_text("".join(f"{ONE.hex}  {name}\n" for name in names))


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
        f"{ONE.hex}  catalog.json",
        f"{ONE.hex}  index.json",
        f"{checksums}  SHA256SUMS",
    } <= set(lines)


def test_an_attestation_names_the_files_as_they_are(tmp_path: Path) -> None:
    repo = repos.repository(tmp_path / "repo", {"skills/pdf/SKILL.md": skill_md("pdf")})
    out = tmp_path / "out"
    repos.build(repo, out)
    arguments = ["summary", "--quiet", "--subjects", str(tmp_path / "subjects"), str(out)]
    assert main.main(arguments) == 0
    named = record.parse_checksums((tmp_path / "subjects").read_bytes())
    assert named == {path: Digest.of((out / path).read_bytes()).hex for path in named}
    assert named.keys() == repos.digests(out).keys()

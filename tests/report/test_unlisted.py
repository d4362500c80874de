"""Every skill that a listing leaves out is named, with the reasons and the remedy."""

import json
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import skill_md
from skillbuild.cli import main
from skillbuild.report.unlisted import unlisted_lines

TYPED = {f"s{number}": ("metadata-type",) for number in range(5)}
SIX, REASONS = "6 skills are left out of the MCP list", "metadata-type 6, name-invalid 1"
LIST_ALL = 'set listing = "all" in skillbuild.toml'
REMEDY = f"    hint: run skillbuild check --fix, or {LIST_ALL}"


def test_the_first_skills_are_named_and_the_others_are_counted() -> None:
    left_out = {"mcp": {**TYPED, "t": ("metadata-type", "name-invalid")}, "discovery-0.1": {}}
    left_out["discovery-0.1"] = {"x/y": ("discovery-omitted",)}
    assert list(unlisted_lines(left_out, ["own"], everything=False)) == [
        f"{SIX}: s0, s1, s2 and 3 more (list them with -v); reasons: {REASONS}",
        REMEDY,
        "1 skill is left out of discovery v0.1 (OpenCode): x/y; reasons: discovery-omitted",
        "    hint: run skillbuild explain discovery-omitted",
    ]


def test_the_remedy_names_unsafe_fixes_only_where_a_plain_fix_is_not_enough() -> None:
    lines = unlisted_lines({"mcp": {"a": ("description-too-long",)}}, [], everything=False)
    assert [*lines][-1] == f"    hint: run skillbuild check --fix --unsafe-fixes, or {LIST_ALL}"


def test_where_nothing_can_be_fixed_listing_all_is_the_remedy() -> None:
    lines = unlisted_lines({"mcp": {"a": ("uri-too-long",)}}, [], everything=False)
    assert [*lines][-1] == f"    hint: {LIST_ALL}"


def test_each_is_named_with_its_own_reasons_where_everything_is_wanted() -> None:
    left_out = {"mcp": {**TYPED, "t\n": ("metadata-type", "name-invalid")}}
    assert list(unlisted_lines(left_out, ["own", "two"], everything=True)) == [
        f"{SIX}:",
        *(f"    s{number}: metadata-type" for number in range(5)),
        "    t\\n: metadata-type, name-invalid",
        REMEDY,
        "2 are internal and not in any list: own, two",
    ]


def test_no_setting_lists_a_name_that_does_not_conform() -> None:
    lines = list(unlisted_lines({"mcp": {"a": ("name-invalid",)}}, [], everything=False))
    assert lines == ["1 skill is left out of the MCP list: a; reasons: name-invalid"]


@pytest.mark.parametrize("command", ["check", "build"])
def test_check_and_build_name_what_is_left_out_even_if_its_findings_are_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    typed = skill_md("typed").replace("description", "metadata:\n  version: 1\ndescription", 1)
    files = {
        "typed/SKILL.md": typed,
        "plain/SKILL.md": skill_md("plain"),
        "skillbuild.toml": '[rules]\nmetadata-type = "off"\n',
    }
    repo = repos.repository(tmp_path / "repo", files)
    out = ["-o", str(tmp_path / "out")] if command == "build" else []
    assert main.main([command, str(repo), *out, "--report", f"json={tmp_path / 'report'}"]) == 0
    line = "1 skill is left out of the MCP list: typed; reasons: metadata-type"
    assert line in capsys.readouterr().out.splitlines()
    report = json.loads((tmp_path / "report").read_text())
    assert (report["unlisted"], report["diagnostics"]) == (
        {"mcp": {"typed": ["metadata-type"]}},
        [],
    )
    assert main.main([command, str(repo), *out, "-q"]) == 0
    assert capsys.readouterr().out == ""

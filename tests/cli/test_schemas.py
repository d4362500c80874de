"""Schemas and the JSON that commands say with `--format json`: one describes the other."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from helpers import repos
from helpers.repos import Program, skill_md
from helpers.web import files_of, served
from skillbuild.assets import asset_root
from skillbuild.cli import main
from skillbuild.config import ACCEPTABLE, Config, Limits, parse
from skillbuild.errors import ConfigError
from skillbuild.rules.registry import RULES
from test_config import FULL, SLIPS

Capture = pytest.CaptureFixture[str]
NAMES = [
    "index",
    "catalog",
    "release",
    "entry",
    "version",
    "config",
    "findings",
    "diff",
    "verify",
    "explain",
    "summary",
]
FILES: repos.Files = {
    "skills/pdf/SKILL.md": skill_md("pdf"),
    "skills/gone/SKILL.md": skill_md("gone", "Goes.", body="Go.\n"),
}
LATER: repos.Files = {
    "skillbuild.toml": '[deprecated]\ncsv = { reason = "x", use = "pdf" }\n',
    "skills/pdf/SKILL.md": skill_md("pdf"),
    "skills/pdf/run.sh": Program("curl https://new.dev/\n"),
    "skills/csv/SKILL.md": skill_md("csv", "x" * 1025, body="[x](gone.md)\n"),
}


def said(capsys: Capture, *arguments: object) -> tuple[int, Any]:
    """Exit status and JSON of a command, which its schema describes."""
    capsys.readouterr()
    status = main.main([*map(str, arguments), "--format", "json"])
    value = json.loads(capsys.readouterr().out)
    jsonschema.validate(value, schema(capsys, str(arguments[0])))
    return status, value


def schema(capsys: Capture, name: str) -> Any:
    assert main.main(["schema", name]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the outputs `old` and `new`, and the report of the second build."""
    folder = tmp_path_factory.mktemp("outputs")
    repo = repos.repository(folder / "repo", FILES)
    repos.build(repo, folder / "old")
    repos.commit(repo, LATER, day=1)
    report = f"json={folder / 'findings'}"
    arguments = ["build", str(repo), "-o", str(folder / "new"), "--report", report]
    assert main.main([*arguments, "--jobs", "1"]) == 0
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_valid_and_has_a_name(capsys: Capture, name: str) -> None:
    value = schema(capsys, name)
    jsonschema.validators.validator_for(value).check_schema(value)
    assert value["$id"] == f"urn:skillbuild:schema:{name}"
    assert value["$schema"].startswith(("https://json-schema.org/", "http://json-schema.org/"))


def test_verify_in_json(outputs: Path, capsys: Capture) -> None:
    status, value = said(capsys, "verify", outputs / "new")
    assert (status, value.pop("releaseDigest")[:7]) == (0, "sha256:")
    assert (value.pop("files") > 3, value.pop("size") > 1000) == (True, True)
    assert value == {"holds": True, "faults": [], "remarks": []}
    status, value = said(capsys, "verify", outputs / "new", "--max-bytes", 1)
    assert (status, value["holds"]) == (1, False)
    (fault,) = value["faults"]
    assert (fault["path"], fault["severity"], fault["hint"]) == (None, "error", "")
    with served(files_of(outputs / "new")) as url:
        status, value = said(capsys, "verify", url)
        nothing = {"releaseDigest": None, "files": None, "size": None}
        assert (status, value) == (0, {"holds": True, **nothing, "faults": [], "remarks": []})
        status, value = said(capsys, "verify", f"{url}/gone")
        remedy = "publish the output again (publish --recheck), or wait longer with --wait"
        message = f"{url}/gone/catalog.json: missing; {remedy}"
        fault = {"path": None, "severity": "error", "message": message, "hint": ""}
        assert (status, value["faults"]) == (1, [fault])


def test_verify_names_the_files_in_json(outputs: Path, tmp_path: Path, capsys: Capture) -> None:
    repos.build(outputs / "repo", tmp_path / "out")
    (tmp_path / "out/index.html").unlink()
    for options, severity in (([], "warning"), (["--whole"], "error")):
        status, value = said(capsys, "verify", tmp_path / "out", *options)
        assert (status, value["holds"]) == (len(options), not options)
        (fault,) = value["faults"]
        assert (fault["path"], fault["severity"]) == ("index.html", severity)
        assert fault["hint"].startswith("run build")


def test_explain_in_json(capsys: Capture) -> None:
    status, value = said(capsys, "explain")
    assert (status, [rule["code"] for rule in value["rules"]]) == (0, list(RULES))
    rule = RULES["description-too-long"]
    assert said(capsys, "explain", rule.code)[1]["rules"] == [
        {
            "code": rule.code,
            "severity": "warning",
            "summary": rule.summary,
            "explanation": rule.explanation,
            "unlists": ["mcp"],
        }
    ]


def test_diff_in_json_and_its_exit_code(outputs: Path, capsys: Capture) -> None:
    sides = (outputs / "old", outputs / "new")
    status, value = said(capsys, "diff", *sides)
    assert (status, [change["kind"] for change in value["changes"]]) == (
        0,
        ["added", "removed", "changed"],
    )
    assert said(capsys, "diff", *sides, "--exit-code")[0] == 1
    assert said(capsys, "diff", sides[0], sides[0], "--exit-code") == (0, {"changes": []})


def test_a_summary_in_json(outputs: Path, tmp_path: Path, capsys: Capture) -> None:
    _, changes = said(capsys, "diff", outputs / "old", outputs / "new")
    (tmp_path / "changes").write_text(json.dumps(changes))
    reports = ("--findings", outputs / "findings", "--changes", tmp_path / "changes")
    status, value = said(capsys, "summary", outputs / "new", *reports)
    output = value.pop("output")
    assert (status, output["skills"], output["size"]) == (0, 2, sum(output["sizes"].values()))
    unlisted = {"mcp": {"csv": ["description-too-long"]}}
    assert {key: value["findings"]["unlisted"].get(key) for key in unlisted} == unlisted
    assert value["findings"]["errors"] == 0
    assert value["changes"] == {
        "added": ["csv"],
        "changed": ["pdf"],
        "renamed": [],
        "removed": ["gone"],
        "deprecated": ["csv"],
        "signals": {"pdf": ["newly executable: run.sh", "now reaches new.dev"]},
    }
    nothing = {"output": None, "findings": None, "changes": None}
    assert said(capsys, "summary", tmp_path) == (0, nothing)


# The schema of skillbuild.toml.


def test_the_schema_of_the_settings_has_every_key_with_its_default(capsys: Capture) -> None:
    value = schema(capsys, "config")
    settings = Config().as_json()
    properties = value["properties"]
    tables = value["$defs"]
    assert properties.keys() == settings.keys()
    defaults = {key: each["default"] for key, each in properties.items() if "default" in each}
    assert defaults == json.loads(json.dumps({key: settings[key] for key in defaults}))
    limits = tables["Limits"]["properties"]
    assert {key: each["default"] for key, each in limits.items()} == {
        key: getattr(Limits(), key) for key in limits
    }
    assert list(properties["rules"]["properties"]) == list(RULES)
    ignored = tables["Ignore"]["properties"]["rule"]["enum"]
    lowered = [code for code, rule in RULES.items() if rule.severity != "error"]
    assert {*ignored} == {*lowered, ACCEPTABLE}
    assert [key for key, each in properties.items() if "description" not in each] == []


def test_the_schema_takes_what_the_program_takes(capsys: Capture) -> None:
    value = schema(capsys, "config")
    jsonschema.validate(tomllib.loads(FULL), value)
    template = (asset_root("templates") / "init/skillbuild.toml").read_text("utf-8")
    examples = re.sub(r"^# (?=\[|[a-z_-]+ = )", "", template, flags=re.MULTILINE)
    for text in (template, examples):
        jsonschema.validate(tomllib.loads(text), value)
        parse(text.encode())


BEYOND_A_SCHEMA = {
    'title = "a\\nb"',
    'tagline = "a\\u0007"',
    'title = "a\\u202eb"',
    'base_url = "https://["',
    'website_url = "http://["',
    "keep = 2.0",
    '[moved]\na = "../b"',
    '[moved]\na = "-/b"',
    '[moved]\na = "a"',
    '[moved]\nc = "a"\na = "b"\nb = "a"',
    '[deprecated]\n"a/." = { reason = "x" }',
    '[deprecated]\na = { reason = "x", use = "a" }',
}
"""Slips that the program alone notices: what an address is, which characters can be seen, which
segments a path can have, and what leads back to itself."""


@pytest.mark.parametrize("text", sorted(SLIPS), ids=lambda text: text[:40])
def test_the_schema_refuses_what_the_program_refuses(text: str, capsys: Capture) -> None:
    with pytest.raises(ConfigError):
        parse(text.encode())
    validator = jsonschema.validators.validator_for(value := schema(capsys, "config"))(value)
    assert validator.is_valid(tomllib.loads(text)) == (text in BEYOND_A_SCHEMA)

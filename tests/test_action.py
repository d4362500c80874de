"""The Action and the reusable workflow: their scripts are run as GitHub runs them.

Expressions, conditions and types of inputs are what actionlint and zizmor check in `.ci/run`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import pytest
import yaml
from markdown_it import MarkdownIt

import skillbuild
from helpers import repos
from helpers.repos import skill_md
from helpers.steps import Command, Ran, commands_in, run_script
from helpers.web import files_of, served
from skillbuild.assets import asset_root

pytestmark = pytest.mark.skipif(
    os.name == "nt", reason="the bash on PATH of Windows is not the one that GitHub runs"
)

ROOT = Path(__file__).parents[1]
Context = dict[str, Any]


def _read(file: Traversable) -> Context:
    """A workflow; YAML 1.1 takes its `on` for a boolean."""
    top = yaml.safe_load(file.read_text("utf-8"))
    return {"on" if key is True else key: value for key, value in top.items()}


ACTION = _read(ROOT / "action.yml")
STEPS: dict[str, Context] = {step["name"]: step for step in ACTION["runs"]["steps"]}
WORKFLOW = _read(ROOT / ".github/workflows/publish.yml")
STARTER = _read(asset_root("templates") / "init/github/workflows/skills.yml")
PUBLISHING = "".join(
    (ROOT / f"site_src/docs/{page}.md").read_text("utf-8") for page in ("publish", "plugins")
)

VARIABLES = {
    **{
        name.upper().replace("-", "_"): f"${{{{ inputs.{name} }}}}"
        for name in ACTION["inputs"].keys() - {"path", "program"}
    },
    "SOURCE": "${{ inputs.path }}",
    "PROGRAM": "${{ inputs.program || steps.install.outputs.program }}",
    "WORK": "${{ steps.prepare.outputs.work }}",
    "PYTHON": "${{ steps.python.outputs.python-path }}",
    "SOURCE_URL": "${{ github.server_url }}/${{ github.repository }}/blob/${{ github.sha }}",
}
"""What the variables of the Action's scripts stand for, in each step alike."""

SKILLS: repos.Files = {
    "skillbuild.toml": 'title = "Ours"\n',
    "skills/pdf/SKILL.md": skill_md("pdf"),
    "skills/pdf/number": "0\n",
    "skills/csv/SKILL.md": skill_md("csv"),
}
HOSTILE = "::error::x %0A##[error]y </details><script>`$(touch pwned)` ]]> | @all"
HOSTILE_FILES: repos.Files = {
    "skills/pdf/number": "1\n",
    "skills/pdf/$(touch pwned) %0A@all.md": "x\n",
    "skills/new/SKILL.md": skill_md(
        "new", f'"{HOSTILE}"', body=f"{HOSTILE}\n[{HOSTILE}](gone.md)\n"
    ),
}
HOSTILE_NAMES: repos.Files = {
    f"skills/{name}/SKILL.md": f"---\nname: s{number}\n{HOSTILE}: no\n---\n"
    for number, name in enumerate(
        (
            "::error::title",
            "a\n::error::next",
            "%0A::error::encoded",
            "##[error]old",
            "`$(touch pwned)`",
            "<img src=x onerror=alert(1)>",
            "]]>",
            "](https:--evil.example)",
            "*a* | _b_",
        )
    )
}


@contextmanager
def published(folder: Path) -> Iterator[str]:
    """The address at which a folder is served."""
    folder.mkdir(exist_ok=True)
    with served(files_of(folder, "/repo/")) as url:
        yield f"{url}/repo"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """What is published; nothing yet."""
    return tmp_path / "site"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An output of the skills before any change."""
    folder = tmp_path_factory.mktemp("release")
    repos.build(repos.repository(folder / "repo", SKILLS), folder / "out")
    return folder / "out"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`skillbuild` of the tests, as a program."""
    launcher = tmp_path_factory.mktemp("program") / "skillbuild"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m skillbuild "$@"\n')
    launcher.chmod(0o755)
    return launcher


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return repos.repository(tmp_path / "repo", SKILLS)


@dataclass(frozen=True)
class Outcome:
    """What the steps of the Action did, by name; those after a failure do not run."""

    steps: Mapping[str, Ran]
    out: Path

    @property
    def failed(self) -> bool:
        return any(ran.status for ran in self.steps.values())

    @property
    def log(self) -> str:
        return "".join(ran.log for ran in self.steps.values())

    @property
    def summary(self) -> str:
        return self.steps["Summary"].summary

    @property
    def outputs(self) -> Mapping[str, str]:
        return self.steps["Summary"].outputs


def act(folder: Path, program: Path, repo: Path, **inputs: str) -> Outcome:
    """Run the scripts of the Action in their order, with its defaults for other inputs."""
    temp = folder / "temp ::x"
    temp.mkdir()
    prepared = run_script(STEPS["Prepare"]["run"], folder, {"RUNNER_TEMP": str(temp)})
    work = prepared.outputs["work"]
    given = {
        name.upper().replace("-", "_"): each["default"] for name, each in ACTION["inputs"].items()
    }
    given |= {name.upper(): value for name, value in inputs.items()}
    given |= {"PROGRAM": str(program), "SOURCE": str(repo), "WORK": work}
    given["SOURCE_URL"] = "https://github.example/us/skills/blob/c0ffee"
    steps: dict[str, Ran] = {}
    names = ("Check", "Build", "Verify", "Compare with the published catalog", "Summary", "Plugins")
    for name in names:
        is_wanted = given["PREVIOUS"] or not name.startswith("Compare")
        if name == "Plugins":
            is_wanted = steps["Summary"].outputs["plugins-branch"]
        if name == "Summary" or (is_wanted and not any(ran.status for ran in steps.values())):
            values = {key: given[key] for key in STEPS[name]["env"]}
            own = {"GITHUB_ACTION_PATH": str(ROOT), "no_proxy": "127.0.0.1", "CI": "true"}
            steps[name] = run_script(STEPS[name]["run"], folder, {**values, **own, **MODULES})
    assert not list(folder.rglob("pwned"))
    return Outcome(steps, Path(given["OUTPUT"] or f"{work}/out"))


MODULES = {"PYTHONPATH": str(Path(skillbuild.__file__).parents[1])}


def digest_of(path: Path) -> str:
    return f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"


def text_of(summary: str) -> str:
    """What a reader of a summary sees; markup of a skill would fail the test."""
    html = [
        token.content
        for block in MarkdownIt("gfm-like", {"html": True, "linkify": False}).parse(summary)
        for token in [block, *(block.children or ())]
        if token.type in {"html_block", "html_inline"}
    ]
    ours = re.compile(
        r"</?(details( open)?|summary|b|br)>|\d[\d,]* (error|warning|note)s?|\s"
        r"|\d[\d,]* skills? (is|are) left out of (the MCP list|discovery v0\.1 \(OpenCode\))"
        r"|\d[\d,]* skills? from the last release (is|are) (gone|no longer in the MCP list)"
    )
    assert ours.sub("", "".join(html)) == ""
    return summary


def test_variables_of_scripts_are_what_the_tests_give_them() -> None:
    for step in STEPS.values():
        for name, value in step.get("env", {}).items():
            assert value == VARIABLES[name]
    asked = [name for name, step in STEPS.items() if "if" in step]
    assert asked == [
        "Set up Python",
        "Install skillbuild",
        "Compare with the published catalog",
        "Summary",
        "Plugins",
    ]
    assert {each["value"] for each in ACTION["outputs"].values()} == {
        "${{ inputs.base-url }}",
        "${{ steps.prepare.outputs.work }}/findings.sarif",
        "${{ steps.prepare.outputs.work }}/subjects",
        "${{ steps.prepare.outputs.work }}/plugins.bundle",
        *(f"${{{{ steps.summary.outputs.{name} }}}}" for name in SUMMARIZED),
    }


SUMMARIZED = (
    *("output-path", "release-digest", "skills-count", "changed-skills", "plugins-branch"),
    *("errors", "warnings"),
)


def test_a_first_release_is_checked_built_verified_and_summarized(
    tmp_path: Path, program: Path, repo: Path, site: Path
) -> None:
    with published(site) as url:
        outcome = act(tmp_path, program, repo, base_url=f"{url}/", previous=url)
    assert not outcome.failed, outcome.log
    assert outcome.outputs == {
        "output-path": str(outcome.out),
        "release-digest": digest_of(outcome.out / "release.json"),
        "skills-count": "2",
        "changed-skills": '["csv", "pdf"]',
        "plugins-branch": "",
        "errors": "0",
        "warnings": "0",
    }
    head = json.loads((outcome.out / "catalog.json").read_bytes())
    assert head["release"]["baseUrl"] == f"{url}/"
    subjects = (outcome.out.parent / "subjects").read_text().splitlines()
    lines = (outcome.out / "SHA256SUMS").read_text().splitlines()
    assert set(lines) < set(subjects)
    assert len(subjects) == len(lines) + 1
    assert commands_in(outcome.log) == []
    summary = text_of(outcome.summary)
    assert summary.startswith("## ✅ A catalog of 2 skills\n")
    assert f"Release `{outcome.outputs['release-digest']}`" in summary
    assert "**2 added**" in summary


def test_with_a_branch_the_plugins_are_bundled(tmp_path: Path, program: Path, repo: Path) -> None:
    settings = {"skillbuild.toml": 'title = "Ours"\nplugins.branch = "plugins"\n'}
    repos.commit(repo, {**SKILLS, **settings}, day=1)
    outcome = act(tmp_path, program, repo)
    assert not outcome.failed, outcome.log
    assert outcome.outputs["plugins-branch"] == "plugins"
    shutil.copy(outcome.out.parent / "plugins.bundle", tmp_path / "bundle")  # Git splits at "::".
    repos.git(tmp_path, "clone", "--quiet", "--branch", "plugins", "bundle", "clone")
    assert (tmp_path / "clone" / "plugins/ours/skills/pdf/number").read_text() == "0\n"


def test_hostile_skills_are_reported_and_nothing_in_them_is_obeyed(
    tmp_path: Path, program: Path, repo: Path, release: Path
) -> None:
    repos.commit(repo, {**SKILLS, **HOSTILE_FILES}, day=1)
    with published(release) as url:
        outcome = act(tmp_path, program, repo, previous=url, carry_over="false")
    assert not outcome.failed, outcome.log
    assert json.loads(outcome.outputs["changed-skills"]) == ["new", "pdf"]
    assert (outcome.outputs["errors"], outcome.outputs["skills-count"]) == ("0", "3")
    warnings = int(outcome.outputs["warnings"])
    annotations = commands_in(outcome.log)
    assert [annotation.name for annotation in annotations] == ["warning"] * warnings
    assert all(annotation.properties.startswith("file=skills/") for annotation in annotations)
    levels = levels_in(outcome)
    assert levels.count("warning") == warnings
    summary = text_of(outcome.summary)
    assert "**1 added, 1 changed**" in summary
    assert "`$(touch pwned) %0A@all.md`" in summary
    assert "https://github.example/us/skills/blob/" in summary


def test_skills_that_are_gone_are_an_annotation_and_in_the_summary(
    tmp_path: Path, program: Path, repo: Path, release: Path
) -> None:
    left = {path: text for path, text in SKILLS.items() if not path.startswith("skills/csv/")}
    repos.commit(repo, left, day=1)
    with published(release) as url:
        outcome = act(tmp_path, program, repo, previous=url, carry_over="false")
    assert not outcome.failed, outcome.log
    assert_gone(outcome, "csv; no longer in the source")


def assert_gone(outcome: Outcome, told: str) -> None:
    words = "1 skill from the last release is gone"
    assert commands_in(outcome.log) == [Command("warning", "title=skillbuild", f"{words}: {told}")]
    assert words in text_of(outcome.summary)


def levels_in(outcome: Outcome) -> list[str]:
    """The levels of the findings in the SARIF report."""
    report = json.loads((outcome.out.parent / "findings.sarif").read_bytes())
    return [result["level"] for result in report["runs"][0]["results"]]


def test_no_name_of_a_refused_skill_is_obeyed(tmp_path: Path, program: Path, repo: Path) -> None:
    repos.commit(repo, {**SKILLS, **HOSTILE_NAMES}, day=1)
    outcome = act(tmp_path, program, repo)
    assert list(outcome.steps) == ["Check", "Summary"]
    assert outcome.steps["Check"].status == 1
    errors, warnings = int(outcome.outputs["errors"]), int(outcome.outputs["warnings"])
    assert errors >= len(HOSTILE_NAMES)
    annotations = commands_in(outcome.log)
    shown = [annotation for annotation in annotations if annotation.name != "notice"]
    assert len(shown) == min(errors, 10) + min(warnings, 10)
    assert all(re.fullmatch(r"file=skills/[ -~]+", annotation.properties) for annotation in shown)
    assert outcome.outputs["output-path"] == outcome.outputs["release-digest"] == ""
    summary = text_of(outcome.summary)
    assert summary.startswith(f"## ❌ No catalog: {errors} errors\n")
    assert "`skills/%0A:\\x3aerror:\\x3aencoded/SKILL.md" in summary
    levels = levels_in(outcome)
    assert (levels.count("error"), levels.count("warning")) == (errors, warnings)


@pytest.mark.parametrize("value", ["--help", "a b; touch pwned; $(touch pwned) `touch pwned`"])
def test_inputs_are_data_and_no_code(tmp_path: Path, program: Path, repo: Path, value: str) -> None:
    outcome = act(tmp_path, program, repo, output=f"{tmp_path}/{value}", repository=value)
    assert "touch: " not in outcome.log
    assert [name for name, ran in outcome.steps.items() if ran.status] == ["Build"]
    elsewhere = act(folder_in(tmp_path), program, Path(value))
    assert [name for name, ran in elsewhere.steps.items() if ran.status] == ["Check"]


def folder_in(folder: Path) -> Path:
    (folder / "inner").mkdir()
    return folder / "inner"


def test_invalid_skills_are_skipped_and_reported_if_the_caller_wants_it(
    tmp_path: Path, program: Path, repo: Path
) -> None:
    repos.commit(repo, {**SKILLS, "skills/bad/SKILL.md": "no header\n"}, day=1)
    outcome = act(tmp_path, program, repo, skip_invalid="true")
    assert not outcome.failed
    assert (outcome.outputs["errors"], outcome.outputs["skills-count"]) == ("1", "2")
    assert [annotation.name for annotation in commands_in(outcome.log)] == ["error"]
    head = "## ⚠️ A catalog of 2 skills; 1 error in skills that are left out\n"
    assert outcome.summary.startswith(head)


def test_strict_and_empty_are_passed_on(tmp_path: Path, program: Path) -> None:
    """Without `strict` other tests have warnings and no failure."""
    warned = repos.repository(
        tmp_path / "warned", {"x/SKILL.md": skill_md("x", body="[a](gone.md)\n")}
    )
    empty = repos.repository(tmp_path / "empty", {"README.md": "none"})
    for number, (repo, option, value, fails) in enumerate(
        [
            (warned, "strict", "true", True),
            (empty, "allow_empty", "false", True),
            (empty, "allow_empty", "true", False),
        ]
    ):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        outcome = act(folder, program, repo, **{option: value})
        assert outcome.failed == fails, outcome.log


def test_who_is_trusted_is_passed_on(tmp_path: Path, program: Path, repo: Path) -> None:
    trust = tmp_path / "trust.toml"
    trust.write_text("[trust]\nrequired = true\n")
    outcome = act(tmp_path, program, repo, trust=f"{trust}")
    assert list(outcome.steps) == ["Check", "Summary"]
    assert "the skill is not signed" in outcome.log
    trust.write_text("[trust]\n")
    assert not act(folder_in(tmp_path), program, repo, trust=f"{trust}").failed


def test_files_that_the_published_release_names_stay(
    tmp_path: Path, program: Path, repo: Path, release: Path
) -> None:
    named = {path for path in repos.digests(release) if path.startswith(("blobs", "archives"))}
    repos.commit(repo, {"skills/pdf/SKILL.md": skill_md("pdf", "Does another thing.")}, day=1)
    with published(release) as url:
        outcome = act(tmp_path, program, repo, previous=url)
    assert not outcome.failed, outcome.log
    assert named < repos.digests(outcome.out).keys()
    assert outcome.outputs["changed-skills"] == '["csv", "pdf"]'
    assert_gone(outcome, "csv; no longer in the source")


def test_a_damaged_published_file_stops_a_release_and_only_that(
    tmp_path: Path, program: Path, repo: Path, release: Path, site: Path
) -> None:
    shutil.copytree(release, site)
    for path in (site / "archives").iterdir():
        path.chmod(0o644)
        path.write_bytes(b"changed")
    repos.commit(repo, {"skills/pdf/SKILL.md": skill_md("pdf", "Does another thing.")}, day=1)
    with published(site) as url:
        outcome = act(tmp_path, program, repo, previous=url)
    assert list(outcome.steps) == ["Check", "Build", "Summary"]
    assert "damaged at" in outcome.log
    assert "## ❌ No catalog: the log says why" in outcome.summary


def test_an_unreadable_site_does_not_stop_a_pull_request(
    tmp_path: Path, program: Path, repo: Path, site: Path
) -> None:
    site.mkdir()
    (site / "catalog.json").write_text("{}")
    with published(site) as url:
        outcome = act(tmp_path, program, repo, previous=url, carry_over="false")
    assert not outcome.failed
    (annotation,) = commands_in(outcome.log)
    message = "Cannot read the published catalog, so the summary does not list changes."
    assert annotation == Command("warning", "title=skillbuild", message)
    assert "What changed" not in outcome.summary


def script_of(job: str, name: str) -> str:
    (script,) = (step["run"] for step in WORKFLOW["jobs"][job]["steps"] if step.get("name") == name)
    assert isinstance(script, str)
    return script


def decided(folder: Path, **values: str) -> Ran:
    """What the first step of the workflow decides for a push to a public repository."""
    usual = {
        "CATALOG": ".",
        "DEPLOYS": "true",
        "PRIVATE": "false",
        "PUBLISHES": "true",
        "READERS": "",
    }
    script = script_of("catalog", "Decide whether this run publishes")
    return run_script(script, folder, {**usual, **values})


def test_a_run_publishes_and_names_its_artifacts_by_catalog(tmp_path: Path) -> None:
    assert decided(tmp_path).outputs == {"publishes": "true", "suffix": "", "artifact": ""}
    many = decided(tmp_path, CATALOG="teams/a b$(touch pwned)", DEPLOYS="false").outputs
    suffix = "-teams-a-b--touch-pwned-"
    catalog = f"skillbuild-catalog{suffix}"
    assert many == {"publishes": "true", "suffix": suffix, "artifact": catalog}
    request = decided(tmp_path, CATALOG="a", DEPLOYS="false", PUBLISHES="false").outputs
    assert request == {"publishes": "false", "suffix": "-a", "artifact": ""}
    assert not list(tmp_path.rglob("pwned"))


def test_a_private_repository_says_who_reads_its_pages(tmp_path: Path) -> None:
    message = "This repository is private, but its Pages site may be public."
    remedy = "Set readers to anybody or members."
    for given, text in (("", f"{message} {remedy}"), ("Members", remedy), ("a|members", remedy)):
        ran = decided(tmp_path, PRIVATE="true", READERS=given)
        assert (ran.status, ran.outputs) == (1, {})
        assert commands_in(ran.log) == [Command("error", "title=skillbuild", text)]
    for given in ("anybody", "members"):
        assert decided(tmp_path, PRIVATE="true", READERS=given).status == 0
    assert decided(tmp_path, PRIVATE="true", PUBLISHES="false").status == 0
    assert decided(tmp_path, PRIVATE="true", DEPLOYS="false").status == 0


def test_a_workflow_of_an_unknown_repository_fails(tmp_path: Path) -> None:
    script = script_of("catalog", "Require the repository and commit of this workflow")
    known = {"REPOSITORY": "acme/skillbuild", "COMMIT": "0" * 40}
    assert run_script(script, tmp_path, known).status == 0
    for name in known:
        ran = run_script(script, tmp_path, {**known, name: ""})
        assert ran.status == 1
        assert "which repository this workflow comes from" in ran.log


def test_a_release_that_is_not_served_after_all_fails(
    tmp_path: Path, program: Path, release: Path
) -> None:
    script = script_of("compare", "Fetch the published release and compare its digest")
    assert "--wait 600" in script
    values = {"PROGRAM": str(program), "no_proxy": "127.0.0.1", **MODULES}
    values["RELEASE_DIGEST"] = digest_of(release / "release.json")
    with published(release) as url:
        values["PAGE_URL"] = f"{url}/"
        served_now = run_script(script, tmp_path, values)
        values["RELEASE_DIGEST"] = f"sha256:{'0' * 64}"
        other = run_script(script.replace("--wait 600", "--wait 1"), tmp_path, values)
    assert served_now.status == 0
    assert "serves the release that its catalog.json names" in served_now.log
    assert other.status == 1
    assert "instead of" in other.log


def test_hidden_files_are_published() -> None:
    """Clients read `.well-known`, and Pages reads `.nojekyll`."""
    inputs = [
        step["with"]
        for job in WORKFLOW["jobs"].values()
        for step in job["steps"]
        if step.get("with", {}).get("path") == "${{ steps.catalog.outputs.output-path }}"
    ]
    assert len(inputs) == 2
    assert all(each["include-hidden-files"] is True for each in inputs)


def _files() -> dict[str, Context]:
    workflows = (ROOT / ".github/workflows").glob("*.yml")
    return {
        **{path.name: _read(path) for path in workflows},
        "action.yml": ACTION,
        "starter": STARTER,
    }


@pytest.mark.parametrize("name", _files())
def test_actions_are_pinned_and_no_expression_is_in_a_script(name: str) -> None:
    top = _files()[name]
    jobs = top["jobs"].values() if "jobs" in top else [top["runs"]]
    for step in [step for job in jobs for step in job.get("steps", ())]:
        assert "${{" not in step.get("run", "")
        used = step.get("uses", "./")
        assert used.startswith("./") or re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", used), used
    for job in top.get("jobs", {}).values():
        assert isinstance(job["permissions"], dict)
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", job.get("uses", f"./@{'0' * 40}"))
    if "jobs" in top:
        assert top["permissions"] == {}


def test_jobs_of_a_pull_request_can_write_nothing_but_alerts() -> None:
    jobs = WORKFLOW["jobs"]
    assert set(jobs["catalog"]["permissions"].values()) == {"read"}
    assert jobs["code-scanning"]["permissions"] == {"security-events": "write"}
    with_identity = {name for name, job in jobs.items() if "id-token" in job["permissions"]}
    assert with_identity == {"attest", "deploy"}
    assert "secrets" not in (ROOT / ".github/workflows/publish.yml").read_text()


def _yaml_blocks(text: str) -> list[Any]:
    blocks = re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [yaml.safe_load(block) for block in blocks]


def _jobs_of(block: Any) -> Any:
    """The jobs of a workflow of GitHub; none of any other YAML."""
    return block.get("jobs", {}) if isinstance(block, dict) else {}


def test_each_caller_grants_what_the_jobs_ask_for_and_no_more() -> None:
    asked = [item for job in WORKFLOW["jobs"].values() for item in job["permissions"].items()]
    wanted = {key: max(level for name, level in asked if name == key) for key, _ in asked}
    text = (ROOT / "README.md").read_text("utf-8") + PUBLISHING
    blocks = _yaml_blocks(text)
    callers = [STARTER, *(block for block in blocks if _jobs_of(block))]
    jobs = [job for caller in callers for job in caller["jobs"].values() if "uses" in job]
    pushing = [job for job in jobs if ".github/workflows/plugins.yml@" in job["uses"]]
    assert [job["permissions"] for job in pushing] == [{"contents": "write"}]
    publishing = [job for job in jobs if job not in pushing]
    assert len(publishing) == 1 + text.count(".github/workflows/publish.yml@")
    for job in publishing:
        assert job["permissions"] == wanted
        assert job.get("with", {}).keys() <= WORKFLOW["on"]["workflow_call"]["inputs"].keys()
        assert ".github/workflows/publish.yml@" in job["uses"]


def test_inputs_and_outputs_are_documented() -> None:
    (steps,) = (block for block in _yaml_blocks(PUBLISHING) if isinstance(block, list))
    assert steps[-1]["with"].keys() <= ACTION["inputs"].keys()
    declared = WORKFLOW["on"]["workflow_call"]
    rows = re.findall(r"^\| `([a-z-]+)` \| .* \| .* \|$", PUBLISHING, re.MULTILINE)
    assert rows == list(declared["inputs"])
    assert {name for name in declared["outputs"] if f"`{name}`" not in PUBLISHING} == set()


def test_the_lock_holds_every_package_that_skillbuild_needs() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = project["project"]["dependencies"] + project["build-system"]["requires"]
    wanted += project["project"]["optional-dependencies"]["trust"]
    lock = (ROOT / ".github/action/requirements.txt").read_text("utf-8")
    locked = dict(re.findall(r"^([\w.-]+)==([\w.]+)", lock, re.MULTILINE))
    for requirement in wanted:
        name, minimum = re.fullmatch(r"([\w-]+)[=>]=([\w.]+)(?:,.*)?", requirement).groups()  # type: ignore[union-attr]
        assert _numbers(locked[name]) >= _numbers(minimum), requirement
    assert lock.count("--hash=sha256:") >= len(locked)


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def test_the_install_step_installs_this_checkout(tmp_path: Path) -> None:
    if "SKILLBUILD_INSTALL" not in os.environ:
        pytest.skip("needs a package index; .ci/run sets SKILLBUILD_INSTALL")
    prepared = run_script(STEPS["Prepare"]["run"], tmp_path, {"RUNNER_TEMP": str(tmp_path)})
    values = {"PYTHON": sys.executable, "WORK": prepared.outputs["work"]}
    values["GITHUB_ACTION_PATH"] = str(ROOT)
    installed = run_script(STEPS["Install skillbuild"]["run"], tmp_path, values)
    assert installed.status == 0, installed.log
    program = installed.outputs["program"]
    printed = subprocess.run([program, "--version"], check=True, capture_output=True, text=True)
    assert printed.stdout == f"skillbuild {skillbuild.__version__}\n"

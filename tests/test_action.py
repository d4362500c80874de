"""The Action and the reusable workflow: each `run:` is run for real, on pushes and pull requests.

Only what needs GitHub itself is replaced: checkouts, artifacts, Pages and the signature.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import pytest
import yaml
from markdown_it import MarkdownIt

import skillbuild
from helpers import repos
from helpers.repos import skill_md
from helpers.runner import Command, Context, Machine, Ran, commands_in, environment, filled, holds
from helpers.web import files_of, served
from skillbuild.assets import asset_root

pytestmark = pytest.mark.skipif(
    os.name == "nt", reason="the bash on PATH of Windows is not the one that GitHub runs"
)

ROOT = Path(__file__).parents[1]


def _read(file: Traversable) -> Context:
    """A workflow; YAML 1.1 takes its `on` for a boolean."""
    top = yaml.safe_load(file.read_text("utf-8"))
    return {"on" if key is True else key: value for key, value in top.items()}


ACTION = _read(ROOT / "action.yml")
WORKFLOW = _read(ROOT / ".github/workflows/publish.yml")
STARTER = _read(asset_root("templates") / "init/github/workflows/skills.yml")
PUBLISHING = (ROOT / ".github/PUBLISHING.md").read_text("utf-8")
TAR = shutil.which("gtar") or "tar"

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


@dataclass
class Host:
    """What GitHub stores between the jobs of runs: artifacts, the site, signatures."""

    folder: Path
    url: str
    artifacts: dict[str, Path] = field(default_factory=dict)
    attested: list[str] = field(default_factory=list)
    scanned: list[Any] = field(default_factory=list)

    @property
    def site(self) -> Path:
        return self.folder / "site"


@contextmanager
def hosted(folder: Path) -> Iterator[Host]:
    (folder / "site").mkdir(exist_ok=True)
    with served(files_of(folder / "site", "/repo/")) as url:
        yield Host(folder, f"{url}/repo")


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    """Nothing is published there yet."""
    with hosted(tmp_path) as host:
        yield host


@pytest.fixture
def later(tmp_path: Path, first: tuple[Host, Outcome]) -> Iterator[Host]:
    """A host with the release of the first push."""
    shutil.copytree(first[0].site, tmp_path / "site")
    with hosted(tmp_path) as host:
        yield host


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory, program: Path) -> tuple[Host, Outcome]:
    """The first push of the repository, and what it left on the host."""
    folder = tmp_path_factory.mktemp("first")
    repo = repos.repository(folder / "repo", SKILLS)
    with hosted(folder) as host:
        return host, run(host, program, repo, "push")


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


@dataclass
class Outcome:
    """How a run of the workflow ended, by job."""

    jobs: dict[str, Ran]
    outputs: dict[str, str]

    @property
    def catalog(self) -> Ran:
        return self.jobs["catalog"]


def run_action(machine: Machine, inputs: Context, contexts: Context) -> tuple[dict[str, str], Ran]:
    """Run the composite action with its defaults; returns its outputs and its steps' results."""
    defaults = {
        name: filled(declared.get("default", ""), contexts)
        for name, declared in ACTION["inputs"].items()
    }
    assert inputs.keys() <= defaults.keys()
    here = {**contexts, "inputs": defaults | inputs, "action_path": ROOT}
    ran = machine.run(ACTION["runs"]["steps"], here)
    ends = {**here, "steps": ran.steps, "failed": ran.failed}
    return {
        name: filled(declared["value"], ends) for name, declared in ACTION["outputs"].items()
    }, ran


class Jobs:
    """One run of the reusable workflow."""

    def __init__(
        self, host: Host, program: Path, repo: Path, workflow: Context, event: str, inputs: Context
    ) -> None:
        self._host, self._program, self._repo = host, program, repo
        self._workflow = workflow
        self._from = inputs.pop("from_repository", "us/skills")
        is_private = inputs.pop("private", False)
        self._call = workflow["on"].get("workflow_call", {"inputs": {}, "outputs": {}})
        defaults = {name: declared["default"] for name, declared in self._call["inputs"].items()}
        self._contexts: Context = {
            "github": {
                "event_name": event,
                "ref": "refs/pull/1/merge" if event == "pull_request" else "refs/heads/main",
                "server_url": "https://github.example",
                "repository": "us/skills",
                "sha": repos.git(repo, "rev-parse", "HEAD"),
                "event": {
                    "repository": {"default_branch": "main", "private": is_private},
                    "pull_request": {"head": {"repo": {"full_name": self._from}}},
                },
            },
            "inputs": defaults | inputs,
            "job": {"workflow_repository": "them/skillbuild", "workflow_sha": "c0ffee"},
        }

    def run(self) -> Outcome:
        needs: Context = {}
        ran: dict[str, Ran] = {}
        for name, job in self._workflow["jobs"].items():
            wanted = job.get("needs", [])
            wanted = [wanted] if isinstance(wanted, str) else wanted
            failed = any(needs[need]["result"] != "success" for need in wanted)
            here = {**self._contexts, "needs": {need: needs[need] for need in wanted}}
            if not holds(job.get("if"), {**here, "failed": failed}):
                needs[name] = {"result": "skipped", "outputs": {}}
                continue
            ran[name] = self._job(name, job, here)
            steps = {**here, "steps": ran[name].steps, "failed": ran[name].failed}
            outputs = {
                key: filled(expression, steps) for key, expression in job.get("outputs", {}).items()
            }
            result = "failure" if ran[name].failed else "success"
            needs[name] = {"result": result, "outputs": outputs}
        ends = {"jobs": needs, "failed": False}
        return Outcome(
            ran,
            {
                key: filled(declared["value"], ends)
                for key, declared in self._call["outputs"].items()
            },
        )

    def _job(self, name: str, job: Context, here: Context) -> Ran:
        folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self._host.folder))
        temp = Path(tempfile.mkdtemp(prefix=f"temp-{name}-", dir=self._host.folder))
        machine = Machine(
            folder,
            environment(
                PATH=f"{self._program.parent}{os.pathsep}{os.environ['PATH']}",
                RUNNER_TEMP=str(temp),
                no_proxy="127.0.0.1",
                CI="true",
                **MODULES,
                **self._workflow.get("env", {}),
            ),
            {
                "actions/checkout": lambda inputs, _: self._checkout(inputs, folder),
                "actions/configure-pages": lambda *_: {"base_url": self._host.url},
                "./skillbuild": lambda inputs, here: self._action(inputs, here, machine),
                "actions/setup-python": lambda *_: {},
                "actions/upload-artifact": lambda inputs, _: self._upload(inputs, folder),
                "actions/download-artifact": lambda inputs, _: self._download(inputs, folder),
                "actions/upload-pages-artifact": lambda inputs, _: self._pack(inputs, folder, temp),
                "actions/attest": lambda inputs, _: self._attest(inputs, folder),
                "actions/deploy-pages": lambda *_: self._deploy(),
                "github/codeql-action/upload-sarif": lambda inputs, _: self._scan(inputs, folder),
            },
            {"install": {"program": str(self._program)}},
        )
        return machine.run(job["steps"], here)

    def _checkout(self, inputs: Context, folder: Path) -> dict[str, str]:
        assert inputs["persist-credentials"] == "false"
        if "repository" in inputs:
            assert (inputs["repository"], inputs["ref"]) == ("them/skillbuild", "c0ffee")
        else:
            depth = [] if inputs.get("fetch-depth") == "0" else ["--depth", "1"]
            source, path = self._repo.as_uri(), inputs.get("path", ".")
            repos.git(folder, "clone", "--quiet", *depth, source, path)
        return {}

    def _action(self, inputs: Context, here: Context, machine: Machine) -> dict[str, str]:
        outputs, ran = run_action(machine, {**inputs, "program": str(self._program)}, here)
        failed = {"failed": "yes"} if ran.failed else {}
        return {**outputs, "log": ran.log, "summary": ran.summary, **failed}

    def _upload(self, inputs: Context, folder: Path) -> dict[str, str]:
        is_catalog = inputs["name"].startswith("skillbuild-catalog")
        assert (folder / inputs["path"]).is_dir() == is_catalog
        assert inputs.get("include-hidden-files", "false") == str(is_catalog).lower()
        self._host.artifacts[inputs["name"]] = folder / inputs["path"]
        return {}

    def _download(self, inputs: Context, folder: Path) -> dict[str, str]:
        into = folder / inputs.get("path", ".")
        into.mkdir(parents=True, exist_ok=True)
        artifact = self._host.artifacts[inputs["name"]]
        if artifact.is_dir():
            shutil.copytree(artifact, into, dirs_exist_ok=True)
        else:
            shutil.copy(artifact, into)
        return {}

    def _pack(self, inputs: Context, folder: Path, temp: Path) -> dict[str, str]:
        pack(folder / inputs["path"], temp / "artifact.tar", hidden=inputs["include-hidden-files"])
        self._host.artifacts["github-pages"] = temp / "artifact.tar"
        return {}

    def _attest(self, inputs: Context, folder: Path) -> dict[str, str]:
        self._host.attested = (folder / inputs["subject-checksums"]).read_text().splitlines()
        return {}

    def _deploy(self) -> dict[str, str]:
        shutil.rmtree(self._host.site)
        self._host.site.mkdir()
        tar = self._host.artifacts["github-pages"]
        subprocess.run([TAR, "-xf", tar, "-C", self._host.site], check=True)
        return {"page_url": f"{self._host.url}/"}

    def _scan(self, inputs: Context, folder: Path) -> dict[str, str]:
        for file in (folder / inputs["sarif_file"]).iterdir():
            self._host.scanned.append(json.loads(file.read_bytes()))
        return {}


MODULES = {"PYTHONPATH": str(Path(skillbuild.__file__).parents[1])}


def pack(folder: Path, tar: Path, *, hidden: str) -> list[str]:
    """What actions/upload-pages-artifact v5.0.0 does on Linux, with its flags."""
    flags = ["--dereference", "--hard-dereference", "--directory", str(folder), "-cvf", str(tar)]
    flags += ["--exclude=.git", "--exclude=.github"]
    flags += [] if hidden == "true" else ["--exclude=.[^/]*"]
    listed = subprocess.run([TAR, *flags, "."], check=True, capture_output=True, text=True)
    return listed.stdout.splitlines()


def run(
    host: Host,
    program: Path,
    repo: Path,
    event: str,
    workflow: Context = WORKFLOW,
    **inputs: object,
) -> Outcome:
    outcome = Jobs(host, program, repo, workflow, event, inputs).run()
    assert not list(host.folder.rglob("pwned"))
    return outcome


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
    ours = re.compile(r"</?(details( open)?|summary|b|br)>|\d[\d,]* (error|warning|note)s?|\s")
    assert ours.sub("", "".join(html)) == ""
    return summary


def test_the_first_push_publishes_attests_and_compares(first: tuple[Host, Outcome]) -> None:
    host, outcome = first
    assert not any(ran.failed for ran in outcome.jobs.values()), outcome.catalog.log
    assert list(outcome.jobs) == ["catalog", "code-scanning", "attest", "deploy", "compare"]
    assert {**outcome.outputs, "output-path": ""} == {
        "output-path": "",
        "index-digest": digest_of(host.site / "index.json"),
        "skills-count": "2",
        "changed-skills": '["csv", "pdf"]',
        "errors": "0",
        "warnings": "0",
        "page-url": f"{host.url}/",
        "artifact": "",
    }
    assert Path(outcome.outputs["output-path"], "catalog.json").is_file()
    assert (host.site / ".well-known/agent-skills/index.json").is_file()
    assert (host.site / ".nojekyll").is_file()
    assert "serves the index of its record" in outcome.jobs["compare"].log
    lines = (host.site / "SHA256SUMS").read_text().splitlines()
    assert set(lines) < set(host.attested)
    assert len(host.attested) == len(lines) + 1
    assert commands_in(outcome.catalog.log) == []
    summary = text_of(outcome.catalog.summary)
    assert summary.startswith("## ✅ A catalog of 2 skills\n")
    assert f"Index `{outcome.outputs['index-digest']}`" in summary
    assert "**2 added**" in summary


def test_a_pull_request_gets_a_summary_of_its_changes_and_publishes_nothing(
    later: Host, program: Path, repo: Path
) -> None:
    before = repos.digests(later.site)
    repos.commit(repo, {**SKILLS, **HOSTILE_FILES}, day=1)
    outcome = run(later, program, repo, "pull_request")
    assert list(outcome.jobs) == ["catalog", "code-scanning"]
    assert not outcome.catalog.failed, outcome.catalog.log
    assert (repos.digests(later.site), later.attested) == (before, [])
    assert json.loads(outcome.outputs["changed-skills"]) == ["new", "pdf"]
    assert (outcome.outputs["errors"], outcome.outputs["skills-count"]) == ("0", "3")
    warnings = int(outcome.outputs["warnings"])
    annotations = commands_in(outcome.catalog.log)
    assert [annotation.name for annotation in annotations] == ["warning"] * warnings
    assert all(annotation.properties.startswith("file=skills/") for annotation in annotations)
    levels = [result["level"] for result in later.scanned[-1]["runs"][0]["results"]]
    assert levels.count("warning") == warnings
    summary = text_of(outcome.catalog.summary)
    assert "**1 added, 1 changed**" in summary
    assert "`$(touch pwned) %0A@all.md`" in summary
    assert "https://github.example/us/skills/blob/" in summary


def test_no_name_of_a_refused_skill_is_obeyed(host: Host, program: Path, repo: Path) -> None:
    repos.commit(repo, {**SKILLS, **HOSTILE_NAMES}, day=1)
    outcome = run(host, program, repo, "pull_request")
    assert outcome.catalog.failed
    assert list(outcome.jobs) == ["catalog", "code-scanning"]
    assert "Build" not in outcome.catalog.names
    errors, warnings = int(outcome.outputs["errors"]), int(outcome.outputs["warnings"])
    assert errors >= len(HOSTILE_NAMES)
    annotations = commands_in(outcome.catalog.log)
    shown = [annotation for annotation in annotations if annotation.name != "notice"]
    assert len(shown) == min(errors, 10) + min(warnings, 10)
    assert all(re.fullmatch(r"file=skills/[ -~]+", annotation.properties) for annotation in shown)
    assert outcome.outputs["output-path"] == outcome.outputs["index-digest"] == ""
    summary = text_of(outcome.catalog.summary)
    assert summary.startswith(f"## ❌ No catalog: {errors} errors\n")
    assert summary.isascii() is False
    assert "`skills/%0A:\\x3aerror:\\x3aencoded/SKILL.md" in summary
    (results,) = (report["runs"][0]["results"] for report in host.scanned)
    levels = [result["level"] for result in results]
    assert (levels.count("error"), levels.count("warning")) == (errors, warnings)


def test_skipping_publishes_the_rest_and_reports_the_skipped_skills(
    host: Host, program: Path, repo: Path
) -> None:
    repos.commit(repo, {**SKILLS, "skills/bad/SKILL.md": "no header\n"}, day=1)
    outcome = run(host, program, repo, "push", WORKFLOW, **{"skip-invalid": True})
    assert not any(ran.failed for ran in outcome.jobs.values())
    assert (outcome.outputs["errors"], outcome.outputs["skills-count"]) == ("1", "2")
    assert [annotation.name for annotation in commands_in(outcome.catalog.log)] == ["error"]
    head = "## ⚠️ A catalog of 2 skills; 1 error in what is left out\n"
    assert outcome.catalog.summary.startswith(head)


def test_files_that_the_published_release_names_stay(
    later: Host, program: Path, repo: Path
) -> None:
    named = {path for path in repos.digests(later.site) if path.startswith(("blobs", "archives"))}
    repos.commit(repo, {"skills/pdf/SKILL.md": skill_md("pdf", "Does another thing.")}, day=1)
    outcome = run(later, program, repo, "push")
    assert not any(ran.failed for ran in outcome.jobs.values()), outcome.catalog.log
    assert named < repos.digests(later.site).keys()
    assert outcome.outputs["changed-skills"] == '["csv", "pdf"]'


def test_a_damaged_published_file_stops_a_push(later: Host, program: Path, repo: Path) -> None:
    for path in (later.site / "archives").iterdir():
        path.chmod(0o644)
        path.write_bytes(b"changed")
    repos.commit(repo, {"skills/pdf/SKILL.md": skill_md("pdf", "Does another thing.")}, day=1)
    outcome = run(later, program, repo, "push")
    assert (outcome.catalog.failed, "deploy" in outcome.jobs) == (True, False)
    assert "damaged at" in outcome.catalog.log
    assert "## ❌ No catalog: the log says why" in outcome.catalog.summary


def test_a_release_that_is_not_served_after_all_fails(
    later: Host, program: Path, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repos.commit(repo, {"skills/pdf/SKILL.md": skill_md("pdf", "Does another thing.")}, day=1)
    monkeypatch.setattr(Jobs, "_deploy", lambda self: {"page_url": f"{later.url}/"})
    compare = WORKFLOW["jobs"]["compare"]["steps"][-1]
    monkeypatch.setitem(compare, "run", compare["run"].replace("--wait 600", "--wait 1"))
    outcome = run(later, program, repo, "push")
    assert outcome.jobs["compare"].failed
    assert "in place of" in outcome.jobs["compare"].log


def test_an_unreadable_site_does_not_stop_a_pull_request_from_a_fork(
    host: Host, program: Path, repo: Path
) -> None:
    (host.site / "catalog.json").write_text("{}")
    outcome = run(host, program, repo, "pull_request", from_repository="stranger/skills")
    assert list(outcome.jobs) == ["catalog"]
    assert not outcome.catalog.failed
    (annotation,) = commands_in(outcome.catalog.log)
    message = "The published catalog cannot be read; nothing was compared."
    assert annotation == Command("warning", "title=skillbuild", message)
    assert "What changed" not in outcome.catalog.summary


def test_attesting_can_be_left_out(host: Host, program: Path, repo: Path) -> None:
    outcome = run(host, program, repo, "push", attest=False)
    assert list(outcome.jobs) == ["catalog", "code-scanning", "deploy", "compare"]
    assert not outcome.jobs["compare"].failed


def test_a_private_repository_says_who_reads_its_pages(
    host: Host, program: Path, repo: Path
) -> None:
    message = "This repository is private, its Pages may be public."
    remedy = "Say who can read them: readers is anybody or members."
    for given, text in (({}, f"{message} {remedy}"), ({"readers": "Members"}, remedy)):
        outcome = run(host, program, repo, "push", WORKFLOW, private=True, **given)
        assert (list(outcome.jobs), outcome.catalog.failed) == (["catalog"], True)
        assert commands_in(outcome.catalog.log) == [Command("error", "title=skillbuild", text)]
    outcome = run(host, program, repo, "push", private=True, readers="anybody")
    assert list(outcome.jobs) == ["catalog", "attest", "deploy", "compare"]
    assert not any(ran.failed for ran in outcome.jobs.values()), outcome.catalog.log
    outcome = run(host, program, repo, "pull_request", private=True)
    assert (list(outcome.jobs), outcome.catalog.failed) == (["catalog"], False)


def test_a_site_for_members_is_published_without_reading_it(
    host: Host, program: Path, repo: Path
) -> None:
    for page in ("catalog.json", "index.json"):
        (host.site / page).write_text("<title>Sign in</title>")
    outcome = run(host, program, repo, "push", private=True, readers="members")
    assert list(outcome.jobs) == ["catalog", "attest", "deploy"]
    assert not any(ran.failed for ran in outcome.jobs.values()), outcome.catalog.log
    assert json.loads((host.site / "index.json").read_bytes())["skills"][0]["name"] == "csv"


def test_several_catalogs_of_a_repository_are_put_together_by_the_caller(
    host: Host, program: Path, tmp_path: Path
) -> None:
    (caller,) = (block for block in _yaml_blocks(PUBLISHING) if "site" in _jobs_of(block))
    files = {
        f"teams/{team}/{name}": content
        for team in ("billing", "search")
        for name, content in {
            "skillbuild.toml": 'title = "A"\n',
            "x/SKILL.md": skill_md("x"),
        }.items()
    }
    repo = repos.repository(tmp_path / "teams", files)
    needs = {}
    for name in caller["jobs"]["site"]["needs"]:
        given = {**caller["jobs"][name]["with"], "page-url": f"{host.url}/{name}/"}
        outcome = run(host, program, repo, "push", WORKFLOW, **given)
        assert list(outcome.jobs) == ["catalog", "code-scanning", "attest"], outcome.catalog.log
        assert outcome.outputs["artifact"] == f"skillbuild-catalog-teams-{name}"
        needs[name] = {"result": "success", "outputs": outcome.outputs}
    assert {name for name in host.artifacts if name.endswith("-teams-search")} == {
        f"skillbuild-{kind}-teams-search" for kind in ("catalog", "findings", "subjects")
    }
    site = Jobs(host, program, repo, {"on": {}, "jobs": {}}, "push", {})
    ran = site._job("site", caller["jobs"]["site"], {"needs": needs})
    assert not ran.failed, ran.log
    for name in needs:
        assert (host.site / name / ".well-known/agent-skills/index.json").is_file()
        base = json.loads((host.site / name / "catalog.json").read_bytes())["release"]["baseUrl"]
        assert base == f"{host.url}/{name}/"
    outcome = run(host, program, repo, "pull_request", WORKFLOW, **given)
    assert (outcome.catalog.failed, outcome.outputs["artifact"]) == (False, "")


def test_the_pages_artifact_holds_hidden_files_only_when_it_is_configured_to(
    tmp_path: Path, repo: Path
) -> None:
    repos.build(repo, tmp_path / "out")
    with_hidden = pack(tmp_path / "out", tmp_path / "with.tar", hidden="true")
    assert {"./.nojekyll", "./.well-known/agent-skills/index.json", "./index.json"} <= set(
        with_hidden
    )
    without_hidden = pack(tmp_path / "out", tmp_path / "without.tar", hidden="false")
    assert not any("/.well-known" in path or "/.nojekyll" in path for path in without_hidden)
    (upload,) = [
        step["with"]
        for job in WORKFLOW["jobs"].values()
        for step in job["steps"]
        if step.get("uses", "").startswith("actions/upload-pages-artifact@")
    ]
    assert upload["include-hidden-files"] is True


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
    blocks = [*_yaml_blocks((ROOT / "README.md").read_text("utf-8")), *_yaml_blocks(PUBLISHING)]
    callers = [STARTER, *(block for block in blocks if _jobs_of(block))]
    jobs = [job for caller in callers for job in caller["jobs"].values() if "uses" in job]
    assert len(jobs) == 4
    for job in jobs:
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
    steps = {step.get("id"): step for step in ACTION["runs"]["steps"]}
    machine = Machine(tmp_path, environment(RUNNER_TEMP=str(tmp_path)), {})
    contexts = {
        "inputs": {"program": ""},
        "action_path": ROOT,
        "steps": {},
    }
    python = {
        "name": "Python",
        "id": "python",
        "run": f'echo "python-path={sys.executable}" >> "$GITHUB_OUTPUT"',
    }
    ran = machine.run([steps["prepare"], python, steps["install"]], contexts)
    assert not ran.failed, ran.log
    program = ran.steps["install"]["outputs"]["program"]
    printed = subprocess.run([program, "--version"], check=True, capture_output=True, text=True)
    assert printed.stdout == f"skillbuild {skillbuild.__version__}\n"

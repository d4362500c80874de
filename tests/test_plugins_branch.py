"""The workflow that pushes plugins to a branch: its script, against a repository on this disk."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
import yaml

from helpers import repos
from helpers.steps import Ran, commands_in, run_script
from helpers.web import reply, served

pytestmark = pytest.mark.skipif(
    os.name == "nt", reason="the bash on PATH of Windows is not the one that GitHub runs"
)

ROOT = Path(__file__).parents[1]
WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/plugins.yml").read_text("utf-8"))
JOB = WORKFLOW["jobs"]["push"]
SCRIPT = JOB["steps"][-1]["run"]
TREE: repos.Files = {
    ".gitattributes": "* -text -filter -ident\n",
    ".gitignore": "*\n",
    "plugins/p/skills/a/SKILL.md": "a\r\nb\n",
    "plugins/p/skills/a/run.sh": repos.Program("#!/bin/sh\n"),
}
Push = Callable[..., Ran]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return repos.repository(tmp_path / "source", {"a.txt": "a"})


@pytest.fixture
def remote(tmp_path: Path, source: Path) -> Path:
    """The repository of the source, as GitHub has it."""
    remote = tmp_path / "us/skills.git"
    remote.parent.mkdir()
    subprocess.run(["git", "clone", "--quiet", "--bare", str(source), str(remote)], check=True)
    return remote


@pytest.fixture
def push(tmp_path: Path, source: Path, remote: Path) -> Push:
    """Bundle a tree and push it, as the two workflows do."""

    def run(
        files: repos.Files = TREE,
        *,
        protected: int | bool = 404,
        script: str = SCRIPT,
        **values: str,
    ) -> Ran:
        folder = tmp_path / f"run{len(list(tmp_path.iterdir()))}"
        write(folder / "tree", files)
        bundle = folder / "plugins.bundle"
        program = ROOT / ".github/action/bundle-plugins"
        subprocess.run([program, source, folder / "tree", bundle], check=True)
        with served(api(protected)) as url:
            given = {
                "API": f"{url}/branch",
                "BRANCH": "plugins",
                "BUILT": "main",
                "BUNDLE": str(bundle),
                "REMOTE": remote.as_uri(),
                "TOKEN": "t",
                "no_proxy": "127.0.0.1",
            }
            return run_script(script, folder, {**given, **values})

    return run


def write(folder: Path, files: repos.Files) -> None:
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        text = content.content if isinstance(content, repos.Program) else content
        assert isinstance(text, str)
        file.write_bytes(text.encode())
        file.chmod(0o755 if isinstance(content, repos.Program) else 0o644)


def api(protected: int | bool) -> Callable[[BaseHTTPRequestHandler], None]:
    """What GitHub answers about the branch: a status, or whether it is protected."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        assert request.headers["Authorization"] == "Bearer t"
        is_there = isinstance(protected, bool)
        body = f'{{"message": "\\"protected\\": true", "protected": {protected}}}'.lower()
        reply(request, 200 if is_there else protected, body.encode() if is_there else b"{}")

    return answer


def error_of(ran: Ran) -> str:
    [command] = commands_in(ran.log)
    assert (ran.status, command.name) == (1, "error")
    return command.message


def refs(remote: Path) -> dict[str, str]:
    lines = repos.git(remote, "for-each-ref", "--format=%(refname:short) %(objectname)")
    return dict(line.split() for line in lines.splitlines())


def test_the_tree_is_one_commit_of_the_author_of_the_source(
    source: Path, remote: Path, push: Push
) -> None:
    before = refs(remote)
    ran = push()
    assert ran.status == 0, ran.log
    assert {name: refs(remote)[name] for name in before} == before
    commit = repos.git(source, "rev-parse", "HEAD")
    raw = repos.git(remote, "cat-file", "commit", "plugins")
    people = repos.git(source, "cat-file", "commit", "HEAD").splitlines()
    assert raw.splitlines()[1:] == [
        *(line for line in people if line.startswith(("author ", "committer "))),
        "",
        f"skillbuild: plugins of {commit}",
        "",
        "Skillbuild-Plugins: 1",
    ]
    listed = repos.git(remote, "ls-tree", "-r", "plugins").splitlines()
    modes = {line.split("\t")[1]: line.split()[0] for line in listed}
    assert modes == dict.fromkeys(TREE, "100644") | {"plugins/p/skills/a/run.sh": "100755"}
    text = subprocess.run(
        ["git", "-C", str(remote), "show", "plugins:plugins/p/skills/a/SKILL.md"],
        check=True,
        capture_output=True,
    ).stdout
    assert text == b"a\r\nb\n"


def test_the_same_tree_is_not_pushed_and_another_one_replaces_it(
    source: Path, remote: Path, push: Push
) -> None:
    push()
    first = refs(remote)["plugins"]
    repos.commit(source, {"a.txt": "b"}, day=1)
    ran = push(protected=False)
    assert (ran.status, refs(remote)["plugins"]) == (0, first)
    assert "are up to date" in ran.log
    assert push({**TREE, "README.md": "New."}).status == 0
    assert repos.git(remote, "rev-list", "--count", "plugins") == "1"
    assert "README.md" in repos.git(remote, "ls-tree", "--name-only", "plugins")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"BRANCH": "main"}, "main is the default branch or the source branch"),
        ({"BUILT": "plugins"}, "plugins is the default branch or the source branch"),
        ({"BRANCH": "a/../b"}, "plugins.branch can only contain"),
        ({"BRANCH": "--all"}, "plugins.branch can only contain"),
        ({"BRANCH": "a\n::error::b"}, "plugins.branch can only contain"),
        ({"BRANCH": "$(touch pwned)"}, "plugins.branch can only contain"),
    ],
)
def test_no_other_branch_is_written(
    tmp_path: Path, remote: Path, push: Push, values: dict[str, str], message: str
) -> None:
    before = refs(remote)
    assert message in error_of(push(**values))
    assert refs(remote) == before
    assert not list(tmp_path.rglob("pwned"))


@pytest.mark.parametrize(
    ("protected", "message"),
    [(True, "the branch plugins is protected"), (500, "GitHub did not say"), (403, "status 403")],
)
def test_a_protected_branch_is_not_written(
    remote: Path, push: Push, protected: int | bool, message: str
) -> None:
    push()
    before = refs(remote)
    assert message in error_of(push({"README.md": "New."}, protected=protected))
    assert refs(remote) == before


def written(source: Path, parents: str, message: str) -> str:
    """The id of a commit with the tree of the source."""
    tree = repos.git(source, "rev-parse", "HEAD^{tree}")
    people = "author A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000"
    raw = f"tree {tree}\n{parents}{people}\n\n{message}\n".encode()
    return repos.git(source, "hash-object", "-t", "commit", "-w", "--stdin", stdin=raw)


def test_a_branch_of_somebody_else_is_not_written(source: Path, remote: Path, push: Push) -> None:
    """Neither one without the trailer, nor one that has it and a history."""
    head = repos.git(source, "rev-parse", "HEAD")
    for parents, message in (("", "Work"), (f"parent {head}\n", "Skillbuild-Plugins: 1")):
        commit = written(source, parents, message)
        repos.git(source, "push", "--force", str(remote), f"{commit}:refs/heads/plugins")
        assert "the branch plugins was not created by skillbuild" in error_of(push())
        assert refs(remote)["plugins"] == commit


def test_what_somebody_else_pushes_meanwhile_is_kept(
    source: Path, remote: Path, push: Push
) -> None:
    push()
    other = written(source, "", "Theirs")
    theirs = f"git -C '{source}' push --force '{remote}' {other}:refs/heads/plugins\n"
    assert SCRIPT.count("git push") == 1
    ran = push({"README.md": "New."}, script=SCRIPT.replace("git push", f"{theirs}git push"))
    assert "somebody else has changed it" in error_of(ran)
    assert refs(remote)["plugins"] == other


def test_only_this_job_writes_and_never_for_a_pull_request() -> None:
    assert WORKFLOW["permissions"] == {}
    assert JOB["permissions"] == {"contents": "write"}
    condition = JOB["if"]
    for part in (
        "inputs.branch != ''",
        "github.event_name != 'pull_request'",
        "github.event_name != 'pull_request_target'",
    ):
        assert part in condition
    assert condition.count("&&") == 2
    assert "||" not in condition
    assert [step.get("uses", "").partition("@")[0] for step in JOB["steps"]] == [
        "actions/download-artifact",
        "",
    ]
    publish = yaml.safe_load((ROOT / ".github/workflows/publish.yml").read_text("utf-8"))
    writing = [
        name
        for name, job in publish["jobs"].items()
        if job["permissions"].get("contents") == "write"
    ]
    assert writing == []
    [kept] = [
        step
        for step in publish["jobs"]["catalog"]["steps"]
        if "plugins" in step.get("with", {}).get("name", "")
    ]
    assert kept["if"].startswith("steps.event.outputs.publishes == 'true' && ")
    assert WORKFLOW["concurrency"]["group"] == "skillbuild-plugins-${{ inputs.branch }}"

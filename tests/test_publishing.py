"""The recipes of site_src/docs/publish.md: their commands run, on what they say they run on.

Only the package index and the hosts of others are stood in for: the lock is not installed, and
`skillbuild` is that of the tests.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from helpers import repos
from helpers.commands import run
from helpers.repos import skill_md
from helpers.web import files_of, served
from skillbuild.cli.grammar import parser

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the recipes are for POSIX shells")

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "site_src/docs/publish.md").read_text("utf-8")
SKILLS: repos.Files = {"skills/pdf/SKILL.md": skill_md("pdf")}

PYTHON = """\
#!/bin/sh
# Makes what looks like an environment, in which everything is installed.
[ "$1" = -m ] && [ "$2" = venv ] || exit 0
mkdir -p "$3/bin"
cp "$0" "$3/bin/python"
cp "{launcher}" "$3/bin/skillbuild"
"""


def block(section: str, language: str) -> str:
    """The first block of code in a language below a heading."""
    _, _, rest = TEXT.partition(f"\n## {section}\n")
    match = re.search(rf"^```{language}\n(.*?)^```$", rest, re.MULTILINE | re.DOTALL)
    assert match is not None, section
    return match[1]


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    """What recipes want to know; `python3` and `skillbuild` are stood in for."""
    programs = tmp_path / "bin"
    programs.mkdir()
    launcher = programs / "skillbuild"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m skillbuild "$@"\n')
    (programs / "python3").write_text(PYTHON.format(launcher=launcher))
    for program in programs.iterdir():
        program.chmod(0o755)
    ours = {".github/action/install": repos.Program((ROOT / ".github/action/install").read_text())}
    project = repos.repository(tmp_path / "project", ours)
    work = tmp_path / "work"
    work.mkdir()
    return repos.environment(
        PATH=os.pathsep.join([str(programs), os.environ["PATH"]]),
        PYTHONPATH=str(repos.BUILDER),
        WORK=str(work),
        SKILLBUILD_URL=project.as_uri(),
        SKILLBUILD_COMMIT=repos.git(project, "rev-parse", "HEAD"),
        no_proxy="127.0.0.1",
    )


def flat(script: Any) -> Iterator[str]:
    """The lines of a script of GitLab, which may hold lists of lines."""
    for line in script:
        yield from [line] if isinstance(line, str) else flat(line)


def test_a_commit_becomes_a_program(tmp_path: Path, variables: dict[str, str]) -> None:
    script = block("Install a commit of skillbuild", "bash")
    assert run(script, tmp_path, variables).splitlines()[-1].startswith("skillbuild ")
    elsewhere = [line.strip() for line in block("A container", "dockerfile").splitlines()]
    commands = [line.removeprefix("RUN ").removeprefix("&& ").rstrip(" \\") for line in elsewhere]
    assert [line for line in script.splitlines()[:4] if line not in commands] == []


def test_the_jobs_of_gitlab_check_and_publish(tmp_path: Path, variables: dict[str, str]) -> None:
    jobs = yaml.safe_load(block("GitLab CI", "yaml"))
    repo = repos.repository(tmp_path / "repo", SKILLS)
    run("\n".join(flat(jobs["check"]["script"])), repo, variables)
    (repo / "public").mkdir()
    with served(files_of(repo / "public", "/skills/")) as url:
        given = {**variables, "CI_PAGES_URL": f"{url}/skills", "WORK": str(tmp_path / "other")}
        (tmp_path / "other").mkdir()
        (repo / "public").rmdir()
        run("\n".join(flat(jobs["pages"]["script"])), repo, given)
    assert jobs["pages"]["artifacts"]["paths"] == ["public"]
    assert (repo / "public/index.html").is_file()
    assert jobs["variables"]["GIT_DEPTH"] == "0"


def test_cron_publishes_each_commit_once(tmp_path: Path, variables: dict[str, str]) -> None:
    repo = repos.repository(tmp_path / "repo", SKILLS)
    given = {
        **variables,
        "REPOSITORY": str(tmp_path / "skills.git"),
        "BRANCH": "main",
        "CATALOG": str(tmp_path / "catalog"),
    }
    (clone,) = re.findall(r"`(git clone --mirror [^`]*)`", TEXT)
    run(clone.replace("URL", repo.as_uri()), tmp_path, given)
    script = block("Your own machine, with cron", "bash")
    assert run(script, tmp_path, given) == ""
    before = repos.digests(tmp_path / "catalog")
    run(script, tmp_path, given)
    assert repos.digests(tmp_path / "catalog") == before
    repos.commit(repo, {**SKILLS, "skills/csv/SKILL.md": skill_md("csv")}, day=1)
    run(script, tmp_path, given)
    assert (tmp_path / "catalog/skills/csv/index.html").is_file()


def test_the_container_is_called_with_options_that_exist() -> None:
    ours = re.findall(r"IMAGE(?: \\\n *)? (.*)", block("A container", "bash"))
    assert len(ours) == 2
    for call in ours:
        parser().parse_args(call.split())


REPLICAS = ROOT / ".github/replicas"


def test_the_container_of_a_replica_installs_what_locks_name() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        extra = tomllib.load(file)["project"]["optional-dependencies"]["cloud"]
    lock = (REPLICAS / "requirements.txt").read_text("utf-8")
    assert re.findall(r"^([a-z-]+)==", lock, re.MULTILINE) == [
        re.split("[<>=]", name)[0] for name in extra
    ]
    text = (REPLICAS / "Dockerfile").read_text("utf-8")
    commands = [line.strip(" \\").removeprefix("&& ") for line in text.splitlines()]
    script = block("Install a commit of skillbuild", "bash").splitlines()[1:4]
    assert [line for line in script if line not in commands] == []
    assert "--require-hashes" in text
    assert "USER 65534:65534" in commands


def test_replicas_are_read_only_and_behind_a_proxy() -> None:
    services = yaml.safe_load((REPLICAS / "compose.yml").read_text("utf-8"))["services"]
    skills, proxy = services["skills"], services["proxy"]
    assert (skills["read_only"], skills["cap_drop"]) == (True, ["ALL"])
    assert skills["deploy"] == {"replicas": 3}
    assert "ports" not in skills
    assert [port.startswith("127.0.0.1:") for port in proxy["ports"]] == [True]
    command = [re.sub(r"\$\{(\w+):[^}]*\}", r"\1", word) for word in skills["command"]]
    options = parser().parse_args(command)
    assert (options.command, options.out, options.allow_host) == ("serve", "CATALOG", ["HOST"])


@pytest.mark.skipif(shutil.which("haproxy") is None, reason="needs haproxy")
def test_the_configuration_of_the_proxy_is_valid() -> None:
    subprocess.run(["haproxy", "-c", "-f", REPLICAS / "haproxy.cfg"], check=True)

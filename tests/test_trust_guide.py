"""The commands of site_src/docs/verify.md run as they are written, one after another.

Only what a package index would give is stood in for: the program that signs, and the scanner.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from helpers import repos
from helpers.repos import skill_md

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "site_src/docs/verify.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


SETTINGS = blocks("toml")
AUTHOR = {
    f"GIT_{who}_{what}": "a@example.org"
    for who in ("AUTHOR", "COMMITTER")
    for what in ("NAME", "EMAIL")
}

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="the commands are for POSIX shells"),
    pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl"),
]

MODEL_SIGNING = """\
import sys
from pathlib import Path
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from helpers import signing

_, _, _, skill, *options = sys.argv
given = {name: Path(value).read_bytes() for name, value in zip(options[2::2], options[3::2])}
signature = Path(options[1])
key = load_pem_private_key(given["--private_key"], None)
held = signing.Holder(key, x509.load_pem_x509_certificate(given["--signing_certificate"]))
files = {
    path.relative_to(skill).as_posix(): path.read_bytes()
    for path in Path(skill).rglob("*")
    if path.is_file() and path != signature
}
signature.write_bytes(signing.signed(files, held))
"""
SKILL_SCANNER = """\
import sys
from pathlib import Path
from helpers import sarif

results = [sarif.result(f"skills/{name}/SKILL.md", "R", "error", 1) for name in ("csv", "pdf")]
Path(sys.argv[-1]).write_bytes(sarif.log(sarif.run(*results, tool="skill-scanner")))
"""


def block(start: str) -> str:
    """The block of commands that has a line with this start."""
    (found,) = (
        each for each in blocks("bash") if re.search(f"^{re.escape(start)}", each, re.MULTILINE)
    )
    return found


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    files = {f"skills/{name}/SKILL.md": skill_md(name) for name in ("csv", "pdf")}
    repo = repos.repository(tmp_path / "repo", files)
    repos.checkout(repo)
    repos.git(repo, "remote", "add", "origin", "https://git.example/acme/skills")
    return repo


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    for path, script in (
        ("oms/bin/model_signing", MODEL_SIGNING),
        ("bin/skill-scanner", SKILL_SCANNER),
        ("bin/skillbuild", "from skillbuild.cli.main import main\nraise SystemExit(main())\n"),
    ):
        program = tmp_path / path
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!{sys.executable}\n{script}")
        program.chmod(0o755)
    return tmp_path / "bin"


def shell(commands: str, repo: Path, programs: Path) -> tuple[int, str]:
    python = f"{repos.BUILDER}{os.pathsep}{ROOT / 'tests'}"
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euc", commands],
        cwd=repo,
        env=repos.environment(PATH=path, PYTHONPATH=python, **AUTHOR),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_catalog_refuses_unsigned_skills(repo: Path, programs: Path) -> None:
    status, text = shell(block("openssl req"), repo, programs)
    assert status == 0, text
    status, text = shell(block("mkdir -p trust"), repo, programs)
    assert status == 1, text
    assert "skills/pdf/SKILL.md: error[signature-missing]: the skill is not signed" in TEXT
    assert "skills/pdf/SKILL.md: error[signature-missing]: the skill is not signed" in text
    status, text = shell(block("for skill in"), repo, programs)
    assert (status, "2 skills found, all valid; 0 errors, 0 warnings" in text) == (0, True), text
    status, text = shell(block("git add trust"), repo, programs)
    assert (status, "2 skills found, all published" in text) == (0, True), text
    policy = repo.parent / "policy"
    policy.mkdir()
    shutil.copy(repo / "trust" / "root.pem", policy)
    (policy / "trust.toml").write_text(SETTINGS[0])
    status, text = shell(block("skillbuild check --trust ../policy"), repo, programs)
    assert status == 0, text
    assert (repo.parent / "out" / "catalog.json").is_file()
    (repo / "skillbuild.toml").unlink()
    (repo / "skills" / "pdf" / "more.md").write_text("More.\n")
    status, text = shell(block("skillbuild check --trust ../policy"), repo, programs)
    assert status == 1
    assert "error[signature-stale]: added after signing: more.md" in text


@pytest.mark.skipif(shutil.which("jq") is None, reason="needs jq")
def test_what_a_scanner_found_is_shown(repo: Path, programs: Path) -> None:
    status, text = shell(block("skill-scanner scan-all"), repo, programs)
    assert status == 0, text
    (repo / "skillbuild.toml").write_text(SETTINGS[1])
    status, text = shell("skillbuild check", repo, programs)
    assert status == 1
    assert "skills/csv/SKILL.md:1:1: error[scanner-result]: skill-scanner 1.0 reports R" in text


def test_the_smallest_report_of_a_scanner_counts(repo: Path, programs: Path) -> None:
    (report,) = blocks("json")
    scans = repo / "scans"
    scans.mkdir()
    commit = repos.git(repo, "rev-parse", "HEAD").strip()
    (scans / "a.sarif").write_text(report.replace("THE COMMIT, 40 DIGITS", commit))
    (repo / "skillbuild.toml").write_text(SETTINGS[1].replace('"error"', '"warning"'))
    _, text = shell("skillbuild check", repo, programs)
    assert "skills/csv/SKILL.md:1:1: error[scanner-result]: acme-scan 1.2 reports" in text


def test_another_release_is_named(repo: Path, programs: Path) -> None:
    wanted = f"sha256:{'4' * 64}"
    script = f"skillbuild build --quiet --out ../out; skillbuild verify --release {wanted} ../out"
    status, text = shell(script, repo, programs)
    said = "error: the release is sha256:9ceb... instead of sha256:4dbe...\n"
    assert said in TEXT
    digest = f"sha256:{hashlib.sha256((repo.parent / 'out/release.json').read_bytes()).hexdigest()}"
    assert status == 1
    assert said.replace("sha256:9ceb...", digest).replace("sha256:4dbe...", wanted) in text


def test_the_workflow_runs_the_same_commands() -> None:
    (text,) = (each for each in blocks("yaml") if each.startswith("on:"))
    jobs = yaml.safe_load(text)["jobs"]
    (scan,) = (step["run"] for step in jobs["scan"]["steps"] if "jq" in step.get("run", ""))
    assert f"{scan.strip()}\nrm found.sarif" == block("skill-scanner scan-all").strip()
    assert jobs["scan"]["permissions"] == {"contents": "read"}
    assert all("${{" not in step.get("run", "") for job in jobs.values() for step in job["steps"])

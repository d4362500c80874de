"""`skillbuild init`: a new repository, one that has skills already, and the workflow it writes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from helpers import repos
from helpers.repos import Link, skill_md
from skillbuild import __version__, config
from skillbuild.cli import main
from skillbuild.config import VersionSettings

Capture = pytest.CaptureFixture[str]
COMMIT = "c0ffee" * 6 + "c0ff"
HOME = "https://github.com/acme/skillbuild"
STARTER = [
    ".gitignore",
    "README.md",
    "skillbuild.toml",
    "skills/release-notes/SKILL.md",
    "skills/release-notes/references/style.md",
    "skills/release-notes/scripts/list-changes.sh",
]
WORKFLOW = ".github/workflows/skills.yml"
OURS: repos.Files = {
    "README.md": "ours\n",
    "src/main.py": "print()\n",
    "skills/pdf/SKILL.md": skill_md("pdf"),
}


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user for whom addresses on GitHub are those of a folder, in which there is nothing."""
    folder = tmp_path_factory.mktemp("home")
    settings = f'[url "{(folder / "github").as_uri()}/"]\n\tinsteadOf = https://github.com/\n'
    (folder / ".gitconfig").write_text(settings)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return folder


def run(capsys: Capture, *arguments: object) -> tuple[int, str, str]:
    status = main.main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def files_in(folder: Path) -> dict[str, str]:
    return {
        path: digest
        for path, digest in repos.digests(folder).items()
        if not path.startswith(".git/")
    }


def called(workflow: Path) -> tuple[str, str]:
    """What the job of a workflow uses, and the path that it gives."""
    job = yaml.safe_load(workflow.read_text())["jobs"]["skills"]
    return job["uses"], job["with"]["path"]


def test_a_new_repository_has_no_findings_and_builds(tmp_path: Path, capsys: Capture) -> None:
    top = tmp_path / "mine"
    status, out, errors = run(capsys, "init", top)
    assert (status, out.splitlines()[0], errors) == (0, f"6 files in {top}/", "")
    assert sorted(files_in(top)) == STARTER
    settings = config.parse((top / "skillbuild.toml").read_bytes())
    assert settings.versions == VersionSettings()
    repos.git(top, "add", ".")
    repos.git(top, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "First skill")
    status, out, errors = run(capsys, "check", top)
    assert (status, errors) == (0, "")
    assert " 0 errors, 0 warnings" in out
    assert run(capsys, "build", top, "-o", tmp_path / "out")[0] == 0
    assert run(capsys, "verify", "--whole", tmp_path / "out")[0] == 0


@pytest.mark.parametrize("files", [{}, OURS])
def test_a_directory_in_no_repository_becomes_one(
    files: repos.Files, tmp_path: Path, capsys: Capture
) -> None:
    """In a repository, none is made below it."""
    line = "git init: created a repository"
    top = tmp_path / "top"
    for path, content in files.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text(str(content))
    assert line in run(capsys, "init", top)[1].splitlines()
    assert (top / ".git/HEAD").is_file()
    assert line not in run(capsys, "init", top)[1]
    assert line not in run(capsys, "init", top / "below")[1]
    assert not (top / "below/.git").exists()


def test_no_workflow_is_written_while_nothing_says_what_it_may_call(
    tmp_path: Path, capsys: Capture
) -> None:
    last = run(capsys, "init", tmp_path)[1].splitlines()[-1]
    assert last == (
        "no workflow was written: skillbuild has no release yet that a workflow could use; pass"
        " --workflow URL@COMMIT to write one that uses this commit of skillbuild"
    )
    assert not (tmp_path / ".github").exists()


def test_a_workflow_calls_the_commit_that_is_named(tmp_path: Path, capsys: Capture) -> None:
    for end in ("", "/", ".git"):
        top = tmp_path / f"top{end.strip('/')}"
        assert run(capsys, "init", "--workflow", f"{HOME}{end}@{COMMIT}", top)[0] == 0
        uses = f"acme/skillbuild/.github/workflows/publish.yml@{COMMIT}"
        assert called(top / WORKFLOW) == (uses, ".")
        assert sorted(files_in(top)) == [WORKFLOW, *STARTER]


def test_a_workflow_calls_what_its_repository_has(
    tmp_path: Path, capsys: Capture, home: Path
) -> None:
    other = "could not check whether acme/skillbuild has c0ffee"
    assert other in run(capsys, "init", "--workflow", f"{HOME}@{COMMIT}", tmp_path / "before")[1]
    called_one = repos.repository(home / "github/acme/skillbuild", {"a": "b"})
    commit = repos.git(called_one, "rev-parse", "HEAD").strip()
    repos.git(called_one, "tag", "v1.2.3")
    for number, revision in enumerate((commit, "v1.2.3")):
        top = tmp_path / f"top{number}"
        status, out, errors = run(capsys, "init", "--workflow", f"{HOME}@{revision}", top)
        assert (status, errors, "not looked up" in out) == (0, "", False)
    for revision in (COMMIT, "v1.2.4"):
        top = tmp_path / "none"
        status, out, errors = run(capsys, "init", "--workflow", f"{HOME}@{revision}", top)
        assert (status, out) == (2, "")
        assert (
            f"{HOME} has no {revision}; give a commit or release that exists in this repository"
            in errors
        )
        assert not top.exists()


def test_the_address_of_the_project_is_that_of_its_metadata(tmp_path: Path) -> None:
    described = tmp_path / "site" / f"skillbuild-{__version__}.dist-info"
    described.mkdir(parents=True)
    (described / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: skillbuild\nVersion: {__version__}\n"
        f"Project-URL: Issues, {HOME}/issues\nProject-URL: Source, {HOME}\n"
    )
    path = os.pathsep.join([str(described.parent), str(repos.BUILDER)])
    with repos.skillbuild("init", "top", cwd=tmp_path, variables={"PYTHONPATH": path}) as started:
        assert started.communicate()[1] == b""
    assert started.returncode == 0
    uses = f"acme/skillbuild/.github/workflows/publish.yml@v{__version__}"
    assert called(tmp_path / "top" / WORKFLOW) == (uses, ".")


@pytest.mark.parametrize(
    ("address", "message"),
    [
        (f"{HOME}@main", "main is not a fixed revision; give a full commit id"),
        (f"{HOME}@v1", "v1 is not a fixed revision; give a full commit id"),
        (f"{HOME}@{COMMIT[:7]}", "c0ffeec is not a fixed revision; give a full commit id"),
        (f"{HOME}@", " is not a fixed revision; give a full commit id"),
        (HOME, "must have the form https://github.com/OWNER/REPOSITORY@COMMIT"),
        (f"http://github.com/acme/skillbuild@{COMMIT}", "must have the form"),
        (f"https://github.com/acme@{COMMIT}", "must have the form"),
        (f"https://github.com/acme/skill build@{COMMIT}", "must have the form"),
        (f"skillbuild@{COMMIT}", "must have the form"),
        ("x\x1b[31m@y", r"\x1b[31m@y must have the form"),
    ],
)
def test_a_workflow_is_pinned_or_not_written(
    tmp_path: Path, capsys: Capture, address: str, message: str
) -> None:
    status, out, errors = run(capsys, "init", "--workflow", address, tmp_path)
    assert (status, out, errors.count("\n")) == (2, "", 1)
    assert message in errors
    assert files_in(tmp_path) == {}


def test_a_repository_with_skills_gets_settings_and_a_workflow_and_nothing_else(
    tmp_path: Path, capsys: Capture
) -> None:
    repo = repos.repository(tmp_path / "repo", OURS)
    before = files_in(repo)
    status, out, errors = run(capsys, "init", "--workflow", f"{HOME}@{COMMIT}", repo)
    assert (status, errors) == (0, "")
    assert out == (
        f"written: {WORKFLOW}, skillbuild.toml\nnext: skillbuild check {repo}\n"
        f"could not check whether acme/skillbuild has {COMMIT}\n"
    )
    after = files_in(repo)
    assert after.keys() - before.keys() == {"skillbuild.toml", WORKFLOW}
    assert {path: after[path] for path in before} == before
    assert run(capsys, "check", "--strict", repo)[0] == 0
    out = run(capsys, "init", "--workflow", f"{HOME}@v1.2.3", repo)[1]
    left = f"unchanged: {WORKFLOW}, skillbuild.toml"
    last = "could not check whether acme/skillbuild has v1.2.3"
    assert out == f"written: nothing\n{left}\nnext: skillbuild check {repo}\n{last}\n"
    assert files_in(repo) == after


def test_a_repository_without_skills_keeps_what_it_has(tmp_path: Path, capsys: Capture) -> None:
    repo = repos.repository(tmp_path / "repo", {"README.md": "ours\n", "LICENSE": "ours\n"})
    out = run(capsys, "init", repo)[1].splitlines()
    assert out[:2] == [f"5 files in {repo}/", "unchanged: README.md"]
    assert sorted(files_in(repo)) == sorted(["LICENSE", *STARTER])
    assert (repo / "README.md").read_text() == "ours\n"


def test_a_catalog_in_a_part_of_a_repository_has_a_workflow_of_its_own(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"teams/{team} 1/x/SKILL.md": skill_md("x") for team in ("A", "B")}
    repo = repos.repository(tmp_path / "repo", files)
    monkeypatch.chdir(repo / "teams" / "A 1")
    assert run(capsys, "init", "--workflow", f"{HOME}@{COMMIT}")[0] == 0
    monkeypatch.chdir(repo)
    out = run(capsys, "init", "--workflow", f"{HOME}@{COMMIT}", "teams/B 1")[1]
    workflow = ".github/workflows/skills-teams-b-1.yml"
    assert out.splitlines()[0] == f"written: {workflow}, teams/B 1/skillbuild.toml"
    assert called(repo / workflow)[1] == "teams/B 1"
    assert called(repo / ".github/workflows/skills-teams-a-1.yml")[1] == "teams/A 1"
    assert (repo / "teams/A 1/skillbuild.toml").is_file()


def test_nothing_is_written_through_a_link(tmp_path: Path, capsys: Capture) -> None:
    repo = repos.repository(tmp_path / "repo", {**OURS, ".github": Link("../elsewhere")})
    (tmp_path / "elsewhere").mkdir()
    status, out, errors = run(capsys, "init", "--workflow", f"{HOME}@{COMMIT}", repo)
    assert (status, out) == (2, "")
    assert errors == f"skillbuild: {repo}/.github is a symbolic link, which init does not follow\n"
    assert (list((tmp_path / "elsewhere").iterdir()), (repo / "skillbuild.toml").exists()) == (
        [],
        False,
    )

"""The hook for pre-commit, run by the real pre-commit on real commits, without a network.

pre-commit clones the hook's repository from disk. What differs from what a user has is only
`language: unsupported`, so that `skillbuild` is that of the tests and nothing is installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import skill_md
from helpers.tokens import with_crc

ROOT = Path(__file__).parents[1]
PROGRAM = shutil.which(
    "pre-commit", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
)
pytestmark = [
    pytest.mark.skipif(PROGRAM is None, reason="pre-commit is not installed: it is in [test]"),
    pytest.mark.skipif(os.name == "nt", reason="the launcher of the tests is a shell script"),
]

SKILLS: repos.Files = {
    "README.md": "ours\n",
    "skills/pdf/SKILL.md": skill_md("pdf", body="Run scripts/run.sh.\n"),
    "skills/pdf/scripts/run.sh": repos.Program("#!/bin/sh\n"),
}
CONFIG = """\
repos:
  - repo: {url}
    rev: {commit}
    hooks: [{{id: {hook}, language: unsupported}}]
"""


@dataclass(frozen=True)
class Author:
    """Somebody with a clone in which pre-commit is installed."""

    repo: Path
    variables: dict[str, str]

    def git(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["git", "-c", "user.name=A", "-c", "user.email=a@b", *arguments]
        return subprocess.run(
            command, cwd=self.repo, env=self.variables, capture_output=True, text=True, check=False
        )

    def write(self, path: str, text: str) -> None:
        (self.repo / path).parent.mkdir(parents=True, exist_ok=True)
        (self.repo / path).write_text(text)

    def commits(self) -> tuple[bool, str]:
        """Whether `git commit` of what is staged goes through, and what is printed."""
        done = self.git("commit", "--quiet", "-m", "Work")
        printed = done.stdout + done.stderr
        assert "skillbuild check" in printed
        assert "no files to check" not in printed, printed
        return done.returncode == 0, printed


@pytest.fixture
def hook(request: pytest.FixtureRequest) -> str:
    """The id of the hook, which a test may choose."""
    return str(getattr(request, "param", "skillbuild-check"))


@pytest.fixture
def author(tmp_path: Path, hook: str) -> Author:
    hooks = repos.repository(
        tmp_path / "hooks",
        {".pre-commit-hooks.yaml": (ROOT / ".pre-commit-hooks.yaml").read_text()},
    )
    commit = repos.git(hooks, "rev-parse", "HEAD")
    config = CONFIG.format(url=hooks.as_uri(), commit=commit, hook=hook)
    repo = repos.repository(tmp_path / "repo", {**SKILLS, ".pre-commit-config.yaml": config})
    launcher = tmp_path / "bin" / "skillbuild"
    launcher.parent.mkdir()
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m skillbuild "$@"\n')
    launcher.chmod(0o755)
    variables = repos.environment(
        PATH=os.pathsep.join([str(launcher.parent), os.environ["PATH"]]),
        PYTHONPATH=str(repos.BUILDER),
        PRE_COMMIT_HOME=str(tmp_path / "home"),
    )
    subprocess.run(
        [str(PROGRAM), "install"], cwd=repo, env=variables, capture_output=True, check=True
    )
    return Author(repo, variables)


def _a_key_in_a_script(author: Author) -> None:
    author.write("skills/pdf/scripts/run.sh", f"#!/bin/sh\nTOKEN={with_crc('gh' + 'p_')}\n")
    author.git("add", ".")


def _a_renamed_skill_md(author: Author) -> None:
    author.git("mv", "skills/pdf/SKILL.md", "skills/pdf/skill.md")


def _the_only_skill_is_gone(author: Author) -> None:
    author.git("rm", "--quiet", "skills/pdf/SKILL.md")


def _a_broken_header(author: Author) -> None:
    author.write("skills/pdf/SKILL.md", "# PDF\n")
    author.git("add", ".")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (_a_key_in_a_script, "secret"),
        (_a_renamed_skill_md, "skill-file-case"),
        (_the_only_skill_is_gone, "no-skills"),
        (_a_broken_header, "frontmatter-missing"),
    ],
)
def test_a_commit_with_an_error_is_stopped(
    author: Author, change: Callable[[Author], None], code: str
) -> None:
    change(author)
    passes, printed = author.commits()
    assert (passes, f"error[{code}]" in printed) == (False, True), printed


def test_what_is_staged_is_judged_and_not_what_is_typed(author: Author) -> None:
    author.write("skills/pdf/references/more.md", "More.\n")
    author.git("add", ".")
    author.write("skills/pdf/SKILL.md", "# not finished\n")
    assert author.commits()[0]
    assert (author.repo / "skills/pdf/SKILL.md").read_text() == "# not finished\n"


@pytest.mark.parametrize("hook", ["skillbuild-fix"], indirect=True)
def test_a_commit_with_what_can_be_fixed_is_stopped_once(author: Author) -> None:
    author.write("skills/pdf/SKILL.md", skill_md("pdf", "Reads: files"))
    author.git("add", ".")
    passes, printed = author.commits()
    assert (passes, "1 problem fixed in 1 file, 0 left" in printed) == (False, True), printed
    assert (author.repo / "skills/pdf/SKILL.md").read_text() == skill_md("pdf", '"Reads: files"')
    author.git("add", ".")
    assert author.commits()[0]


_BY_FILE = "skillbuild-check, pass_filenames: true, always_run: false"


@pytest.mark.parametrize("hook", [_BY_FILE], indirect=True)
def test_a_commit_is_judged_by_the_skills_of_its_files_alone(author: Author) -> None:
    author.write("skills/broken/SKILL.md", "# Broken\n")
    author.git("add", ".")
    author.git("commit", "--quiet", "--no-verify", "-m", "Work")
    author.write("README.md", "more\n")
    author.write("skills/pdf/SKILL.md", skill_md("pdf", body="Run scripts/run.sh twice.\n"))
    author.git("add", ".")
    assert author.commits()[0]
    author.write("skills/broken/scripts/more.md", "More.\n")
    author.git("add", ".")
    passes, printed = author.commits()
    assert (passes, "error[frontmatter-missing]" in printed) == (False, True), printed

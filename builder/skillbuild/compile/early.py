"""What a first build starts before it loads anything itself: what its workers are forked from.

To load what compiles skills takes as long as to compile twenty of them, and two processes can do it
at once. Imports little, for that reason.
"""

from __future__ import annotations

import os
from pathlib import Path

from skillbuild.compile.processes import CORES, SKILLS_WORTH_A_WORKER, context, workers_for
from skillbuild.errors import SkillbuildError
from skillbuild.paths import SKILL_FILE
from skillbuild.release.layout import RECORD_FILE
from skillbuild.source import git_process

WORKERS, PRELOAD = "skillbuild.compile.workers", "skillbuild.compile.preload"
_READ_AT_ONCE, _MOST_READS = 1 << 14, 128
"""Bytes of names, and how often: to list a large source twice would take longer than it saves."""


def start_early(repo: Path, revision: str, out: Path, jobs: int) -> None:
    """Start the process that workers are forked from, where nothing is in `out` yet.

    Nothing is done where there are too few skills for workers. Whatever is wrong with the source
    is told by the build itself.
    """
    if (jobs or CORES) == 1 or os.path.lexists(out / RECORD_FILE):
        return
    try:
        skills = 0 if jobs else _count_skills(repo, revision, SKILLS_WORTH_A_WORKER)
    except (SkillbuildError, OSError, ValueError):
        return
    if workers_for(jobs, skills) > 1:
        context(WORKERS, PRELOAD)


def _count_skills(repo: Path, revision: str, enough: int) -> int:
    """How many files are named SKILL.md, counted until there are enough, among the first names."""
    found = git_process.find(repo)
    if found is None or revision.startswith("-"):
        return 0
    git_dir, work_tree, prefix = found
    below = ["--", prefix] if prefix else []
    arguments = ("ls-tree", "-r", "-z", "--name-only", "--full-tree", revision, *below)
    end, count, rest = f"{SKILL_FILE}\0".encode(), 0, b""
    with git_process.start(git_process.command(git_dir, work_tree, *arguments), work_tree) as git:
        for _ in range(_MOST_READS):
            names = rest + (git.stdout.read(_READ_AT_ONCE) if git.stdout else b"")
            count += names.count(end)
            if count >= enough or len(names) < _READ_AT_ONCE:
                break
            rest = names[1 - len(end) :]
        git.kill()
    return count

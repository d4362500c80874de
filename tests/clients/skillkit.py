"""Does `skillkit install URL` take every skill of discovery v0.1.0?

    python tests/clients/skillkit.py REPO|OUT...

It reads each file as text and puts all files of a skill into one folder, those with one name over
each other, so only SKILL.md and the names of the others are judged. Its scan is off, as it installs
no skill if one has a text that looks like an attack.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import arrivals
import tools
from arrivals import LEFT_OUT, Output, Row
from webhost import hosted

_MARK = ".skillkit.json"


def judge(output: Output, work: Path) -> Iterator[Row]:
    client = tools.npm("skillkit", "1.24.0", "skillkit")
    offered = output.by_flat_name(without=LEFT_OUT)
    for base in ("/", "/repo/"):
        here = work / base.replace("/", "-")
        project = here / "project"
        project.mkdir(parents=True)
        with hosted(output.folder, base) as site:
            words = ("install", site.url, "--all", "--yes", "--no-scan", "--agent", "claude-code")
            tools.run(client, here / "home", *words, cwd=project)
            case = f"SKILL.md of all skills at {site.base}, {len(site.asked)} requests"
        arrived = arrivals.folders(project / ".claude" / "skills", (_MARK,))
        yield arrivals.row(case, _skill_md(offered), _skill_md(arrived))
        wanted = {f"{name}/{Path(file).name}" for name, files in offered.items() for file in files}
        seen = [f"{name}/{file}" for name, files in arrived.items() for file in files]
        yield arrivals.same(f"names of files at {site.base}", wanted, seen)


def _skill_md(skills: Mapping[str, arrivals.Digests]) -> dict[str, arrivals.Digests]:
    return {name: {"SKILL.md": files.get("SKILL.md", "")} for name, files in skills.items()}


if __name__ == "__main__":
    sys.exit(arrivals.main(__doc__ or "", "skillkit 1.24.0 (npm)", judge))

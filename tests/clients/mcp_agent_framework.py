"""Does Microsoft Agent Framework give its model every skill of the server?

    python tests/clients/mcp_agent_framework.py REPO|OUT...

By tools, and by its source of skills, which reads `skill://index.json` and each file when asked.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import arrivals
import hosts
import tools
from arrivals import Output, Row
from hosts import Wanted, Way
from model import Step


def judge(output: Output, work: Path) -> Iterator[Row]:
    client = tools.pypi(
        "python",
        "agent-framework-core==1.23.0",
        "agent-framework-openai==1.17.0",
        "mcp==2.3.0",
        "tenacity",
    )
    program = hosts.program(client, "agent_framework_agent.py")
    ways = (hosts.TOOLS, Way("skill://index.json", _by_skills, only_unique=True))
    yield from hosts.judge(output, work, ways, program)


def _by_skills(wanted: Sequence[Wanted]) -> list[Step]:
    return [_step(each) for each in wanted]


def _step(wanted: Wanted) -> Step:
    name = {"skill_name": wanted.offer.name}
    if wanted.path == "SKILL.md":
        return Step("load_skill", name)
    return Step("read_skill_resource", {**name, "resource_name": wanted.path})


if __name__ == "__main__":
    sys.exit(
        arrivals.main(
            __doc__ or "", "Microsoft Agent Framework 1.23.0 (PyPI agent-framework-core)", judge
        )
    )

"""Does the Agents SDK of OpenAI give its model every skill of the server?

python tests/clients/mcp_openai_agents.py REPO|OUT...
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import arrivals
import hosts
import tools
from arrivals import Output, Row


def judge(output: Output, work: Path) -> Iterator[Row]:
    client = tools.pypi("python", "openai-agents==0.24.0")
    program = hosts.program(client, "openai_agent.py")
    yield from hosts.judge(output, work, (hosts.TOOLS,), program)


if __name__ == "__main__":
    sys.exit(arrivals.main(__doc__ or "", "OpenAI Agents SDK 0.24.0 (PyPI openai-agents)", judge))

"""Does the Agent Development Kit of Google give its model every skill of the server?

python tests/clients/mcp_google_adk.py REPO|OUT...
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
    client = tools.pypi("python", "google-adk==2.13.0", "mcp==2.3.0")
    program = hosts.program(client, "google_adk_agent.py")
    yield from hosts.judge(output, work, (hosts.TOOLS,), program)


if __name__ == "__main__":
    sys.exit(arrivals.main(__doc__ or "", "Google ADK 2.13.0 (PyPI google-adk)", judge))

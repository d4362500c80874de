"""Does Pydantic AI give its model every skill of the server?

python tests/clients/mcp_pydantic_ai.py REPO|OUT...
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
    client = tools.pypi(
        "python", "pydantic-ai-slim==2.62.0", "pydantic-ai-slim[openai,mcp]==2.62.0"
    )
    program = hosts.program(client, "pydantic_ai_agent.py")
    yield from hosts.judge(output, work, (hosts.TOOLS,), program)


if __name__ == "__main__":
    sys.exit(arrivals.main(__doc__ or "", "Pydantic AI 2.62.0 (PyPI pydantic-ai-slim)", judge))

"""Does LangChain give its model every skill of the server?

python tests/clients/mcp_langchain.py REPO|OUT...
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
    client = tools.pypi("python", "langchain-mcp-adapters==0.3.2", "langchain", "langchain-openai")
    program = hosts.program(client, "langchain_agent.py")
    yield from hosts.judge(output, work, (hosts.TOOLS,), program)


if __name__ == "__main__":
    sys.exit(arrivals.main(__doc__ or "", "LangChain (PyPI langchain-mcp-adapters 0.3.2)", judge))

"""Does Qwen Code give its model every skill of the server?

python tests/clients/mcp_qwen_code.py REPO|OUT...
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import arrivals
import hosts
import tools
from arrivals import Output, Row
from hosts import Session, Wanted, Way
from model import Step


def judge(output: Output, work: Path) -> Iterator[Row]:
    client = tools.npm("@qwen-code/qwen-code", "0.24.4", "qwen")
    by_tools = replace(hosts.TOOLS, steps=_by_tools)
    yield from hosts.judge(output, work, (by_tools,), partial(_run, client))


def _by_tools(wanted: Sequence[Wanted]) -> list[Step]:
    """Tools of servers are called through one of its own."""
    steps = hosts.by_tools(wanted)
    names = [f"mcp__{hosts.NAME}__{step.tool.removeprefix('.*')}" for step in steps]
    calls = [
        Step("tool_call", {"name": name, "arguments": step.arguments})
        for name, step in zip(names, steps, strict=True)
    ]
    return [Step("tool_search", {"query": f"select:{','.join(sorted({*names}))}"}), *calls]


def _run(client: tools.Client, session: Session, way: Way) -> tools.Result:
    hosts.write_settings(session, ".qwen", "openai")
    fake = {
        "OPENAI_BASE_URL": f"{session.model.url}/v1",
        "OPENAI_API_KEY": "none",
        "OPENAI_MODEL": "any",
    }
    arguments = ("--yolo", "--prompt", "Read the skills.")
    return tools.run(client, session.home, *arguments, cwd=session.project, more=fake)


if __name__ == "__main__":
    sys.exit(arrivals.main(__doc__ or "", "Qwen Code 0.24.4 (npm @qwen-code/qwen-code)", judge))

"""Does Claude Code give its model every skill of the server?

    python tests/clients/mcp_claude_code.py REPO|OUT...

By tools, and by its own tool that reads resources. No account is needed, as the model is another
one. With `--print` it leaves mentions of resources in the prompt as they are.
"""

from __future__ import annotations

import json
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

_READ, _LIST = "ReadMcpResourceTool", "ListMcpResourcesTool"


def judge(output: Output, work: Path) -> Iterator[Row]:
    client = tools.npm("@anthropic-ai/claude-code", "2.1.329", "claude")
    by_tools = replace(hosts.TOOLS, steps=_by_tools)
    ways = (by_tools, Way(_READ, _by_resources))
    yield from hosts.judge(output, work, ways, partial(_run, client))


def _by_tools(wanted: Sequence[Wanted]) -> list[Step]:
    names = ("search_skills", "read_skill", "read_skill_file")
    return [_loading(*(f"mcp__{hosts.NAME}__{name}" for name in names)), *hosts.by_tools(wanted)]


def _by_resources(wanted: Sequence[Wanted]) -> list[Step]:
    reads = [{"server": hosts.NAME, "uri": each.uri} for each in wanted]
    listing = Step(_LIST, {"server": hosts.NAME})
    return [_loading(_LIST, _READ), listing, *(Step(_READ, read) for read in reads)]


def _loading(*names: str) -> Step:
    """Most tools are known by name alone until the model asks for them."""
    return Step("ToolSearch", {"query": f"select:{','.join(names)}", "max_results": 10})


def _run(client: tools.Client, session: Session, way: Way) -> tools.Result:
    command, url = session.server.command, session.server.url
    server = (
        {"type": "http", "url": url}
        if url
        else {"type": "stdio", "command": command[0], "args": command[1:]}
    )
    settings = session.project / "mcp.json"
    settings.write_text(json.dumps({"mcpServers": {hosts.NAME: server}}))
    arguments = (
        "--mcp-config",
        str(settings),
        "--strict-mcp-config",
        "--print",
        "Read the skills.",
    )
    trust = ("--allowedTools", f"mcp__{hosts.NAME}", _READ, _LIST)
    fake = {"ANTHROPIC_BASE_URL": session.model.url, "ANTHROPIC_API_KEY": "none"}
    fake["MCP_CONNECTION_NONBLOCKING"] = "0"
    return tools.run(client, session.home, *arguments, *trust, cwd=session.project, more=fake)


if __name__ == "__main__":
    title = "Claude Code 2.1.329 (npm @anthropic-ai/claude-code)"
    sys.exit(arrivals.main(__doc__ or "", title, judge))

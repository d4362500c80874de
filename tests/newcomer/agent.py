"""A client of MCP: prints the first text of every resource that a server on standard streams lists.

    python tests/newcomer/agent.py COMMAND...

It needs the MCP SDK alone, which comes with skillbuild.
"""

from __future__ import annotations

import sys

import anyio
from mcp import Client, StdioServerParameters


async def main() -> None:
    command, *arguments = sys.argv[1:]
    server = StdioServerParameters(command=command, args=arguments)
    async with Client(server) as client:
        cursor: str | None = None
        while True:
            page = await client.list_resources(cursor=cursor)
            for resource in page.resources:
                content = (await client.read_resource(str(resource.uri))).contents[0]
                size = len(getattr(content, "text", ""))
                print(f"{resource.uri}: {size} characters", flush=True)
            cursor = page.next_cursor
            if cursor is None:
                return


anyio.run(main)

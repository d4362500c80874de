"""Every skill of a server, by `sync_skills` of FastMCP.

fastmcp_sync_agent.py FOLDER URL|COMMAND...
"""

import asyncio
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.utilities.skills import sync_skills


async def main(folder: str, *server: str) -> None:
    is_url = server[0].startswith("http")
    where = server[0] if is_url else StdioTransport(server[0], list(server[1:]))
    async with Client(where) as client:
        for path in await sync_skills(client, folder):
            print(path)


asyncio.run(main(*sys.argv[1:]))

"""Do the clients of the Python SDK and of FastMCP read every listed skill, with the right bytes?

    python_clients.py URL|COMMAND...

Runs where fastmcp is installed. Prints a line for each client; an error ends it.
"""

import asyncio
import base64
import hashlib
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types
from fastmcp import Client as FastClient
from fastmcp.client.transports import StdioTransport
from fastmcp.skills.client import SkillsClientExtension
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from pydantic import ConfigDict


class Skills(mcp_types.Result):
    """A result of `skills/list`."""

    model_config = ConfigDict(extra="allow")
    skills: list[dict[str, Any]]
    nextCursor: str | None = None  # noqa: N815


def right(contents: Any, file: dict[str, Any]) -> bool:
    [item] = contents
    data = item.text.encode() if hasattr(item, "text") else base64.b64decode(item.blob)
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    return (digest, len(data)) == (file["digest"], file["size"])


async def all_files(
    read: Callable[[str], Awaitable[Any]], request: Callable[[dict[str, Any]], Awaitable[Skills]]
) -> str:
    """List and read all; says how many there are, and raises for a wrong one."""
    skills: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        page = await request({"cursor": cursor} if cursor else {})
        skills += page.skills
        cursor = page.nextCursor
    files = [file for skill in skills for file in skill["resources"]]
    wrong = [file["uri"] for file in files if not right(await read(file["uri"]), file)]
    if wrong:
        raise SystemExit(f"wrong bytes: {wrong}")
    return f"{len(skills)} skills, {len(files)} files"


async def by_sdk(server: list[str], mode: str) -> str:
    command = StdioServerParameters(command=server[0], args=server[1:])
    where: Any = server[0] if server[0].startswith("http") else stdio_client(command)
    async with Client(where, mode=mode) as client:

        async def read(uri: str) -> Any:
            return (await client.read_resource(uri)).contents

        async def request(params: dict[str, Any]) -> Skills:
            asked = mcp_types.Request[dict[str, Any], str](method="skills/list", params=params)
            return await client.session.send_request(asked, Skills)

        return f"{client.protocol_version}: {await all_files(read, request)}"


async def by_fastmcp(server: list[str]) -> str:
    where: Any = server[0]
    if not server[0].startswith("http"):
        where = StdioTransport(server[0], server[1:])
    async with FastClient(where, extensions=[SkillsClientExtension()]) as client:
        typed = await client.list_skills()
        files = [file for skill in typed for file in skill.resources]
        for file in files:
            contents = await client.read_resource(file.uri)
            if not right(contents, {"digest": file.digest, "size": file.size}):
                raise SystemExit(f"wrong bytes: {file.uri}")
        found = await client.list_skill_resources()
        return f"{len(typed)} skills by skills/list, {len(found)} by resources, {len(files)} files"


async def main(server: list[str]) -> None:
    for mode in ("legacy", "auto", "2026-07-28"):
        print(f"mcp {mode}: {await by_sdk(server, mode)}", flush=True)
    print(f"fastmcp: {await by_fastmcp(server)}", flush=True)


asyncio.run(main(sys.argv[1:]))

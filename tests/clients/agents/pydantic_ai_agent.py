"""Pydantic AI with the server's tools.

pydantic_ai_agent.py MODEL WAY URL|COMMAND...
"""

import asyncio
import sys

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


async def main(model: str, way: str, *server: str) -> None:
    chat = OpenAIChatModel("any", provider=OpenAIProvider(f"{model}/v1", api_key="none"))
    is_url = server[0].startswith("http")
    where = server[0] if is_url else StdioTransport(server[0], list(server[1:]))
    toolset = MCPToolset(where, include_instructions=True)
    async with Agent(chat, toolsets=[toolset]) as agent:
        print((await agent.run("Read the skills.")).output)


asyncio.run(main(*sys.argv[1:]))

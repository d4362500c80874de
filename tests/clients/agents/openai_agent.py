"""The Agents SDK of OpenAI with the server's tools.

openai_agent.py MODEL WAY URL|COMMAND...
"""

import asyncio
import sys

from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from openai import AsyncOpenAI


async def main(model: str, way: str, *server: str) -> None:
    set_tracing_disabled(disabled=True)
    chat = OpenAIResponsesModel("any", AsyncOpenAI(api_key="none", base_url=f"{model}/v1"))
    connection = (
        MCPServerStreamableHttp({"url": server[0]}, client_session_timeout_seconds=30)
        if server[0].startswith("http")
        else MCPServerStdio(
            {"command": server[0], "args": list(server[1:])}, client_session_timeout_seconds=30
        )
    )
    async with connection as connected:
        agent = Agent("reader", model=chat, mcp_servers=[connected])
        result = await Runner.run(agent, "Read the skills.", max_turns=100)
    print(result.final_output)


asyncio.run(main(*sys.argv[1:]))

"""The Agent Development Kit of Google with the server's tools, or its tool that loads resources.

google_adk_agent.py MODEL WAY URL|COMMAND...
"""

import asyncio
import os
import sys

from google.adk.agents import LlmAgent
from google.adk.runners import InMemoryRunner
from google.adk.tools.mcp_tool import (
    McpToolset,
    StdioConnectionParams,
    StreamableHTTPConnectionParams,
)
from google.genai import types
from mcp import StdioServerParameters


async def main(model: str, way: str, *server: str) -> None:
    os.environ |= {"GOOGLE_GEMINI_BASE_URL": model, "GOOGLE_API_KEY": "none"}
    connection = (
        StreamableHTTPConnectionParams(url=server[0])
        if server[0].startswith("http")
        else StdioConnectionParams(
            server_params=StdioServerParameters(command=server[0], args=list(server[1:])),
            timeout=30,
        )
    )
    toolset = McpToolset(connection_params=connection, use_mcp_resources=way != "--tools")
    agent = LlmAgent(name="reader", model="gemini-2.5-pro", tools=[toolset])
    runner = InMemoryRunner(agent=agent, app_name="reader")
    session = await runner.session_service.create_session(app_name="reader", user_id="any")
    question = types.Content(role="user", parts=[types.Part(text="Read the skills.")])
    async for event in runner.run_async(user_id="any", session_id=session.id, new_message=question):
        print(event.content)
    await runner.close()


asyncio.run(main(*sys.argv[1:]))

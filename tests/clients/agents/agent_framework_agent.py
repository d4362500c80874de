"""Microsoft Agent Framework with the server's tools, or with its skills by `skill://index.json`.

agent_framework_agent.py MODEL WAY URL|COMMAND...
"""

import asyncio
import sys

from agent_framework import (
    Agent,
    MCPSkillsSource,
    MCPStdioTool,
    MCPStreamableHTTPTool,
    SkillsProvider,
)
from agent_framework.openai import OpenAIChatClient
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(model: str, way: str, *server: str) -> None:
    chat = OpenAIChatClient("any", api_key="none", base_url=f"{model}/v1")
    chat.function_invocation_configuration["max_iterations"] = 100
    is_url = server[0].startswith("http")
    if way == "--tools":
        tool = (
            MCPStreamableHTTPTool("skills", server[0])
            if is_url
            else MCPStdioTool("skills", server[0], args=list(server[1:]))
        )
        async with tool, Agent(chat, tools=tool) as agent:
            print(await agent.run("Read the skills."))
        return
    started = StdioServerParameters(command=server[0], args=list(server[1:]))
    async with Client(server[0] if is_url else stdio_client(started)) as client:
        provider = SkillsProvider(
            MCPSkillsSource(client),
            disable_load_skill_approval=True,
            disable_read_skill_resource_approval=True,
        )
        async with Agent(chat, context_providers=[provider]) as agent:
            print(await agent.run("Read the skills."))


asyncio.run(main(*sys.argv[1:]))

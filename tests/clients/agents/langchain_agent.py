"""LangChain with the server's tools.

langchain_agent.py MODEL WAY URL|COMMAND...
"""

import asyncio
import sys

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI


async def main(model: str, way: str, *server: str) -> None:
    chat = ChatOpenAI(model="any", base_url=f"{model}/v1", api_key="none")
    connection = (
        {"transport": "streamable_http", "url": server[0]}
        if server[0].startswith("http")
        else {"transport": "stdio", "command": server[0], "args": list(server[1:])}
    )
    tools = await MultiServerMCPClient({"skills": connection}).get_tools()
    agent = create_agent(chat, tools)
    question = {"messages": [{"role": "user", "content": "Read the skills."}]}
    result = await agent.ainvoke(question, {"recursion_limit": 200})
    print(result["messages"][-1].content)


asyncio.run(main(*sys.argv[1:]))

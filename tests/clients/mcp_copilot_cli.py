"""Does Copilot CLI give its model every skill of the server?

python tests/clients/mcp_copilot_cli.py REPO|OUT...
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import arrivals
import hosts
import tools
from arrivals import Output, Row
from hosts import Session, Way


def judge(output: Output, work: Path) -> Iterator[Row]:
    client = tools.npm("@github/copilot", "1.0.102", "copilot")
    yield from hosts.judge(output, work, (hosts.TOOLS,), partial(_run, client))


def _run(client: tools.Client, session: Session, way: Way) -> tools.Result:
    command, url = session.server.command, session.server.url
    server = (
        {"type": "http", "url": url}
        if url
        else {"type": "local", "command": command[0], "args": command[1:]}
    )
    folder = session.home / ".copilot"
    folder.mkdir(parents=True)
    settings = {"mcpServers": {hosts.NAME: {**server, "tools": ["*"]}}}
    (folder / "mcp-config.json").write_text(json.dumps(settings))
    fake = {
        "COPILOT_OFFLINE": "true",
        "COPILOT_MODEL": "gpt-5",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_BASE_URL": f"{session.model.url}/v1",
        "COPILOT_PROVIDER_API_KEY": "none",
    }
    arguments = ("--allow-all-tools", "--prompt", "Read the skills.")
    return tools.run(client, session.home, *arguments, cwd=session.project, more=fake)


if __name__ == "__main__":
    sys.exit(arrivals.main(__doc__ or "", "Copilot CLI 1.0.102 (npm @github/copilot)", judge))

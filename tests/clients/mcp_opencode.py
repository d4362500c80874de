"""Does OpenCode give its model every skill of the server?

python tests/clients/mcp_opencode.py REPO|OUT...
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
    client = tools.npm("opencode-ai", "1.18.33", "opencode")
    yield from hosts.judge(output, work, (hosts.TOOLS,), partial(_run, client))


def _run(client: tools.Client, session: Session, way: Way) -> tools.Result:
    command, url = session.server.command, session.server.url
    server = {"type": "remote", "url": url} if url else {"type": "local", "command": command}
    options = {"baseURL": f"{session.model.url}/v1", "apiKey": "none"}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"any": {}}}
    settings = {
        "model": "scripted/any",
        "provider": {"scripted": provider},
        "mcp": {hosts.NAME: server},
        "permission": {"*": "allow"},
    }
    (session.project / "opencode.json").write_text(json.dumps(settings))
    return tools.run(client, session.home, "run", "Read the skills.", cwd=session.project)


if __name__ == "__main__":
    sys.exit(arrivals.main(__doc__ or "", "OpenCode 1.18.33 (npm opencode-ai)", judge))

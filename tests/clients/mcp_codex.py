"""Does Codex give its model every skill of the server?

python tests/clients/mcp_codex.py REPO|OUT...
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import arrivals
import hosts
import tools
from arrivals import Output, Row
from hosts import Session, Wanted, Way
from model import Step


def judge(output: Output, work: Path) -> Iterator[Row]:
    client = tools.npm("@openai/codex", "0.169.0", "codex")
    resources = Way("read_mcp_resource", _by_resources)
    yield from hosts.judge(output, work, (hosts.TOOLS, resources), partial(_run, client))


def _by_resources(wanted: Sequence[Wanted]) -> list[Step]:
    reads = [{"server": hosts.NAME, "uri": each.uri} for each in wanted]
    listing = Step("list_mcp_resources", {"server": hosts.NAME})
    return [listing, *(Step("read_mcp_resource", read) for read in reads)]


def _run(client: tools.Client, session: Session, way: Way) -> tools.Result:
    folder = session.home / ".codex"
    folder.mkdir(parents=True)
    server = session.server
    where = (
        f"url = {json.dumps(server.url)}"
        if server.url
        else f"command = {json.dumps(server.command[0])}\nargs = {json.dumps(server.command[1:])}"
    )
    (folder / "config.toml").write_text(f"""\
model = "gpt-5"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "{session.model.url}/v1"
wire_api = "responses"
[mcp_servers.{hosts.NAME}]
{where}
required = true
""")
    command = ("exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
    return tools.run(client, session.home, *command, "Read the skills.", cwd=session.project)


if __name__ == "__main__":
    sys.exit(arrivals.main(__doc__ or "", "Codex 0.169.0 (npm @openai/codex)", judge))

"""Does goose give its model every skill of the server?

    python tests/clients/mcp_goose.py REPO|OUT...

By tools, and by its own tool that reads resources. Its program is an npm package for each platform.
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

_NAME = "catalog"
"""Not `skills`: an extension of goose itself has that name and takes the place of the server."""


def judge(output: Output, work: Path) -> Iterator[Row]:
    package = "@aaif/goose-binary-linux-x64"
    client = tools.npm(package, "1.52.0", "goose-binary-linux-x64")
    ways = (hosts.TOOLS, Way("read_resource", _by_resources))
    yield from hosts.judge(output, work, ways, partial(_run, client))


def _by_resources(wanted: Sequence[Wanted]) -> list[Step]:
    reads = [{"extension_name": _NAME, "uri": each.uri} for each in wanted]
    return [Step(".*read_resource", read) for read in reads]


def _run(client: tools.Client, session: Session, way: Way) -> tools.Result:
    command, url = session.server.command, session.server.url
    server = (
        {"type": "streamable_http", "uri": url}
        if url
        else {"type": "stdio", "cmd": command[0], "args": command[1:]}
    )
    extensions = {_NAME: {"name": _NAME, "description": "", "enabled": True, **server}}
    folder = session.home / ".config" / "goose"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(json.dumps({"extensions": extensions}))
    fake = {
        "GOOSE_PROVIDER": "openai",
        "GOOSE_MODEL": "gpt-4o",
        "GOOSE_MODE": "auto",
        "GOOSE_DISABLE_KEYRING": "1",
        "OPENAI_HOST": session.model.url,
        "OPENAI_API_KEY": "none",
    }
    arguments = ("run", "--no-session", "--text", "Read the skills.")
    return tools.run(client, session.home, *arguments, cwd=session.project, more=fake)


if __name__ == "__main__":
    title = "goose 1.52.0 (npm @aaif/goose-binary-linux-x64)"
    sys.exit(arrivals.main(__doc__ or "", title, judge))

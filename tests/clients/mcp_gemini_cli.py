"""Does Gemini CLI give its model every skill of the server?

    python tests/clients/mcp_gemini_cli.py REPO|OUT...

By tools, by its own tool that reads resources, and by mentions in the prompt.
"""

from __future__ import annotations

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

_MENTIONS = Way("@ in the prompt", lambda wanted: [], only_skills=True)


def judge(output: Output, work: Path) -> Iterator[Row]:
    client = tools.npm("@google/gemini-cli", "0.61.0", "gemini")
    ways = (hosts.TOOLS, Way("read_mcp_resource", _by_resources, only_skills=True), _MENTIONS)
    yield from hosts.judge(output, work, ways, partial(_run, client))


def _by_resources(wanted: Sequence[Wanted]) -> list[Step]:
    reads = [{"uri": f"{hosts.NAME}:{each.uri}"} for each in wanted]
    listing = Step("list_mcp_resources", {"serverName": hosts.NAME})
    return [listing, *(Step("read_mcp_resource", read) for read in reads)]


def _run(client: tools.Client, session: Session, way: Way) -> tools.Result:
    hosts.write_settings(session, ".gemini", "gemini-api-key")
    mentions = [f"@{hosts.NAME}:{uri}" for uri in session.uris] if way is _MENTIONS else []
    prompt = " ".join(["Read the skills.", *mentions])
    fake = {"GOOGLE_GEMINI_BASE_URL": session.model.url, "GEMINI_API_KEY": "none"}
    arguments = ("--yolo", "--model", "gemini-2.5-pro", "--prompt", prompt)
    return tools.run(client, session.home, *arguments, cwd=session.project, more=fake)


if __name__ == "__main__":
    sys.exit(arrivals.main(__doc__ or "", "Gemini CLI 0.61.0 (npm @google/gemini-cli)", judge))

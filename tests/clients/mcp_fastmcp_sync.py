"""Does `sync_skills` of FastMCP write every file of every skill, nested ones too?

    python tests/clients/mcp_fastmcp_sync.py REPO|OUT...

It makes a folder of each skill by its path, and leaves out what is there already.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import arrivals
import hosts
import tools
from arrivals import Offer, Output, Row

_PROGRAM = Path(__file__).parent / "agents" / "fastmcp_sync_agent.py"


def judge(output: Output, work: Path) -> Iterator[Row]:
    client = tools.pypi("python", "fastmcp-slim==4.2.3", "fastmcp-slim[client]==4.2.3")
    offered = {offer.path: offer.files for offer in output.offers}
    nested = sum(any(path.startswith(f"{outer}/") for outer in offered) for path in offered)
    for transport in ("stdio", "http"):
        with hosts.serving(output, work, transport) as server:
            folder = work / transport
            where = server.command or (server.url,)
            arguments = ("-W", "ignore", str(_PROGRAM), str(folder), *where)
            tools.run(client, work / "home", *arguments, cwd=work)
        arrived = {
            offer.path: _files(folder / offer.path, offer)
            for offer in output.offers
            if (folder / offer.path / "SKILL.md").is_file()
        }
        yield arrivals.row(f"sync_skills over {transport}, {nested} nested", offered, arrived)


def _files(folder: Path, offer: Offer) -> arrivals.Digests:
    """Those of one skill, without the ones of a skill inside it that are not its own as well."""
    there = arrivals.digests(folder)
    inner = {Path(path).parent for path in there if path.endswith("/SKILL.md")}
    return {
        path: digest
        for path, digest in there.items()
        if path in offer.files or not inner & {*Path(path).parents}
    }


if __name__ == "__main__":
    sys.exit(arrivals.main(__doc__ or "", "FastMCP 4.2.3 (PyPI fastmcp-slim)", judge))

"""Does Copilot CLI take the raw SKILL.md of every skill, over TLS?

    python tests/clients/copilot_cli.py REPO|OUT...

`copilot skill add URL` fetches one file, over https alone; no account is needed for that. What
must arrive is every listed SKILL.md without the warning that it does not, by the stable address
that `llms.txt` names; of skills with equal names it installs the last, so those are left out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import arrivals
import tools
import webhost
from arrivals import Output, Row

_REFUSED = "field-type"
"""The warning that this client refuses the skill."""


def judge(output: Output, work: Path) -> Iterator[Row]:
    client = tools.npm("@github/copilot", "1.0.102", "copilot")
    certificate = webhost.certificate(work)
    project = work / "project"
    project.mkdir()
    taken = [offer for offer in output.unique() if _REFUSED not in offer.noted]
    with webhost.hosted(output.folder, "/repo/", certificate) as site:
        trusted = webhost.trusting(site, certificate)
        for offer in taken:
            url = f"{site.url}.well-known/skills/{offer.flat_name}/SKILL.md"
            tools.run(client, work / "home", "skill", "add", url, cwd=project, more=trusted)
    offered = {offer.name: {"SKILL.md": offer.files["SKILL.md"]} for offer in taken}
    arrived = arrivals.folders(work / "home" / ".copilot" / "skills")
    yield arrivals.row("every raw SKILL.md at /repo/", offered, arrived)


if __name__ == "__main__":
    sys.exit(arrivals.main(__doc__ or "", "Copilot CLI 1.0.102 (npm @github/copilot)", judge))

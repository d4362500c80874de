"""Does Gemini CLI install what the archives hold?

    python tests/clients/gemini_cli.py REPO|OUT...

It takes a folder or a `.skill` file, which is the zip under another name; from an address it
clones a git repository, so nothing is served here. No account is needed to install or to list. Of
skills with equal names it would install the last, so those are left out.
"""

from __future__ import annotations

import shutil
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import arrivals
import tools
from arrivals import Output, Row


def judge(output: Output, work: Path) -> Iterator[Row]:
    client = tools.npm("@google/gemini-cli", "0.61.0", "gemini")
    project = work / "project"
    project.mkdir()
    offered = {offer.name: offer.files for offer in output.unique()}
    unpacked = work / "unpacked"
    for offer in output.unique():
        with zipfile.ZipFile(offer.zip_file) as archive:
            archive.extractall(unpacked / offer.name)
    install = ("skills", "install", str(unpacked), "--consent")
    tools.run(client, work / "folders", *install, cwd=project)
    yield arrivals.row("all skills, unpacked", offered, _installed(work / "folders"))
    first = output.unique()[0]
    packed = work / f"{first.name}.skill"
    shutil.copy(first.zip_file, packed)
    install = ("skills", "install", str(packed), "--consent")
    tools.run(client, work / "file", *install, cwd=project)
    arrived = _installed(work / "file")
    yield arrivals.row(f"{first.name} as a .skill file", {first.name: first.files}, arrived)


def _installed(home: Path) -> dict[str, arrivals.Digests]:
    return arrivals.folders(home / ".gemini" / "skills")


if __name__ == "__main__":
    sys.exit(arrivals.main(__doc__ or "", "Gemini CLI 0.61.0 (npm @google/gemini-cli)", judge))

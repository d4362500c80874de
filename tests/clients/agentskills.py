"""Does `agentskills validate` refuse exactly what is noted?

    python tests/clients/agentskills.py REPO|OUT...

Every skill with a zip is unpacked into a folder of its name, and the reference validator reads
it. What it refuses must carry a note or a warning that says so, and nothing else may carry one.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import arrivals
import tools
from arrivals import Output, Row

_SAYS_SO = ("the reference validator refuses", "strict clients refuse")
"""The validator is one of the strict clients that have a limit for the description."""
_EACH = """
import json, pathlib, sys
from skills_ref.validator import validate
folders = sorted(pathlib.Path(sys.argv[1]).glob("*/*"))
print(json.dumps({folder.parent.name: validate(folder) for folder in folders}))
"""
"""What its command does, for many skills in one process."""


def judge(output: Output, work: Path) -> Iterator[Row]:
    client = tools.pypi("agentskills", "skills-ref==0.1.1", "strictyaml==1.7.3", "click==8.5.1")
    unpacked = work / "unpacked"
    entries = arrivals.entries_of(output.folder)
    noted = set()
    for number, entry in enumerate(entries):
        zips = [
            archive["path"] for archive in entry["archives"] if archive["path"].endswith(".zip")
        ]
        with zipfile.ZipFile(output.folder / zips[0]) as archive:
            archive.extractall(unpacked / f"{number}" / entry["frontmatter"]["name"])
        messages = [finding["message"] for finding in [*entry["warnings"], *entry["notes"]]]
        if any(phrase in message for message in messages for phrase in _SAYS_SO):
            noted.add(f"{number}")
    python = tools.Client(
        client.name, client.version, (str(Path(client.command[0]).parent / "python"),), client.path
    )
    library = tools.run(python, work / "home", "-c", _EACH, str(unpacked), cwd=work)
    verdicts: dict[str, list[str]] = json.loads(library.out)
    named = {f"{number}": entry["path"] for number, entry in enumerate(entries)}
    refused = {number for number, faults in verdicts.items() if faults}
    wanted = {f"{named[number]}: {verdicts[number][0][:150]!r}" for number in refused}
    seen = {
        f"{named[number]}: {verdicts[number][0][:150]!r}" if number in refused else named[number]
        for number in noted
    }
    yield Row("validated", len(entries), len(verdicts), len(entries))
    yield arrivals.same("refused, and noted", wanted, seen)
    first = next(iter(sorted(verdicts)), None)
    if first is not None:
        folder = unpacked / first / entries[int(first)]["frontmatter"]["name"]
        verdict = tools.run(client, work / "home", "validate", str(folder), cwd=work)
        valid = not verdicts[first]
        yield arrivals.holds(
            "its command says of one what its library says", truth=("Valid" in verdict.out) == valid
        )


if __name__ == "__main__":
    sys.exit(arrivals.main(__doc__ or "", "agentskills validate, skills-ref 0.1.1 (PyPI)", judge))

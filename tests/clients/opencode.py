"""Does OpenCode take every skill of discovery v0.1.0 by `skills.urls`?

    python tests/clients/opencode.py REPO|OUT...

At `/` and at `/repo/`; again with nothing changed, and with another version of one skill. What it
must offer is every listed skill but for those that carry the note that they are left out.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import arrivals
import tools
from arrivals import LEFT_OUT, Output, Row
from webhost import Site, hosted

_FOLDER = ".well-known/skills"
_INDEX = f"{_FOLDER}/index.json"
_VERSION_MARK = ".opencode-version"


def judge(output: Output, work: Path) -> Iterator[Row]:
    client = tools.npm("opencode-ai", "1.18.33", "opencode")
    offered = output.by_flat_name(without=LEFT_OUT)
    indexed = [
        f"{entry['name']}/{file}" for entry in output.index(_INDEX) for file in entry["files"]
    ]
    wanted = [f"{name}/{file}" for name, files in offered.items() for file in files]
    yield arrivals.same("files of the index: of what is listed and not noted", wanted, indexed)
    for base in ("/", "/repo/"):
        with hosted(output.folder, base) as site:
            yield from _take(client, site, work / base.replace("/", "-"), offered)
    with hosted(output.folder, "/repo/") as site:
        yield from _take(client, site, work / "updates", offered)
        yield from _take(client, site, work / "updates", offered, "again, nothing changed")
        if offered:
            name, files = _change(output, work / "changed", min(offered))
            site.folder = work / "changed"
            case = f"again, {name} changed"
            yield from _take(client, site, work / "updates", {**offered, name: files}, case)


def _take(
    client: tools.Client,
    site: Site,
    here: Path,
    offered: dict[str, arrivals.Digests],
    case: str = "all skills",
) -> Iterator[Row]:
    project = here / "project"
    project.mkdir(parents=True, exist_ok=True)
    settings = {"skills": {"urls": [f"{site.url}{_FOLDER}/"]}}
    (project / "opencode.json").write_text(json.dumps(settings))
    site.asked.clear()
    result = tools.run(client, here / "home", "debug", "skill", cwd=project)
    cache = here / "home" / ".cache" / "opencode" / "skills"
    locations = {item["name"]: item["location"] for item in json.loads(result.out)}
    loaded = {Path(place).parent for place in locations.values() if str(cache) in place}
    arrived = {
        path.name: arrivals.digests(path, (_VERSION_MARK,))
        for path in sorted(cache.rglob("*"))
        if path in loaded
    }
    case = f"{case} at {site.base}, {len(site.asked)} requests"
    yield arrivals.row(case, offered, arrived)


def _change(output: Output, folder: Path, name: str) -> tuple[str, arrivals.Digests]:
    """A copy in which the SKILL.md of one skill has another end, and the skill another version."""
    shutil.copytree(output.folder, folder)
    index = json.loads((folder / _INDEX).read_bytes())
    entry = next(item for item in index["skills"] if item["name"] == name)
    entry["version"] = "0" * 16
    (folder / _INDEX).unlink()
    (folder / _INDEX).write_text(json.dumps(index))
    text = folder / _FOLDER / name / "SKILL.md"
    data = text.read_bytes()
    text.unlink()
    text.write_bytes(data + b"\nMore.\n")
    return name, arrivals.digests(folder / _FOLDER / name)


if __name__ == "__main__":
    sys.exit(arrivals.main(__doc__ or "", "OpenCode 1.18.33 (npm opencode-ai)", judge))

"""Does `npx skills` install and update what an output offers?

    python tests/clients/skills_cli.py REPO|OUT...

At `/` and at `/repo/`: all skills, one skill through its own index, an update when nothing has
changed, and one when a file has. Judged by the files on the disk and by what was asked for.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import arrivals
import tools
from arrivals import Output, Row
from webhost import Site, hosted

_MOST_REQUESTS = 6
_ADD = ("--skill", "*", "--agent", "codex", "--yes", "--copy")
_INDEX = ".well-known/agent-skills/index.json"


def judge(output: Output, work: Path) -> Iterator[Row]:
    client = tools.npm("skills", "1.7.4", "skills")
    for base in ("/", "/repo/"):
        here = work / f"skills{base.replace('/', '-')}"
        with hosted(output.folder, base) as site:
            yield from _all(client, output, site, here)
            yield from _single(client, output, site, here)
    yield from _updates(client, output, work / "updates")


def _project(folder: Path) -> Path:
    project = folder / "project"
    project.mkdir(parents=True)
    return project


def _installed(project: Path) -> dict[str, arrivals.Digests]:
    return arrivals.folders(project / ".agents" / "skills")


def _all(client: tools.Client, output: Output, site: Site, here: Path) -> Iterator[Row]:
    project = _project(here / "all")
    tools.run(client, here / "home", "add", site.url, *_ADD, cwd=project)
    case = f"all skills at {site.base}, {len(site.asked)} requests"
    yield arrivals.row(case, output.by_flat_name(), _installed(project))


def _single(client: tools.Client, output: Output, site: Site, here: Path) -> Iterator[Row]:
    """The skill with the most files, by the address of its page."""
    chosen = max(output.offers, key=lambda offer: len(offer.files))
    project = _project(here / "one")
    site.asked.clear()
    url = f"{site.url}skills/{chosen.path}"
    tools.run(client, here / "home", "add", url, *_ADD, cwd=project)
    offered = {chosen.flat_name: chosen.files}
    case = f"{chosen.path} alone at {site.base}, {len(site.asked)} requests"
    yield arrivals.row(case, offered, _installed(project))
    few = len(site.asked) <= _MOST_REQUESTS
    yield arrivals.holds(f"at most {_MOST_REQUESTS} requests for it", truth=few)


def _updates(client: tools.Client, output: Output, here: Path) -> Iterator[Row]:
    """A release whose first skill of several files has another text, at the same address."""
    changed = here / "changed"
    offered = dict(output.by_flat_name())
    with hosted(output.folder, "/repo/") as site:
        project = _project(here)
        tools.run(client, here / "home", "add", site.url, *_ADD, cwd=project)
        site.asked.clear()
        tools.run(client, here / "home", "update", "--project", "--yes", cwd=project)
        case = f"update, nothing changed, {len(site.asked)} requests"
        yield arrivals.row(case, offered, _installed(project))
        name, files = _change(output, changed)
        site.folder = changed
        site.asked.clear()
        tools.run(client, here / "home", "update", "--project", "--yes", cwd=project)
        case = f"update, {name} changed, {len(site.asked)} requests"
        yield arrivals.row(case, {**offered, name: files}, _installed(project))


def _change(output: Output, folder: Path) -> tuple[str, arrivals.Digests]:
    """A copy in which one skill is replaced by another's archive, as a changed one would be."""
    shutil.copytree(output.folder, folder)
    index = json.loads((folder / _INDEX).read_bytes())
    first, other = index["skills"][0], index["skills"][-1]
    first |= {key: other[key] for key in ("type", "url", "digest")}
    (folder / _INDEX).unlink()
    (folder / _INDEX).write_text(json.dumps(index))
    return first["name"], output.by_flat_name()[other["name"]]


if __name__ == "__main__":
    sys.exit(arrivals.main(__doc__ or "", "skills 1.7.4 (npm)", judge))

"""Does `npx skills` install old versions by their address, and stay with them?

    python tests/clients/skills_versions.py REPO [--seed N]

Works on a clone of REPO, whose versions begin with its first commit. Five versions drawn at random
are installed, each by its own address; the last of them stays what it is through an update and
three newer releases, and its lock file restores it in another folder.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import random
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import arrivals
import tools
from arrivals import Digests, Row
from webhost import Site, hosted

_ADD = ("--skill", "*", "--agent", "codex", "--yes", "--copy")


def _commit(repo: Path, path: str, text: str) -> None:
    (repo / path).write_text(text)
    author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for command in (["add", path], [*author, "commit", "--quiet", "--message", "Work"]):
        subprocess.run(["git", "-C", str(repo), *command], check=True)


def _build(repo: Path, out: Path) -> None:
    command = [sys.executable, "-m", "skillbuild", "build", str(repo), "--out", str(out), "--quiet"]
    done = subprocess.run([*command, "--skip-invalid"], check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"cannot build {repo}")


def _versions(out: Path) -> list[dict[str, Any]]:
    """The records of all versions that a client of discovery can be offered, with their names."""
    found = []
    for index in sorted(out.glob("versions/*/.well-known/agent-skills/index.json")):
        folder = index.parents[2]
        [offered] = json.loads(index.read_bytes())["skills"]
        record = json.loads((folder / "version.json").read_bytes())
        found.append({"folder": folder.name, "name": offered["name"], **record})
    return found


def _files(out: Path, version: dict[str, Any]) -> Digests:
    """The files in the zip of a version."""
    with zipfile.ZipFile(io.BytesIO((out / version["archives"][0]["path"]).read_bytes())) as opened:
        return {name: hashlib.sha256(opened.read(name)).hexdigest() for name in opened.namelist()}


def _installed(project: Path) -> dict[str, Digests]:
    return arrivals.folders(project / ".agents" / "skills")


def judge(repo: Path, out: Path, work: Path, seed: int) -> Iterator[Row]:
    client = tools.npm("skills", "1.7.4", "skills")
    chosen = random.Random(seed).sample(_versions(out), 5)
    with hosted(out, "/repo/") as site:
        for number, version in enumerate(chosen):
            project = work / f"project-{number}"
            project.mkdir()
            site.asked.clear()
            address = f"{site.url}versions/{version['folder']}/"
            tools.run(client, work / "home", "add", address, *_ADD, cwd=project)
            [name] = _installed(project) or [""]
            case = f"{version['name']} {version['folder'][:8]}, {len(site.asked)} requests"
            yield arrivals.row(case, {name: _files(out, version)}, _installed(project))
        yield from _stays(client, site, repo, work, project, {name: _files(out, version)})


def _stays(
    client: tools.Client,
    site: Site,
    repo: Path,
    work: Path,
    project: Path,
    wanted: dict[str, Digests],
) -> Iterator[Row]:
    """The version in `project` after three newer releases at the same host."""
    skill = next(iter(sorted(repo.rglob("SKILL.md"))))
    for number in range(3):
        text = f"{skill.read_text()}\nRelease {number}.\n"
        _commit(repo, str(skill.relative_to(repo)), text)
        _build(repo, site.folder)
    tools.run(client, work / "home", "update", "--project", "--yes", cwd=project)
    yield arrivals.row("after three releases and an update", wanted, _installed(project))
    other = work / "other"
    other.mkdir()
    (other / "skills-lock.json").write_bytes((project / "skills-lock.json").read_bytes())
    tools.run(client, work / "home2", "experimental_install", "--yes", cwd=other)
    yield arrivals.row("restored from its lock file", wanted, _installed(other))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repo", metavar="REPO", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"skills 1.7.4 (npm)\n{'offered':>9} {'arrived':>9} {'right':>9}  case")
    failed = False
    with tempfile.TemporaryDirectory(prefix="skillbuild-versions-") as folder:
        work = Path(folder).resolve()
        repo, out = work / "repo", work / "out"
        subprocess.run(["git", "clone", "--quiet", str(options.repo), str(repo)], check=True)
        _commit(repo, "skillbuild.toml", '[versions]\nsince = "first"\n')
        _build(repo, out)
        for row in judge(repo, out, work, options.seed):
            print(f"{row.offered:>9} {row.arrived:>9} {row.right:>9}  {row.case}", flush=True)
            for fault in row.faults:
                print(f"{'':>31}{fault}")
            failed = failed or bool(row.faults) or row.right != row.offered
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""The programs that builds are compared with: site generators and plain tools.

Their input is prepared once and not measured. Then they run as a user would run them. A site
generator writes a page for the body of every SKILL.md, and a list of all pages.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_HEAD = re.compile(r"---\n(.*?)\n---\n", re.DOTALL)
_PAGE = "<!doctype html><html><head><title>{title}</title></head><body>{body}</body></html>"
_ITEMS = "<ul>{start}<li><a href='{address}'>{title}</a></li>{end}</ul>"
_TOOLS = """
set -eu
pack() {
  name=${1##*/}
  tar -cf - -C "$1" . | gzip -6 > "$OUT/$name.tar.gz"
  (cd "$1" && zip -q -6 -r "$OUT/$name.zip" .)
}
export -f pack
find "$SKILLS" -mindepth 2 -maxdepth 2 -type d -print0 |
  xargs -0 -P "$JOBS" -n 50 bash -c 'for one; do pack "$one"; done' bash
find "$SKILLS" "$OUT" -type f -print0 | xargs -0 -P "$JOBS" -n 2000 sha256sum > "$OUT.sums"
"""


TOOLS = "tar, gzip, zip, sha256sum"
NAMES = ("hugo", "pelican", "mkdocs")


@dataclass(frozen=True, slots=True)
class Peer:
    """One command over content that lies ready; `out` is an empty folder before each run."""

    name: str
    command: Sequence[str]
    folder: Path
    out: Path
    env: Mapping[str, str] = field(default_factory=dict)
    most: int = 1_000_000
    """Most skills it is run with: the time of some peers grows with the square of the number."""


def tools(repo: Path, work: Path, jobs: int) -> Peer:
    """Both archives of every skill, and the digests of all files."""
    out = work / f"tools-{jobs}"
    env = {"SKILLS": str(repo / "skills"), "OUT": str(out), "JOBS": str(jobs)}
    return Peer(tools_name(jobs), ["bash", "-c", _TOOLS], work, out, env)


def tools_name(jobs: int) -> str:
    """What the plain tools are called where so many of them run at once."""
    return TOOLS if jobs == 1 else f"{TOOLS}, {jobs} at a time"


def program(name: str) -> str | None:
    """A program beside this Python, or on the PATH."""
    beside = str(Path(sys.executable).parent)
    return shutil.which(name, path=os.pathsep.join([beside, os.environ.get("PATH", "")]))


def generators(repo: Path, work: Path, eleventy: Path | None) -> list[Peer]:
    """The generators that are installed beside this Python, or on the PATH."""
    prepare = {"hugo": _hugo, "pelican": _pelican, "mkdocs": _mkdocs}
    peers = [prepare[name](repo, work / name, path) for name in NAMES if (path := program(name))]
    if eleventy is not None:
        peers.append(_eleventy(repo, work / "eleventy", eleventy))
    return peers


def bodies(repo: Path) -> Iterator[tuple[str, str, str]]:
    """Name, description and body of every SKILL.md."""
    for path in sorted(repo.glob("skills/*/*/SKILL.md")):
        text = path.read_text()
        head = _HEAD.match(text)
        assert head is not None
        about = re.search(r"^description: (.*)$", head[1], re.MULTILINE)
        yield path.parent.name, about[1] if about else "", text[head.end() :]


def _fill(folder: Path, repo: Path, head: str) -> None:
    """One file a skill; `head` is its front matter, with JSON texts, which YAML reads too."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, about, body in bodies(repo):
        start = head.format(name=json.dumps(name), plain=name, about=json.dumps(about), words=about)
        (folder / f"{name}.md").write_text(start + body)


_YAML = "---\ntitle: {name}\ndescription: {about}\n---\n"


def _hugo(repo: Path, folder: Path, program: str) -> Peer:
    _fill(folder / "content" / "skills", repo, _YAML)
    settings = 'baseURL = "https://example.org/"\ndisableKinds = ["taxonomy", "term", "RSS"]\n'
    (folder / "hugo.toml").write_text(settings)
    layouts = folder / "layouts" / "_default"
    layouts.mkdir(parents=True, exist_ok=True)
    page = _PAGE.format(title="{{ .Title }}", body="<h1>{{ .Title }}</h1>{{ .Content }}")
    items = _ITEMS.format(
        start="{{ range .RegularPagesRecursive }}",
        address="{{ .RelPermalink }}",
        title="{{ .Title }}",
        end="{{ end }}",
    )
    (layouts / "single.html").write_text(page)
    (layouts / "list.html").write_text(_PAGE.format(title="Skills", body=items))
    out = folder / "public"
    return Peer("Hugo", [program, "--quiet", "--destination", str(out)], folder, out)


def _pelican(repo: Path, folder: Path, program: str) -> Peer:
    _fill(folder / "content", repo, "Title: {plain}\nDate: 2026-01-01\nSummary: {words}\n\n")
    feeds = "FEED_ALL_ATOM = CATEGORY_FEED_ATOM = AUTHOR_FEED_ATOM = AUTHOR_FEED_RSS = None\n"
    site = 'SITENAME = AUTHOR = "Skills"\nSITEURL = ""\nTIMEZONE = "UTC"\nDEFAULT_LANG = "en"\n'
    few = 'DIRECT_TEMPLATES = ["index"]\nDEFAULT_PAGINATION = 100\nARTICLE_PATHS = [""]\n'
    (folder / "settings.py").write_text(feeds + site + few)
    out = folder / "output"
    command = [program, "content", "-q", "-s", "settings.py", "-o", str(out)]
    return Peer("Pelican", command, folder, out, most=10_000)


def _mkdocs(repo: Path, folder: Path, program: str) -> Peer:
    """Its own theme writes the whole navigation into every page."""
    _fill(folder / "docs", repo, _YAML)
    (folder / "docs" / "index.md").write_text("# Skills\n")
    (folder / "mkdocs.yml").write_text("site_name: Skills\nplugins: []\n")
    out = folder / "site"
    return Peer("MkDocs", [program, "build", "-q", "-d", str(out)], folder, out, most=1000)


def _eleventy(repo: Path, folder: Path, modules: Path) -> Peer:
    _fill(folder / "skills", repo, _YAML)
    layouts = folder / "_includes"
    layouts.mkdir(exist_ok=True)
    page = _PAGE.format(title="{{ title }}", body="{{ content }}")
    (layouts / "page.liquid").write_text(page)
    data = {"layout": "page.liquid", "tags": "skill", "templateEngineOverride": "md"}
    (folder / "skills" / "skills.json").write_text(json.dumps(data))
    items = _ITEMS.format(
        start="{% for one in collections.skill %}",
        address="{{ one.url }}",
        title="{{ one.data.title }}",
        end="{% endfor %}",
    )
    (folder / "index.liquid").write_text(_PAGE.format(title="Skills", body=items))
    out, script = folder / "_site", modules / "@11ty" / "eleventy" / "cmd.cjs"
    command = ["node", str(script.resolve()), "--quiet", f"--output={out}"]
    return Peer("Eleventy", command, folder, out, most=10_000)

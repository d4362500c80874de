"""Does each client of the catalog's table find what `npx skills` puts into its folders?

    python tests/clients/folders.py REPO|OUT...

All skills are installed for a project, and for all projects, by the commands that pages show. They
must arrive whole in the folder that the table names, and the client itself must then know each of
them: it lists them, or it tells a model of ours. Cursor does not start without an account.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import arrivals
import model
import tools
from arrivals import Output, Row
from webhost import hosted

from skillbuild.config import Config
from skillbuild.emit.site.clients import CLIENTS, Client
from skillbuild.emit.site.install import offers
from skillbuild.emit.site.theme import GAP, Theme

TRUSTING = json.dumps({"security": {"folderTrust": {"enabled": False}}})
"""Settings with which Gemini CLI and Qwen Code read skills of any folder."""
_NAMED = 40
"""Characters of a description that a client must repeat; most cut longer ones."""
Ask = Callable[[Path, Path], str]
"""Starts a client in a home and a project, and gives what it knows of skills."""


def judge(output: Output, work: Path) -> Iterator[Row]:
    installer = tools.npm("skills", "1.7.4", "skills")
    shown = {offer.client: offer.ways for offer in offers(Theme(Config(), discovery=True))}
    with hosted(output.folder, "/repo/") as site:
        for client in CLIENTS:
            for way, place in zip(shown[client], (client.project, client.personal), strict=True):
                here = work / client.key / str(place.startswith("~"))
                home, project = here / "home", here / "project"
                (project / ".git").mkdir(parents=True)
                _, _, *words = shlex.split(way.commands.replace(GAP, site.url))
                tools.run(installer, home, *words, "--yes", "--copy", cwd=project)
                folder = project / place if place[0] != "~" else home / place.removeprefix("~/")
                case = f"{client.name}, {place}"
                yield arrivals.row(case, output.by_flat_name(), arrivals.folders(folder))
                if client.tried:
                    yield _recognised(output, client, home, project, case)


def _recognised(output: Output, client: Client, home: Path, project: Path, case: str) -> Row:
    said = ASK[client.key](home, project)
    return known(output, f"{case}, as {client.tried} says", said)


def known(output: Output, case: str, said: str) -> Row:
    """Whether what a client says names each skill of unique name by its description."""
    entries = [entry["frontmatter"] for entry in arrivals.entries_of(output.folder)]
    texts = {entry["name"]: _squeezed(entry["description"])[:_NAMED] for entry in entries}
    names = [offer.name for offer in output.unique()]
    words = _squeezed(said)
    return arrivals.same(case, names, [name for name in names if texts[name] in words])


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _claude_code(home: Path, project: Path) -> str:
    client = tools.npm("@anthropic-ai/claude-code", "2.1.330", "claude")
    with model.answering([]) as scripted:
        fake = {"ANTHROPIC_BASE_URL": scripted.url, "ANTHROPIC_API_KEY": "none"}
        tools.run(client, home, "--print", "Hello.", cwd=project, more=fake)
    return "".join(scripted.texts)


def _codex(home: Path, project: Path) -> str:
    client = tools.npm("@openai/codex", "0.169.0", "codex")
    folder = home / ".codex"
    folder.mkdir(exist_ok=True)
    settings = folder / "config.toml"
    kept = settings.read_text() if settings.is_file() else ""
    with model.answering([]) as scripted:
        settings.write_text(f"""\
model = "gpt-5"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "{scripted.url}/v1"
wire_api = "responses"
{kept}""")
        run = ("exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
        tools.run(client, home, *run, "Hello.", cwd=project)
    return "".join(scripted.texts)


def _copilot_cli(home: Path, project: Path) -> str:
    client = tools.npm("@github/copilot", "1.0.102", "copilot")
    return tools.run(client, home, "skill", "list", cwd=project).out


def _gemini_cli(home: Path, project: Path) -> str:
    """Its skills of a project want a folder that is trusted."""
    client = tools.npm("@google/gemini-cli", "0.61.0", "gemini")
    folder = home / ".gemini"
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text(TRUSTING)
    result = tools.run(client, home, "skills", "list", cwd=project)
    return result.out + result.err


def _opencode(home: Path, project: Path) -> str:
    client = tools.npm("opencode-ai", "1.18.33", "opencode")
    skills = json.loads(tools.run(client, home, "debug", "skill", cwd=project).out)
    return "".join(skill["description"] for skill in skills)


def _goose(home: Path, project: Path) -> str:
    package = "@aaif/goose-binary-linux-x64"
    client = tools.npm(package, "1.52.0", "goose-binary-linux-x64")
    with model.answering([]) as scripted:
        fake = {
            "GOOSE_PROVIDER": "openai",
            "GOOSE_MODEL": "gpt-4o",
            "GOOSE_DISABLE_KEYRING": "1",
            "OPENAI_HOST": scripted.url,
            "OPENAI_API_KEY": "none",
        }
        run = ("run", "--no-session", "--text", "Hello.")
        tools.run(client, home, *run, cwd=project, more=fake)
    return "".join(scripted.texts)


ASK: Mapping[str, Ask] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "github-copilot": _copilot_cli,
    "gemini-cli": _gemini_cli,
    "opencode": _opencode,
    "goose": _goose,
}
"""By the keys of the clients that are tried."""


if __name__ == "__main__":
    sys.exit(arrivals.main(__doc__ or "", "folders of clients, by skills 1.7.4 (npm)", judge))

"""Does Claude Code take the marketplace and the zips?

    python tests/clients/claude_code.py REPO...

The marketplace is validated, added over TLS through a proxy (the client refuses addresses of the
loopback) and every plugin installed from it. Every zip is given to `--plugin-url`; a session needs
a model, so a fake one refuses every request, and the plugins are read when it is called. No
account is needed for any of it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import arrivals
import tools
import webhost
from arrivals import Output, Row

_MARKETPLACE = "claude/marketplace.json"
_BASE = "/repo/"
_MARK = ".in_use"
"""Files that the client writes beside those of a plugin."""
_AT_ONCE = 25
"""Number of zips of one session."""


def judge(output: Output, work: Path) -> Iterator[Row]:
    client = tools.npm("@anthropic-ai/claude-code", "2.1.330", "claude")
    plugins = output.index(_MARKETPLACE, "plugins")
    offered = output.by_flat_name()
    yield arrivals.same(
        "plugins: all that is listed", offered, [plugin["name"] for plugin in plugins]
    )
    yield from _validate(client, output, work)
    yield from _install(client, output, work)
    yield from _load(client, output, work)


def _validate(client: tools.Client, output: Output, work: Path) -> Iterator[Row]:
    arguments = ("plugin", "validate", "--strict", "--json", str(output.folder / _MARKETPLACE))
    result = tools.run(client, work / "validate", *arguments, cwd=work)
    report = json.loads(result.out)
    manifest = report["manifest"]
    faults = [f"{error['path']}: {error['message']}" for error in manifest["errors"]]
    faults += [str(warning) for warning in manifest["warnings"]]
    yield arrivals.same("plugin validate --strict: nothing to say", (), faults)
    yield arrivals.holds("plugin validate --strict: passes", truth=report["success"] is True)


def _install(client: tools.Client, output: Output, work: Path) -> Iterator[Row]:
    home, project = work / "installed", work / "project"
    project.mkdir()
    certificate = webhost.certificate(work)
    market = json.loads((output.folder / _MARKETPLACE).read_bytes())["name"]
    with webhost.hosted(output.folder, _BASE, certificate) as site:
        trusted = webhost.trusting(site, certificate)
        add = ("plugin", "marketplace", "add", site.url + _MARKETPLACE)
        tools.run(client, home, *add, cwd=project, more=trusted)
        for name in output.by_flat_name():
            install = ("plugin", "install", f"{name}@{market}")
            tools.run(client, home, *install, cwd=project, more=trusted)
    cache = home / ".claude" / "plugins" / "cache" / market
    arrived = {
        versioned.parent.name: arrivals.digests(versioned, (_MARK,))
        for versioned in cache.glob("*/*")
    }
    yield arrivals.row(f"all plugins of {market} over TLS", output.by_flat_name(), arrived)


def _load(client: tools.Client, output: Output, work: Path) -> Iterator[Row]:
    """Read the temporary folder of the session while its model is called."""
    project, temporary = work / "session", work / "temporary"
    project.mkdir()
    arrived: dict[str, arrivals.Digests] = {}
    offered = {offer.zip_file.stem: offer.files for offer in output.offers}
    certificate = webhost.certificate(work)

    def look() -> None:
        for folder in temporary.rglob("inline-*-url-*"):
            name = next((stem for stem in offered if folder.name.endswith(f"-{stem}")), folder.name)
            arrived[name] = arrivals.digests(folder)

    with webhost.hosted(output.folder, _BASE, certificate) as site:
        site.on_post = look
        model = {"ANTHROPIC_BASE_URL": site.url, "ANTHROPIC_API_KEY": "none"}
        folder = {"TMPDIR": str(temporary), "CLAUDE_CODE_TMPDIR": str(temporary)}
        temporary.mkdir()
        more = {**webhost.trusting(site, certificate), **model, **folder}
        urls = [f"{site.url}archives/{offer.zip_file.name}" for offer in output.offers]
        for start in range(0, len(urls), _AT_ONCE):
            chosen = [f"--plugin-url={url}" for url in urls[start : start + _AT_ONCE]]
            home = work / f"session-{start}"
            tools.run(client, home, *chosen, "--print", "hello", cwd=project, more=more)
    yield arrivals.row("every zip by --plugin-url over TLS", offered, arrived)


if __name__ == "__main__":
    options = ("--base-url", f"https://{webhost.PUBLIC}{_BASE}")
    title = "Claude Code 2.1.330 (npm @anthropic-ai/claude-code)"
    sys.exit(arrivals.main(__doc__ or "", title, judge, *options))

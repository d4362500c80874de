"""What a host gives its model of a served catalog: is each SKILL.md whole when it arrives there?

A host is given the server of an output, over stdio or HTTP, and a scripted model that asks for
skills. Whatever the host does with an answer, the text of the file must be in what it then sends
to the model, unchanged from the first byte to the last.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import arrivals
import model
import tools
from arrivals import Offer, Output, Row
from model import Model, Step

NAME = "skills"
"""The name that hosts know the server by."""
_AT_ONCE = 12
"""Files that one session reads, so that none is compacted."""


@dataclass(frozen=True, slots=True)
class Server:
    """The server as it is written into settings: a command, or else an address."""

    command: tuple[str, ...] = ()
    url: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """One run of a host. `uris` are what its prompt may mention, where it has a way to do so."""

    model: Model
    server: Server
    home: Path
    project: Path
    uris: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file that the model must receive."""

    offer: Offer
    path: str
    text: str

    @property
    def uri(self) -> str:
        return f"skill://{self.offer.path}/{self.path}"

    @property
    def step(self) -> Step:
        """Its call of the tools of `--tools`."""
        if self.path == "SKILL.md":
            return Step(".*read_skill", {"skill": self.offer.path})
        return Step(".*read_skill_file", {"skill": self.offer.path, "file": self.path})


@dataclass(frozen=True, slots=True)
class Way:
    """How a host comes by the files: what its model calls, on which transports it was tried."""

    name: str
    steps: Callable[[Sequence[Wanted]], list[Step]]
    transports: tuple[str, ...] = ("stdio", "http")
    only_skills: bool = False
    """True where it knows no file but what resources are listed."""
    only_unique: bool = False
    """True where it knows skills by name."""
    options: tuple[str, ...] = ()

    def takes(self, wanted: Wanted, output: Output) -> bool:
        if self.only_skills and wanted.path != "SKILL.md":
            return False
        return not self.only_unique or wanted.offer in output.unique()


def by_tools(wanted: Sequence[Wanted]) -> list[Step]:
    words = wanted[0].offer.name.replace("-", " ")
    return [Step(".*search_skills", {"query": words}), *(each.step for each in wanted)]


TOOLS = Way("--tools", by_tools, options=("--tools",))


def judge(
    output: Output, work: Path, ways: Sequence[Way], run: Callable[[Session, Way], object]
) -> Iterator[Row]:
    """A row for each way and transport, with SKILL.md and one more text of each listed skill."""
    for way in ways:
        files = [each for each in wanted(output) if way.takes(each, output)]
        for transport in way.transports:
            with serving(output, work, transport, *way.options) as server:
                yield from _judge(files, way, transport, server, work, run)


@contextmanager
def serving(output: Output, work: Path, transport: str, *options: str) -> Iterator[Server]:
    """How to reach the server of an output, which runs by itself if it is one for HTTP."""
    command = (str(_launcher(work)), str(output.folder), *options)
    if transport == "stdio":
        yield Server(command)
        return
    with _over_http(command) as url:
        yield Server(url=url)


def program(client: tools.Client, name: str) -> Callable[[Session, Way], tools.Result]:
    """How to run a program of `agents` with the Python of a client."""
    path = Path(__file__).parent / "agents" / name

    def run(session: Session, way: Way) -> tools.Result:
        server = session.server.command or (session.server.url,)
        arguments = ("-W", "ignore", str(path), session.model.url, way.name, *server)
        return tools.run(client, session.home, *arguments, cwd=session.project)

    return run


def _judge(
    files: Sequence[Wanted],
    way: Way,
    transport: str,
    server: Server,
    work: Path,
    run: Callable[[Session, Way], object],
) -> Iterator[Row]:
    offered: dict[str, dict[str, str]] = {}
    arrived: dict[str, dict[str, str]] = {}
    lacking: set[str] = set()
    for start in range(0, len(files), _AT_ONCE):
        some = files[start : start + _AT_ONCE]
        here = work / f"{re.sub(r'[^a-z]+', '-', way.name)}-{transport}-{start}"
        project = here / "project"
        project.mkdir(parents=True)
        with model.answering(way.steps(some)) as scripted:
            uris = tuple(each.uri for each in some)
            run(Session(scripted, server, here / "home", project, uris), way)
        for each in some:
            digest = each.offer.files[each.path]
            offered.setdefault(each.offer.path, {})[each.path] = digest
            if scripted.reached(each.text):
                arrived.setdefault(each.offer.path, {})[each.path] = digest
        lacking.update(scripted.lacking)
    row = arrivals.row(f"{way.name} over {transport}, {len(files)} files", offered, arrived)
    yield row
    if lacking:
        yield arrivals.same(f"{way.name} over {transport}, tools not offered", (), lacking)


def wanted(output: Output) -> list[Wanted]:
    """SKILL.md and the first other text of each listed skill, from blobs that git agrees with."""
    files = []
    for offer in output.offers:
        others = (path for path in sorted(offer.files) if path != "SKILL.md")
        texts = ((path, _text(output, offer.files[path])) for path in others)
        other = next(((path, text) for path, text in texts if text), None)
        main = _text(output, offer.files["SKILL.md"])
        if main is None:
            raise SystemExit(f"{offer.path} has no SKILL.md")
        files.append(Wanted(offer, "SKILL.md", main))
        if other is not None:
            files.append(Wanted(offer, *other))
    return files


def _text(output: Output, digest: str) -> str | None:
    try:
        return (output.folder / "blobs" / "sha256" / digest).read_bytes().decode()
    except UnicodeDecodeError:
        return None


def _launcher(work: Path) -> Path:
    """A program that serves, in whatever environment a host starts it."""
    path = work / "serve"
    places = shlex.quote(os.environ.get("PYTHONPATH", ""))
    command = f"{shlex.quote(sys.executable)} -m skillbuild serve"
    path.write_text(f'#!/bin/sh\nPYTHONPATH={places} exec {command} "$@"\n')
    path.chmod(0o755)
    return path


@contextmanager
def _over_http(command: Sequence[str]) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"127.0.0.1:{port}"
    with subprocess.Popen([*command, "--http", address], stderr=subprocess.DEVNULL) as server:
        try:
            wait_for(port, server)
            yield f"http://{address}/mcp"
        finally:
            server.terminate()


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            if server.poll() is not None:
                break
            time.sleep(0.1)
        else:
            return
    raise SystemExit("the server does not answer")


def write_settings(session: Session, folder: str, auth: str) -> None:
    """The server as Gemini CLI, and what was made from it, finds it in a folder of its home."""
    command, url = session.server.command, session.server.url
    server = {"httpUrl": url} if url else {"command": command[0], "args": command[1:]}
    settings = {
        "mcpServers": {NAME: {**server, "trust": True}},
        "security": {"auth": {"selectedType": auth}, "folderTrust": {"enabled": False}},
    }
    target = session.home / folder
    target.mkdir(parents=True)
    (target / "settings.json").write_text(json.dumps(settings))

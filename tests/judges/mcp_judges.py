"""What do other people's programs say of our MCP server, wherever it reads a release from?

    python tests/judges/mcp_judges.py OUT... [--at directory https s3] [--only conformance ...]

Serves each output from its directory, from an https server (Debian's caddy, with a certificate made
for it) and from an object store (`moto`, to which it is published). From afar the judges come
twice: when nothing is in the cache, and to a server that starts when the origin is gone. Needs
caddy, openssl and npm; installs what it runs at the versions below (`tests/clients/tools.py`).
Prints a line for each judge, and ends with status 1 if one is not content. What the conformance
suite wants of servers that have more than skills stands in `mcp_conformance_*.yml`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "clients"))

import tools  # noqa: E402
import webhost  # noqa: E402

CONFORMANCE = ("@modelcontextprotocol/conformance", "0.2.0-alpha.12")
INSPECTOR = ("@modelcontextprotocol/inspector", "2.12.0")
TYPESCRIPT = ("@modelcontextprotocol/client", "2.4.0")
MCPC = ("@apify/mcpc", "0.2.6")
FASTMCP, STORE = ("fastmcp==4.2.3",), ("moto==5.2.5", "moto[server,s3]==5.2.5")
SCENARIOS = ("enumeration", "manifest", "directory")
VERSIONS = ("2025-11-25", "2026-07-28")
_COLOR = re.compile(r"\x1b\[[0-9;]*m")
_NUMBERS = re.compile(r"Passed: \S+[0-9]|Baseline check \w+|[^\n]*(?:verified|files)\b[^\n]*")


@dataclass(frozen=True)
class Server:
    """A server that runs, and the command of another one over standard streams."""

    url: str
    command: tuple[str, ...]
    skill: str
    """URI of a skill in it."""
    work: Path


Judge = Callable[[Server], Iterator[tuple[str, tools.Result]]]


@dataclass(frozen=True)
class Place:
    """Where an output is read from, with the variables that it takes."""

    address: str
    variables: Mapping[str, str]
    origin: subprocess.Popen[bytes] | None = None


def conformance(server: Server) -> Iterator[tuple[str, tools.Result]]:
    client = tools.npm(*CONFORMANCE, "conformance")
    begin = ("server", "--url", server.url)
    for version in VERSIONS:
        for scenario in SCENARIOS:
            given = ("--scenario", f"sep-2640-skills-{scenario}", "--spec-version", version)
            yield f"{version} {scenario}", run(client, server, *begin, *given, "--force")
        known = str(HERE / f"mcp_conformance_{version}.yml")
        limits = ("--timeout", "20000", "--expected-failures", known)
        end = ("--requirements", version, *limits)
        yield f"{version} requirements", run(client, server, *begin, *end)


def inspector(server: Server) -> Iterator[tuple[str, tools.Result]]:
    client = tools.npm(*INSPECTOR, "mcp-inspector")
    directory = server.skill.removesuffix("/SKILL.md")
    for era in ("legacy", "auto", "modern"):
        for name, target in (
            ("http", (server.url, "--transport", "http")),
            ("stdio", server.command),
        ):
            patient = ("--connect-timeout", "60000", "--protocol-era", era)
            common = ("--cli", *target, *patient, "--format", "json", "-q", "--method")
            asked: dict[str, tuple[str, ...]] = {
                "resources/list": (),
                "skills/list": ("--verify",),
                "skills/get": ("--uri", server.skill, "--verify"),
                "resources/read": ("--uri", server.skill),
                "resources/directory/read": ("--uri", directory),
            }
            for method, more in asked.items():
                yield f"{era} {name} {method}", run(client, server, *common, method, *more)


def typescript(server: Server) -> Iterator[tuple[str, tools.Result]]:
    installed = Path(tools.npm(*TYPESCRIPT, "x").command[0]).parents[2]
    node = tools.npm("node", tools.NODE.partition("@")[2], "node")
    program = str(HERE / "mcp_typescript.mjs")
    for name, target in (("http", (server.url,)), ("stdio", server.command)):
        yield name, run(node, server, program, str(installed), *target)


def python(server: Server) -> Iterator[tuple[str, tools.Result]]:
    client = tools.pypi("python", *FASTMCP)
    program = str(HERE.parent / "clients" / "agents" / "python_clients.py")
    for name, target in (("http", (server.url,)), ("stdio", server.command)):
        yield name, run(client, server, program, *target)


def mcpc(server: Server) -> Iterator[tuple[str, tools.Result]]:
    client = tools.npm(*MCPC, "mcpc")
    for command in (
        ("connect", server.url, "@judge"),
        ("@judge", "tools-list"),
        ("@judge", "prompts-list"),
        ("@judge", "resources-list"),
        ("@judge", "resources-read", server.skill),
        ("@judge", "ping"),
        ("close", "@judge"),
    ):
        yield " ".join(command[:2]), run(client, server, *command)


JUDGES: dict[str, Judge] = {
    each.__name__: each for each in (conformance, inspector, typescript, python, mcpc)
}


def run(client: tools.Client, server: Server, *arguments: str) -> tools.Result:
    return tools.run(client, server.work, *arguments, cwd=server.work)


@contextmanager
def in_directory(out: Path, work: Path) -> Iterator[Place]:
    yield Place(str(out), {})


@contextmanager
def on_https(out: Path, work: Path) -> Iterator[Place]:
    certificate, port = webhost.certificate(work, "localhost"), free_port()
    settings = work / "Caddyfile"
    settings.write_text(
        "{\n  admin off\n  auto_https off\n}\n"
        f"https://localhost:{port} {{\n  tls {certificate.chain} {certificate.key}\n"
        f"  root * {out}\n  file_server\n}}\n"
    )
    command = ["caddy", "run", "--config", str(settings), "--adapter", "caddyfile"]
    with process(command, port, {"HOME": str(work)}) as origin:
        trust = {"SSL_CERT_FILE": str(certificate.authority)}
        yield Place(f"https://localhost:{port}/", trust, origin)


@contextmanager
def in_store(out: Path, work: Path) -> Iterator[Place]:
    python, port = tools.pypi("python", *STORE), free_port()
    command = [*python.command, "-m", "moto.server", "-H", "127.0.0.1", "-p", f"{port}"]
    with process(command, port, {}) as origin:
        httpx2.put(f"http://127.0.0.1:{port}/bucket").raise_for_status()
        variables = {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "x",
            "AWS_SECRET_ACCESS_KEY": "y",
        }
        publish = [sys.executable, "-m", "skillbuild", "publish", "-q", str(out), "s3://bucket/c"]
        subprocess.run(publish, check=True, env={**os.environ, **variables})
        yield Place("s3://bucket/c", variables, origin)


PLACES = {"directory": in_directory, "https": on_https, "s3": in_store}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


@contextmanager
def process(
    command: Sequence[str], port: int, variables: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """A server that listens at a port; it may have ended before."""
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        command, stdout=quiet, stderr=quiet, env={**os.environ, **variables}
    ) as running:
        try:
            until = time.monotonic() + 60
            while time.monotonic() < until and running.poll() is None:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except ConnectionRefusedError:
                    time.sleep(0.1)
            yield running
        finally:
            running.terminate()


def launcher(place: Place, work: Path) -> str:
    """A program that serves, in whatever environment a client starts it."""
    given = {**place.variables, "XDG_CACHE_HOME": f"{work / 'cache'}"}
    given["PYTHONPATH"] = os.environ.get("PYTHONPATH", "")
    path = work / "serve"
    variables = " ".join(f"{key}={shlex.quote(value)}" for key, value in given.items())
    path.write_text(f'#!/bin/sh\n{variables} exec {sys.executable} -m skillbuild serve "$@"\n')
    path.chmod(0o755)
    return str(path)


def judged(name: str, place: Place, skill: str, work: Path, wanted: Sequence[str]) -> int:
    """Print what each judge says; returns how many are not content."""
    command = (launcher(place, work), place.address)
    port, bad = free_port(), 0
    with process([*command, "--http", f"127.0.0.1:{port}"], port, {}):
        server = Server(f"http://127.0.0.1:{port}/mcp", command, skill, work)
        for judge in wanted:
            for step, result in JUDGES[judge](server):
                said = _COLOR.sub("", result.out + result.err)
                if result.status == 0:
                    detail = " · ".join(dict.fromkeys(_NUMBERS.findall(said)[-3:]))
                    print(f"ok    {name} {judge} {step} {detail}"[:200], flush=True)
                else:
                    bad += 1
                    print(f"FAIL  {name} {judge} {step}: status {result.status}\n{said[-1500:]}")
    return bad


def a_skill(out: Path) -> str:
    """The first listed skill that has a subdirectory, or else the first one."""
    index = json.loads((out / "index.json").read_text())
    uris = [skill["url"] for skill in index["skills"]]
    parts = [path.read_text() for path in sorted(out.glob("record/*/*.jsonl"))]
    entries = [json.loads(line) for part in parts for line in part.splitlines()]
    deep = [
        entry["url"]
        for entry in entries
        if any("/" in file["path"] for file in entry["resources"]) and entry["url"] in uris
    ]
    return str(next(iter(deep or uris)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("outs", type=Path, nargs="+")
    parser.add_argument("--at", nargs="+", choices=list(PLACES), default=list(PLACES))
    parser.add_argument("--only", nargs="+", choices=list(JUDGES), default=list(JUDGES))
    options = parser.parse_args()
    bad = 0
    for out in options.outs:
        for at in options.at:
            with ExitStack() as stack:
                work = Path(stack.enter_context(tempfile.TemporaryDirectory()))
                place = stack.enter_context(PLACES[at](out.resolve(), work))
                skill, name = a_skill(out), f"{out.name} {at}"
                bad += judged(name, place, skill, work, options.only)
                if place.origin is not None:
                    place.origin.terminate()
                    place.origin.wait()
                    bad += judged(f"{name}, gone", place, skill, work, options.only)
    print(f"{bad} not content")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

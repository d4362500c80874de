"""Compares the server with other servers in the same run: start, lists, reads, memory, HTTP.

    python tests/bench/serve.py [--node NODE] [--modules DIR] [--rounds 3] [--work DIR]
    python tests/bench/serve.py --outputs SMALL LARGE [--rounds 3]

With `--outputs`, this only measures how start and memory grow from one output to a larger one.
Otherwise, it writes 17, 1,000 and 5,000 synthetic skills below `--work`, builds them, and sends
the same requests to every server over raw JSON-RPC. FastMCP is measured if it is installed, and
the TypeScript SDK if DIR/node_modules has `@modelcontextprotocol/server`. A minimal server of the
Python SDK gives the same answers as skillbuild from memory. Prints medians, ratios and their
targets. `or` means that a target is missed but an alternative target is met. Exits with status 1
if a target is missed. The figures of other servers are only valid for this run and this machine.
"""

from __future__ import annotations

import argparse
import hashlib
import http.client
import importlib.util
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

SIZES = (17, 1000, 5000)
ANY = float("inf")
READS = 200
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "0"},
    "io.modelcontextprotocol/clientCapabilities": {
        "extensions": {"io.modelcontextprotocol/skills": {}}
    },
}
FASTMCP = """
import sys
from fastmcp import FastMCP
from fastmcp.server.providers.skills import SkillsDirectoryProvider
server = FastMCP("peer")
if sys.argv[2] == "extension":
    from fastmcp.skills.extension import SkillsExtension
    provider = SkillsDirectoryProvider(
        sys.argv[1], supporting_files="resources", experimental_skills=True
    )
    server.add_provider(provider)
    server.add_extension(SkillsExtension(providers=[provider]))
else:
    server.add_provider(SkillsDirectoryProvider(sys.argv[1]))
server.run(transport="stdio", show_banner=False)
"""
TYPESCRIPT = """
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { loadSkills } from "@modelcontextprotocol/server/ext/skills/node";
const catalog = await loadSkills(process.argv[2], {});
serveStdio(() => {
  const server = new McpServer({ name: "peer", version: "0" });
  catalog.attach(server);
  return server;
});
"""
BARE = """
import sys
import uvicorn
from mcp.server.lowlevel import Server
from mcp_types import ReadResourceResult, TextResourceContents
text = open(sys.argv[1], encoding="utf-8").read()
async def read(ctx, params):
    content = TextResourceContents(uri=params.uri, mime_type="text/markdown", text=text)
    return ReadResourceResult(contents=[content])
server = Server("bare", on_read_resource=read)
app = server.streamable_http_app(json_response=True, stateless_http=True)
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="error")
"""


BARE_STDIO = """
import json
import sys
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import PaginatedRequestParams, RequestParams
answers = json.load(open(sys.argv[1], encoding="utf-8"))
class UriParams(RequestParams):
    uri: str
async def skills_list(ctx, params):
    return answers["skills/list"][params.cursor or ""]
async def skills_get(ctx, params):
    return answers["skills/get"][params.uri]
server = Server("bare")
server.add_request_handler("skills/list", PaginatedRequestParams, skills_list)
server.add_request_handler("skills/get", UriParams, skills_get)
async def main():
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
anyio.run(main)
"""


class Pipe:
    """A server on standard streams, in the new era; `first` is the time to its first answer."""

    def __init__(self, command: Sequence[str]) -> None:
        started = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.count = 0
        self.ask("server/discover", {})
        self.first = time.perf_counter() - started

    def _write(self, message: dict[str, Any]) -> None:
        stdin = _there(self.process.stdin)
        stdin.write(json.dumps(message).encode() + b"\n")
        stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.count += 1
        given = {**params, "_meta": ENVELOPE}
        self._write({"jsonrpc": "2.0", "id": self.count, "method": method, "params": given})
        while True:
            answer: dict[str, Any] = json.loads(_there(self.process.stdout).readline())
            if answer.get("id") == self.count:
                result: dict[str, Any] = answer["result"]
                return result

    def every(self, method: str, key: str) -> list[dict[str, Any]]:
        items, result = [], self.ask(method, {})
        while True:
            items += result[key]
            if "nextCursor" not in result:
                return items
            result = self.ask(method, {"cursor": result["nextCursor"]})

    def memory(self) -> float:
        """Resident MiB of the process."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]

    def close(self) -> None:
        _there(self.process.stdin).close()
        _there(self.process.stdout).close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def _there(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


@dataclass(frozen=True)
class Row:
    """A ratio, the most it may be, infinite where nothing is wanted, and what stood on both sides.

    Of rows with the same `either`, one that is held is enough.
    """

    what: str
    ratio: float
    most: float
    sides: str
    either: str = ""

    @property
    def is_held(self) -> bool:
        return self.ratio <= self.most


def timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def write_skills(folder: Path, count: int) -> None:
    for number in range(count):
        name = f"skill-{number:05}"
        here = folder / "skills" / name
        (here / "references").mkdir(parents=True)
        seed = hashlib.sha256(name.encode()).hexdigest()
        about = f"Measures servers with {seed[:12]}; use it when skill {number} is asked for."
        head = f"---\nname: {name}\ndescription: {about}\nlicense: MIT\n---\n\n# {name}\n\n"
        (here / "SKILL.md").write_text(head + f"{seed} says what to do.\n" * 50)
        for part in range(4):
            (here / "references" / f"part-{part}.md").write_text(f"{seed} {part}\n" * 30)


def prepare(work: Path, count: int) -> tuple[Path, Path]:
    """A folder of skills and its output."""
    repo, out = work / f"repo-{count}", work / f"out-{count}"
    if not out.exists():
        write_skills(repo, count)
        git = ["git", "-C", str(repo), "-c", "user.name=bench", "-c", "user.email=b@example.org"]
        for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "Skills"]):
            subprocess.run([*git, *command], check=True)
        subprocess.run([*ours_command("build"), "-q", str(repo), "-o", str(out)], check=True)
    return repo / "skills", out


def ours_command(command: str) -> list[str]:
    return [sys.executable, "-m", "skillbuild", command]


def sample(pipe: Pipe, method: str = "resources/read", kind: str = "resources") -> float:
    """Median seconds of a request for one skill, spread over all that a list of this kind has."""
    uris = [item["uri"] for item in pipe.every(f"{kind}/list", kind)]
    uris = [uri for uri in uris if uri.endswith("/SKILL.md")]
    chosen = (uris[:: max(1, len(uris) // READS)] * READS)[:READS]
    return statistics.median(
        timed(lambda uri=uri: pipe.ask(method, {"uri": uri}))  # type: ignore[misc]
        for uri in chosen
    )


def median_of(rounds: int, command: Sequence[str], measure: Callable[[Pipe], float]) -> float:
    return medians_of(rounds, {0: command}, measure)[0]


def medians_of(
    rounds: int, commands: Mapping[int, Sequence[str]], measure: Callable[[Pipe], float]
) -> dict[int, float]:
    """In turns, so that a machine that gets busy slows all of them."""
    times: dict[int, list[float]] = {key: [] for key in commands}
    for _ in range(rounds):
        for key, command in commands.items():
            pipe = Pipe(command)
            times[key].append(measure(pipe))
            pipe.close()
    return {key: statistics.median(values) for key, values in times.items()}


def list_all(pipe: Pipe) -> float:
    return min(timed(lambda: pipe.every("skills/list", "skills")) for _ in range(2))


def listed_memory(pipe: Pipe) -> float:
    pipe.every("skills/list", "skills")
    return pipe.memory()


def stdio_rows(work: Path, rounds: int, typescript: list[str] | None) -> list[Row]:
    folders = {count: prepare(work, count) for count in SIZES}
    serve = {count: [*ours_command("serve"), str(out)] for count, (_, out) in folders.items()}
    skills = {count: str(folder) for count, (folder, _) in folders.items()}
    fast = [sys.executable, "-c", FASTMCP]
    start = medians_of(rounds, serve, lambda pipe: pipe.first)
    rows = [row("start, 5,000 skills / 17", start[5000], start[17], ANY, "s")]
    rows.append(row("first answer, 1,000 / 0.8 s", start[1000], 0.8, 1, "s"))
    listing = median_of(rounds, serve[1000], list_all) * 1e3
    reads = {count: seconds * 1e3 for count, seconds in medians_of(rounds, serve, sample).items()}
    rows += [row(f"read p50, {n} / 17", reads[n], reads[17], ANY, "ms") for n in (1000, 5000)]
    memory = median_of(rounds, serve[5000], listed_memory)
    if importlib.util.find_spec("fastmcp"):
        theirs = median_of(1, [*fast, skills[1000], "extension"], list_all) * 1e3
        rows.append(row("skills/list, 1,000 / FastMCP", listing, theirs, ANY, "ms"))
        theirs = median_of(1, [*fast, skills[5000], "provider"], sample) * 1e3
        rows.append(row("read p50, 5,000 / FastMCP", reads[5000], theirs, ANY, "ms"))
    bare = bare_command(work, serve[1000])
    rows += listing_rows(rounds, serve[1000], bare, "bare server", 1.2)
    rows.append(
        row(
            "start / bare server",
            start[1000],
            median_of(rounds, bare, lambda pipe: pipe.first),
            ANY,
            "s",
        )
    )
    if typescript is not None:
        theirs = median_of(1, [*typescript, skills[5000]], listed_memory)
        rows.append(row("memory, 5,000 / TypeScript", memory, theirs, 0.7, "MiB"))
        rows += typescript_rows(rounds, serve[1000], [*typescript, skills[1000]])
    return rows


def bare_command(work: Path, ours: Sequence[str]) -> list[str]:
    """A server of the SDK alone that gives the answers of ours, which it has read before."""
    pipe, answers = Pipe(ours), work / "answers.json"
    pages, cursor = dict[str, dict[str, Any]](), ""
    while cursor not in pages:
        pages[cursor] = pipe.ask("skills/list", {"cursor": cursor} if cursor else {})
        cursor = pages[cursor].get("nextCursor", "")
    uris = [skill["uri"] for page in pages.values() for skill in page["skills"]]
    gets = {uri: pipe.ask("skills/get", {"uri": uri}) for uri in uris}
    pipe.close()
    answers.write_text(json.dumps({"skills/list": pages, "skills/get": gets}))
    return [sys.executable, "-c", BARE_STDIO, str(answers)]


def listing_rows(
    rounds: int, ours: Sequence[str], theirs: Sequence[str], name: str, most: float
) -> list[Row]:
    """The list of 1,000 skills and one of them, beside a peer that has read all before."""
    both, rows = {0: ours, 1: theirs}, []
    get = partial(sample, method="skills/get", kind="skills")
    for what, ask in (("skills/list", list_all), ("skills/get p50", get)):
        mine, other = (seconds * 1e3 for seconds in medians_of(rounds, both, ask).values())
        rows.append(row(f"{what}, 1,000 / {name}", mine, other, most, "ms", either=what))
    return rows


def typescript_rows(rounds: int, ours: Sequence[str], theirs: Sequence[str]) -> list[Row]:
    """One skill of 1,000, and memory: the TypeScript SDK has read all of them before it starts."""
    both = {0: ours, 1: theirs}
    rows = listing_rows(rounds, ours, theirs, "TypeScript", 1.0)
    ask = partial(sample, method="resources/read", kind="skills")
    mine, other = (seconds * 1e3 for seconds in medians_of(rounds, both, ask).values())
    rows.append(row("read p50, 1,000 / TypeScript", mine, other, 0.75, "ms"))
    mine, other = medians_of(rounds, both, listed_memory).values()
    return [*rows, row("memory, 1,000 / TypeScript", mine, other, 0.7, "MiB")]


def row(what: str, ours: float, theirs: float, most: float, unit: str, *, either: str = "") -> Row:
    return Row(what, ours / theirs, most, f"{ours:.2f} / {theirs:.2f} {unit}", either)


def http_row(work: Path, rounds: int) -> Row:
    """Time of a small read over HTTP beside a bare handler's on the same SDK."""
    folder, out = prepare(work, 17)
    uri, port = "skill://skill-00000/SKILL.md", 18_931
    text = str(folder / "skill-00000" / "SKILL.md")
    ours = [*ours_command("serve"), str(out), "--http", f"127.0.0.1:{port}"]
    bare = [sys.executable, "-c", BARE, text, str(port + 1)]
    with (
        subprocess.Popen(ours, stderr=subprocess.DEVNULL) as first,
        subprocess.Popen(bare) as second,
    ):
        try:
            times = [(ask_http(port, uri), ask_http(port + 1, uri)) for _ in range(rounds)]
        finally:
            first.terminate()
            second.terminate()
    mine, theirs = (statistics.median(side) * 1e3 for side in zip(*times, strict=True))
    return row("HTTP read / bare handler", mine, theirs, ANY, "ms")


def ask_http(port: int, uri: str) -> float:
    """Median seconds of a read on one connection, new era."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "resources/read"}
    data = json.dumps({**body, "params": {"uri": uri, "_meta": ENVELOPE}})
    headers = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "resources/read",
        "mcp-name": uri,
    }
    connection = _connected(port)

    def once() -> None:
        connection.request("POST", "/mcp", data, headers)
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        answer.read()

    once()
    seconds = statistics.median(timed(once) for _ in range(5 * READS))
    connection.close()
    return seconds


def _connected(port: int) -> http.client.HTTPConnection:
    """A connection to a server that may still be starting."""
    until = time.monotonic() + 30
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            connection.connect()
        except ConnectionRefusedError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
        else:
            return connection


def growth_rows(small: Path, large: Path, rounds: int) -> list[Row]:
    """Start, and memory after all lists and reads of skills from one end to the other."""
    serve = {side: [*ours_command("serve"), str(out)] for side, out in enumerate((small, large))}
    start = medians_of(rounds, serve, lambda pipe: pipe.first)
    memory = medians_of(rounds, serve, used_memory)
    return [
        row("start, large / small", start[1], start[0], 1.5, "s"),
        row("memory, large / small", memory[1], memory[0], 1.5, "MiB"),
    ]


def used_memory(pipe: Pipe) -> float:
    pipe.every("skills/list", "skills")
    sample(pipe)
    return pipe.memory()


def typescript_command(node: str, modules: Path | None) -> list[str] | None:
    if modules is None:
        return None
    script = modules / "skillbuild-bench-server.mjs"
    script.write_text(TYPESCRIPT)
    return [node, str(script)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--node", default="node")
    parser.add_argument("--modules", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--outputs", type=Path, nargs=2, metavar=("SMALL", "LARGE"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as fresh:
        work = (options.work or Path(fresh)).resolve()
        if options.outputs:
            small, large = options.outputs
            rows = growth_rows(small, large, options.rounds)
        else:
            typescript = typescript_command(options.node, options.modules)
            rows = stdio_rows(work, options.rounds, typescript)
            rows.append(http_row(work, options.rounds))
    held_once = {item.either for item in rows if item.either and item.is_held}
    for item in rows:
        held = "ok  " if item.is_held else "or  " if item.either in held_once else "MISS"
        held, most = ("    ", "") if item.most == ANY else (held, f"<= {item.most:.3g}")
        print(f"{held} {item.what:38} {item.ratio:7.3f} {most:8} {item.sides}")
    load = os.getloadavg()[0]
    print(f"load {load:.1f}, Python {sys.version.split()[0]}")
    return 0 if all(item.is_held or item.either in held_once for item in rows) else 1


if __name__ == "__main__":
    sys.exit(main())

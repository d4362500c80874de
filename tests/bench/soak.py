"""Runs a server with honest and hostile clients for a given time.

    python tests/bench/soak.py [--seconds 60] [--skills 300] [--every 1] [--work DIR]
        [--honest 8] [--silent 1000] [--slow 200] [--searches 50] [--floods 20] [--p99 1.0]
        [--swaps N] [--base-url URL]

Two releases replace each other every `--every` seconds, N times with `--swaps`. Honest clients
read resources, lists and files, and compare every byte with both releases. A list or an index must
match one of them. After N changes, the memory of the last 50 is compared with the memory of the
second 50. Hostile clients open silent connections, do not read their answers, send many of the
largest searches at a time, or flood the server with bad JSON. Exits with status 1 if an honest
request fails or gets wrong bytes, if over 1% of these requests take longer than `--p99` seconds,
or if memory grows.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import itertools
import json
import multiprocessing
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from helpers.swaps import swap
from serve import ENVELOPE, ours_command, write_skills
from skillbuild.release.checksums import Checksums
from skillbuild.release.layout import HEAD_FILES

NO_READ_SECONDS = 20.0


@dataclass
class Score:
    """What happened to honest clients, and what was seen of the server."""

    seconds: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    hostile: Counter[str] = field(default_factory=Counter)
    swaps: int = 0
    memory: list[float] = field(default_factory=list)
    """Resident MiB, each second."""
    swapped: list[float] = field(default_factory=list)
    """The same, after each change of releases."""
    descriptors: list[int] = field(default_factory=list)

    def slowest(self, share: float) -> float:
        """Seconds that this share of requests did not exceed."""
        ordered = sorted(self.seconds) or [0.0]
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    @property
    def growth(self) -> float:
        """Memory after the last 50 changes, by that after the second 50."""
        if len(self.swapped) < 3 * _MANY:
            return 1.0
        early, late = self.swapped[_MANY : 2 * _MANY], self.swapped[-_MANY:]
        return statistics.mean(late) / statistics.mean(early)


_MANY = 50
MOST_GROWTH = 1.1


@dataclass
class Address:
    """Where a server is, and requests as its clients write them."""

    port: int

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def ask(self, request: bytes) -> tuple[int, bytes]:
        """Status and body of one request on a connection of its own."""
        reader, writer = await self.connect()
        try:
            writer.write(request)
            answer = await reader.read(-1)
        finally:
            writer.close()
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split(b" ", 2)[1]), body

    def get(self, path: str) -> bytes:
        return self._head("GET", f"/{path}", "") + b"\r\n"

    def post(self, method: str, params: dict[str, Any]) -> bytes:
        given = {**params, "_meta": ENVELOPE}
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": given}
        more = f"mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n"
        if name := params.get("uri" if method == "resources/read" else "name"):
            more += f"mcp-name: {name}\r\n"
        return self.body(json.dumps(message).encode(), more)

    def body(self, data: bytes, more: str = "") -> bytes:
        accept = "accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n"
        length = f"content-length: {len(data)}\r\n"
        return self._head("POST", "/mcp", accept + more + length) + b"\r\n" + data

    def _head(self, method: str, path: str, more: str) -> bytes:
        host = f"host: 127.0.0.1:{self.port}\r\nconnection: close\r\n"
        return f"{method} {path} HTTP/1.1\r\n{host}{more}".encode()


class Server(Address):
    """`skillbuild serve` on a free port, with its log in a file."""

    def __init__(self, out: Path, log: Path) -> None:
        command = [*ours_command("serve"), str(out), "--tools", "--http", "127.0.0.1:0"]
        self.log = log
        with log.open("wb") as errors:
            self.process = subprocess.Popen(command, stderr=errors)
        while not (port := re.search(r"127\.0\.0\.1:(\d+)/mcp", log.read_text())):
            if self.process.poll() is not None:
                sys.exit(f"the server ended: {log.read_text()}")
            time.sleep(0.05)
        super().__init__(int(port[1]))

    def memory(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(row.split()[1]) for row in status.splitlines() if "VmRSS" in row) / 1024

    def descriptors(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))


def build(work: Path, skills: int, base_url: str | None) -> tuple[Path, Path]:
    """Two releases with other SKILL.md; their repository is made for it."""
    repo, outs = work / "repo", (work / "a", work / "b")
    if not outs[1].exists():
        write_skills(repo, skills)
        git = ["git", "-C", str(repo), "-c", "user.name=soak", "-c", "user.email=s@example.org"]
        subprocess.run([*git, "init", "-q"], check=True)
        for out in outs:
            for file in repo.glob("skills/*/SKILL.md"):
                file.write_text(f"{file.read_text()}{out.name} says more.\n")
            subprocess.run([*git, "add", "."], check=True)
            subprocess.run([*git, "commit", "-qm", out.name], check=True)
            command = [*ours_command("build"), "-q", str(repo), "-o", str(out)]
            subprocess.run([*command, *(["--base-url", base_url] if base_url else [])], check=True)
    return outs


def digests(outs: Sequence[Path]) -> dict[str, set[str]]:
    """Of files that both releases have: what their bytes may be."""
    tables = [Checksums.parse((out / "SHA256SUMS").read_bytes()).hex_digests() for out in outs]
    shared = tables[0].keys() & tables[1].keys() - {*HEAD_FILES}
    may_be = {path: {table[path] for table in tables} for path in shared}
    for path in HEAD_FILES[:-1]:  # SHA256SUMS names the files of both during a publish.
        may_be[path] = {hashlib.sha256((out / path).read_bytes()).hexdigest() for out in outs}
    return may_be


Listed = frozenset[tuple[str, str]]
"""URIs and digests of all files."""


def listed(out: Path) -> Listed:
    """Those of a whole release, which has only the parts of its own record."""
    parts = [part.read_text() for part in out.glob("record/*/*.jsonl")]
    lines = [line for part in parts for line in part.splitlines()]
    return pairs(list(map(json.loads, lines)))


def pairs(skills: Sequence[dict[str, Any]]) -> Listed:
    files = [file for skill in skills for file in skill["resources"]]
    return frozenset((file["uri"], file["digest"]) for file in files)


@dataclass
class Expected:
    """What either release has."""

    files: dict[str, set[str]]
    listed: Sequence[Listed]
    names: Sequence[str]


async def honest(server: Address, score: Score, expected: Expected, seed: int) -> None:
    """Ask for one thing after the other, for ever."""
    chosen = random.Random(seed)
    files, names = expected.files, expected.names
    paths = sorted({*files, *HEAD_FILES})
    while True:
        started = time.monotonic()
        name = chosen.choice(names)
        kind = chosen.choice(["file", "read", "list", "get"])
        try:
            async with asyncio.timeout(60):
                if kind == "file":
                    path = chosen.choice(paths)
                    kind = f"file {path}"
                    status, data = await server.ask(server.get(path))
                    right = path not in files or hashlib.sha256(data).hexdigest() in files[path]
                else:
                    status, data = await server.ask(_request(server, kind, name))
                    right = status != 200 or is_right(kind, json.loads(data), name, expected.listed)
            if status != 200:
                score.errors[f"{kind}: status {status} {data[:120]!r}"] += 1
            elif not right:
                score.wrong[f"{kind}: {data[:120]!r}"] += 1
        except (OSError, ValueError, IndexError, TimeoutError) as error:
            score.errors[f"{kind}: {type(error).__name__} {error}"] += 1
        score.seconds.append(time.monotonic() - started)


def _request(server: Address, kind: str, name: str) -> bytes:
    uri = {"uri": f"skill://{name}/SKILL.md"}
    methods = {"read": "resources/read", "get": "skills/get", "list": "skills/list"}
    return server.post(methods[kind], {} if kind == "list" else uri)


def is_right(kind: str, answer: dict[str, Any], name: str, releases: Sequence[Listed] = ()) -> bool:
    """Whether an answer is whole: a text has the digest that stands beside it, and a list is that
    of one release.
    """
    result = answer["result"]
    match kind:
        case "read":
            [item] = result["contents"]
            digest = hashlib.sha256(item["text"].encode()).hexdigest()
            return bool(item["version"] == f"sha256:{digest}" and f"# {name}\n" in item["text"])
        case "get":
            skills = [result["skill"]]
            is_named = skills[0]["frontmatter"]["name"] == name
            return is_named and any(pairs(skills) <= release for release in releases)
    skills = result["skills"]
    return bool(skills) and any(pairs(skills) <= release for release in releases)


async def silent(server: Address, done: Counter[str]) -> None:
    reader, writer = await server.connect()
    done["silent"] += 1
    await reader.read(1)
    writer.close()


async def slow(server: Address, done: Counter[str]) -> None:
    """Ask for the longest answer and do not read it."""
    _, writer = await server.connect()
    writer.transport.pause_reading()  # type: ignore[attr-defined]
    writer.write(server.post("skills/list", {}))
    done["slow"] += 1
    await asyncio.sleep(NO_READ_SECONDS)
    writer.transport.abort()


async def search(server: Address, done: Counter[str]) -> None:
    words = " ".join(f"{number:x}" for number in range(20_000))
    call = {"name": "search_skills", "arguments": {"query": words}}
    status, _ = await server.ask(server.post("tools/call", call))
    done[f"searches with status {status}"] += 1


async def flood(server: Address, done: Counter[str]) -> None:
    status, _ = await server.ask(server.body(b'{"jsonrpc":"2.0","id":1,"method":[' * 50))
    done[f"bad JSON with status {status}"] += 1


Hostile = Callable[[Address, Counter[str]], Awaitable[None]]


async def again(action: Hostile, server: Address, done: Counter[str]) -> None:
    """Do something hostile for ever, whatever becomes of it."""
    while True:
        with contextlib.suppress(OSError, ValueError, IndexError):
            await action(server, done)
        await asyncio.sleep(0.05)


def attack(port: int, counts: Sequence[int], ended: Any, results: Any) -> None:
    """All hostile clients, in a process of their own that leaves the processor to others."""
    os.nice(10)
    done: Counter[str] = Counter()

    async def run() -> None:
        actions = [silent, slow, search, flood]
        many = [action for action, count in zip(actions, counts, strict=True) for _ in range(count)]
        tasks = [asyncio.create_task(again(each, Address(port), done)) for each in many]
        while not ended.is_set():
            await asyncio.sleep(0.2)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(run())
    results.put(done)


async def watch(server: Server, score: Score) -> None:
    while True:
        score.memory.append(server.memory())
        score.descriptors.append(server.descriptors())
        await asyncio.sleep(1)


async def publish(
    server: Server, out: Path, outs: Sequence[Path], options: Any, score: Score
) -> None:
    """Change releases, for ever or as often as is wanted."""
    for new in itertools.cycle([outs[1], outs[0]]):
        await asyncio.sleep(options.every)
        await asyncio.to_thread(swap, out, new)
        score.swaps += 1
        score.swapped.append(server.memory())
        if score.swaps == options.swaps:
            return


async def soak(server: Server, out: Path, outs: Sequence[Path], options: Any) -> Score:
    score = Score()
    results: Any = multiprocessing.Queue()
    counts = (options.silent, options.slow, options.searches, options.floods)
    ended = multiprocessing.Event()
    arguments = (server.port, counts, ended, results)
    attacker = multiprocessing.Process(target=attack, args=arguments)
    # Before anybody connects: a client that is busy with it would send its request too late.
    names = sorted(path.parent.name for path in (outs[0].parent / "repo").glob("skills/*/SKILL.md"))
    expected = Expected(digests(outs), list(map(listed, outs)), names)
    attacker.start()
    work = [honest(server, score, expected, seed) for seed in range(options.honest)]
    work += [watch(server, score), publish(server, out, outs, options, score)]
    tasks = [asyncio.create_task(each) for each in work]
    done, _ = await asyncio.wait(tasks, timeout=options.seconds, return_when="FIRST_COMPLETED")
    for task in tasks:
        task.cancel()
    ended.set()
    for each in done:
        await each
    await asyncio.gather(*tasks, return_exceptions=True)
    score.hostile = await asyncio.to_thread(results.get)
    attacker.join()
    return score


def report(score: Score, server: Server) -> None:
    middle = len(score.memory) // 2
    errors, wrong = score.errors.total(), score.wrong.total()
    print(f"honest    {len(score.seconds):,} requests, {errors} errors, {wrong} with wrong bytes")
    for text, count in [*score.errors.most_common(5), *score.wrong.most_common(5)]:
        print(f"          {count} x {text}")
    times = f"p50 {score.slowest(0.5):.3f} s, p99 {score.slowest(0.99):.3f} s"
    print(f"          {times}, slowest {score.slowest(1.0):.3f} s")
    print(f"hostile   {', '.join(f'{count:,} {what}' for what, count in score.hostile.items())}")
    grown = f"; memory of the last {_MANY} {score.growth:.3f} of the second {_MANY}"
    print(f"releases  {score.swaps}{grown if len(score.swapped) >= 3 * _MANY else ''}")
    memory = " ".join(f"{value:.0f}" for value in score.memory[:: max(1, len(score.memory) // 10)])
    print(f"memory    {memory} MiB; most {max(score.memory[middle:]):.0f} in the second half")
    print(f"open      {max(score.descriptors)} file descriptors at most")
    print(f"log       {server.log.read_text().count(chr(10))} lines")
    print(f"load      {os.getloadavg()[0]:.1f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("skills", 300), ("honest", 8), ("silent", 1000), ("slow", 200)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--searches", type=int, default=50)
    parser.add_argument("--floods", type=int, default=20)
    for name, limit in (("seconds", 60.0), ("every", 1.0), ("p99", 1.0)):
        parser.add_argument(f"--{name}", type=float, default=limit)
    parser.add_argument("--swaps", type=int, default=0)
    parser.add_argument("--base-url")
    parser.add_argument("--work", type=Path)
    options = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory() as fresh:
        work = (options.work or Path(fresh)).resolve()
        outs = build(work, options.skills, options.base_url)
        out = Path(shutil.copytree(outs[0], Path(fresh) / "served"))
        server = Server(out, Path(fresh) / "log.txt")
        try:
            score = asyncio.run(soak(server, out, outs, options))
            report(score, server)
        finally:
            server.process.terminate()
            server.process.wait()
    is_good = not score.errors and not score.wrong and score.slowest(0.99) <= options.p99
    return 0 if is_good and score.growth <= MOST_GROWTH else 1


if __name__ == "__main__":
    sys.exit(main())

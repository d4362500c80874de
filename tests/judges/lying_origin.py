"""A server of a release elsewhere whose origin lies: what it costs, and who has to wait.

    python tests/judges/lying_origin.py OUT [--seconds 60]

The origin is a web server on the loopback that tells the truth at first. Then each body is endless:

readers   16 clients read files of less than 20 kB for so many seconds; memory may rise by 150 MB
          over what it is after 16 clients have read half of them while the origin told the truth,
          and is back within 10 MB ten seconds later; another client, who reads what was read
          before, waits 250 ms at most (on a machine that has nothing else to do). The same for
          files over HTTP, and for those of older releases, whose size nobody names.
unknown   600 files, versions and archives that the release does not have: one request at most

Ends with status 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler
from multiprocessing import Event, Process, Queue
from pathlib import Path
from typing import Any

from helpers.outputs import record_of
from helpers.talk import OLD, Http, HttpServer
from helpers.web import path_of, reply, served
from skillbuild.model import Digest
from skillbuild.release.layout import CHECKSUMS_FILE, blob_path
from skillbuild.storage import disk

READERS = 16
SMALL = 20_000
MOST_RISE, MOST_LEFT = 150.0, 10.0
"""Megabytes."""
MOST_WAITED = 0.25
UNKNOWN = 600
OLDER = [Digest.of(b"%d" % number) for number in range(100)]
_PIECE = b" " * (1 << 20)


def lie(request: BaseHTTPRequestHandler) -> None:
    """A body without an end, as fast as it is taken."""
    reply(request, 200, b"")
    with suppress(OSError):
        while True:
            request.wfile.write(_PIECE)


def with_older(out: Path) -> bytes:
    """SHA256SUMS as if the output also kept files of older releases."""
    older = (b"%s  %s" % (each.hex.encode(), blob_path(each).encode()) for each in OLDER)
    lines = [*(out / CHECKSUMS_FILE).read_bytes().splitlines(), *older]
    return b"".join(b"%s\n" % line for line in sorted(lines, key=lambda line: line[66:]))


def origin(out: Path, lies: Any, asked: Any, address: Any) -> None:
    """Serve an output; in a process of its own, which takes no time from who measures."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        path = path_of(request)[1:]
        asked.put(path)
        data = with_older(out) if path == CHECKSUMS_FILE else disk.read(out / path)
        if lies.is_set() and path != "catalog.json":
            lie(request)
        elif data is None:
            reply(request, 404, b"")
        else:
            tag = f'"{Digest.of(data).hex}"'
            is_same = request.headers.get("If-None-Match") == tag
            sent = {"Content-Length": f"{len(data)}", "ETag": tag}
            reply(request, 304 if is_same else 200, b"" if is_same else data, **sent)

    with served(answer, ("GET", "HEAD")) as url:
        address.put(url)
        threading.Event().wait()


def memory(server: HttpServer) -> float:
    """Megabytes that are resident."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    kilobytes = next(line.split()[1] for line in status.splitlines() if "VmRSS" in line)
    return int(kilobytes) / 1000


def read(server: HttpServer, uris: Sequence[str], until: float, outcomes: Counter[str]) -> None:
    client = Http(server, OLD)
    while time.monotonic() < until:
        answer = client.call("resources/read", {"uri": random.choice(uris)})
        error = answer.get("error")
        outcomes["bytes" if error is None else error["data"]["code"]] += 1


def get(server: HttpServer, paths: Sequence[str], until: float, outcomes: Counter[str]) -> None:
    while time.monotonic() < until:
        status, _, _ = server.request("GET", f"/{random.choice(paths)}")
        outcomes[f"status {status}"] += 1


def honest(server: HttpServer, uri: str, until: float, waited: list[float]) -> None:
    client = Http(server, OLD)
    while time.monotonic() < until:
        began = time.monotonic()
        client.ask("resources/read", uri=uri)
        waited.append(time.monotonic() - began)
        time.sleep(0.02)


def attacked(
    name: str, server: HttpServer, readers: Iterable[Any], known: str, seconds: float
) -> bool:
    """Let readers run; prints what that cost, and returns whether it is within the bars."""
    rest, until = memory(server), time.monotonic() + seconds
    outcomes, waited, seen = Counter[str](), list[float](), [rest]
    threads = [threading.Thread(target=reader, args=(until, outcomes)) for reader in readers]
    threads.append(threading.Thread(target=honest, args=(server, known, until, waited)))
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        seen.append(memory(server))
        time.sleep(0.05)
    time.sleep(10)
    rise, left = max(seen) - rest, memory(server) - rest
    slowest, most = max(waited), sorted(waited)[int(len(waited) * 0.99)]
    print(f"{name}: {rest:.0f} MB at rest, {rise:+.0f} MB at most, {left:+.0f} MB 10 s later")
    print(
        f"  {dict(outcomes)}; the other client waited {slowest * 1000:.0f} ms at most, and"
        f" {most * 1000:.0f} ms in 99 of 100 of {len(waited):,} requests"
    )
    is_right = "bytes" not in outcomes and "status 200" not in outcomes
    return is_right and rise <= MOST_RISE and left <= MOST_LEFT and slowest <= MOST_WAITED


def unknown(server: HttpServer, asked: Any) -> bool:
    """Ask for what the release does not have; prints how often the origin was asked."""
    client = Http(server, OLD)
    while not asked.empty():
        asked.get()
    for number in range(UNKNOWN):
        digits = f"{random.getrandbits(256):064x}"
        match number % 4:
            case 0:
                server.request("GET", f"/blobs/sha256/{digits}")
            case 1:
                server.request("GET", f"/record/{digits[:2]}/{digits}.jsonl")
            case 2:
                client.fault("resources/read", uri=f"skill://-/archives/x-{digits[:16]}.zip")
            case _:
                client.fault("resources/read", uri=f"skill://-/versions/{digits[:16]}/x/SKILL.md")
    paths = []
    while not asked.empty():
        paths.append(asked.get())
    others = [path for path in paths if path != "catalog.json"]  # Which is looked at now and then.
    print(f"unknown: {UNKNOWN} names, {len(others)} requests {set(others)}")
    return len(others) <= 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    lies: Any = Event()
    asked: Any = Queue()
    address: Any = Queue()
    with tempfile.TemporaryDirectory() as cache, ExitStack() as stack:
        os.environ["XDG_CACHE_HOME"] = cache
        process = Process(target=origin, args=(options.out, lies, asked, address), daemon=True)
        process.start()
        stack.callback(process.terminate)
        server = stack.enter_context(HttpServer(address.get(), "--tools"))
        resources = [
            each for entry in record_of(options.out).catalog.entries for each in entry.resources
        ]
        known, small = resources[0], {each.digest: each for each in resources if each.size < SMALL}
        small.pop(known.digest, None)
        true, lied = list(small.values())[::2], list(small.values())[1::2]
        waited = list[float]()
        honest(server, known.uri, time.monotonic() + 5, waited)
        print(f"a client alone waits {max(waited) * 1000:.0f} ms at most")
        uris = [each.uri for each in true]
        warming = [
            threading.Thread(target=read, args=(server, uris, time.monotonic() + 10, Counter()))
            for _ in range(READERS)
        ]
        for thread in warming:
            thread.start()
        for thread in warming:
            thread.join()
        bars = [unknown(server, asked)]
        lies.set()
        readers = [partial(read, server, [each.uri for each in lied])] * READERS
        bars.append(attacked("readers", server, readers, known.uri, options.seconds))
        for name, digests in (
            ("files over HTTP", [each.digest for each in lied]),
            ("files of older releases", OLDER),
        ):
            paths = list(map(blob_path, digests))
            getters = [partial(get, server, paths)] * READERS
            bars.append(attacked(name, server, getters, known.uri, options.seconds))
    return 0 if all(bars) else 1


if __name__ == "__main__":
    sys.exit(main())

"""Publishes to a real object store, and serves from it, under the conditions that matter.

    python tests/judges/anywhere.py ADDRESS [kill|race|replicas|readme]...

ADDRESS is that of an empty folder in a store with the credentials of the environment, such as
`s3://bucket/try` with `AWS_ENDPOINT_URL` for a store on this machine (`moto_server`, of PyPI's
`moto[server]`; npm `azurite` for `az://`). Prints counts, and ends with status 1 if a bar is not
met. `replicas` wants haproxy.

kill      a publish is killed at a random moment 50 times: what is there is the old release or the
          new one, every time, by `verify` of what was downloaded
race      two publishers at once, 20 times: one release each time, and nothing of the other
replicas  three servers behind a proxy while a release comes every two seconds for a minute: each
          list that a client reads to its end is of one release, or ends with -32602; no digest is
          wrong, and no request fails otherwise
readme    what site_src/docs/publish.md says about many machines is run as it stands there
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

import httpx2

from helpers import repos
from helpers.repos import skill_md
from skillbuild.output import verify
from skillbuild.serve.methods.describe import PREFIX
from skillbuild.storage.cloud import Store

_QUICK_LEASE = (
    "from skillbuild.output import upload; upload.PATIENCE, upload.RENEW_EVERY = 1.5, 0.2\n"
    "import sys; from skillbuild.cli.main import main; sys.exit(main(sys.argv[1:]))"
)
"""A publisher that does not wait long to see whether another one was killed."""
_HEADERS = {
    "accept": "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": "2025-11-25",
}
_GOOD = "200 -- "
"""How the lines of the proxy begin that tell of an answer."""
_LINES = re.MULTILINE | re.DOTALL
_NAME = "skills.example"
SKILLS = 230
REPLICAS = 3
MINUTE = 60.0


def releases(folder: Path, count: int, skills: int = SKILLS) -> list[Path]:
    """Outputs of one repository, each the next release of the one before it."""
    files: repos.Files = {
        f"skills/s{number:03}/SKILL.md": skill_md(f"s{number:03}") for number in range(skills)
    }
    repo = repos.repository(folder / "repo", files)
    outs: list[Path] = []
    for number in range(count):
        changed = {f"skills/s{number % skills:03}/number.txt": f"{number}\n", "more": f"{number}"}
        repos.commit(repo, {**files, **changed}, day=number + 1)
        out = folder / f"release-{number}"
        repos.build(repo, out, previous=outs[-1] if outs else None)
        outs.append(out)
    return outs


def publisher(out: Path, address: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _QUICK_LEASE, "publish", f"{out}", address],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def published(out: Path, address: str) -> float:
    """Publish, and return the seconds that it took."""
    began = time.monotonic()
    process = publisher(out, address)
    _, errors = process.communicate()
    if process.returncode:
        raise SystemExit(f"publish failed: {errors}")
    return time.monotonic() - began


def downloaded(address: str, folder: Path) -> Path:
    store = Store(address)
    for item in store.objects():
        if not item.path.startswith(".skillbuild/"):
            (folder / item.path).parent.mkdir(parents=True, exist_ok=True)
            (folder / item.path).write_bytes(store.read(item.path, 1 << 30))
    return folder


def emptied(address: str) -> None:
    store = Store(address)
    paths = [item.path for item in store.objects()]
    for start in range(0, len(paths), 1000):
        store.remove(paths[start : start + 1000])


def kill(address: str, folder: Path) -> bool:
    """Kill a publish 50 times."""
    old, new = releases(folder, 2, skills=40)
    heads = {(out / "catalog.json").read_bytes(): out.name for out in (old, new)}
    seen: Counter[str] = Counter()
    emptied(address)
    whole = published(old, address)
    whole = published(new, address)
    for number in range(50):
        emptied(address)
        published(old, address)
        process = publisher(new, address)
        time.sleep(random.uniform(0.3, 1.1) * whole)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        left = downloaded(address, folder / f"left-{number}")
        if not verify.verify(left).holds(whole=False):
            seen["NOT WHOLE"] += 1
        seen[heads.get((left / "catalog.json").read_bytes(), "ANOTHER RELEASE")] += 1
        shutil.rmtree(left)
        published(new, address)
        left = downloaded(address, folder / f"after-{number}")
        if not verify.verify(left).holds(whole=True) and _without_former(left, new):
            seen["NOT WHOLE AFTERWARDS"] += 1
        shutil.rmtree(left)
    print(f"kill: {dict(seen)}")
    return {*seen} <= {"release-0", "release-1"}


def _without_former(left: Path, out: Path) -> bool:
    """Whether anything of a release is missing or another; what is older may stay."""
    paths = [path for path in out.rglob("*") if path.is_file()]
    return any((left / path.relative_to(out)).read_bytes() != path.read_bytes() for path in paths)


def race(address: str, folder: Path) -> bool:
    """Two publishers at once, 20 times."""
    old, new, other = releases(folder, 3, skills=20)
    seen: Counter[str] = Counter()
    for number in range(20):
        emptied(address)
        published(old, address)
        processes = [publisher(out, address) for out in (new, other)]
        for process in processes:
            process.communicate()
        codes = sorted(process.returncode for process in processes)
        left = downloaded(address, folder / f"race-{number}")
        whole = [out.name for out in (new, other) if not _without_former(left, out)]
        seen[f"{'and'.join(whole) or 'MIXED'}, exit statuses {codes}"] += 1
        if not verify.verify(left).holds(whole=False):
            seen["NOT WHOLE"] += 1
        shutil.rmtree(left)
    print(f"race: {dict(seen)}")
    return not any("MIXED" in key or "NOT" in key or "and" in key for key in seen)


@contextmanager
def proxied(address: str, folder: Path) -> Iterator[str]:
    """Replicas behind haproxy, which gives each request to the next one."""
    ports = range(18_101, 18_101 + REPLICAS)
    (folder / "haproxy.cfg").write_text(_haproxy(ports))
    with ExitStack() as stack:
        for port in ports:
            # A few outputs come again and again.
            options = ["--http", f"127.0.0.1:{port}", "--refresh", "1", "--allow-rollback"]
            options += ["--allow-host", "127.0.0.1:18100"]
            environment = {**os.environ, "XDG_CACHE_HOME": f"{folder / f'cache-{port}'}"}
            command = [sys.executable, "-m", "skillbuild", "serve", address, *options]
            _running(stack, command, environment)
        log = stack.enter_context((folder / "proxy.log").open("w"))
        _running(stack, ["haproxy", "-f", f"{folder / 'haproxy.cfg'}"], dict(os.environ), log)
        for port in (*ports, 18_100):
            _ready(f"http://127.0.0.1:{port}")
        begun = (folder / "proxy.log").stat().st_size
        yield "http://127.0.0.1:18100"
    for line in (folder / "proxy.log").read_text()[begun:].splitlines():
        if not line.startswith(_GOOD):
            print(f"haproxy: {line}")


def _haproxy(ports: Iterable[int]) -> str:
    """The configuration for containers, with a log and with servers on this machine."""
    text = (Path(__file__).parents[2] / ".github/replicas/haproxy.cfg").read_text("utf-8")
    text, count = re.subn(r"^resolvers containers\n(?:  .*\n)+", "", text, flags=re.MULTILINE)
    servers = "".join(f"  server s{port} 127.0.0.1:{port}\n" for port in ports)
    text, others = re.subn(r"^  server-template .*\n", servers, text, flags=re.MULTILINE)
    if (count, others) != (1, 1):
        raise SystemExit("the configuration of haproxy is another one")
    log = "  mode http\n  log stdout format raw local0\n  log-format '%ST %ts %s %Tr'\n"
    return text.replace("  mode http\n", log).replace(":8080", "127.0.0.1:18100")


def _running(
    stack: ExitStack, command: list[str], environment: dict[str, str], out: IO[str] | None = None
) -> None:
    process = stack.enter_context(subprocess.Popen(command, env=environment, stdout=out))
    stack.callback(process.terminate)


def replicas(address: str, folder: Path) -> bool:
    """Clients of three servers, while releases come."""
    outs = releases(folder, 8)
    commits = {_commit(out) for out in outs}
    emptied(address)
    published(outs[0], address)
    seen: Counter[str] = Counter()
    over = threading.Event()
    with proxied(address, folder) as url:
        clients = [threading.Thread(target=_reading, args=(url, over, seen)) for _ in range(4)]
        for client in clients:
            client.start()
        until, number = time.monotonic() + MINUTE, 0
        while time.monotonic() < until:
            began = time.monotonic()
            number += 1
            published(outs[number % len(outs)], address)
            time.sleep(max(0.0, 2 - (time.monotonic() - began)))
        over.set()
        for client in clients:
            client.join()
    print(f"replicas: {number} releases of {len(commits)} commits, {dict(seen)}")
    return not any(key.isupper() for key in seen)


def _commit(out: Path) -> str:
    commit: str = json.loads((out / "catalog.json").read_bytes())["release"]["source"]["commit"]
    return commit


def _reading(url: str, over: threading.Event, seen: Counter[str]) -> None:
    """List all skills page by page, and read one file of each page, again and again."""
    with httpx2.Client(headers=_HEADERS, timeout=30) as client:

        def ask(method: str, **params: object) -> Any:
            seen["requests"] += 1
            message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            answer = client.post(f"{url}/mcp", json=message)
            if answer.status_code != 200:
                seen[f"STATUS {answer.status_code}"] += 1
                return {"error": {"code": answer.status_code}}
            return answer.json()

        while not over.is_set():
            _read_list(ask, seen)


def _read_list(ask: Callable[..., Any], seen: Counter[str]) -> None:
    cursor: dict[str, str] = {}
    files: dict[str, str] = {}
    while True:
        answer = ask("skills/list", **cursor)
        if "error" in answer:
            stale = bool(cursor) and answer["error"]["code"] == -32602
            seen["lists that end with -32602" if stale else "WRONG ERROR"] += 1
            return
        skills = answer["result"]["skills"]
        for skill in skills:
            files |= {item["uri"]: item["digest"] for item in skill["resources"]}
        _read_file(ask, random.choice(skills)["resources"][0], seen)
        if "nextCursor" not in answer["result"]:
            break
        cursor = {"cursor": answer["result"]["nextCursor"]}
    numbers = [uri for uri in files if uri.endswith("/number.txt")]
    whole = len(files) == SKILLS + 1 and len(numbers) == 1
    seen["lists of one release" if whole else "MIXED LIST"] += 1


def _read_file(ask: Callable[..., Any], file: dict[str, str], seen: Counter[str]) -> None:
    answer = ask("resources/read", uri=file["uri"])
    if "error" in answer:  # It may be gone with the release that came meanwhile.
        is_gone = answer["error"]["code"] in (-32002, -32602)
        seen["files of a former release" if is_gone else "WRONG ERROR"] += 1
        return
    [item] = answer["result"]["contents"]
    digest = f"sha256:{hashlib.sha256(item['text'].encode()).hexdigest()}"
    seen["files" if digest == item["_meta"][f"{PREFIX}version"] else "WRONG DIGEST"] += 1


def readme(address: str, folder: Path) -> bool:
    """Run what publish.md says about many machines, as it stands."""
    emptied(address)
    root = Path(__file__).parents[2]
    guide = (root / "site_src/docs/publish.md").read_text("utf-8")
    blocks = re.findall(r"^```bash\n(.*?)^```$", guide, _LINES)
    chosen = [text for text in blocks if '"$BUCKET"' in text]
    repo = repos.repository(folder / "repo", {"skills/pdf/SKILL.md": skill_md("pdf")})
    (folder / "bin").mkdir()
    program = folder / "bin/skillbuild"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m skillbuild "$@"\n')
    program.chmod(0o755)
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    variables = {"PATH": path, "BUCKET": address, "REPOSITORY": f"{repo}", "CATALOG": "out2"}
    environment = {**os.environ, **variables}
    for text in chosen:
        lines = [line for line in text.splitlines() if "skillbuild serve" not in line]
        subprocess.run(["bash", "-euc", "\n".join(lines)], cwd=repo, env=environment, check=True)
    [serving] = [line for text in chosen for line in text.splitlines() if " serve " in line]
    command = ["bash", "-euc", f"exec {serving}"]
    with subprocess.Popen(command, cwd=repo, env=environment) as process:
        try:
            state = _ready("http://127.0.0.1:8000")
            answer = httpx2.get("http://127.0.0.1:8000/index.json", headers={"host": _NAME})
        finally:
            process.terminate()
    status = answer.status_code
    print(f"readme: {len(chosen)} blocks, {state}, {status}, exit status {process.returncode}")
    return len(chosen) == 2 and status == 200 and process.returncode == 0


def _ready(url: str) -> Any:
    """What a server says as soon as it serves."""
    for _ in range(200):
        time.sleep(0.1)
        try:
            answer = httpx2.get(f"{url}/readyz")
        except httpx2.TransportError:
            continue
        if answer.status_code == 200:
            return answer.json()
    raise SystemExit(f"nothing is served at {url}")


def main() -> int:
    address, *names = sys.argv[1:]
    judges = {"kill": kill, "race": race, "replicas": replicas, "readme": readme}
    holds = True
    for name in names or judges:
        with tempfile.TemporaryDirectory(prefix="anywhere-") as folder:
            holds &= judges[name](address.rstrip("/"), Path(folder))
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())

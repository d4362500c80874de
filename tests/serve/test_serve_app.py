"""Servers beside each other: health, access log, graceful end, and the application for others."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

import skillbuild
from helpers.outputs import record_of
from helpers.talk import OLD, Http, HttpServer, Process
from helpers.web import files_of, path_of, served
from skillbuild.errors import ConfigError, OutputError
from skillbuild.model import Digest
from skillbuild.serve import create_app
from skillbuild.serve.transport.application import Application, AppOptions

URI = "skill://pdf/SKILL.md"
READ = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": URI}}
HEADERS = {
    "accept": "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": OLD,
}


def state_of(server: HttpServer, **headers: str) -> dict[str, Any]:
    status, sent, body = server.request("GET", "/readyz", headers=headers)
    assert (status, sent["cache-control"]) == (200, "no-store")
    state: dict[str, Any] = json.loads(body)
    return state


def test_health_says_which_release_is_served_to_whoever_asks(server: HttpServer, out: Path) -> None:
    ready = {
        "status": "ok",
        "release": str(Digest.of((out / "release.json").read_bytes())),  # As `build` prints it.
        "commit": record_of(out).catalog.commit,
        "skills": 5,
        "age": None,
        "current": True,
    }
    assert state_of(server) == ready
    assert state_of(server, host="10.0.0.7:8000") == ready
    assert json.loads(server.request("GET", "/healthz")[2]) == {"status": "ok"}
    assert server.request("POST", "/readyz", b"{}")[0] == 405


def test_health_tells_the_age_of_what_is_published_elsewhere(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", f"{tmp_path}")
    with served(files_of(out)) as url:
        server = HttpServer(url, "--refresh=1")
        assert state_of(server)["current"]
    with server:
        for _ in range(100):
            time.sleep(0.1)
            state = state_of(server)
            if not state["current"]:
                break
        assert (state["current"], state["age"] > 0) == (False, True)


def test_each_request_has_a_line_in_the_access_log(out: Path) -> None:
    with HttpServer(out, "--access-log") as server:
        given = {"x-request-id": "abc-1"}
        assert server.request("GET", "/index.json?secret=1", headers=given)[1]["x-request-id"] == (
            "abc-1"
        )
        bad = {"x-request-id": "a b"}
        chosen = server.request("GET", "/gone", headers=bad)[1]["x-request-id"]
        Http(server, OLD).ask("resources/read", uri=URI)
        lines = [json.loads(server.stdout.readline()) for _ in range(3)]
    size = (out / "index.json").stat().st_size
    assert [list(line) for line in lines] == [
        ["time", "id", "method", "path", "rpc", "status", "bytes", "ms"]
    ] * 3
    shown = [(line["id"], line["path"], line["status"], line["bytes"]) for line in lines]
    assert shown[0] == ("abc-1", "/index.json", 200, size)
    assert shown[1][:3] == (chosen, "/gone", 404)
    assert shown[2][1:3] == ("/mcp", 200)
    assert chosen != "a b"


def test_the_access_log_is_for_http(out: Path) -> None:
    server = Process(out, "--access-log")
    line = "skillbuild: --base-path, --allow-host and --access-log need --http"
    assert server.error_line() == line
    assert server.stop() == 2


def test_what_runs_is_finished_after_a_signal(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", f"{tmp_path}")
    asked = threading.Event()

    def slow(request: BaseHTTPRequestHandler) -> None:
        if path_of(request).startswith("/blobs/"):
            asked.set()
            time.sleep(1)
        files_of(out)(request)

    with served(slow) as url, HttpServer(url) as server, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(Http(server, OLD).ask, "resources/read", uri=URI)
        assert asked.wait(10)
        server.process.send_signal(signal.SIGTERM)
        assert answer.result()["contents"][0]["uri"] == URI
        assert server.process.wait(10) == 0


@pytest.fixture
def other_server(out: Path) -> Iterator[str]:
    """The command of uvicorn, with the application from the environment."""
    folders = (Path(skillbuild.__file__).parents[1], *map(Path, sys.path))
    given = {"SKILLBUILD_SERVE": f"{out}", "PYTHONPATH": os.pathsep.join(map(str, folders))}
    arguments = ["--factory", "skillbuild.serve:create_app", "--port=0", "--no-access-log"]
    with subprocess.Popen(
        [sys.executable, "-m", "uvicorn", *arguments],
        env={**os.environ, **given},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        yield next(match[0] for line in lines if (match := re.search(r"http://[0-9.:]+", line)))
        process.terminate()
        assert "Application shutdown complete" in process.stderr.read()


def test_another_http_server_runs_the_application(other_server: str) -> None:
    with httpx2.Client(headers=HEADERS) as client:
        answer = client.post(f"{other_server}/mcp", json=READ).json()
        assert answer["result"]["contents"][0]["uri"] == URI
        listed = {**READ, "method": "resources/list", "params": {}}
        assert client.post(f"{other_server}/mcp", json=listed).json()["result"]["resources"]
        evil = client.post(f"{other_server}/mcp", json=READ, headers={"host": "evil.example"})
        assert evil.status_code == 421
        assert client.get(f"{other_server}/readyz").json()["skills"] == 5
        assert client.get(f"{other_server}/index.json").status_code == 200


def test_an_adapter_without_a_lifespan_gets_answers(out: Path) -> None:
    async def ask() -> tuple[int, Any]:
        application = Application.of(AppOptions(f"{out}", allow_hosts=["skills.example"]))
        transport = httpx2.ASGITransport(application)
        async with httpx2.AsyncClient(transport=transport, headers=HEADERS) as client:
            answer = await client.post("https://skills.example/mcp", json=READ)
            await application.stop()
            return answer.status_code, answer.json()

    status, answer = anyio.run(ask)
    assert (status, answer["result"]["contents"][0]["uri"]) == (200, URI)


def test_an_application_that_cannot_serve_is_none(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match=r"^nothing to serve: pass an address, or set SKILLBUILD"):
        create_app()
    with pytest.raises(OutputError, match=r"catalog\.json is missing"):
        create_app(f"{tmp_path}")
    with pytest.raises(
        ConfigError, match=r"^there is no option tool; the options are address, base_path"
    ):
        create_app(f"{out}", tool=True)
    with pytest.raises(ConfigError, match=r"^the option tools cannot be 'yes'$"):
        create_app(f"{out}", tools="yes")
    monkeypatch.setenv("SKILLBUILD_SERVE", f"{out}")
    monkeypatch.setenv("SKILLBUILD_ALLOW_HOST", "a.example,b.example")
    assert isinstance(create_app(tools=True, only=["*"]), Application)
    assert AppOptions.of({"refresh": 1}).allow_hosts == ("a.example", "b.example")

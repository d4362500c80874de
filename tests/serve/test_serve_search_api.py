"""`GET /api/search`: what the installer `skills` asks the address in `SKILLS_API_URL` for."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.talk import HttpServer


@pytest.fixture(scope="module")
def server(out: Path) -> Iterator[HttpServer]:
    with HttpServer(out) as server:
        yield server


def test_skills_are_named_as_the_installer_knows_them(server: HttpServer) -> None:
    status, headers, body = server.request("GET", "/api/search?q=refunds+pays&limit=1")
    assert (status, headers["content-type"]) == (200, "application/json")
    answer = json.loads(body)
    [skill] = answer.pop("skills")
    assert answer == {"query": "refunds pays", "count": 1, "total": 3}
    assert (skill["id"], skill["installs"]) == ("acme/billing/refunds", 0)
    assert skill["source"].startswith(f"http://127.0.0.1:{server.port}")
    discovery = "/.well-known/agent-skills/index.json"
    listed = json.loads(server.request("GET", discovery)[2])["skills"]
    assert skill["name"] in {item["name"] for item in listed}


@pytest.mark.parametrize("limit", ["0", "51", "-1", "x", "1e1", "9" * 30, "%D9%A1"])
def test_a_limit_that_is_none_is_refused(server: HttpServer, limit: str) -> None:
    status, _, body = server.request("GET", f"/api/search?q=a&limit={limit}")
    assert (status, body) == (400, b"limit must be a number from 1 to 50\n")


def test_other_hosts_origins_and_methods_are_refused(server: HttpServer) -> None:
    path = "/api/search?q=a"
    answers = [
        server.request("GET", path, headers={"host": "evil.example"}),
        server.request("GET", path, headers={"origin": "https://evil.example"}),
        server.request("DELETE", path),
    ]
    assert [status for status, _, _ in answers] == [421, 403, 405]


def test_a_damaged_index_is_an_error_and_no_other_answer(tmp_path: Path, out: Path) -> None:
    copy = tmp_path / "out"
    shutil.copytree(out, copy)
    for path in (copy / "search").iterdir():
        path.write_bytes(b"skillbuild.part=[]")
    with HttpServer(copy) as server:
        status, _, body = server.request("GET", "/api/search?q=refunds")
        assert (status, b"wrong digest" in body) == (500, True)
        assert server.request("GET", "/index.json")[0] == 200

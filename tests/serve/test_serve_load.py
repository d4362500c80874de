"""Hostile requests at some thousand skills: each ends, and none keeps the event loop to itself."""

import json
import random
import shutil
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from helpers import outputs
from helpers.repos import skill_md
from helpers.serving import KINDS, built, many_entries, republish
from helpers.talk import ERAS, NEW, Http, HttpServer, Json

LONGEST_MS = 50
REFERENCE = {"type": "ref/resource", "uri": "skill://{+path}"}
REQUESTS: dict[str, list[Json]] = {
    "tools/call": [
        {"name": "search_skills", "arguments": {"query": " ".join(map(str, range(20_000)))}},
        {"name": "search_skills", "arguments": {"query": "x" * 200_000}},
        {"name": "read_skill", "arguments": {"skill": "refunds"}},
        {"name": "read_skill", "arguments": {"skill": "x" * 200_000}},
        {"name": "list_skills", "arguments": {f"k{n}": n for n in range(10_000)}},
        {"name": [1] * 60_000, "arguments": [[]] * 20_000},
    ],
    "resources/list": [
        {},
        {"filter": {"name": "r", "tag": "x" * 9000}},
        {"filter": {str(n): "x" for n in range(9000)}},
        {"cursor": "A" * 200_000},
        {"_meta": {f"k{n}": [n] for n in range(8000)}},
    ],
    "skills/list": [{}],
    "skills/get": [{"uri": "skill://large/SKILL.md"}, {"uri": "skill://" + "g0/" * 60_000}],
    "resources/read": [
        {"uri": "skill://index.json"},
        {"uri": "skill://large/blob.bin"},
        {"uri": "skill://large/many"},
        {"uri": "skill://" + "a/" * 8000},
        {"uri": [{}] * 40_000},
    ],
    "resources/directory/read": [{"uri": "skill://g0"}, {"uri": "skill://g"}],
    "completion/complete": [
        {"ref": REFERENCE, "argument": {"name": "path", "value": value}}
        for value in ("", "g0/", "large/", "%2F" * 50_000)
    ],
    "subscriptions/listen": [
        {"notifications": {"resourceSubscriptions": ["skill://a"] * 16_000}},
        {"notifications": {"resourceSubscriptions": [1] * 80_000}},
    ],
}
BODIES = [
    b"[" + b"1," * 120_000 + b"1]",
    b"[" * 250_000,
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[' + b"9" * 4000 + b"]}}",
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"' + b"\\ud800" * 40_000 + b'"}}',
    b"x" * 5_000_000,
]


@pytest.fixture(scope="module")
def large(kinds_out: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """5,000 skills in one directory, and one with as many files as may be."""
    files = {**KINDS, "skills/large/SKILL.md": skill_md("large")}
    files |= {f"skills/large/many/f{number:03}.txt": f"{number}\n" for number in range(500)}
    files["skills/large/blob.bin"] = random.Random(1).randbytes(3 << 20)
    out = built(tmp_path_factory.mktemp("load"), files)
    alone = next(each for each in outputs.record_of(out).catalog.entries if each.name == "large")
    entries = [*many_entries(kinds_out, 5000, folders=1), alone]
    republish(out, sorted(entries, key=lambda entry: entry.path))
    return out


class MeasuredServer(HttpServer):
    """Writes down what keeps its event loop longest (`helpers.slowest`)."""

    def __init__(self, out: Path, log: Path, *options: str) -> None:
        self.log = log
        self.program = ("-m", "helpers.slowest", str(log))
        super().__init__(out, *options)

    def slowest(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture(scope="module")
def measured(large: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MeasuredServer]:
    log = tmp_path_factory.mktemp("log") / "slowest.txt"
    with MeasuredServer(large, log, "--tools") as server:
        yield server


@pytest.mark.nightly
def test_nothing_keeps_the_loop_for_long(measured: MeasuredServer) -> None:
    slowest: dict[str, str] = {}

    def note(what: str) -> None:
        for line in measured.slowest()[len(slowest) :]:
            slowest[f"{len(slowest)} {what[:80]}"] = line

    for client in (Http(measured, era) for era in ERAS):
        for method, every in REQUESTS.items():
            for params in every:
                answer = client.call(method, params)
                assert answer["id"] == client.count, (method, answer)
                assert {"result", "error"} & answer.keys()
                note(f"{client.era} {method} {params}")
        for body in BODIES:
            measured.request("POST", "/mcp", body, client.headers("ping", {}))
            note(repr(body[:80]))
    for path in ("index.json", "catalog.json", "SHA256SUMS", "nothing"):
        measured.request("GET", f"/{path}", headers={"range": f"bytes={'9' * 5000}-"})
        note(path)
    assert [each for each in slowest.items() if float(each[1].split()[0]) >= LONGEST_MS] == []


def test_the_end_of_a_query_is_not_looked_for(measured: MeasuredServer) -> None:
    client = Http(measured, NEW)
    many = " ".join(f"w{number}" for number in range(40))
    for query in (f"{many} refunds", "x" * 8000 + " refunds"):
        answer = client.ask("tools/call", name="search_skills", arguments={"query": query})
        assert answer["structuredContent"]["skills"] == []


def test_so_many_resources_can_be_listened_to(measured: MeasuredServer) -> None:
    client = Http(measured, NEW)
    uris = [f"skill://g0/n{number:05}/{'deep/' * 25}SKILL.md" for number in range(1200)]
    params = {"notifications": {"resourceSubscriptions": uris}}
    connection = HTTPConnection("127.0.0.1", measured.port, timeout=60)
    body = client.message("subscriptions/listen", params)
    assert len(body) > 180_000
    connection.request("POST", "/mcp", body, client.headers("subscriptions/listen", params))
    answer = connection.getresponse()
    line = next(line for line in iter(answer.readline, b"") if line.startswith(b"data: "))
    connection.close()
    honored = json.loads(line[6:])["params"]["notifications"]["resourceSubscriptions"]
    assert honored == uris
    params = {"notifications": {"resourceSubscriptions": ["skill://a"] * 2001}}
    assert client.fault("subscriptions/listen", **params)["code"] == -32602


def test_a_part_of_a_catalog_is_counted_and_its_index_made_beside_the_loop(
    large: Path, tmp_path: Path
) -> None:
    out = Path(shutil.copytree(large, tmp_path / "out"))
    with MeasuredServer(out, tmp_path / "slowest.txt", "--only", "g*") as server:
        client = Http(server, NEW)
        entries = list(outputs.record_of(out).catalog.entries)
        republish(out, entries[1:])
        (index,) = client.ask("resources/read", uri="skill://index.json")["contents"]
        assert index["version"].startswith("sha256:")
        client.ask("resources/list", filter={"kind": "index"})
        assert server.error_line().endswith(" skills")
        assert [each for each in server.slowest() if float(each.split()[0]) >= LONGEST_MS] == []

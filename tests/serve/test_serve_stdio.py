"""Standard streams: every line is answered or rightly ignored, and nothing else is printed."""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import JSONRPCNotification, JSONRPCRequest
from pydantic import ValidationError

import skillbuild
from helpers import outputs
from helpers.serving import FILES, built
from helpers.talk import HELLO, NEW, OLD, Client, Process, Stdio
from skillbuild.release.entries import EntryLines
from skillbuild.release.layout import blob_path
from skillbuild.serve.transport.jsonrpc import RefusedMessageError, parse_message

LONG = b"x" * 300_000
GARBAGE = {
    b"{": (None, -32700),
    b"\xff\xfe": (None, -32700),
    b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}': (None, -32700),
    b"1" * 5000: (None, -32700),
    b"[" * 60_000: (None, -32700),
    b"[]": (None, -32600),
    b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]': (None, -32600),
    b"1": (None, -32600),
    b'"x"': (None, -32600),
    b"null": (None, -32600),
    b'{"jsonrpc":"2.0","id":null,"method":"ping"}': (None, -32600),
    b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}': (None, -32600),
    b'{"jsonrpc":"2.0","id":true,"method":"ping"}': (None, -32600),
    b'{"jsonrpc":"2.0","id":[1],"method":"ping"}': (None, -32600),
    b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}': (None, -32600),
    b'{"jsonrpc":"2.0","id":3,"method":"\\ud800"}': (3, -32600),
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}': (1, -32600),
    b'{"jsonrpc":"1.0","id":"one","method":"ping"}': ("one", -32600),
    b'{"id":-1,"method":"ping"}': (-1, -32600),
    b'{"jsonrpc":"2.0","id":1}': (1, -32600),
    b" " * 270_000: (None, -32600),
    b"x" * 900_000: (None, -32600),
    b'{"jsonrpc":"2.0","id":8,"method":"ping","params":{"a":"%b"}}' % LONG: (8, -32600),
    b'{"method":"ping","params":{"id":5,"a":"%b"},"jsonrpc":"2.0","id":"8"}' % LONG: ("8", -32600),
    b'{"id" : 7, "method":"ping","params":[%b1]}' % (b"1," * 200_000): (7, -32600),
    b'{"method":"ping","params":{"a":"%b","id":5}}' % LONG: (None, -32600),
    b'{"method":"ping","params":{"a":"%b, \\"id\\":5}"}}' % LONG: (None, -32600),
    b'{"method":"ping","id":%b1}' % (b"1" * 300_000): (None, -32600),
}
"""Lines that are no message, with the id and the code of their errors."""


@pytest.fixture(params=[OLD, NEW])
def stdio(request: pytest.FixtureRequest, clients: dict[str, Client]) -> Stdio:
    client = clients[f"stdio {request.param}"]
    assert isinstance(client, Stdio)
    return client


@pytest.mark.parametrize("line", GARBAGE, ids=lambda line: repr(line[:40]))
def test_a_line_that_is_no_message_is_answered_and_the_server_goes_on(
    stdio: Stdio, line: bytes
) -> None:
    stdio.write(line)
    answer = stdio.read()
    assert (answer["id"], answer["error"]["code"]) == GARBAGE[line]
    assert stdio.ask("tools/list")["tools"] == []


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"  ",
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}',
        b'{"jsonrpc":"2.0","method":"notifications/unknown"}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}',
    ],
)
def test_a_line_that_wants_no_answer_gets_none(stdio: Stdio, line: bytes) -> None:
    stdio.write(line)
    answer = stdio.call("tools/list")
    assert (answer["id"], stdio.notices) == (stdio.count, [])


@pytest.mark.parametrize("place", ["uri", "method"])
def test_a_lone_surrogate_is_refused_anywhere_in_a_message(stdio: Stdio, place: str) -> None:
    given = {"uri": "resources/read", place: "SURROGATE"}
    line = stdio.message(given.pop("method", "resources/read"), given)
    stdio.write(line.replace(b"SURROGATE", b"\\ud800"))
    answer = stdio.read()
    assert (answer["id"], answer["error"]["code"]) == (stdio.count, -32600)
    paired = line.replace(b"SURROGATE", b"\\ud83d\\ude00")
    stdio.write(paired)
    assert stdio.read()["error"]["code"] in (-32002, -32601, -32602)


def test_a_line_without_end_does_not_fill_the_memory(out: Path) -> None:
    with Stdio(out, NEW) as client:
        for _ in range(100):
            client.stdin.write(b"x" * 1_000_000)
        client.write(b"")
        assert client.read()["error"]["code"] == -32600
        assert len(client.ask("skills/list")["skills"]) == 5
        peak = Path(f"/proc/{client.process.pid}/status")
        if peak.exists():
            line = next(row for row in peak.read_text().splitlines() if row.startswith("VmHWM"))
            assert int(line.split()[1]) < 150_000


def test_old_era_requests_wait_for_the_handshake(out: Path) -> None:
    with Process(out) as process:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        process.stdin.write(json.dumps(body).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["error"]["code"] == -32602


def test_closed_input_ends_the_server_with_status_0_and_no_output(out: Path) -> None:
    process = Process(out)
    assert process.process.communicate(b"", 20) == (b"", b"")
    assert process.process.returncode == 0


def test_requests_sent_at_once_are_all_answered(stdio: Stdio) -> None:
    first = stdio.count + 1
    stdio.stdin.write(b"".join(stdio.message("tools/list", {}) + b"\n" for _ in range(50)))
    stdio.stdin.flush()
    answers = sorted(stdio.read()["id"] for _ in range(50))
    assert answers == list(range(first, first + 50))


def test_a_client_that_leaves_without_its_answers_is_no_fault(out: Path) -> None:
    with Stdio(out, NEW) as client:
        client.ask("tools/list")
        client.stdout.close()
        for _ in range(3):
            client.write(client.message("skills/list", {}))
        client.write(b"{")
        client.stdin.close()
        assert (client.process.wait(20), client.stderr.read()) == (0, b"")


def test_what_was_asked_before_the_end_of_input_is_answered(out: Path) -> None:
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}
    asked = [{"jsonrpc": "2.0", "id": number, "method": "skills/list"} for number in range(1, 30)]
    lines = [hello, {"jsonrpc": "2.0", "method": "notifications/initialized"}, *asked]
    process = Process(out)
    output, _ = process.process.communicate("\n".join(map(json.dumps, lines)).encode(), 20)
    answers = map(json.loads, output.splitlines())
    assert sorted(answer["id"] for answer in answers if "result" in answer) == list(range(30))


def start(*arguments: str) -> tuple[int, str]:
    """Exit status and standard error of a server that cannot start; standard output is empty."""
    process = Process(Path(arguments[0]), *arguments[1:])
    output, errors = process.process.communicate(b"", 20)
    assert output == b""
    return process.process.wait(), errors.decode()


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("catalog.json", None, "is missing; run build first"),
        ("catalog.json", b"", "catalog.json is damaged"),
        ("catalog.json", b"{}", "catalog.json is damaged"),
        ("index", None, "is missing; run build again"),
        ("part", None, "is missing; run build again"),
        ("part", b"{}\n", "is damaged: wrong size; run build again"),
    ],
)
def test_without_a_valid_release_the_server_does_not_start(
    tmp_path: Path, name: str, data: bytes | None, reason: str
) -> None:
    out = built(tmp_path, FILES)
    release = outputs.record_of(out)
    [part] = EntryLines.of(release.catalog.entries).parts
    named = {"index": blob_path(release.fixed.index.digest), "part": part.path}
    path = out / named.get(name, name)
    path.unlink()
    if data is not None:
        path.write_bytes(data)
    status, message = start(str(out))
    assert (status, f"{path.name} {reason}" in message or reason in message) == (2, True), message


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b'"layout":3,', b'"layout":99,', "catalog.json has layout 99; this skillbuild reads 3"),
        (b'"layout":3,', b'"layout":2,', "layout 2, which is no longer supported; "),
        (b'"layout":3,', b'"layout":1,', "layout 1, which is no longer supported; "),
        (b'"release":', b'"published":', "missing required field `release`"),
        (b'"parts":', b'"part":', "missing required field `parts` - at `$.release`"),
        (
            b'"first":"',
            b'"first":7,"was":"',
            "Expected `str`, got `int` - at `$.release.parts[0].first`",
        ),
        (b'"count":6', b'"count":-6', "Expected `int` >= 1 - at `$.release.parts[0].count`"),
        (
            b'"count":6',
            b'"count":null',
            "Expected `int`, got `null` - at `$.release.parts[0].count`",
        ),
        (
            b'"count":6,"unlisted":{',
            b'"count":6,"unlisted":{"x":"1",',
            "Expected `int`, got `str` - at `$.release.parts[0].unl",
        ),
        (b'"indexDigest":"sha256:', b'"indexDigest":"sha1:', "not a sha256 digest"),
        (b'"publication":', b'"public":', "missing required field `publication`"),
        (b'"releases":[', b'"releases":[7', "got `int` - at `$.publication.releases[0]`"),
    ],
)
@pytest.mark.nightly
def test_the_error_of_a_damaged_head_names_the_place(
    tmp_path: Path, old: bytes, new: bytes, reason: str
) -> None:
    out = built(tmp_path, FILES)
    data = (out / "catalog.json").read_bytes()
    assert data.count(old) == 1
    (out / "catalog.json").unlink()
    (out / "catalog.json").write_bytes(data.replace(old, new))
    status, message = start(str(out))
    assert (status, reason in message) == (2, True), message


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b'"size":', b'"sise":', "missing required field `size` - at `$.resources[0]`"),
        (b'"SKILL.md","digest":"sha256:', b'"SKILL.md","digest":"sha1:', "not a sha256 digest"),
        (b'"url":"skill://pdf/SKILL.md"', b'"url":"skill://pdf/NONE.md"', "at `$.url`"),
        (
            b'"mimeType":"text/markdown"',
            b'"mimeType":1',
            "at `$.resources[0].mimeType`",
        ),
        (
            b'"executable":false',
            b'"executable":0',
            "at `$.resources[0].executable`",
        ),
        (b'"sizes":"any"', b'"sizes":7', "Expected `str`, got `int` - at `$.icons[0].sizes`"),
        (b'"skillDigest":"sha256:', b'"skillDigest":7,"was":"', "digest: 7 - at `$.skillDigest`"),
        (b'"description":"Fills', b'"description":7,"was":"Fills', "no name or description"),
        (b'"frontmatter":{', b'"frontmatter":[],"was":{', "the entry of pdf: Expected `object`"),
        (b'"resources":[', b'"resources":[7,', "the entry of pdf: Expected `object`"),
    ],
)
def test_the_error_of_a_damaged_record_names_the_place(
    tmp_path: Path, old: bytes, new: bytes, reason: str
) -> None:
    """The digest of the part is right, but the entry of one skill is not as it must be."""
    out = built(tmp_path, FILES)

    def damaged(part: bytes) -> bytes:
        lines = part.splitlines(keepends=True)
        (at,) = (i for i, line in enumerate(lines) if line.startswith(b'{"path":"pdf"'))
        assert old in lines[at]
        return b"".join([*lines[:at], lines[at].replace(old, new), *lines[at + 1 :]])

    outputs.rewrite_parts(out, damaged)
    with Stdio(out, NEW) as client:
        asked = {
            "skills/list": {},
            "resources/list": {},
            "skills/get": {"uri": "skill://pdf/SKILL.md"},
            "resources/read": {"uri": "skill://pdf/SKILL.md"},
            "resources/metadata": {"uri": "skill://pdf/templates/invoice.md"},
            "resources/directory/read": {"uri": "skill://pdf"},
        }
        for method, params in asked.items():
            error = client.fault(method, **params)
            assert (error["code"], error["data"]) == (-32603, {"code": "damaged-record"})
            assert error["message"].startswith("The release is damaged: the entry of pdf: ")
            assert reason in error["message"]
        other = "skill://acme/billing/refunds/SKILL.md"
        assert client.ask("skills/get", uri=other)["skill"]["uri"] == other
        assert client.ask("resources/read", uri=other)["contents"][0]["uri"] == other
        assert "Paths: acme/billing/refunds, " in client.ask("server/discover")["instructions"]


@pytest.mark.parametrize(
    "change",
    [
        lambda part: part.replace(b'{"path":"', b'["path":"', 1),
        lambda part: part.replace(b'{"path":', b'{"name":1,"path":', 1),
        lambda part: part.replace(b"\n", b"\n\n", 1),
        lambda part: b"\n" + part,
        lambda part: part + b"x",
    ],
)
def test_a_part_with_a_line_that_is_no_entry_is_damaged(
    tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    out = built(tmp_path, FILES)
    outputs.rewrite_parts(out, change)
    with Stdio(out, NEW) as client:
        for method in ("skills/list", "resources/list"):
            error = client.fault(method)
            assert error["code"] == -32603
            assert error["message"].endswith(".jsonl: a line is not a valid entry")
        assert client.ask("server/discover")["instructions"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--http", "8000"], "--http takes HOST:PORT"),
        (["--http", "127.0.0.1:99999"], "--http takes HOST:PORT"),
        (["--http", "127.0.0.1:x"], "--http takes HOST:PORT"),
        (["--base-path", "x"], "need --http"),
        (["--allow-host", "x"], "need --http"),
        (["--http", "203.0.113.1:80"], "cannot listen on 203.0.113.1:80"),
    ],
)
def test_options_that_cannot_work_are_refused(out: Path, options: list[str], reason: str) -> None:
    status, message = start(str(out), *options)
    assert (status, reason in message) == (2, True), message


def test_a_port_in_use_is_an_error(out: Path) -> None:
    from helpers.talk import HttpServer

    with HttpServer(out) as server:
        status, message = start(str(out), "--http", f"127.0.0.1:{server.port}")
    assert (status, "choose another port" in message) == (2, True), message


def test_the_server_loads_nothing_that_can_build(out: Path) -> None:
    code = (
        "import sys, skillbuild.serve.run, skillbuild.serve.transport.http\n"
        "print(*sorted(n for n in sys.modules if n.startswith('skillbuild.')))"
    )
    packages = str(Path(skillbuild.__file__).parents[1])
    command = [sys.executable, "-c", code]
    environment = {**os.environ, "PYTHONPATH": packages}
    done = subprocess.run(command, capture_output=True, check=True, text=True, env=environment)
    loaded = {name.removeprefix("skillbuild.") for name in done.stdout.split()}
    rooms = {name.partition(".")[0] for name in loaded}
    assert {"serve", "release"} <= rooms
    assert not rooms & {"build", "cache", "cli", "compile", "config", "rules"}
    assert not rooms & {"check", "emit", "output", "report", "source"}
    assert not loaded & {"media.archive", "media.icons", "text.markdown", "text.yaml"}


@pytest.mark.skipif(os.name != "posix", reason="needs a shell and /dev/full")
@pytest.mark.parametrize(
    ("streams", "options", "status", "errors"),
    [
        ("<&-", [], 2, "skillbuild: standard input is closed, but MCP clients need it; "),
        (">&-", [], 2, "skillbuild: standard output is closed, but MCP clients need it; "),
        ("<&- >&- 2>&-", [], 2, ""),
        (">/dev/full", [], 2, "skillbuild: cannot write to standard output: no space left on "),
        ("2>/dev/full", [], 0, ""),
        ("2>&-", [], 0, ""),
        ("2>/dev/full", ["--http", "127.0.0.1:0"], 2, ""),
        ("2>/dev/full", ["--http", "127.0.0.1:x"], 2, ""),
    ],
)
@pytest.mark.nightly
def test_streams_that_are_closed_or_full_end_the_server_with_a_line_at_most(
    out: Path, streams: str, options: list[str], status: int, errors: str
) -> None:
    command = [sys.executable, "-m", "skillbuild", "serve", str(out), *options]
    process = subprocess.Popen(
        ["sh", "-c", f'exec "$@" {streams}', "sh", *command],
        env={**os.environ, "PYTHONPATH": str(Path(skillbuild.__file__).parents[1])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    output, error = process.communicate(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n', 60)
    answers = [b'{"jsonrpc":"2.0","id":1,"result":{}}'] if status == 0 else []
    assert (process.returncode, output.splitlines()) == (status, answers)
    assert error.decode().startswith(errors)
    assert error.count(b"\n") == bool(errors), error


@pytest.mark.skipif(os.name != "posix", reason="pipes there are never so")
def test_a_pipe_that_does_not_wait_is_made_to_wait(many: Path) -> None:
    """Some hosts hand over such a one; here it is full before anybody reads."""
    theirs, ours = os.pipe()
    os.set_blocking(ours, False)
    folder = str(Path(skillbuild.__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, "-m", "skillbuild", "serve", str(many)],
        env={**os.environ, "PYTHONPATH": folder},
        stdin=subprocess.PIPE,
        stdout=ours,
    )
    os.close(ours)
    client = Asker()
    requests = b"".join(client.message("skills/list", {}) + b"\n" for _ in range(100))
    with process, os.fdopen(theirs, "rb") as answers:
        assert process.stdin is not None
        process.stdin.write(requests)
        process.stdin.close()
        assert select.select([theirs], [], [], 60)[0]
        time.sleep(1)
        assert len(answers.readlines()) == 100
    assert process.returncode == 0


class Asker(Client):
    """Writes requests of the new era."""

    era = NEW


VALUES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
MEMBERS = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.sampled_from(["2.0", "1.0", 2.0]),
        "id": VALUES | st.sampled_from([[], {}]),
        "method": VALUES | st.just("ping"),
        "params": VALUES | st.dictionaries(st.text(), VALUES) | st.lists(VALUES),
        "more": VALUES,
    },
)


@given(MEMBERS | VALUES | st.lists(MEMBERS))
def test_a_message_is_what_the_model_of_the_sdk_takes(value: object) -> None:
    is_request = isinstance(value, dict) and "id" in value
    model = JSONRPCRequest if is_request else JSONRPCNotification
    try:
        wanted = model.model_validate(value, by_name=False)
    except ValidationError:
        wanted = None
    try:
        message = parse_message(json.dumps(value).encode())
    except RefusedMessageError:
        message = None
    if isinstance(value, dict) and "method" not in value:
        assert message is None
    elif wanted is None or message is None:
        assert (message, wanted) == (None, None)
    else:
        assert (message.method, message.params) == (wanted.method, wanted.params)
        assert getattr(message, "id", None) == getattr(wanted, "id", None)

"""Clients that connect and ask nothing, read nothing, or are too many: others are served."""

import asyncio
import errno
import json
import os
import random
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from helpers.repos import skill_md
from helpers.serving import built
from helpers.talk import NEW, Http, HttpServer, Json
from skillbuild.serve.transport.connections import Connection, ConnectionPool, accept

resource = pytest.importorskip("resource")
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
READ = {"uri": "skill://pdf/SKILL.md"}


_WITH_FEW = """
import resource, sys
from skillbuild.cli.main import main
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
sys.exit(main())
"""


class SmallServer(HttpServer):
    """Has few file descriptors, and cannot have more."""

    program = ("-c", _WITH_FEW)


@pytest.fixture
def small(out: Path) -> Iterator[SmallServer]:
    with SmallServer(out) as server:
        yield server


def connected(server: HttpServer, count: int, sent: bytes = b"") -> list[socket.socket]:
    connections = []
    for _ in range(count):
        connection = socket.create_connection(("127.0.0.1", server.port), 30)
        connection.sendall(sent)
        connections.append(connection)
    return connections


def get(server: HttpServer, path: str = "index.json") -> bytes:
    """A request of a client that leaves its connection open."""
    return f"GET /{path} HTTP/1.1\r\nhost: 127.0.0.1:{server.port}\r\n\r\n".encode()


def log_of(server: HttpServer) -> list[str]:
    server.process.terminate()
    server.process.wait(20)
    return server.stderr.read().decode().splitlines()


@pytest.mark.parametrize("sent", [b"", b"GET /", b"POST /mcp HTTP/1.1\r\nhost: x\r\n"])
def test_silent_clients_make_room_for_others(small: SmallServer, sent: bytes) -> None:
    with ExitStack() as stack:
        for connection in connected(small, 400, sent):
            stack.enter_context(connection)
        client = Http(small, NEW)
        for _ in range(20):
            assert client.ask("resources/read", **READ)["contents"]
            assert small.request("GET", "/index.json")[0] == 200
    lines = log_of(small)
    assert len(lines) < 10
    assert lines[0].startswith("skillbuild: disconnected an idle client: ")


def test_unfinished_bodies_make_room_for_others(small: SmallServer) -> None:
    head = f"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{small.port}\r\ncontent-length: 90\r\n\r\n{{"
    with ExitStack() as stack:
        for connection in connected(small, 300, head.encode()):
            stack.enter_context(connection)
        for _ in range(20):
            assert small.request("GET", "/index.json")[0] == 200


def test_a_connection_is_kept_for_the_next_request(
    monkeypatch: pytest.MonkeyPatch, out: Path
) -> None:
    """Longer than its header may take."""
    script = (
        "from skillbuild.serve.transport import connections as c; c.HEADER_SECONDS = 0.2\n"
        "import sys; from skillbuild.cli.main import main; sys.exit(main())"
    )
    monkeypatch.setattr(HttpServer, "program", ("-c", script))
    with HttpServer(out) as server:
        connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
        for _ in range(3):
            connection.request("GET", "/index.json")
            assert connection.getresponse().read()
            used = connection.sock
            time.sleep(0.5)
        assert connection.sock is used
        connection.close()


@pytest.mark.nightly
def test_a_header_has_a_deadline_that_single_bytes_do_not_put_off(server: HttpServer) -> None:
    """Whether it is the first one of a connection or not."""
    slow = [*connected(server, 1, b"GET /"), *connected(server, 1, get(server))]
    slow[1].recv(1 << 20)
    deadline = time.monotonic() + 25
    with ExitStack() as stack:
        for connection in slow:
            stack.enter_context(connection)
            connection.settimeout(0.5)
        while slow and time.monotonic() < deadline:
            slow = [connection for connection in slow if is_open(connection)]
    assert slow == []


def is_open(connection: socket.socket) -> bool:
    """Send another byte of a header, and look whether the server has left."""
    try:
        connection.sendall(b"x")
        while connection.recv(1 << 20):
            pass
    except TimeoutError:
        return True
    except OSError:
        pass
    return False


def processor_time(server: HttpServer) -> float:
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


@linux
def test_without_descriptors_accepting_pauses(out: Path) -> None:
    with HttpServer(out) as server:
        assert server.request("GET", "/index.json")[0] == 200  # It has loaded all modules.
        limits = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (1, limits[1]))
        waiting = connected(server, 50, get(server))
        before = processor_time(server)
        time.sleep(2)
        spent = processor_time(server) - before
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, limits)
        for connection in waiting:
            with connection:
                assert connection.recv(1 << 20).startswith(b"HTTP/1.1 200 ")
        assert spent < 0.5
        lines = log_of(server)
        assert lines[0].startswith("skillbuild: cannot accept connections: Too many open files")
        assert len(lines) < 5


@linux
def test_clients_that_do_not_read_hold_little_memory(tmp_path: Path) -> None:
    files = {"skills/pdf/SKILL.md": skill_md("pdf")}
    blob = random.Random(1).randbytes(4 << 20)
    out = built(tmp_path, {**files, "skills/pdf/blob.bin": blob})
    with HttpServer(out) as server:
        client = Http(server, NEW)
        params = {"uri": "skill://pdf/blob.bin"}
        body = client.message("resources/read", params)
        headers = client.headers("resources/read", params)
        with ExitStack() as stack:
            for number in range(40):
                connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
                stack.callback(connection.close)
                if number % 2:
                    connection.request("POST", "/mcp", body, headers)
                else:
                    path = next(out.glob("archives/*.zip")).relative_to(out)
                    connection.request("GET", f"/{path}")
            for _ in range(20):
                assert client.ask("resources/read", **READ)["contents"]
            status = Path(f"/proc/{server.process.pid}/status").read_text()
        assert server.request("GET", "/index.json")[0] == 200
    held = next(int(row.split()[1]) for row in status.splitlines() if row.startswith("VmRSS"))
    assert held < 300_000


@pytest.mark.nightly
def test_a_server_that_ends_does_not_wait_for_who_reads_nothing(tmp_path: Path) -> None:
    blob = random.Random(1).randbytes(12 << 20)  # More than the buffers of a connection hold.
    out = built(tmp_path, {"skills/pdf/SKILL.md": skill_md("pdf"), "skills/pdf/blob.bin": blob})
    path = next(out.glob("archives/*.zip")).relative_to(out)
    with HttpServer(out) as server, socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", server.port))
        client.sendall(get(server, f"{path}"))
        assert client.recv(9) == b"HTTP/1.1 "
        [line] = log_of(server)
    assert line == "skillbuild: disconnected a client that stopped reading (1 so far)"


def test_the_oldest_listen_stream_makes_room_and_is_told_why(small: SmallServer) -> None:
    """With few file descriptors there are few streams."""
    client = Http(small, NEW)
    streams = [opened(client) for _ in range(80)]
    events = [json.loads(line[6:]) for line in streams[0][1] if line.startswith(b"data: ")]
    assert [event.get("method") for event in events[:-1]] == [
        "notifications/subscriptions/acknowledged"
    ]
    error: Json = events[-1]["error"]
    assert (events[-1]["id"], error["code"]) == (1, -32603)
    assert error["message"].startswith("Too many streams are open")
    assert client.ask("resources/read", **READ)["contents"]
    for connection, _ in streams:
        connection.close()


def opened(client: Http) -> tuple[HTTPConnection, HTTPResponse]:
    """A new stream, once it is acknowledged."""
    params = {"notifications": {"resourcesListChanged": True}}
    connection = HTTPConnection("127.0.0.1", client.server.port, timeout=60)
    body, headers = (
        client.message("subscriptions/listen", params),
        client.headers("subscriptions/listen", params),
    )
    connection.request("POST", "/mcp", body, headers)
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    return connection, answer


def test_bad_requests_do_not_fill_the_log(out: Path) -> None:
    with HttpServer(out) as server:
        for _ in range(300):
            with connected(server, 1, b"no http at all\r\n\r\n")[0] as connection:
                assert connection.recv(1 << 16).startswith(b"HTTP/1.1 400 ")
        assert len(log_of(server)) <= 100


class BrokenSocket(socket.socket):
    """Nothing can be accepted from it, as when its descriptor was closed."""

    asked = 0

    def accept(self) -> tuple[socket.socket, object]:
        self.asked += 1
        assert self.asked < 1000, "nobody else gets a turn"
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))


def test_a_broken_socket_does_not_keep_the_loop_busy() -> None:
    async def accept_for_a_while(listening: socket.socket) -> None:
        await asyncio.wait_for(accept(listening, ConnectionPool(1), unused), 0.5)

    with BrokenSocket() as listening, pytest.raises(TimeoutError):
        asyncio.run(accept_for_a_while(listening))
    assert 2 <= listening.asked < 20


def unused() -> Connection:
    raise NotImplementedError

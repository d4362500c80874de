"""Over HTTP: who may ask, what a body may be, and the catalog beside the endpoint."""

import hashlib
import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.serving import FILES, built
from helpers.talk import NEW, OLD, Client, Http, HttpServer
from skillbuild.release.layout import is_addressed

READ = {"uri": "skill://pdf/SKILL.md"}


@pytest.fixture(params=[OLD, NEW])
def asking(request: pytest.FixtureRequest, clients: dict[str, Client]) -> Http:
    client = clients[f"http {request.param}"]
    assert isinstance(client, Http)
    return client


def post(client: Http, body: bytes | None = None, **headers: str) -> int:
    """The status of a read with other headers or another body."""
    sent = client.headers("resources/read", READ) | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    message = client.message("resources/read", READ) if body is None else body
    return client.server.request("POST", "/mcp", message, sent)[0]


def test_only_exact_hosts_are_answered(asking: Http) -> None:
    port = asking.server.port
    answered = [f"127.0.0.1:{port}", f"localhost:{port}", f"LOCALHOST:{port}", f"[::1]:{port}"]
    refused = [
        "evil.example",
        f"evil.example:{port}",
        f"localhost:{port}.evil.example",
        "localhost:80.evil.example",
        f"localhost:{port}0",
        "localhost",
        "127.0.0.1",
        "",
    ]
    assert [post(asking, host=host) for host in answered] == [200] * 4
    assert [post(asking, host=host) for host in refused] == [421] * len(refused)


def test_only_its_own_origins_may_ask(asking: Http) -> None:
    port = asking.server.port
    answered = [f"http://localhost:{port}", f"http://127.0.0.1:{port}"]
    refused = ["http://evil.example", "null", f"http://localhost:{port}.evil.example", "x"]
    assert [post(asking, origin=origin) for origin in answered] == [200] * 2
    assert [post(asking, origin=origin) for origin in refused] == [403] * len(refused)


def test_the_catalog_checks_host_and_origin_too(server: HttpServer) -> None:
    assert server.request("GET", "/index.json", headers={"host": "evil.example"})[0] == 421
    assert server.request("GET", "/index.json", headers={"origin": "null"})[0] == 403


@pytest.mark.parametrize(
    ("body", "status", "code", "request_id"),
    [
        (b"{", 400, -32700, None),
        (b"[" * 60_000, 400, -32700, None),
        (b'{"a":"\xff"}', 400, -32700, None),
        (b"1" * 5000, 400, -32700, None),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', 400, -32700, None),
        (b"[]", 400, -32600, None),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600, None),
        (b'{"id":1,"method":"ping"}', 400, -32600, 1),
        (b'{"jsonrpc":"2.0","id":"a","method":"ping","params":[]}', 400, -32600, "a"),
        (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', 400, -32600, 7),
        (b'{"id":7,"params":{"x":"%b"}}' % (b"x" * 270_000), 413, -32600, 7),
        (b'{"params":["%b"],"id":7}' % (b"x" * 5_000_000), 413, -32600, 7),
        (b"null", 400, -32600, None),
    ],
)
def test_a_body_that_is_no_message_is_refused_and_the_server_goes_on(
    asking: Http, body: bytes, status: int, code: int, request_id: object
) -> None:
    headers = asking.headers("resources/read", READ)
    answered, _, data = asking.server.request("POST", "/mcp", body, headers)
    answer = json.loads(data)
    assert (answered, answer["error"]["code"], answer["id"]) == (status, code, request_id)
    assert asking.ask("resources/read", **READ)


@pytest.mark.parametrize("size", [5 << 20, 270_000])
def test_a_large_body_is_refused(asking: Http, size: int) -> None:
    assert post(asking, asking.message("resources/read", READ) + b" " * size) == 413
    assert post(asking, asking.message("resources/read", READ) + b" " * 250_000) == 200
    assert asking.ask("resources/read", **READ)


@pytest.mark.parametrize("length", ["99999999", "9" * 5000, "-1", "x"])
def test_a_wrong_or_too_large_declared_length_is_refused(server: HttpServer, length: str) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 20) as connection:
        head = f"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{server.port}\r\ncontent-length: {length}"
        connection.sendall(head.encode() + b"\r\n\r\n")
        status = connection.makefile("rb").readline().split()[1]
    assert status in (b"413", b"400")


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS", "HEAD", "PATCH"])
def test_the_endpoint_is_asked_by_post_only(server: HttpServer, method: str) -> None:
    for headers in ({}, {"mcp-protocol-version": NEW}, {"accept": "text/event-stream"}):
        status, answer, _ = server.request(method, "/mcp", headers=headers)
        assert (status, answer["allow"]) == (405, "POST")


def test_duplicate_members_do_not_matter(asking: Http) -> None:
    body = asking.message("resources/read", READ).replace(b'"uri":', b'"uri": "x", "uri":')
    assert post(asking, body) == 200


def checksums(out: Path) -> Iterator[tuple[str, str]]:
    for line in (out / "SHA256SUMS").read_text().splitlines():
        digest, path = line.split("  ", 1)
        yield path, digest


def test_every_published_file_is_there_byte_for_byte(server: HttpServer, out: Path) -> None:
    for path, digest in checksums(out):
        status, headers, data = server.request("GET", f"/{path}")
        assert (status, hashlib.sha256(data).hexdigest()) == (200, digest), path
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["etag"] == f'"{digest}"'
        assert ("immutable" in headers["cache-control"]) == is_addressed(path)
        if path.startswith("blobs/"):
            assert headers["content-type"] == "application/octet-stream"
    assert server.request("GET", "/SHA256SUMS")[2] == (out / "SHA256SUMS").read_bytes()


def test_directories_have_their_page(server: HttpServer, out: Path) -> None:
    status, headers, data = server.request("GET", "/")
    assert (status, data) == (200, (out / "index.html").read_bytes())
    assert headers["content-type"] == "text/html; charset=utf-8"
    status, headers, _ = server.request("GET", "/skills/pdf")
    assert (status, headers["location"]) == (308, "/skills/pdf/")
    assert server.request("GET", "/skills/pdf/")[0] == 200


def test_head_and_range_and_etag(server: HttpServer, out: Path) -> None:
    path = next(path for path, _ in checksums(out) if path.startswith("archives/"))
    whole = (out / path).read_bytes()
    status, headers, data = server.request("HEAD", f"/{path}")
    assert (status, headers["content-length"], data) == (200, str(len(whole)), b"")

    def part(wanted: str, **more: str) -> tuple[int, str | None, bytes]:
        sent = {"range": wanted} | {key.replace("_", "-"): value for key, value in more.items()}
        status, answer, data = server.request("GET", f"/{path}", headers=sent)
        return status, answer.get("content-range"), data

    size = len(whole)
    assert part("bytes=2-5") == (206, f"bytes 2-5/{size}", whole[2:6])
    assert part("bytes=10-") == (206, f"bytes 10-{size - 1}/{size}", whole[10:])
    assert part("bytes=-3") == (206, f"bytes {size - 3}-{size - 1}/{size}", whole[-3:])
    assert part(f"bytes={size}-") == (416, f"bytes */{size}", b"")
    assert part("bytes=5-2") == (416, f"bytes */{size}", b"")
    for ignored in ("bytes=-", "bytes=0-1,3-4", "lines=1-2"):
        assert part(ignored) == (200, None, whole)
    assert part("bytes=2-5", if_range='"other"') == (200, None, whole)
    sent = {"if-none-match": headers["etag"]}
    assert server.request("GET", f"/{path}", headers=sent)[0] == 304


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/../catalog.json",
        "/%2e%2e/catalog.json",
        "//index.json",
        "/./index.json",
        "/index.json/",
        "/blobs/",
        "/blobs",
        "/.lock",
        "/planted.txt",
        "/mcp/",
        "/index.json%00",
    ],
)
def test_nothing_else_is_served(server: HttpServer, out: Path, path: str) -> None:
    (out / "planted.txt").write_text("planted")
    assert server.request("GET", path)[0] == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_the_catalog_is_read_only(server: HttpServer, method: str) -> None:
    assert server.request(method, "/index.json")[0] == 405


def test_a_damaged_file_is_not_sent(tmp_path: Path) -> None:
    out = built(tmp_path, FILES)
    path = next(path for path, _ in checksums(out) if path.startswith("blobs/"))
    (out / path).unlink()
    (out / path).write_bytes(b"other")
    with HttpServer(out) as server:
        status, _, data = server.request("GET", f"/{path}")
    assert status == 500
    assert b"other" not in data


def test_a_page_is_checked_like_every_file(tmp_path: Path) -> None:
    out = built(tmp_path, FILES)
    page = out / "index.html"
    data = page.read_bytes()
    page.unlink()
    page.write_bytes(data + b"<!-- changed -->")
    with HttpServer(out) as server:
        assert server.request("GET", "/")[0] == 500
        page.write_bytes(data)
        assert server.request("GET", "/")[0::2] == (200, data)
        (out / "SHA256SUMS").unlink()
        assert server.request("GET", "/")[0] == 503


def test_what_is_right_only_behind_a_link_is_not_sent(tmp_path: Path) -> None:
    """A link, or a hard link to a file of somebody else, that was put there afterwards."""
    out = built(tmp_path, FILES)
    pages, elsewhere = out / "skills" / "pdf", tmp_path / "elsewhere"
    with HttpServer(out) as server:
        assert server.request("GET", "/skills/pdf/")[0] == 200
        pages.rename(elsewhere)
        pages.symlink_to(elsewhere)
        assert server.request("GET", "/skills/pdf/")[0] == 500
        pages.unlink()
        elsewhere.rename(pages)
        page = pages / "index.html"
        data = page.read_bytes()
        page.unlink()
        (tmp_path / "own").write_bytes(data)
        page.symlink_to(tmp_path / "own")
        assert server.request("GET", "/skills/pdf/")[0] == 500
        page.unlink()
        (tmp_path / "secret").write_bytes(b"secret")
        page.hardlink_to(tmp_path / "secret")
        status, _, body = server.request("GET", "/skills/pdf/")
        assert (status, b"secret" in body) == (500, False)


def test_a_base_path_comes_before_every_address(out: Path) -> None:
    with HttpServer(out, "--base-path", "/team/skills/") as server:
        assert server.base == "/team/skills"
        assert Http(server, NEW).ask("resources/read", **READ)
        assert server.request("GET", "/team/skills/index.json")[0] == 200
        assert server.request("GET", "/index.json")[0] == 404
        assert server.request("POST", "/mcp", b"{}")[0] == 405


def test_further_hosts_can_be_named(out: Path) -> None:
    with HttpServer(out, "--allow-host", "skills.example.org") as server:
        status = [
            server.request("GET", "/index.json", headers={"host": host})[0]
            for host in ("skills.example.org", "SKILLS.example.org", "skills.example.org:80")
        ]
    assert status == [200, 200, 421]


def test_many_connections_at_once_are_all_served(server: HttpServer) -> None:
    request = f"GET /index.json HTTP/1.1\r\nhost: 127.0.0.1:{server.port}\r\nconnection: close\r\n"
    opened = [socket.create_connection(("127.0.0.1", server.port), 30) for _ in range(300)]
    for connection in opened:
        connection.sendall(f"{request}\r\n".encode())
    answers = []
    for connection in opened:
        with connection, connection.makefile("rb") as file:
            answers.append(file.read().split(b" ", 2)[1])
    assert answers == [b"200"] * 300


def test_idle_and_slow_clients_do_not_delay_others(server: HttpServer) -> None:
    place = ("127.0.0.1", server.port)
    idle = [socket.create_connection(place, 30) for _ in range(500)]
    slow = socket.create_connection(place, 30)
    slow.sendall(b"GET /index.json HTTP/1.1\r\nhost: 127.0")
    assert server.request("GET", "/index.json")[0] == 200
    for connection in [*idle, slow]:
        connection.close()
    assert server.request("GET", "/index.json")[0] == 200


@pytest.mark.nightly
def test_a_body_that_does_not_come_is_given_up(server: HttpServer) -> None:
    head = f"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{server.port}\r\ncontent-length: 9\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), 30) as connection:
        connection.sendall(head.encode() + b"{")
        assert server.request("GET", "/index.json")[0] == 200
        with connection.makefile("rb") as file:
            assert file.read().startswith(b"HTTP/1.1 408 ")


def test_a_signal_ends_the_server(out: Path) -> None:
    with HttpServer(out) as server:
        server.process.terminate()
        assert server.process.wait(20) in (0, -15)

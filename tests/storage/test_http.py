"""Reading from a web site: what is read, what is tried again, and what is refused at once."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler

import pytest

from helpers.web import reply, served
from skillbuild.errors import ConfigError, OutputError
from skillbuild.storage.http import Website
from skillbuild.storage.origin import FOR_COMMANDS, Patience, UnreachableError, Versioned

HURRIED = Patience(connect=1, silence=0.2, whole=1, attempts=2)
Answer = Callable[[BaseHTTPRequestHandler], None]


def test_a_body_is_read_up_to_its_limit_and_404_is_nothing() -> None:
    def answer(request: BaseHTTPRequestHandler) -> None:
        reply(request, 200 if request.path == "/there" else 404, b"12345")

    with served(answer) as url:
        site = Website(url)
        assert site.read("there", 5) == b"12345"
        assert site.read("gone", 5) is None
        assert site.read_changing("gone", 5) is None
        with pytest.raises(OutputError, match=r"/there is larger than 4 bytes$"):
            site.read("there", 4)


def test_the_address_of_the_record_is_that_of_its_folder() -> None:
    with served(lambda request: reply(request, 200, request.path.encode())) as url:
        assert Website(f"{url}/a/catalog.json").read("b", 9) == b"/a/b"
        assert Website(f"{url}/a//").read("b", 9) == b"/a/b"


def test_a_path_is_one_of_a_file_whatever_characters_it_has() -> None:
    asked: list[str] = []

    def answer(request: BaseHTTPRequestHandler) -> None:
        asked.append(request.path)
        reply(request, 200, b"1")

    with served(answer, ("GET", "HEAD")) as url:
        site = Website(f"{url}/a%20b")
        site.read("c/100% #1, d+e~\u00e9.md", 1)
        site.read_changing("c", 1)
        site.size("d e")
    assert asked[0] == "/a%20b/c/100%25%20%231%2C%20d%2Be~%C3%A9.md"
    assert asked[1].startswith("/a%20b/c?")
    assert asked[2] == "/a%20b/d%20e"


def test_a_body_that_says_that_it_is_too_large_is_not_read() -> None:
    def endless(request: BaseHTTPRequestHandler) -> None:
        reply(request, 200, b"", **{"Content-Length": "5000000"})
        request.rfile.read(1)  # Until the client goes.

    with served(endless) as url, pytest.raises(OutputError, match="is larger than 9 bytes"):
        Website(url).read("large", 9)


def test_what_changes_is_read_past_caches_and_only_when_it_has_changed() -> None:
    asked: list[tuple[str, str | None]] = []

    def answer(request: BaseHTTPRequestHandler) -> None:
        tag = request.headers.get("If-None-Match")
        asked.append((request.path, tag))
        reply(request, 304 if tag == '"a"' else 200, b"" if tag == '"a"' else b"1", ETag='"a"')

    with served(answer) as url:
        site = Website(url)
        assert site.read("file", 1) == b"1"
        assert site.read_changing("file", 1) == Versioned(b"1", '"a"')
        assert site.read_changing("file", 1, '"a"') == Versioned(None, '"a"')
        assert site.read_changing("file", 1, '"b"') == Versioned(b"1", '"a"')
    assert asked[0] == ("/file", None)
    assert [path.partition("?")[0] for path, _ in asked] == ["/file"] * 4
    assert len({path for path, _ in asked}) == 4


def test_a_size_is_known_without_the_content() -> None:
    def answer(request: BaseHTTPRequestHandler) -> None:
        reply(request, 200 if request.path == "/file" else 404, b"", **{"Content-Length": "7"})

    with served(answer, methods=("HEAD",)) as url:
        assert Website(url).size("file") == 7
        assert Website(url).size("gone") is None


def failing(statuses: Iterator[int], **headers: str) -> Answer:
    """Answers with each of the statuses in turn, and then as asked."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        status = next(statuses, 200)
        reply(request, status, b"ok", **(headers if status != 200 else {}))

    return answer


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_fault_that_may_pass_is_tried_again(status: int) -> None:
    with served(failing(iter([status, status, status]))) as url:
        assert Website(url).read("file", 2) == b"ok"
    message = f"/file: HTTP Error {status}: "
    with served(failing(iter([status] * 4))) as url, pytest.raises(UnreachableError, match=message):
        Website(url).read("file", 2)


@pytest.mark.parametrize("status", [400, 401, 403, 410, 501])
def test_a_fault_that_stays_is_not(status: int) -> None:
    with served(failing(iter([status]))) as url:
        with pytest.raises(OutputError, match=f"HTTP Error {status}") as caught:
            Website(url).read("file", 2)
        assert not isinstance(caught.value, UnreachableError)


def test_an_origin_that_names_a_time_is_not_asked_before() -> None:
    late = failing(iter([429]), **{"Retry-After": "1"})
    with served(late) as url, pytest.raises(UnreachableError, match="HTTP Error 429"):
        Website(url, replace(HURRIED, whole=0.9)).read("file", 2)
    with served(failing(iter([429]), **{"Retry-After": "1"})) as url:
        assert Website(url, replace(FOR_COMMANDS, whole=9)).read("file", 2) == b"ok"


def test_a_body_that_is_cut_off_is_tried_again() -> None:
    lengths = iter(["9", "9", "2"])

    def cut(request: BaseHTTPRequestHandler) -> None:
        reply(request, 200, b"ok", **{"Content-Length": next(lengths)})

    with served(cut) as url:
        assert Website(url).read("file", 9) == b"ok"


def test_a_body_that_drips_is_not_waited_for() -> None:
    gone = threading.Event()

    def drip(request: BaseHTTPRequestHandler) -> None:
        reply(request, 200, b"", **{"Content-Length": "1000"})
        while not gone.wait(0.05):
            try:
                request.wfile.write(b".")
            except OSError:
                return

    with served(drip) as url:
        with pytest.raises(UnreachableError, match=r"/file was not there in time$"):
            Website(url, replace(HURRIED, whole=0.4)).read("file", 1000)
        gone.set()


def test_an_origin_that_says_nothing_is_not_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(UnreachableError, match=f"^cannot read {url}/file: "):
            Website(url, HURRIED).read("file", 1)


def test_a_port_where_nobody_listens_is_named_with_the_reason() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
    with pytest.raises(UnreachableError) as caught:
        Website(url, HURRIED).read("file", 1)
    assert str(caught.value) == f"cannot read {url}/file: connection refused"


def test_a_web_page_in_place_of_data_is_called_so() -> None:
    page = b"\n<!DOCTYPE html>\n<title>Log in</title>"
    with served(lambda request: reply(request, 200, page)) as url:
        with pytest.raises(OutputError, match=r"catalog\.json is a web page in place of that file"):
            Website(url).read_changing("catalog.json", 99)
        assert Website(url).read("blobs/sha256/00", 99) == page


def test_redirects_are_followed_on_the_host_alone() -> None:
    to: dict[str, str] = {}
    theirs: list[str] = []

    def redirecting(request: BaseHTTPRequestHandler) -> None:
        target = to.get(request.path.partition("?")[0])
        reply(request, 302 if target else 200, b"ok", **({"Location": target} if target else {}))

    with served(redirecting) as url, served(lambda asked: theirs.append(asked.path)) as other:
        to |= {"/near": "/there", "/far": f"{other}/there", "/round": "/round"}
        to |= {"/port": "//127.0.0.1:1/"}
        site = Website(url, HURRIED)
        assert site.read("near", 2) == b"ok"
        for path, target in (("far", other), ("port", "http://127.0.0.1:1")):
            with pytest.raises(OutputError, match=f"/{path} leads to {target}; if that is right"):
                site.read(path, 2)
        with pytest.raises(OutputError, match="leads from one address to the next for ever"):
            site.read("round", 2)
    assert theirs == []


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("http://skills.example/", "can be read and changed on the way; use https"),
        ("http://127.0.0.1.evil.example/", "can be read and changed on the way; use https"),
        ("https://me:secret@skills.example/", "an address has a host and no password"),
        ("https:///x", "an address has a host and no password"),
        ("https://[::1", "is no URL"),
    ],
)
def test_an_address_that_cannot_be_trusted_is_refused(address: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        Website(address)
    assert "secret" not in str(caught.value)

"""Reading from a web site: what is read, what is tried again, and what is refused at once; and the
token of the environment: where it goes, where it never goes, and that it is not shown.
"""

from __future__ import annotations

import socket
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.web import reply, served
from skillbuild.cli import main
from skillbuild.errors import ConfigError
from skillbuild.storage import http
from skillbuild.storage.files import (
    FOR_COMMANDS,
    DamagedError,
    MissingError,
    Patience,
    UnavailableError,
    UnreachableError,
    Versioned,
)
from skillbuild.storage.http import Credential, Website

SECRET = "tok" + "en-of-a-test"
Seen = list[tuple[str, str | None]]
HURRIED = Patience(connect=1, silence=0.2, whole=1, attempts=2)
Answer = Callable[[BaseHTTPRequestHandler], None]


def test_a_body_is_read_up_to_its_limit_and_404_is_nothing() -> None:
    def answer(request: BaseHTTPRequestHandler) -> None:
        reply(request, 200 if request.path == "/there" else 404, b"12345")

    with served(answer) as url:
        site = Website(url)
        assert site.read("there", 5) == b"12345"
        for read in (site.read, site.read_changing):
            with pytest.raises(MissingError, match=r"/gone: missing$"):
                read("gone", 5)
        with pytest.raises(DamagedError, match=r"/there: larger than 4 bytes$"):
            site.read("there", 4)


def test_the_address_of_the_record_is_that_of_its_folder() -> None:
    with served(lambda request: reply(request, 200, request.path.encode())) as url:
        assert Website(f"{url}/a/catalog.json").read("b", 9) == b"/a/b"
        assert Website(f"{url}/a//").read("b", 9) == b"/a/b"


def test_a_path_is_one_of_a_file_whatever_characters_it_has() -> None:
    asked: list[str] = []

    def answer(request: BaseHTTPRequestHandler) -> None:
        asked.append(request.path)
        reply(request, 200, b"1", **{"Content-Length": "1"})

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

    with served(endless) as url, pytest.raises(DamagedError, match="larger than 9 bytes"):
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
        with pytest.raises(MissingError):
            Website(url).size("gone")


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
        with pytest.raises(UnavailableError, match=f"HTTP Error {status}") as caught:
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
        with pytest.raises(UnreachableError, match=r"/file: timed out$"):
            Website(url, replace(HURRIED, whole=0.4)).read("file", 1000)
        gone.set()


def test_an_origin_that_says_nothing_is_not_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(UnreachableError, match=f"^{url}/file: "):
            Website(url, HURRIED).read("file", 1)


def test_a_port_where_nobody_listens_is_named_with_the_reason() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
    with pytest.raises(UnreachableError) as caught:
        Website(url, HURRIED).read("file", 1)
    assert str(caught.value) == f"{url}/file: connection refused"


def test_a_web_page_in_place_of_data_is_called_so() -> None:
    page = b"\n<!DOCTYPE html>\n<title>Log in</title>"
    with served(lambda request: reply(request, 200, page)) as url:
        with pytest.raises(
            DamagedError, match=r"catalog\.json: received a web page instead of the file"
        ):
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
            with pytest.raises(UnavailableError, match=f"/{path}: redirects to {target}; if"):
                site.read(path, 2)
        with pytest.raises(UnavailableError, match="redirects too many times"):
            site.read("round", 2)
    assert theirs == []


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("http://skills.example/", "is not encrypted; use https"),
        ("http://127.0.0.1.evil.example/", "is not encrypted; use https"),
        (
            "https://me:secret@skills.example/",
            "the URL must have a host, and must not contain a user or password",
        ),
        ("https:///x", "the URL must have a host, and must not contain a user or password"),
        ("https://[::1", "is not a URL"),
    ],
)
def test_an_address_that_cannot_be_trusted_is_refused(address: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        Website(address)
    assert "secret" not in str(caught.value)


@pytest.fixture
def given_token(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def give(origin: str, token: str = SECRET) -> None:
        monkeypatch.setenv("SKILLBUILD_TOKEN", token)
        monkeypatch.setenv("SKILLBUILD_TOKEN_ORIGIN", origin)
        monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")

    return give


def recording(seen: Seen, to: dict[str, str]) -> Callable[[BaseHTTPRequestHandler], None]:
    """Answers with redirects from some paths, and notes each path with its Authorization."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        seen.append((request.path, request.headers.get("Authorization")))
        target = to.get(request.path)
        if target is None:
            reply(request, 200, b"ok")
        else:
            reply(request, 302, b"", Location=target)

    return answer


def test_the_token_goes_to_its_origin_and_to_no_other(given_token: Callable[[str], None]) -> None:
    ours: Seen = []
    theirs: Seen = []
    to: dict[str, str] = {"/in": "/here"}
    with served(recording(theirs, {})) as other, served(recording(ours, to)) as url:
        given_token(url.upper().replace("HTTP", "http") + "/")
        to["/out"] = f"{other}/there"
        for path in ("file", "in"):
            assert Website(url).read(path, 9) == b"ok"
        with pytest.raises(UnavailableError, match="/out: redirects to "):
            Website(url).read("out", 9)
        assert Website(other).read("file", 9) == b"ok"
        assert Website(url.replace("127.0.0.1", "localhost")).read("name", 9) == b"ok"
    bearer = f"Bearer {SECRET}"
    paths = [("/file", bearer), ("/in", bearer), ("/here", bearer), ("/out", bearer)]
    assert ours == [*paths, ("/name", None)]
    assert theirs == [("/file", None)]


def test_no_message_holds_the_token(
    given_token: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(request: BaseHTTPRequestHandler) -> None:
        sent = str(request.headers.get("Authorization"))
        request.send_response(401, f"not {sent}")
        request.send_header("Content-Length", "0")
        request.end_headers()

    with served(answer) as url:
        given_token(url)
        with pytest.raises(UnavailableError) as raised:
            Website(url).read("file", 9)
        assert main.main(["verify", url]) == 1
        assert main.main(["diff", url, url]) == 2
    message = f"{url}/file: HTTP Error 401: not Bearer ***; "
    assert (
        str(raised.value)
        == f"{message}set SKILLBUILD_TOKEN and SKILLBUILD_TOKEN_ORIGIN to send a token"
    )
    printed = capsys.readouterr()
    assert "***" in printed.out
    assert "***" in printed.err
    assert SECRET not in printed.out + printed.err + repr(http.from_environment())


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "skills.example",
        "http://skills.example",
        "http://127.0.0.1.evil.example",
        "http://localhost@evil.example",
        "https://skills.example/path",
        "https://skills.example?x",
        "https://a@skills.example",
        "https://*.example",
        "https://a.example https://b.example",
    ],
)
def test_a_token_without_one_origin_is_an_error(
    given_token: Callable[[str], None], origin: str
) -> None:
    given_token(origin)
    with pytest.raises(
        ConfigError, match="SKILLBUILD_TOKEN_ORIGIN must be the scheme and host"
    ) as raised:
        Website("http://127.0.0.1:9/")
    assert SECRET not in "".join(traceback.format_exception(raised.value))


def test_a_file_may_hold_the_token(
    given_token: Callable[..., None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given_token("https://skills.example", "")
    monkeypatch.setenv("SKILLBUILD_TOKEN_FILE", f"{tmp_path / 'token'}")
    with pytest.raises(ConfigError, match=r"^the file that SKILLBUILD_TOKEN_FILE names cannot be"):
        http.from_environment()
    (tmp_path / "token").write_text(f"{SECRET}\n")
    assert http.from_environment() == Credential("https", "skills.example", SECRET)


@pytest.mark.parametrize("token", ["two words", "a\r\nX: y", "\xe9", "x" * 5000])
def test_a_token_that_is_no_header_is_an_error_without_it(
    given_token: Callable[..., None], token: str
) -> None:
    given_token("https://skills.example", token)
    with pytest.raises(ConfigError) as raised:
        http.from_environment()
    assert str(raised.value) == "SKILLBUILD_TOKEN must be printable ASCII without spaces"


@pytest.mark.parametrize(
    ("origin", "scheme", "host", "wanted"),
    [
        ("https://skills.example", "https", "skills.example", True),
        ("https://Skills.example:443/", "https", "SKILLS.example:443", True),
        ("https://skills.example", "http", "skills.example", False),
        ("https://skills.example", "https", "skills.example:8443", False),
        ("https://skills.example:8443", "https", "skills.example:8443", True),
        ("https://skills.example", "https", "a@skills.example", False),
        ("https://skills.example", "https", "skills.example.evil.example", False),
        ("https://skills.example", "https", "evil.example\\@skills.example", False),
        ("http://[::1]:8000", "http", "[::1]:8000", True),
    ],
)
def test_an_origin_is_scheme_host_and_port(
    given_token: Callable[[str], None], origin: str, scheme: str, host: str, wanted: bool
) -> None:
    given_token(origin)
    credential = http.from_environment()
    assert credential is not None
    assert credential.is_for(scheme, host) is wanted


@given(st.text(), st.text())
def test_only_the_host_itself_gets_the_token(scheme: str, host: str) -> None:
    credential = Credential("https", "skills.example", SECRET)
    is_same = scheme == "https" and host.lower() in {"skills.example", "skills.example:443"}
    assert credential.is_for(scheme, host) is is_same

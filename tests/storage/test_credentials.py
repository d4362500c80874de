"""The token of the environment: where it goes, where it never goes, and that it is not shown."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.web import reply, served
from skillbuild.cli import main
from skillbuild.errors import ConfigError, OutputError
from skillbuild.storage import credentials
from skillbuild.storage.credentials import Credential
from skillbuild.storage.http import Website

SECRET = "tok" + "en-of-a-test"
Seen = list[tuple[str, str | None]]


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
        with pytest.raises(OutputError, match="/out leads to "):
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
        with pytest.raises(OutputError) as raised:
            Website(url).read("file", 9)
        assert main.main(["verify", url]) == 1
        assert main.main(["diff", url, url]) == 2
    message = f"cannot read {url}/file: HTTP Error 401: not Bearer ***; "
    assert (
        str(raised.value) == f"{message}SKILLBUILD_TOKEN and SKILLBUILD_TOKEN_ORIGIN give a token"
    )
    printed = capsys.readouterr()
    assert "***" in printed.out
    assert "***" in printed.err
    assert SECRET not in printed.out + printed.err + repr(credentials.from_environment())


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
    with pytest.raises(ConfigError, match="SKILLBUILD_TOKEN_ORIGIN must say where") as raised:
        Website("http://127.0.0.1:9/")
    assert SECRET not in "".join(traceback.format_exception(raised.value))


def test_a_file_may_hold_the_token(
    given_token: Callable[..., None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given_token("https://skills.example", "")
    monkeypatch.setenv("SKILLBUILD_TOKEN_FILE", f"{tmp_path / 'token'}")
    with pytest.raises(ConfigError, match=r"^SKILLBUILD_TOKEN_FILE names a file that cannot be"):
        credentials.from_environment()
    (tmp_path / "token").write_text(f"{SECRET}\n")
    assert credentials.from_environment() == Credential("https", "skills.example", SECRET)


@pytest.mark.parametrize("token", ["two words", "a\r\nX: y", "\xe9", "x" * 5000])
def test_a_token_that_is_no_header_is_an_error_without_it(
    given_token: Callable[..., None], token: str
) -> None:
    given_token("https://skills.example", token)
    with pytest.raises(ConfigError) as raised:
        credentials.from_environment()
    assert str(raised.value) == "SKILLBUILD_TOKEN must be printable ASCII without blanks"


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
    credential = credentials.from_environment()
    assert credential is not None
    assert credential.is_for(scheme, host) is wanted


@given(st.text(), st.text())
def test_only_the_host_itself_gets_the_token(scheme: str, host: str) -> None:
    credential = Credential("https", "skills.example", SECRET)
    is_same = scheme == "https" and host.lower() in {"skills.example", "skills.example:443"}
    assert credential.is_for(scheme, host) is is_same

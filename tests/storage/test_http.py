"""Reading over HTTP: files, missing files, and requests that no cache may answer."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler

import pytest

from helpers.web import reply, served
from skillbuild.errors import OutputError
from skillbuild.storage import http


def test_a_body_is_read_up_to_its_limit_and_404_is_nothing() -> None:
    def answer(request: BaseHTTPRequestHandler) -> None:
        reply(request, 200 if request.path == "/there" else 404, b"12345")

    with served(answer) as url:
        assert http.get(f"{url}/there", 5) == b"12345"
        assert http.get(f"{url}/gone", 5) is None
        with pytest.raises(OutputError, match=r"/there is larger than 4 bytes$"):
            http.get(f"{url}/there", 4)


def test_only_what_may_not_come_from_a_cache_has_a_query_of_its_own() -> None:
    asked: list[str] = []

    def answer(request: BaseHTTPRequestHandler) -> None:
        asked.append(request.path)
        reply(request, 200, b"")

    with served(answer) as url:
        for past_caches in (False, False, True, True):
            http.get(f"{url}/file", 1, past_caches=past_caches)
    assert asked[:2] == ["/file", "/file"]
    assert [path.partition("?")[0] for path in asked[2:]] == ["/file", "/file"]
    assert len(set(asked)) == 3

"""A web server on the loopback whose answers a test chooses."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from skillbuild.storage import disk

Answer = Callable[[BaseHTTPRequestHandler], None]


class Server(ThreadingHTTPServer):
    """A server that lets many connect at once: in a full queue, a client waits a second or more."""

    request_queue_size = 128


@contextmanager
def served(answer: Answer, methods: Sequence[str] = ("GET",)) -> Iterator[str]:
    """The URL of a server on the loopback that answers every request of these methods like this."""

    class Handler(BaseHTTPRequestHandler):
        def __getattr__(self, name: str) -> Callable[[], None]:
            if name.removeprefix("do_") in methods:
                return lambda: answer(self)
            raise AttributeError(name)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def reply(request: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    request.send_response(status)
    for name, value in headers.items():
        request.send_header(name, value)
    request.end_headers()
    request.wfile.write(body)


def path_of(request: BaseHTTPRequestHandler) -> str:
    """The path without the query that makes caches ask the server."""
    return request.path.partition("?")[0]


def files_of(out: Path, start: str = "/") -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        data = disk.read(out / path_of(request).removeprefix(start))
        reply(request, 200 if data is not None else 404, data or b"")

    return answer

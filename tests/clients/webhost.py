"""A web server that treats an output as a static host of pages does, and records the requests.

Types by extension, `index.html` for a directory, `404.html` for what is not there, text compressed
for clients that say they can read it, everything below one base path and nothing beside it. With a
`Certificate` it speaks TLS, as `PUBLIC`: some clients refuse the loopback by name, so they are sent
through a proxy that leads every connection here.
"""

from __future__ import annotations

import gzip
import mimetypes
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

PUBLIC = "skills.example"
"""The name of the host where it must have a public one; it is never resolved."""
_TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".xml": "application/xml",
    ".yaml": "text/yaml; charset=utf-8",
    ".yml": "text/yaml; charset=utf-8",
    ".gz": "application/gzip",
    ".zip": "application/zip",
}
_COMPRESSED = ("text/", "application/json", "application/xml", "image/svg+xml")


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate, as a rule of `PUBLIC`, with its key, signed by an authority of these tests."""

    authority: Path
    chain: Path
    key: Path


@dataclass(slots=True)
class Site:
    """What is served: `folder` may be changed while it is, as a new release would change it."""

    folder: Path
    base: str
    url: str = ""
    proxy: str = ""
    """The address of the proxy, for a host with a certificate."""
    asked: list[str] = field(default_factory=list)
    """Every path requested since the start."""
    on_post: Callable[[], None] = lambda: None
    """Called for every POST, which is then refused."""


class _Server(ThreadingHTTPServer):
    """Prints nothing when a client closes its connection early."""

    request_queue_size = 1024
    """Connections that wait; some clients open one for each skill at once."""

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


@contextmanager
def hosted(folder: Path, base: str = "/", certificate: Certificate | None = None) -> Iterator[Site]:
    """Serve a folder below `base` on the loopback while the block runs."""
    site = Site(folder, base)
    handler = type("Handler", (_Handler,), {"site": site})
    with _Server(("127.0.0.1", 0), handler) as server:
        site.url = f"http://127.0.0.1:{server.server_port}{base}"
        with _running(server), ExitStack() as stack:
            if certificate is not None:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(certificate.chain, certificate.key)
                server.socket = context.wrap_socket(server.socket, server_side=True)
                site.url = f"https://{PUBLIC}{base}"
                site.proxy = stack.enter_context(_tunnel(server.server_port))
            yield site


@contextmanager
def _running(server: _Server) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()


@contextmanager
def _tunnel(port: int) -> Iterator[str]:
    """The address of a proxy for TLS that connects every host to one local port."""
    handler = type("Handler", (_Tunnel,), {"port": port})
    with _Server(("127.0.0.1", 0), handler) as server, _running(server):
        yield f"http://127.0.0.1:{server.server_port}"


class _Tunnel(BaseHTTPRequestHandler):
    port: int

    def do_CONNECT(self) -> None:
        if self.path.partition(":")[0] != PUBLIC:
            self.send_error(502)
            return
        self.send_response(200)
        self.end_headers()
        with socket.create_connection(("127.0.0.1", self.port)) as far:
            back = threading.Thread(target=_pass_on, args=(far, self.connection))
            back.start()
            _pass_on(self.connection, far)
            back.join()
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


def _pass_on(near: socket.socket, far: socket.socket) -> None:
    """Copy bytes in one direction until the sender ends or either side is gone."""
    with suppress(OSError):
        while data := near.recv(65536):
            far.sendall(data)
        far.shutdown(socket.SHUT_WR)


class _Handler(BaseHTTPRequestHandler):
    site: Site
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_POST(self) -> None:
        self.site.on_post()
        self.send_response(401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _answer(self, *, body: bool) -> None:
        path = unquote(urlsplit(self.path).path)
        published = _find(self.site, path)
        status = 200 if published is not None else 404
        file = published if published is not None else self.site.folder / "404.html"
        data = file.read_bytes() if file.is_file() else b"not found\n"
        kind = _type_of(file)
        self.site.asked.append(path)
        self.send_response(status)
        if kind.startswith(_COMPRESSED) and "gzip" in self.headers.get("Accept-Encoding", ""):
            data = gzip.compress(data, 6, mtime=0)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Cache-Control", "max-age=600")
        self.end_headers()
        if body:
            self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


def _find(site: Site, path: str) -> Path | None:
    if not path.startswith(site.base) or ".." in path.split("/"):
        return None
    file = site.folder / path.removeprefix(site.base)
    file = file / "index.html" if file.is_dir() else file
    return file if file.is_file() else None


def _type_of(file: Path) -> str:
    guessed = mimetypes.guess_type(file.name)[0]
    return _TYPES.get(file.suffix) or guessed or "application/octet-stream"


def certificate(folder: Path, host: str = PUBLIC) -> Certificate:
    """A new authority and a certificate signed by it, valid for a day."""
    authority, chain, key = folder / "authority.pem", folder / "host.pem", folder / "host.key"
    own, request, names = folder / "authority.key", folder / "host.csr", folder / "names"
    names.write_text(f"subjectAltName=DNS:{host}\n")
    new = ("req", "-newkey", "rsa:2048", "-nodes")
    root = ("-x509", "-days", "1", "-subj", "/CN=throwaway")
    _openssl(*new, *root, "-keyout", own, "-out", authority)
    _openssl(*new, "-subj", f"/CN={host}", "-keyout", key, "-out", request)
    signed = ("-CA", authority, "-CAkey", own, "-CAcreateserial", "-extfile", names)
    _openssl("x509", "-req", "-in", request, *signed, "-days", "1", "-out", chain)
    return Certificate(authority, chain, key)


def _openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


def trusting(site: Site, certificate: Certificate) -> dict[str, str]:
    """Environment variables with which clients reach a site by its public name and trust it."""
    authority = str(certificate.authority)
    trust = {"NODE_EXTRA_CA_CERTS": authority, "SSL_CERT_FILE": authority}
    return {**trust, "HTTPS_PROXY": site.proxy, "https_proxy": site.proxy}

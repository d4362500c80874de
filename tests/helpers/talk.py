"""Clients of a real server process: raw JSON-RPC over its standard streams or HTTP, either era."""

from __future__ import annotations

import base64
import http.client
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import skillbuild
from helpers.forked import Forked

OLD, NEW = "2025-11-25", "2026-07-28"
ERAS = (OLD, NEW)
Json = dict[str, Any]

_ME = {"name": "test", "version": "0"}
_ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": NEW,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": _ME,
}
HELLO = {"protocolVersion": OLD, "capabilities": {}, "clientInfo": _ME}
_NAMES = {"resources/read": "uri", "tools/call": "name", "prompts/get": "name"}


def _started(arguments: Sequence[str], env: Mapping[str, str]) -> subprocess.Popen[bytes] | Forked:
    """A process of Python with a pipe for each stream."""
    if platform.system() == "Linux":
        return Forked(arguments, env)
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, *arguments], env=env, stdin=pipe, stdout=pipe, stderr=pipe
    )


class Process:
    """`skillbuild serve OUT` with further options."""

    program: tuple[str, ...] = ("-m", "skillbuild")

    def __init__(self, out: Path | str, *options: str) -> None:
        folders = Path(skillbuild.__file__).parents[1], Path(__file__).parents[1]
        arguments = [*self.program, "serve", str(out), *options]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
        self.process = _started(arguments, env)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> int:
        """End it as its kind ends; returns the exit status."""
        self.stdin.close()
        if self.process.poll() is None and self.is_http:
            self.process.terminate()
        try:
            return self.process.wait(20)
        finally:
            self.process.kill()
            self.process.wait()
            self.stdout.close()
            self.stderr.close()

    is_http = False

    @property
    def stdin(self) -> IO[bytes]:
        assert self.process.stdin is not None
        return self.process.stdin

    @property
    def stdout(self) -> IO[bytes]:
        assert self.process.stdout is not None
        return self.process.stdout

    @property
    def stderr(self) -> IO[bytes]:
        assert self.process.stderr is not None
        return self.process.stderr

    def error_line(self) -> str:
        """The next line of its standard error."""
        return self.stderr.readline().decode().strip()


class Client:
    """What both transports share; `call` gives the whole answer, `ask` the result of a success."""

    era: str
    count = 0
    status = 200

    def call(self, method: str, params: Json | None = None, **more: Any) -> Json:
        raise NotImplementedError

    def ask(self, method: str, **params: Any) -> Json:
        answer = self.call(method, params)
        assert "result" in answer, answer
        result: Json = answer["result"]
        return result

    def fault(self, method: str, **params: Any) -> Json:
        """The error of a call that must fail."""
        answer = self.call(method, params)
        assert "error" in answer, answer
        error: Json = answer["error"]
        return error

    def pages(self, method: str, key: str, **params: Any) -> Iterator[list[Json]]:
        """Every page of a list."""
        more: Json = {}
        while True:
            result = self.ask(method, **params, **more)
            yield result[key]
            if "nextCursor" not in result:
                return
            more = {"cursor": result["nextCursor"]}

    def message(self, method: str, params: Json | None) -> bytes:
        """A request as this era writes it."""
        self.count += 1
        given = dict(params or {})
        if self.era == NEW:
            given["_meta"] = {**given.get("_meta", {}), **_ENVELOPE}
        body = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": given}
        return json.dumps(body).encode()


class Stdio(Process, Client):
    """A client on standard streams; the old era's handshake is done on entry."""

    def __init__(self, out: Path | str, era: str, *options: str) -> None:
        super().__init__(out, *options)
        self.era = era
        self.hello: Json = {}
        self.notices: list[Json] = []
        if era == OLD:
            self.hello = self.ask("initialize", **HELLO)
            self.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def write(self, line: bytes) -> None:
        self.stdin.write(line + b"\n")
        self.stdin.flush()

    def read(self) -> Json:
        """The next message, whatever it is."""
        line = self.stdout.readline()
        assert line, f"the server ended: {self.stderr.read().decode()}"
        message: Json = json.loads(line)
        return message

    def call(self, method: str, params: Json | None = None, **more: Any) -> Json:
        self.write(self.message(method, params))
        while (answer := self.read()).get("id") != self.count:
            self.notices.append(answer)
        return answer

    def notice(self, method: str) -> Json:
        """Wait for a notification."""
        while True:
            message = self.notices.pop(0) if self.notices else self.read()
            if message.get("method") == method:
                return message


class HttpServer(Process):
    """A server on a free port of 127.0.0.1."""

    is_http = True

    def __init__(self, out: Path | str, *options: str) -> None:
        super().__init__(out, "--http", "127.0.0.1:0", *options)
        lines, address = list[str](), None
        while address is None:
            lines.append(self.error_line())
            assert lines[-1], lines
            address = re.search(r"http://127\.0\.0\.1:(\d+)(/[^ ]*)?/mcp", lines[-1])
        self.port = int(address[1])
        self.base = address[2] or ""

    def request(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """One request on a connection of its own: status, headers and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body or None, dict(headers or {}))
            answer = connection.getresponse()
            sent = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, sent, answer.read()
        finally:
            connection.close()


def _header(value: str) -> str:
    """A header's value as the new era escapes what a header cannot carry."""
    return f"=?base64?{base64.b64encode(value.encode()).decode()}?="


class Http(Client):
    """A client over HTTP; `status` is that of the last answer."""

    def __init__(self, server: HttpServer, era: str) -> None:
        self.server, self.era = server, era
        self.hello = self.ask("initialize", **HELLO) if era == OLD else {}

    def headers(self, method: str, params: Json | None) -> dict[str, str]:
        headers = {"content-type": "application/json"}
        headers["accept"] = "application/json, text/event-stream"
        if self.era == OLD:
            return headers | ({} if method == "initialize" else {"mcp-protocol-version": OLD})
        headers |= {"mcp-protocol-version": NEW, "mcp-method": method}
        name = (params or {}).get(_NAMES.get(method, ""))
        return headers | ({"mcp-name": _header(name)} if isinstance(name, str) else {})

    def call(self, method: str, params: Json | None = None, **more: Any) -> Json:
        body, headers = self.message(method, params), self.headers(method, params)
        path = f"{self.server.base}/mcp"
        self.status, _, data = self.server.request("POST", path, body, headers)
        answer: Json = json.loads(data)
        return answer

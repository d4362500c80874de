"""A model on the loopback that calls tools by a script, and keeps every text that hosts send it.

    python tests/clients/model.py

It understands the APIs of `dialects`, so that a host that knows any of them works with it, without
an account. The next call is the one after those that the conversation has answers to; when all are
made, or the host does not offer the tool, it answers with a text. Started by itself it serves until
it is stopped, calls nothing, and prints what it receives.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from dialects import Answer, Call, Dialect, Json, Tool, Turn, dialect_of

END = "The end of the script."
_DEEPEST = 4
"""How often a text is read as JSON, inside a text of JSON."""


@dataclass(frozen=True, slots=True)
class Step:
    """A call to make: of the first tool whose whole name matches `tool`, a regular expression."""

    tool: str
    arguments: Json


@dataclass(slots=True)
class Model:
    """A running model: what it is to call, and what hosts have sent."""

    steps: Sequence[Step]
    url: str = ""
    offered: set[str] = field(default_factory=set)
    """Names of the tools that hosts offered."""
    lacking: list[str] = field(default_factory=list)
    """Tools that were to be called and not offered."""
    texts: dict[str, None] = field(default_factory=dict)
    """Every text of every request, also those within a text that is JSON; in order."""

    def reached(self, text: str) -> bool:
        """True if this text was sent whole, however the host has wrapped it."""
        return any(text in sent for sent in self.texts)

    def answer(self, turn: Turn) -> Answer:
        self.offered.update(tool.name for tool in turn.tools)
        if not turn.tools or turn.answered >= len(self.steps):
            return END
        step = self.steps[turn.answered]
        tool = next((tool for tool in turn.tools if _matches(step.tool, tool)), None)
        if tool is None:
            self.lacking.append(step.tool)
            return END
        return Call(tool, step.arguments, turn.answered + 1)


def _matches(pattern: str, tool: Tool) -> bool:
    return re.fullmatch(pattern, tool.name) is not None


@contextmanager
def answering(steps: Sequence[Step]) -> Iterator[Model]:
    """A model that follows these steps, on a free port while the block runs."""
    model = Model(steps)
    handler = type("Handler", (_Handler,), {"model": model})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        model.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield model
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    model: Model
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Every GET is for the list of models."""
        entry = {"id": "scripted", "object": "model", "owned_by": "tests"}
        self._send("application/json", json.dumps({"object": "list", "data": [entry]}).encode())

    def do_POST(self) -> None:
        data = self._body()
        _tell(f"POST {self.path} {data.decode(errors='replace')}")
        dialect = dialect_of(self.path)
        if dialect is None:
            self._send("application/json", b'{"totalTokens": 1, "input_tokens": 1}')
            return
        body = json.loads(data)
        self.model.texts.update(dict.fromkeys(_texts(body)))
        turn = dialect.turn(self.path, body)
        answer = self.model.answer(turn)
        _tell(f"answer {answer}")
        if turn.streamed:
            self._send("text/event-stream", b"".join(_stream(dialect, answer)))
        else:
            self._send("application/json", json.dumps(dialect.whole(answer)).encode())

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        chunks = []
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _send(self, kind: str, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        with suppress(ConnectionError):
            self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


def _stream(dialect: Dialect, answer: Answer) -> Iterator[bytes]:
    for event in dialect.events(answer):
        if "type" in event:
            yield f"event: {event['type']}\n".encode()
        yield f"data: {json.dumps(event)}\n\n".encode()
    if type(dialect).__name__ == "ChatCompletions":
        yield b"data: [DONE]\n\n"


def _texts(value: Any, depth: int = _DEEPEST) -> Iterator[str]:
    """Each text of a value, and each text of the values that are written in texts as JSON."""
    match value:
        case str():
            yield value
            if depth and value[:1] in ("{", "[", '"'):
                with suppress(ValueError):
                    yield from _texts(json.loads(value), depth - 1)
        case list():
            for item in value:
                yield from _texts(item, depth)
        case dict():
            yield from _texts([*value, *value.values()], depth)


def _tell(line: str) -> None:
    if os.environ.get("SKILLBUILD_CLIENTS_VERBOSE"):
        print(line, file=sys.stderr)


def main() -> None:
    os.environ["SKILLBUILD_CLIENTS_VERBOSE"] = "1"
    with answering([]) as model, suppress(KeyboardInterrupt):
        print(model.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()

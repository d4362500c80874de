"""Serving one client over standard input and output, one JSON-RPC message a line.

The SDK is silent about lines it cannot read; here every one of them is answered and survived.
Whatever else prints lands on standard error.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import anyio
import anyio.to_thread
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage

from skillbuild.serve import raw_json
from skillbuild.serve.methods.subscriptions import Notices
from skillbuild.serve.server import initialization
from skillbuild.serve.state.release import Release
from skillbuild.serve.transport.jsonrpc import Message, RefusedError, parse, too_long

LONGEST_LINE = 64 << 10
"""Bytes of one message; the longest sensible request has one URI."""


@dataclass(frozen=True, slots=True)
class Wire:
    """The two ends as descriptors; what this process prints cannot reach them."""

    source: int
    sink: int

    def write(self, line: bytes) -> None:
        """Send a message. A client that has gone reads nothing; the end of its input follows."""
        rest = memoryview(line + b"\n")
        with suppress(BrokenPipeError):
            while rest:
                rest = rest[os.write(self.sink, rest) :]


def claim() -> Wire:
    """Take the standard streams: input becomes empty, output becomes standard error."""
    source, sink = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    _widen(sink)
    return Wire(source, sink)


if sys.platform == "linux":
    import fcntl

    def _widen(sink: int) -> None:
        """A page of a listing fits in the pipe: the server need not wait while it is read."""
        with suppress(OSError):
            fcntl.fcntl(sink, fcntl.F_SETPIPE_SZ, _PIPE)

    _PIPE = 1 << 20

else:

    def _widen(sink: int) -> None:
        """Pipes elsewhere have the size they have."""


async def serve(server: Server[Release], notices: Notices, wire: Wire) -> None:
    """Serve until standard input ends."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(notices.run)
        await server.run(_Incoming(wire), _Outgoing(wire), initialization(server))
        tasks.cancel_scope.cancel()


class _Closing:
    """What the SDK wants of any stream: it is closed at the end."""

    async def aclose(self) -> None:
        """Nothing is held."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


class _Incoming(_Closing):
    """The client's messages; the SDK's `ReadStream`, without a queue and a task of its own."""

    def __init__(self, wire: Wire) -> None:
        self._messages = _messages(wire)

    async def receive(self) -> SessionMessage | Exception:
        try:
            return await anext(self)
        except StopAsyncIteration:
            raise anyio.EndOfStream from None

    async def aclose(self) -> None:
        await self._messages.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        return await anext(self._messages)


class _Outgoing(_Closing):
    """The answers and notifications; the SDK's `WriteStream`."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    async def send(self, item: SessionMessage, /) -> None:
        self._wire.write(raw_json.line(item.message))


async def _messages(wire: Wire) -> AsyncGenerator[SessionMessage, None]:
    async for line in _lines(wire.source):
        try:
            message = _message(line)
        except RefusedError as refused:
            wire.write(refused.answer.encode())
        else:
            if message is not None:
                yield SessionMessage(message)


def _message(line: bytes) -> Message | None:
    """What a line says; None for a blank one."""
    if len(line) > LONGEST_LINE:
        raise too_long(LONGEST_LINE)
    return parse(line) if line.strip() else None


async def _lines(source: int) -> AsyncIterator[bytes]:
    """Lines without their ends; of one that is too long its start, once."""
    rest, passing = b"", False
    async for piece in _pieces(source):
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole[passing:]:
            yield line
        passing = passing and not whole
        if len(rest) > LONGEST_LINE:
            if not passing:
                yield rest
            rest, passing = b"", True
    if rest and not passing:
        yield rest


async def _pieces(source: int) -> AsyncIterator[bytes]:
    """Whatever is there, until the end: a pipe is waited for, anything else read in a thread."""
    kind = os.fstat(source).st_mode
    waits = os.name == "posix" and (stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind))
    while True:
        if waits:
            await anyio.wait_readable(source)
            piece = os.read(source, _PIECE)
        else:
            piece = await anyio.to_thread.run_sync(os.read, source, _PIECE, abandon_on_cancel=True)
        if not piece:
            return
        yield piece


_PIECE = 64 << 10

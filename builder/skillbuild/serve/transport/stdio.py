"""One client over standard input and output, one JSON-RPC message a line.

A line that is no message gets an error, and the server goes on. Whatever else this process prints
goes to standard error.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Set
from contextlib import suppress
from types import TracebackType
from typing import Self

import anyio
import anyio.to_thread
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import (
    PROTOCOL_VERSION_META_KEY,
    JSONRPCMessage,
    JSONRPCRequest,
    JSONRPCResponse,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from skillbuild.errors import OutputError
from skillbuild.serve.direct import DirectAnswers
from skillbuild.serve.methods.subscriptions import Subscriptions
from skillbuild.serve.server import initialization
from skillbuild.serve.state.release import ServedRelease
from skillbuild.serve.transport.jsonrpc import (
    EDGE,
    LARGEST_MESSAGE,
    IncomingMessage,
    RefusedMessageError,
    parse_message,
    too_long,
    write_message,
    write_result,
)


class StandardStreams:
    """File descriptors of the client's two pipes; what this process prints cannot reach them."""

    def __init__(self, source: int, sink: int) -> None:
        self.source, self.sink = source, sink
        self._fault: OSError | None = None
        self._failed = anyio.Event()

    def write(self, line: bytes) -> None:
        """Send a message. A client that has gone is no error here: our input will end, too."""
        rest = memoryview(line + b"\n")
        try:
            while rest:
                rest = rest[os.write(self.sink, rest) :]
        except BrokenPipeError:
            pass
        except OSError as error:
            self._fault = error
            self._failed.set()

    async def fail(self) -> None:
        """Wait until a message cannot be written."""
        await self._failed.wait()

    def require_written(self) -> None:
        """Raise `OutputError` if a message could not be written."""
        if self._fault is not None:
            reason = (self._fault.strerror or str(self._fault)).lower()
            raise OutputError(f"cannot write to standard output: {reason}")


def fill_closed_streams() -> set[int]:
    """Open the null device in the place of each standard stream that is closed; their numbers.

    Comes before anything else is opened, which would be taken for such a stream.
    """
    closed = set()
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            closed.add(number)
            os.open(os.devnull, os.O_RDWR)  # Gets the lowest free number, which is this one.
    return closed


def claim_standard_streams(closed: Set[int]) -> StandardStreams:
    """Take them from the process: its input becomes empty, its output standard error.

    `closed` are the numbers of those that were closed when the process started.
    """
    if closed & {0, 1}:
        name = "input" if 0 in closed else "output"
        raise OutputError(f"standard {name} is closed, by which a client speaks; or use --http")
    source, sink = os.dup(0), os.dup(1)
    if os.name == "posix":  # A pipe that came without it would fail as soon as it is full.
        os.set_blocking(source, True)
        os.set_blocking(sink, True)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    _enlarge_pipe(sink)
    return StandardStreams(source, sink)


if sys.platform == "linux":
    import fcntl

    def _enlarge_pipe(sink: int) -> None:
        """Let a page of a list fit in the pipe: the server need not wait while it is read."""
        with suppress(OSError):
            fcntl.fcntl(sink, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)

    _PIPE_BYTES = 1 << 20

else:

    def _enlarge_pipe(sink: int) -> None:
        """The size of a pipe can be set on Linux only."""


async def serve(
    server: Server[ServedRelease],
    subscriptions: Subscriptions,
    direct: DirectAnswers,
    streams: StandardStreams,
) -> None:
    """Serve until standard input ends."""
    short = _ShortWay(direct, streams)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(subscriptions.run)
        tasks.start_soon(_end_at_fault, streams, tasks.cancel_scope)
        await server.run(
            _Incoming(streams, short), _Outgoing(streams, short), initialization(server)
        )
        tasks.cancel_scope.cancel()
    streams.require_written()


async def _end_at_fault(streams: StandardStreams, scope: anyio.CancelScope) -> None:
    await streams.fail()
    scope.cancel()


class _ContextStream:
    """What the SDK wants of any stream: a context manager that closes it."""

    async def aclose(self) -> None:
        """By default there is nothing to close."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


class _ShortWay:
    """Answers requests without the SDK, once that has agreed with the client on a version."""

    def __init__(self, direct: DirectAnswers, streams: StandardStreams) -> None:
        self._direct, self._streams = direct, streams
        self._version: str | None = None
        self._has_begun = False

    def answers(self, message: IncomingMessage) -> bool:
        """Answer a message, if that can be done here."""
        if not isinstance(message, JSONRPCRequest):
            return False
        if self._version is None:
            self._begin(message)
            return False
        result = self._direct.result(message, self._version)
        if result is not None:
            self._streams.write(write_result(message.id, result))
        return result is not None

    def _begin(self, request: JSONRPCRequest) -> None:
        """The first request decides for the SDK between `initialize` and the stateless protocol."""
        meta = (request.params or {}).get("_meta")
        if not self._has_begun and request.method != "initialize" and isinstance(meta, dict):
            version = meta.get(PROTOCOL_VERSION_META_KEY)
            self._version = version if version in MODERN_PROTOCOL_VERSIONS else None
        self._has_begun = True

    def note_answer(self, message: JSONRPCMessage) -> None:
        """Take the version from the answer to `initialize`."""
        if isinstance(message, JSONRPCResponse) and "protocolVersion" in message.result:
            self._version = str(message.result["protocolVersion"])


class _Incoming(_ContextStream):
    """The client's messages: the SDK's `ReadStream`, without a queue and a task of its own."""

    def __init__(self, streams: StandardStreams, short: _ShortWay) -> None:
        self._messages = _messages(streams, short)

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


class _Outgoing(_ContextStream):
    """Responses and notifications to the client: the SDK's `WriteStream`."""

    def __init__(self, streams: StandardStreams, short: _ShortWay) -> None:
        self._streams, self._short = streams, short

    async def send(self, item: SessionMessage, /) -> None:
        self._short.note_answer(item.message)
        self._streams.write(write_message(item.message))


async def _messages(
    streams: StandardStreams, short: _ShortWay
) -> AsyncGenerator[SessionMessage, None]:
    """The messages for the SDK; every line that is no message is answered with an error."""
    async for line in _lines(streams.source):
        try:
            message = _message(line)
        except RefusedMessageError as refused:
            streams.write(refused.answer.encode())
        else:
            if message is not None and not short.answers(message):
                yield SessionMessage(message)


def _message(line: bytes) -> IncomingMessage | None:
    """The message in a line; None for a blank line or a response."""
    if len(line) > LARGEST_MESSAGE:
        raise too_long(line, line)
    return parse_message(line) if line.strip() else None


async def _lines(source: int) -> AsyncIterator[bytes]:
    """Lines without their ends; of a line that is too long only more than is allowed, and its end.

    An id may be at either end of it.
    """
    start, rest = b"", b""
    async for piece in _pieces(source):
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            yield start + line
            start = b""
        if start or len(rest) > LARGEST_MESSAGE:
            start, rest = start or rest, rest[-EDGE:]
    if start or rest:
        yield start + rest


async def _pieces(source: int) -> AsyncIterator[bytes]:
    """Input as it arrives; a file, for which no event loop can wait, is read in a thread."""
    mode = os.fstat(source).st_mode
    can_wait = os.name == "posix" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))
    while True:
        if can_wait:
            await anyio.wait_readable(source)
            piece = os.read(source, _AT_ONCE)
        else:
            piece = await anyio.to_thread.run_sync(
                os.read, source, _AT_ONCE, abandon_on_cancel=True
            )
        if not piece:
            return
        yield piece


_AT_ONCE = 64 << 10

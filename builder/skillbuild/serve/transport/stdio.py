"""Serves one client over standard input and output, with one JSON-RPC message per line.

A line that is not a message gets an error, and the server continues. Everything else that this
process prints goes to standard error.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import AsyncIterator, Set
from contextlib import suppress

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import (
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)

from skillbuild.errors import OutputError
from skillbuild.serve.methods.subscriptions import Subscriptions
from skillbuild.serve.server import initialization
from skillbuild.serve.transport.jsonrpc import (
    EDGE,
    LARGEST_MESSAGE,
    RefusedMessageError,
    parse_message,
    too_long,
)

LAST_SECONDS = 10.0
"""Seconds for pending answers after input ends."""

_MOST_WAITING = 16
"""Maximum number of queued messages for the SDK; while the queue is full, no input is read."""


class StandardStreams:
    """The file descriptors of the pipes from and to the client.

    The process's own stdout is redirected to stderr, so that a stray `print` cannot corrupt the
    protocol.
    """

    def __init__(self, source: int, sink: int) -> None:
        self.source, self.sink = source, sink
        self._fault: OSError | None = None
        self._failed = anyio.Event()

    def write(self, line: bytes) -> None:
        """Send a message to the client. Do nothing if the client has disconnected, because the
        server stops anyway when standard input ends.
        """
        rest = memoryview(line + b"\n")
        try:
            while rest:
                rest = rest[os.write(self.sink, rest) :]
        except BrokenPipeError:
            pass
        except OSError as error:
            self._fault = error
            self._failed.set()

    async def wait_for_failure(self) -> None:
        """Wait until writing a message fails."""
        await self._failed.wait()

    def require_written(self) -> None:
        """Raise `OutputError` if an earlier message could not be written."""
        if self._fault is not None:
            reason = (self._fault.strerror or str(self._fault)).lower()
            raise OutputError(f"cannot write to standard output: {reason}")


def fill_closed_streams() -> set[int]:
    """Open the null device for each closed standard stream; return the numbers of these streams.

    Call it before anything else is opened: a newly opened file would get the number of a closed
    stream.
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
    """Reserve the standard streams for the client. Other code reads empty input, and prints to
    standard error.

    `closed` are the numbers of the streams that were closed when the process started.
    """
    if closed & {0, 1}:
        name = "input" if 0 in closed else "output"
        raise OutputError(
            f"standard {name} is closed, but MCP clients need it; to serve HTTP, pass --http"
        )
    source, sink = os.dup(0), os.dup(1)
    if os.name == "posix":  # A nonblocking pipe would fail when it is full.
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
        """Make a page of a list fit in the pipe, so that the server need not wait."""
        with suppress(OSError):
            fcntl.fcntl(sink, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)

    _PIPE_BYTES = 1 << 20

else:

    def _enlarge_pipe(sink: int) -> None:
        """Do nothing: only Linux can set the size of a pipe."""


async def serve(
    server: Server[object], subscriptions: Subscriptions, streams: StandardStreams
) -> None:
    """Serve until standard input ends and all received requests are answered."""
    sender, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](_MOST_WAITING)
    outgoing, receiver = anyio.create_memory_object_stream[SessionMessage](_MOST_WAITING)
    conversation = _Conversation(streams, subscriptions)
    async with anyio.create_task_group() as writing:
        writing.start_soon(conversation.write, receiver)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_end_at_fault, streams, tasks.cancel_scope)
            tasks.start_soon(subscriptions.run)
            tasks.start_soon(conversation.read, sender)
            await server.run(incoming, outgoing, initialization(server))
            tasks.cancel_scope.cancel()
    streams.require_written()


async def _end_at_fault(streams: StandardStreams, scope: anyio.CancelScope) -> None:
    await streams.wait_for_failure()
    scope.cancel()


class _Conversation:
    """Passes messages between the client and the SDK, and tracks unanswered requests."""

    def __init__(self, streams: StandardStreams, subscriptions: Subscriptions) -> None:
        self._streams, self._subscriptions = streams, subscriptions
        self._unanswered = set[RequestId]()
        self._answered = anyio.Event()

    async def read(self, sender: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        """Pass incoming messages to the SDK; answer a line that is not a message with an error.

        At the end of input, wait up to `LAST_SECONDS` for requests that are not yet answered.
        """
        async with sender:
            async for line in _lines(self._streams.source):
                try:
                    message = _message(line)
                except RefusedMessageError as refused:
                    self._streams.write(refused.answer.encode())
                else:
                    if message is not None:
                        self._note(message)
                        await sender.send(SessionMessage(message))
            self._subscriptions.streams.close()
            with anyio.move_on_after(LAST_SECONDS):
                while self._unanswered:
                    self._answered = anyio.Event()
                    await self._answered.wait()
            self._subscriptions.end_waiting()

    def _note(self, message: JSONRPCRequest | JSONRPCNotification) -> None:
        if isinstance(message, JSONRPCRequest):
            self._unanswered.add(message.id)
        elif message.method == "notifications/cancelled":
            cancelled = (message.params or {}).get("requestId")
            self._unanswered -= {each for each in self._unanswered if each == cancelled}

    async def write(self, receiver: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with receiver:
            async for item in receiver:
                message = item.message
                self._streams.write(
                    message.model_dump_json(by_alias=True, exclude_unset=True).encode()
                )
                if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
                    self._unanswered.discard(message.id)
                    self._answered.set()


def _message(line: bytes) -> JSONRPCRequest | JSONRPCNotification | None:
    """Parse the message in a line; return None for an empty line or a response."""
    if len(line) > LARGEST_MESSAGE:
        raise too_long(line, line)
    return parse_message(line) if line.strip() else None


async def _lines(source: int) -> AsyncIterator[bytes]:
    """Yield lines without line endings. The middle of a line that is too long is dropped, but the
    line remains longer than allowed.

    Both ends are kept, because either may contain the id of the request.
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
    """Yield input as it arrives. A file is read in a thread, because event loops cannot wait for
    it.
    """
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

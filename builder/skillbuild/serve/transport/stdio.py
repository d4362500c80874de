"""One client over standard input and output, one JSON-RPC message a line.

A line that is no message gets an error, and the server goes on. Whatever else this process prints
goes to standard error.
"""

from __future__ import annotations

import gc
import os
import stat
import sys
from collections.abc import AsyncIterator, Set
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectSendStream

from skillbuild.errors import OutputError
from skillbuild.serve.direct import DirectAnswers
from skillbuild.serve.methods.context import Offer
from skillbuild.serve.protocol import MODERN_VERSIONS, VERSION_KEY
from skillbuild.serve.sdk_import import import_server_half
from skillbuild.serve.state.watch import ReleaseWatcher
from skillbuild.serve.transport.jsonrpc import (
    EDGE,
    GREETING_ID,
    LARGEST_MESSAGE,
    ClientRequest,
    IncomingMessage,
    RefusedMessageError,
    parse_message,
    too_long,
    write_result,
)

if TYPE_CHECKING:
    from skillbuild.serve.transport.sdk import SdkServer

_MOST_WAITING = 16
"""Messages for the SDK; with one more, no input is read until it has taken some."""
_SDK_SECONDS = 1.0
"""How long its import waits for the first message: afterwards SIGHUP must find it."""


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


async def serve(watcher: ReleaseWatcher, offer: Offer, streams: StandardStreams) -> None:
    """Serve until standard input ends.

    The SDK is imported in a thread when the first message was looked at; what is plain is answered
    meanwhile.
    """
    sender, receiver = anyio.create_memory_object_stream[IncomingMessage](_MOST_WAITING)
    begun = anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_end_at_fault, streams, tasks.cancel_scope)
        tasks.start_soon(_read, streams, DirectAnswers(watcher, offer), sender, begun)
        with anyio.move_on_after(_SDK_SECONDS):
            await begun.wait()
        server = await anyio.to_thread.run_sync(_sdk_server, watcher, offer)
        await server.serve(receiver, streams.write)
        tasks.cancel_scope.cancel()
    streams.require_written()


def _sdk_server(watcher: ReleaseWatcher, offer: Offer) -> SdkServer:
    gc.disable()  # Imports leave hardly anything to collect, and what they bring stays.
    import_server_half(with_http=False)
    from skillbuild.serve.transport.sdk import SdkServer

    gc.freeze()
    gc.enable()
    return SdkServer(watcher, offer)


async def _end_at_fault(streams: StandardStreams, scope: anyio.CancelScope) -> None:
    await streams.fail()
    scope.cancel()


async def _read(
    streams: StandardStreams,
    direct: DirectAnswers,
    sender: MemoryObjectSendStream[IncomingMessage],
    begun: anyio.Event,
) -> None:
    """Answer what can be answered here, and send the rest on; a line that is no message gets an
    error.
    """
    short = _ShortWay(direct, streams)
    async with sender:
        async for line in _lines(streams.source):
            try:
                message = _message(line)
            except RefusedMessageError as refused:
                streams.write(refused.answer.encode())
            else:
                rest = None if message is None else short.rest(message)
                begun.set()
                if rest is not None:
                    await sender.send(rest)
    begun.set()


class _ShortWay:
    """Answers requests without the SDK, once a version is agreed upon with the client."""

    def __init__(self, direct: DirectAnswers, streams: StandardStreams) -> None:
        self._direct, self._streams = direct, streams
        self._version: str | None = None
        self._has_begun = False

    def rest(self, message: IncomingMessage) -> IncomingMessage | None:
        """What the SDK has to get of a message; None if it was answered here."""
        if not isinstance(message, ClientRequest):
            return message
        if not self._has_begun:
            self._has_begun = True
            return self._begin(message)
        if self._version is None:
            return message
        result = self._direct.result(message, self._version)
        if result is None:
            return message
        self._streams.write(write_result(message.id, result))
        return None

    def _begin(self, request: ClientRequest) -> IncomingMessage:
        """The first request decides between `initialize` and the stateless protocol, for the SDK
        as well.

        If the SDK has to answer to `initialize`, it answers to all that follows.
        """
        answer = self._direct.greeting(request)
        if answer is not None:
            self._version, result = answer
            self._streams.write(write_result(request.id, result))
            return replace(request, id=GREETING_ID)
        meta = (request.params or {}).get("_meta")
        if request.method != "initialize" and isinstance(meta, dict):
            version = meta.get(VERSION_KEY)
            self._version = version if version in MODERN_VERSIONS else None
        return request


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

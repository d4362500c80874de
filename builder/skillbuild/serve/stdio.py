"""Serving one client over standard input and output, one JSON-RPC message a line.

The SDK is silent about lines it cannot read; here every one of them is answered and survived.
Whatever else prints lands on standard error.
"""

from __future__ import annotations

import os
import stat
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import BinaryIO

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage

from skillbuild.serve import protocol
from skillbuild.serve.messages import Message, RefusedError, parse, too_long
from skillbuild.serve.notices import Notices
from skillbuild.serve.release import Release

LONGEST_LINE = 64 << 10
"""Bytes of one message; the longest sensible request has one URI."""


@dataclass(frozen=True, slots=True)
class Wire:
    """The two ends, the first a descriptor; what this process prints cannot reach them."""

    source: int
    sink: BinaryIO

    def write(self, text: str) -> None:
        self.sink.write(text.encode("utf-8", "backslashreplace") + b"\n")
        self.sink.flush()


def claim() -> Wire:
    """Take the standard streams: input becomes empty, output becomes standard error."""
    source, sink = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return Wire(source, os.fdopen(sink, "wb"))


async def serve(server: Server[Release], notices: Notices, wire: Wire) -> None:
    """Serve until standard input ends."""
    sent, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, answers = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(notices.run)
        tasks.start_soon(_read, wire, sent)
        tasks.start_soon(_write, wire, answers)
        await server.run(read, write, protocol.initialization(server))
        tasks.cancel_scope.cancel()


async def _read(wire: Wire, sent: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
    async with sent:
        async for line in _lines(wire.source):
            try:
                message = _message(line)
            except RefusedError as refused:
                wire.write(refused.answer)
            else:
                if message is not None:
                    await sent.send(SessionMessage(message))


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


async def _write(wire: Wire, answers: MemoryObjectReceiveStream[SessionMessage]) -> None:
    async with answers:
        async for item in answers:
            wire.write(item.message.model_dump_json(by_alias=True, exclude_unset=True))

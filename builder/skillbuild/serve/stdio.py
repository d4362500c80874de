"""Serving one client over standard input and output, one JSON-RPC message a line.

The SDK is silent about lines it cannot read; here every one of them is answered and survived.
Whatever else prints lands on standard error.
"""

from __future__ import annotations

import os
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
    """The two ends; what this process prints by other ways cannot reach them."""

    source: BinaryIO
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
    return Wire(os.fdopen(source, "rb"), os.fdopen(sink, "wb"))


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
        while line := await anyio.to_thread.run_sync(
            wire.source.readline, LONGEST_LINE + 1, abandon_on_cancel=True
        ):
            try:
                message = await _message(wire, line)
            except RefusedError as refused:
                wire.write(refused.answer)
            else:
                if message is not None:
                    await sent.send(SessionMessage(message))


async def _message(wire: Wire, line: bytes) -> Message | None:
    """What a line says; None for a blank one. The rest of one that is too long is passed over."""
    if len(line) > LONGEST_LINE:
        await anyio.to_thread.run_sync(_skip_rest, wire.source, line, abandon_on_cancel=True)
        raise too_long(LONGEST_LINE)
    return parse(line) if line.strip() else None


def _skip_rest(source: BinaryIO, line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = source.readline(LONGEST_LINE)


async def _write(wire: Wire, answers: MemoryObjectReceiveStream[SessionMessage]) -> None:
    async with answers:
        async for item in answers:
            wire.write(item.message.model_dump_json(by_alias=True, exclude_unset=True))

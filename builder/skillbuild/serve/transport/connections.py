"""The connections of an HTTP server: how many there may be, and how long each may take for what.

uvicorn accepts every connection, waits for ever for a request, and keeps an answer in memory until
it has been read. Here a client that neither asks nor reads is disconnected; sooner, where its place
or its memory is needed.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import math
import socket
import sys
from collections.abc import Callable, Iterable

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

HEADER_SECONDS = 10.0
"""Time for a header to arrive whole, from the connection or its first byte on."""

IDLE_SECONDS = 130
"""Time between an answer and the next request. It is longer than proxies and load balancers keep a
connection: one that ended first would lose what they are just sending.
"""

STALL_SECONDS = 20.0
LEAST_READ = 16 << 10
"""A client that has not read so many bytes of its answer in that time reads nothing any more."""

LAST_STALL_SECONDS = 3.0
"""The same when the server ends."""

MOST_UNREAD = 64 << 20
"""Bytes of answers that wait for clients to read them."""

MOST_CONNECTIONS = 1000
_SPARE = 16
"""Connections beyond that: they get status 503, where nobody can be disconnected for them."""
_RESERVE = 64
"""File descriptors for all that is no connection."""
_ACCEPT_PAUSE = 0.1
_EXHAUSTED = frozenset([errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM])
_LOG_EVERY = 10.0

_log = logging.getLogger("skillbuild")


def most_connections() -> int:
    """As many as there are file descriptors for, with a file for each; raises their limit first."""
    if sys.platform == "win32":
        return MOST_CONNECTIONS
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * (MOST_CONNECTIONS + _SPARE) + _RESERVE
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return max(8, min(MOST_CONNECTIONS, (soft - _RESERVE) // 2 - _SPARE))


class ConnectionPool:
    """All connections of a server: who has to go when there are too many."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.unasked: dict[Connection, None] = {}
        """Those without a complete request, in the order in which that began."""
        self.unread: dict[Connection, None] = {}
        """Those whose clients do not read as fast as we write, in the same order."""
        self.stall_seconds = STALL_SECONDS
        self._dropped = 0
        self._logged = -math.inf

    def make_room(self, newcomer: Connection | None = None) -> bool:
        """Drop a client that asks nothing for another one; False if there is none.

        The oldest one without a complete header; where all have one, without a complete body.
        """
        idle = [each for each in self.unasked if each is not newcomer and not each.unread]
        victim = next((each for each in idle if not each.has_header), idle[0] if idle else None)
        if victim is not None:
            victim.drop()
            self.log("a client that asked nothing was disconnected: too many connections")
        return victim is not None

    def free_memory(self) -> None:
        """Drop those that have not read for the longest time, while too much waits for them."""
        while len(self.unread) > 1:
            if sum(connection.unread for connection in self.unread) <= MOST_UNREAD:
                return
            next(iter(self.unread)).drop()
            self.log("a client that does not read was disconnected: too much waits in memory")

    def end(self, connections: Iterable[object]) -> None:
        """Wait for clients that do not read for a short time only, from now on."""
        self.stall_seconds = LAST_STALL_SECONDS
        for connection in connections:
            if isinstance(connection, Connection) and connection.unread:
                connection.await_reading()

    def log(self, reason: str) -> None:
        """Count clients that are turned away, and tell of them now and then."""
        self._dropped += 1
        now = asyncio.get_running_loop().time()
        if now >= self._logged + _LOG_EVERY:
            _log.warning("%s (%d so far)", reason, self._dropped)
            self._logged = now


class Connection(H11Protocol):
    """One connection, with deadlines for what its client has to do."""

    def __init__(self, config: uvicorn.Config, state: ServerState, pool: ConnectionPool) -> None:
        super().__init__(config, state, {})
        self._pool = pool
        self._header_timer: asyncio.TimerHandle | None = None
        self._read_timer: asyncio.TimerHandle | None = None

    @property
    def has_header(self) -> bool:
        """Whether a request is being answered, or its body awaited."""
        return not getattr(self.cycle, "response_complete", True)  # None before the first.

    @property
    def unread(self) -> int:
        """Bytes that wait for the client to read them."""
        return self.transport.get_write_buffer_size()

    def drop(self) -> None:
        """Disconnect now, whatever is unsent."""
        self._forget()
        self.connections.discard(self)
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()
        count, most = len(self.connections), self._pool.most
        if count > most and not self._pool.make_room(self) and count > most + _SPARE:
            self.drop()
            self._pool.log("a client was turned away: too many requests at once")

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch(is_idle=True)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._pool.unread[self] = None
        self.await_reading()
        self._pool.free_memory()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._pool.unread.pop(self, None)
        self._stop(self._read_timer)

    def _watch(self, *, is_idle: bool = False) -> None:
        """Start or stop the deadline for a header: a byte now and then does not put it off.

        Where nothing of it has come after an answer, `timeout_keep_alive` of uvicorn is it.
        """
        if self.has_header:
            self._stop(self._header_timer)
            self._header_timer = None
            if not self.cycle.more_body:
                self._pool.unasked.pop(self, None)
        elif self._header_timer is None and not self.transport.is_closing():
            self._pool.unasked.pop(self, None)
            self._pool.unasked[self] = None
            if not is_idle:
                self._header_timer = self.loop.call_later(HEADER_SECONDS, self._end)

    def _end(self) -> None:
        """Close the connection when what is unsent has been read, if that happens at all."""
        self.transport.close()
        if self.unread and self not in self._pool.unread:
            self.await_reading()

    def await_reading(self) -> None:
        """Drop the client if it reads nothing for a while from now on."""
        self._stop(self._read_timer)
        wanted, seconds = max(0, self.unread - LEAST_READ), self._pool.stall_seconds
        self._read_timer = self.loop.call_later(seconds, self._require_read, wanted)

    def _require_read(self, most_unread: int) -> None:
        if self.unread > most_unread:
            self.drop()
            self._pool.log("a client that does not read was disconnected")
        else:
            self.await_reading()

    def _forget(self) -> None:
        self._pool.unasked.pop(self, None)
        self._pool.unread.pop(self, None)
        self._stop(self._header_timer)
        self._stop(self._read_timer)

    @staticmethod
    def _stop(timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()


async def accept(
    listening: socket.socket, pool: ConnectionPool, connect: Callable[[], Connection]
) -> None:
    """Accept connections for ever; pauses when it cannot, as while there are no file descriptors.

    The loop of asyncio would log the same fault for each place in the backlog (Python 3.11).
    """
    loop = asyncio.get_running_loop()
    while True:
        try:
            client, _ = await loop.sock_accept(listening)
        except OSError as error:
            if error.errno in _EXHAUSTED:
                pool.make_room()
            if not isinstance(error, ConnectionAbortedError):  # That client went while it waited.
                pool.log(f"no connection can be accepted: {error.strerror}")
            await asyncio.sleep(_ACCEPT_PAUSE)
            continue
        try:
            await loop.connect_accepted_socket(connect, client)
        except OSError:
            client.close()

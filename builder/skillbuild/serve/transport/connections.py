"""Limits the number of connections of the HTTP server, and how long a connection may be idle.

Without limits, uvicorn accepts every connection, waits forever for a request, and keeps each
response in memory until the client has read it. Here, a client that neither sends nor reads is
disconnected after some time, or earlier if connections or memory run out.
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
"""Seconds for a complete header to arrive, counted from the start of the connection or the first
byte of the header.
"""

IDLE_SECONDS = 130
"""Seconds between an answer and the next request. Proxies and load balancers keep connections for a
shorter time; if this server closed one first, a request that is being sent would be lost.
"""

STALL_SECONDS = 20.0
LEAST_READ = 16 << 10
"""Minimum number of bytes of an answer that its client must read within `STALL_SECONDS`; otherwise
the client counts as stalled.
"""

LAST_STALL_SECONDS = 3.0
"""The value of `STALL_SECONDS` while the server shuts down."""

MOST_UNREAD = 64 << 20
"""Maximum bytes of all answers that clients have not read yet."""

MOST_CONNECTIONS = 1000
_SPARE = 16
"""Number of connections above the limit, which get status 503 if no other one can be closed."""
_RESERVE = 64
"""Number of file descriptors that are kept for everything but connections."""
_ACCEPT_PAUSE = 0.1
_EXHAUSTED = frozenset([errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM])
_LOG_EVERY = 10.0

_log = logging.getLogger("skillbuild")


def most_connections() -> int:
    """Raise the limit on file descriptors as far as needed; return how many connections the limit
    allows.

    Each connection may need a second descriptor for a file.
    """
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
    """Decides which connections of a server to close when there are too many connections or too
    much unsent data.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.unasked: dict[Connection, None] = {}
        """Connections without a complete request, the oldest wait first."""
        self.unread: dict[Connection, None] = {}
        """Connections whose clients read too slowly, the oldest wait first."""
        self.stall_seconds = STALL_SECONDS
        self._dropped = 0
        self._logged = -math.inf

    def make_room(self, newcomer: Connection | None = None) -> bool:
        """Close the connection that has waited longest for a request header. If every connection
        has a header, close the one that has waited longest for a request body.

        `newcomer` is never closed. Returns False if there is no connection to close.
        """
        idle = [each for each in self.unasked if each is not newcomer and not each.unread]
        victim = next((each for each in idle if not each.has_header), idle[0] if idle else None)
        if victim is not None:
            victim.drop()
            self.log("disconnected an idle client: too many connections")
        return victim is not None

    def free_memory(self) -> None:
        """Close connections until at most `MOST_UNREAD` bytes of unsent data are in memory.

        The clients that have been slow the longest are disconnected first. One slow client is
        always kept.
        """
        while len(self.unread) > 1:
            if sum(connection.unread for connection in self.unread) <= MOST_UNREAD:
                return
            next(iter(self.unread)).drop()
            self.log("disconnected a slow client: too many unread responses in memory")

    def end(self, connections: Iterable[object]) -> None:
        """Shorten the time for which the server waits for clients that do not read."""
        self.stall_seconds = LAST_STALL_SECONDS
        for connection in connections:
            if isinstance(connection, Connection) and connection.unread:
                connection.await_reading()

    def log(self, reason: str) -> None:
        """Count a client that was disconnected; write the count to the log at intervals."""
        self._dropped += 1
        now = asyncio.get_running_loop().time()
        if now >= self._logged + _LOG_EVERY:
            _log.warning("%s (%d so far)", reason, self._dropped)
            self._logged = now


class Connection(H11Protocol):
    """One connection. The client must send and read before certain deadlines."""

    def __init__(self, config: uvicorn.Config, state: ServerState, pool: ConnectionPool) -> None:
        super().__init__(config, state, {})
        self._pool = pool
        self._header_timer: asyncio.TimerHandle | None = None
        self._read_timer: asyncio.TimerHandle | None = None

    @property
    def has_header(self) -> bool:
        """Whether the header of a request has arrived and the response is not yet complete."""
        return not getattr(self.cycle, "response_complete", True)  # None before the first request.

    @property
    def unread(self) -> int:
        """Number of bytes that the client has not read yet."""
        return self.transport.get_write_buffer_size()

    def drop(self) -> None:
        """Close the connection now and discard unsent data."""
        self._forget()
        self.connections.discard(self)
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()
        count, most = len(self.connections), self._pool.most
        if count > most and not self._pool.make_room(self) and count > most + _SPARE:
            self.drop()
            self._pool.log("disconnected a client: too many requests at once")

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
        """Start or stop the deadline for a header, which single bytes do not extend.

        After an answer and before the first byte of a header, `timeout_keep_alive` of uvicorn is
        the deadline.
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
        """Close the connection when the client has read all data or takes too long."""
        self.transport.close()
        if self.unread and self not in self._pool.unread:
            self.await_reading()

    def await_reading(self) -> None:
        """Close the connection after some time unless the client has read enough by then."""
        self._stop(self._read_timer)
        wanted, seconds = max(0, self.unread - LEAST_READ), self._pool.stall_seconds
        self._read_timer = self.loop.call_later(seconds, self._require_read, wanted)

    def _require_read(self, most_unread: int) -> None:
        if self.unread > most_unread:
            self.drop()
            self._pool.log("disconnected a client that stopped reading")
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
    """Accept connections forever; pause after an error, for example if there are no file
    descriptors left.

    asyncio itself would log the same error for each waiting connection (Python 3.11).
    """
    loop = asyncio.get_running_loop()
    while True:
        try:
            client, _ = await loop.sock_accept(listening)
        except OSError as error:
            if error.errno in _EXHAUSTED:
                pool.make_room()
            if not isinstance(error, ConnectionAbortedError):  # The client has gone.
                pool.log(f"cannot accept connections: {error.strerror}")
            await asyncio.sleep(_ACCEPT_PAUSE)
            continue
        try:
            await loop.connect_accepted_socket(connect, client)
        except OSError:
            client.close()

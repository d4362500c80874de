"""The HTTP server of `serve --http`: uvicorn with our own `Connection`, on one socket."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from signal import SIGTERM
from types import FrameType

import uvicorn

from skillbuild.errors import ConfigError
from skillbuild.serve.methods.describe import Offer
from skillbuild.serve.methods.subscriptions import MOST_STREAMS, Subscriptions
from skillbuild.serve.state.watch import ReleaseWatcher
from skillbuild.serve.transport import connections
from skillbuild.serve.transport.application import LOOPBACK, Application
from skillbuild.serve.transport.connections import Connection, ConnectionPool, accept
from skillbuild.serve.transport.logs import announce
from skillbuild.text.wording import plural

BACKLOG = 2048
"""Maximum length of the queue of new connections; a client that installs hundreds of skills opens
that many at once.
"""

STOP_SECONDS = 10
"""Seconds for requests in flight to finish after a signal; after that, requests that wait for an
origin are canceled.
"""
_MOST_STOP_SECONDS = STOP_SECONDS + 2
"""Seconds after which all requests are aborted."""


@dataclass(frozen=True, slots=True)
class Address:
    """The address to listen on, and which requests are answered there."""

    host: str
    port: int
    """The port; 0 for any free port."""
    base: str = ""
    """Base path of all URLs, such as `/team/skills`; empty for none."""
    more_hosts: tuple[str, ...] = ()
    """Further allowed values of `Host`."""
    access_log: bool = False
    """Whether requests are logged to standard output."""


def parse_address(
    text: str, base_path: str, more_hosts: Iterable[str], *, access_log: bool = False
) -> Address:
    """Parse the options of `serve`; `text` is `HOST:PORT`, with an IPv6 host in brackets."""
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise ConfigError(f"--http takes HOST:PORT, for example 127.0.0.1:8000, not {text!r}")
    base = base_path.strip("/")
    below = f"/{base}" if base else ""
    return Address(host.strip("[]"), int(port), below, tuple(more_hosts), access_log)


async def serve(watcher: ReleaseWatcher, offer: Offer, address: Address) -> None:
    """Serve until a signal arrives; return normally after SIGTERM."""
    most = connections.most_connections()
    listening = _listen(address)
    application = Application(
        watcher,
        offer,
        address.base,
        address.more_hosts,
        names={*LOOPBACK, _bracketed(address.host)},
        access_log=address.access_log,
    )
    subscriptions = application.subscriptions
    subscriptions.streams.most = min(MOST_STREAMS, most // 2)
    url = f"http://{_bracketed(address.host)}:{listening.getsockname()[1]}{address.base}"
    count = plural(watcher.release.skill_count, "skill")
    announce(f"serving {count} at {url}/mcp and the catalog at {url}/")
    async with application.running():
        with listening:
            await _HttpServer(_config(application, most), subscriptions, listening).serve()


def _config(application: Application, most: int) -> uvicorn.Config:
    return uvicorn.Config(
        application,
        lifespan="off",
        ws="none",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=most + 1,
        timeout_keep_alive=connections.IDLE_SECONDS,
        timeout_graceful_shutdown=_MOST_STOP_SECONDS,
    )


class _HttpServer(uvicorn.Server):
    """Accepts connections itself, and on shutdown lets open streams send their result."""

    def __init__(
        self, config: uvicorn.Config, subscriptions: Subscriptions, listening: socket.socket
    ) -> None:
        super().__init__(config)
        self._subscriptions, self._listening = subscriptions, listening
        self._pool = ConnectionPool((config.limit_concurrency or 1) - 1)
        self.servers = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        connect = partial(Connection, self.config, self.server_state, self._pool)
        await self.lifespan.startup()
        self._accepting = asyncio.create_task(accept(self._listening, self._pool, connect))
        self.started = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._accepting.cancel()
        self._listening.close()
        self._subscriptions.streams.close()
        asyncio.get_running_loop().call_later(STOP_SECONDS, self._subscriptions.end_waiting)
        self._pool.end(self.server_state.connections)
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to shut down.

        Uvicorn re-raises handled signals after its shutdown. SIGTERM would then interrupt our
        cleanup, so it is not passed on to uvicorn.
        """
        if sig == SIGTERM:
            self.should_exit = True
        else:
            super().handle_exit(sig, frame)


def _listen(address: Address) -> socket.socket:
    """Open a listening socket with an explicit protocol; otherwise asyncio sets no TCP_NODELAY."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((address.host, address.port))
        listening.listen(BACKLOG)
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        reason = (error.strerror or str(error)).lower()
        where = f"{_bracketed(address.host)}:{address.port}"
        raise ConfigError(f"cannot listen on {where}: {reason}; choose another port") from error
    return listening


def _bracketed(host: str) -> str:
    """Return a host as it is written in a URL."""
    return f"[{host}]" if ":" in host else host

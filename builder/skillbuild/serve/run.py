"""The command `serve`: the release is loaded and checked before anything listens."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

import anyio

from skillbuild.errors import ConfigError
from skillbuild.serve.methods.subscriptions import Notices
from skillbuild.serve.server import build_server
from skillbuild.serve.state.watch import Watch
from skillbuild.serve.transport import stdio


def run(options: argparse.Namespace) -> int:
    """Serve one output until the client or a signal ends it."""
    if options.http is not None:
        return _over_http(options)
    if options.base_path or options.allow_host:
        raise ConfigError("--base-path and --allow-host are for --http")
    return _over_stdio(options)


def _over_stdio(options: argparse.Namespace) -> int:
    watch = Watch(Path(options.out))
    wire = stdio.claim()
    notices = Notices(watch)
    server = build_server(watch, notices, with_tools=options.tools, duplex=True)
    anyio.run(partial(stdio.serve, server, notices, wire))
    return 0


def _over_http(options: argparse.Namespace) -> int:
    from skillbuild.serve.transport import http

    address = http.parse_address(options.http, options.base_path, options.allow_host)
    watch = Watch(Path(options.out))
    notices = Notices(watch)
    server = build_server(watch, notices, with_tools=options.tools, duplex=False)
    anyio.run(partial(http.serve, server, notices, watch.current(), address))
    return 0

"""The `serve` command: loads and checks the release before it starts to listen."""

from __future__ import annotations

import argparse
import gc
from functools import partial

import anyio

from skillbuild.errors import ConfigError
from skillbuild.serve.methods.describe import Offer
from skillbuild.serve.methods.subscriptions import Subscriptions
from skillbuild.serve.server import build_server
from skillbuild.serve.state.follow import Wanted, opened
from skillbuild.serve.state.watch import ReleaseWatcher
from skillbuild.serve.transport import logs, stdio


def run(options: argparse.Namespace) -> int:
    """Serve one output until the client disconnects or a signal arrives; return the exit status."""
    closed = stdio.fill_closed_streams()
    logs.set_up()
    over_http = options.http is not None
    offer = Offer(duplex=not over_http, tools=options.tools, prompts=options.prompts)
    if over_http:
        from skillbuild.serve.transport import http  # Standard streams need no HTTP server.

        address = http.parse_address(
            options.http, options.base_path, options.allow_host, access_log=options.access_log
        )
        anyio.run(http.serve, _opened(options), offer, address)
        return 0
    if options.base_path or options.allow_host or options.access_log:
        raise ConfigError("--base-path, --allow-host and --access-log need --http")
    streams = stdio.claim_standard_streams(closed)
    watcher = _opened(options)
    subscriptions = Subscriptions(watcher, with_prompts=offer.prompts)
    server = build_server(watcher, subscriptions, offer)
    anyio.run(partial(stdio.serve, server, subscriptions, streams))
    return 0


def _opened(options: argparse.Namespace) -> ReleaseWatcher:
    """Load the release after all modules are imported.

    Modules live as long as the process. If the garbage collector traversed them, it would block the
    event loop for 70 ms.
    """
    gc.freeze()
    return opened(
        Wanted(
            options.out, tuple(options.only), options.refresh, options.cache, options.allow_rollback
        )
    )

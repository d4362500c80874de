"""The command `serve`: loads and checks the release before anything listens."""

from __future__ import annotations

import argparse
import gc
from collections.abc import Set
from functools import partial

import anyio

from skillbuild.errors import ConfigError
from skillbuild.serve.direct import DirectAnswers
from skillbuild.serve.methods.context import Offer
from skillbuild.serve.state.opening import Wanted, opened
from skillbuild.serve.state.watch import ReleaseWatcher
from skillbuild.serve.transport import logs, stdio


def run(options: argparse.Namespace) -> int:
    """Serve one output until the client or a signal ends it; returns the exit status."""
    closed = stdio.fill_closed_streams()
    logs.set_up()
    if options.http is not None:
        return _over_http(options)
    if options.base_path or options.allow_host or options.access_log:
        raise ConfigError("--base-path, --allow-host and --access-log are for --http")
    return _over_stdio(options, closed)


def _over_stdio(options: argparse.Namespace, closed: Set[int]) -> int:
    streams = stdio.claim_standard_streams(closed)
    anyio.run(partial(stdio.serve, _watch(options), _offer(options, duplex=True), streams))
    return 0


def _over_http(options: argparse.Namespace) -> int:
    from skillbuild.serve.methods.subscriptions import Subscriptions
    from skillbuild.serve.server import build_server
    from skillbuild.serve.transport import http

    address = http.parse_address(
        options.http, options.base_path, options.allow_host, access_log=options.access_log
    )
    watcher = _watch(options)
    subscriptions = Subscriptions(watcher, with_prompts=options.prompts)
    offer = _offer(options, duplex=False)
    server, direct = build_server(watcher, subscriptions, offer), DirectAnswers(watcher, offer)
    anyio.run(partial(http.serve, server, subscriptions, direct, watcher, address))
    return 0


def _offer(options: argparse.Namespace, *, duplex: bool) -> Offer:
    return Offer(duplex=duplex, tools=options.tools, prompts=options.prompts)


def _watch(options: argparse.Namespace) -> ReleaseWatcher:
    """Load the release, when all modules are there.

    Their objects stay for ever: the garbage collector need not walk them, which is a third of the
    time of a large `resources/list`. Releases come and go, so they are not frozen.
    """
    gc.freeze()
    wanted = Wanted(
        options.out, tuple(options.only), options.refresh, options.cache, options.allow_rollback
    )
    return opened(wanted)

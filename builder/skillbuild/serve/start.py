"""The command `serve`, entered: on HTTP the SDK is imported first, on standard streams it is when
the first message was answered (`transport.stdio`).
"""

from __future__ import annotations

import argparse
import gc

from skillbuild.serve.sdk_import import import_server_half


def run(options: argparse.Namespace) -> int:
    """Serve one output until the client or a signal ends it; returns the exit status."""
    gc.disable()  # Imports leave hardly anything to collect.
    if options.http is not None:
        import_server_half()
    from skillbuild.serve.run import run as serve

    gc.enable()
    return serve(options)

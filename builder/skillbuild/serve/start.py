"""The command `serve`, entered: imports of the MCP SDK what a server needs, and then runs it.

Its packages import a client, a second kind of server and an HTTP client as well, and build the
models of every message at once: a third of the time to start and 13 MB for nothing.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec

from pydantic import BaseModel

_PACKAGES = ("mcp", "mcp.server")
"""They only gather what their modules define."""


def run(options: argparse.Namespace) -> int:
    """Serve one output until the client or a signal ends it; returns the exit status."""
    import_server_half()
    from skillbuild.serve.run import run as serve

    return serve(options)


def import_server_half() -> None:
    """Import the SDK, unless that was done; its models are built when they are used first.

    A version of the SDK whose modules need what its packages import is imported whole.
    """
    if "mcp" in sys.modules:
        return
    BaseModel.model_config["defer_build"] = True
    try:
        _enter_packages()
        import_module("mcp.server.lowlevel")
    except ImportError:
        for name in [name for name in sys.modules if name.partition(".")[0] == "mcp"]:
            del sys.modules[name]
        import_module("mcp.server.lowlevel")
    finally:
        del BaseModel.model_config["defer_build"]


def _enter_packages() -> None:
    """Put the packages in place without running what is in them."""
    for name in _PACKAGES:
        spec = find_spec(name)
        if spec is None:
            raise ImportError(name)
        module = sys.modules[name] = module_from_spec(spec)
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], last, module)

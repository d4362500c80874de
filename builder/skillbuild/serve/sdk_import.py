"""Imports of the MCP SDK what a server needs.

Its packages import a client, a second kind of server and an HTTP client as well, and build the
models of every message at once: a third of the time to start and 13 MB for nothing. On standard
streams the HTTP half of the server is another tenth.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType

_PACKAGES = ("mcp", "mcp.server")
"""They only gather what their modules define."""
_FOR_HTTP = (
    *("mcp.server.streamable_http", "mcp.server.streamable_http_manager"),
    *("mcp.server.auth.middleware.auth_context", "mcp.server.auth.middleware.bearer_auth"),
    *("mcp.server.auth.provider", "mcp.server.auth.routes", "mcp.server.auth.settings"),
    *("mcp.server.transport_security", "starlette.applications", "starlette.middleware"),
    *("starlette.middleware.authentication", "starlette.routing"),
)
"""What the SDK's server imports for the methods that make an HTTP application of it."""


def import_server_half(*, with_http: bool = True) -> None:
    """Import the SDK, unless that was done; its models are built when they are used first.

    A version of the SDK whose modules need what is left out is imported whole.
    """
    if "mcp" in sys.modules:
        return
    from pydantic import BaseModel

    BaseModel.model_config["defer_build"] = True
    try:
        _enter_packages()
        if not with_http:
            sys.modules.update({name: _Absent(name) for name in _FOR_HTTP})
        import_module("mcp.server.lowlevel")
    except (AttributeError, ImportError, TypeError):  # What a name or a call that fails raises.
        for name in [name for name in sys.modules if name.partition(".")[0] == "mcp"]:
            del sys.modules[name]
        _forget_absent()
        import_module("mcp.server.lowlevel")
    finally:
        _forget_absent()
        del BaseModel.model_config["defer_build"]


class _Absent(ModuleType):
    """Stands for a module while others are imported that take names from it and use none."""

    def __getattr__(self, name: str) -> type[object]:
        return object


def _forget_absent() -> None:
    for name in _FOR_HTTP:
        if isinstance(sys.modules.get(name), _Absent):
            del sys.modules[name]


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

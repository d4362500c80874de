"""Names and numbers of MCP, for what is answered before its SDK is imported; a test compares them.

Uses nothing.
"""

from __future__ import annotations

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The protocol versions that begin with `initialize`."""
MODERN_VERSIONS = ("2026-07-28",)
"""The stateless ones."""

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CLIENT_CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"
"""Keys of `_meta` since 2026-07-28."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
"""Of JSON-RPC."""


def is_modern(version: str) -> bool:
    """True from 2026-07-28 on, when the protocol became stateless."""
    return version >= MODERN_VERSIONS[0]

"""The release being served: its entries, the bytes of its files, and its replacement by the next.

Uses `release`, `storage` and the root modules; knows nothing of MCP methods or of connections.
"""

"""The release being served: its entries, the bytes of its files, and its replacement by the next
release.

The modules use `release`, `storage` and the root modules, but no MCP methods or connections.
"""

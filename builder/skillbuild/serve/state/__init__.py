"""The release being served: its entries, the bytes of its files, and its replacement by the next
one.

It uses `release`, `storage` and the root modules, and knows nothing of MCP methods or connections.
"""

"""The server's answers to MCP methods: one module for each family, one function for each method.

It uses `state`, and knows nothing of transports. Results are plain dicts, errors are `MCPError`.
"""

"""The server's answers to MCP methods: one module for each family of methods, one function for each
method.

The modules use `state`, but no transports. Results are plain dicts, and errors are instances of
`MCPError`.
"""

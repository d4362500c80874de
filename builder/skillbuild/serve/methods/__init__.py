"""What the server answers to each MCP method: one module a family, one function a method.

Uses `state`; knows nothing of transports. Results are plain dicts, errors are `MCPError`.
"""

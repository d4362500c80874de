"""The MCP server: read-only, stateless, answers from one release and computes no path."""

"""The search index: writing, reading and querying it, the same for pages and for the MCP server."""

"""Writes, reads and queries the search index, which pages and the MCP server share."""

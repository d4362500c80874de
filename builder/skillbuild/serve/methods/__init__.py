"""What the server answers to each MCP method, as plain values."""

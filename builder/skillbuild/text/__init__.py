"""JSON, YAML, Markdown, code and plain text, without skills and rules; uses only the root."""

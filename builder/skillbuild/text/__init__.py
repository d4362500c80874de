"""JSON, YAML, Markdown, code and plain text; imports no other package of skillbuild."""

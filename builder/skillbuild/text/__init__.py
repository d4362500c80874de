"""Text formats: JSON, YAML, Markdown and source code. Nothing in here knows skills or rules."""

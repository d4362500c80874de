"""Archives, icons and media types. Knows no skills or rules, and imports only the root modules."""

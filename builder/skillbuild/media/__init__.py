"""Archives, icons and media types, without skills and rules; uses only the root modules."""

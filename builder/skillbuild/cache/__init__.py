"""Speeds up repeated builds. A build with the cache writes the same bytes as one without."""

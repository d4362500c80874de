"""Speeds up repeated builds; a build without the cache writes the same bytes."""

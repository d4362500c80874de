"""Writes, publishes, fetches and verifies releases."""

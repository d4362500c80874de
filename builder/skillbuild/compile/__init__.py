"""Checks, packs and emits skills, many of them in several processes."""

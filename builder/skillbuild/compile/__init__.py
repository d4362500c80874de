"""Checks, packs and emits skills, and divides large sources among several processes."""

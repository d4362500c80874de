"""Reads a commit or a working tree, finds its skills, and gives each a path and a history.

This package may import `release`, `text`, `rules`, the settings and the modules at the root.
"""

"""Reads a commit or a work tree: git, discovery of skills, skill paths and history.

This package may import `release`, `text`, `rules`, the settings and the modules at the root.
"""

"""Reads a commit or a working tree, finds the skills in it, and gives each skill a path and a
history.

This package may import `release`, `text`, `rules`, the settings and the modules at the root.
"""

"""Writes a tree of plugins, which clients can install from a git repository or a folder."""

"""Handles archives, icons and media types.

This package knows nothing of skills and rules, and imports only the modules at the root.
"""

"""Handles archives, icons and media types.

This package knows nothing about skills and rules, and imports only the modules at the root.
"""

"""Reads and writes bytes: files on disk, over HTTP and in object stores.

This package knows nothing about releases.
"""

"""Reads and writes bytes: files on disk, over HTTP and in object stores. Knows nothing of
releases.
"""

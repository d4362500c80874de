"""Bytes in and out: files on disk, and files read over HTTP. Knows nothing of releases."""

"""Bytes in and out: files on disk and files over HTTP."""

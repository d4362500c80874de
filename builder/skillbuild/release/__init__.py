"""Encodes the record, entries, checksums and search index of a release, and compares releases."""

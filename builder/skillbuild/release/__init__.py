"""The record of a release: entries, checksums, what is kept of earlier releases, comparison."""

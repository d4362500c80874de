"""The record of a release: entries, checksums, what stays of earlier releases, comparison."""

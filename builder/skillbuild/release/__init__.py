"""The record of a release: its entries, checksums, earlier releases, and comparisons of two."""

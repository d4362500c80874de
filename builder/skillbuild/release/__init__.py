"""The record of a release: its entries, checksums and earlier releases; and how releases are
compared.
"""

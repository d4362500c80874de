"""Findings, comparisons and request summaries as people and machines read them."""

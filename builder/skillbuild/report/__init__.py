"""Findings, comparisons and job summaries, as people and machines read them. Writes no file."""

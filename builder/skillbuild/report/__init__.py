"""Formats findings, comparisons and job summaries for people and machines. Writes no file."""

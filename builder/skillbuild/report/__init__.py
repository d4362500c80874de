"""Formats findings, comparisons and job summaries for people and for programs. It writes no
files.
"""

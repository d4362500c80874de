"""Fixes problems that have exactly one solution. The edits are planned in memory, each one is
proven correct, and then the files are written.
"""

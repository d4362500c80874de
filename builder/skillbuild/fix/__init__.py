"""Fixes problems that have exactly one solution: plans the edits in memory, proves each one, then
writes.
"""

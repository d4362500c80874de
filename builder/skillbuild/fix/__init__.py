"""Fixes problems that have exactly one solution: plans in memory, proves each edit, then writes."""

"""Fixes in a work tree what has one meaning: plans in memory, proves each edit, then writes."""

"""Mends in a work tree what has one meaning: plans them in memory, proves each, then writes."""

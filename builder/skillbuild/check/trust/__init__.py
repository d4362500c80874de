"""Signatures of skills, who made them, and what scanners found."""

"""Reads and checks signatures of skills, and verdicts of scanners."""

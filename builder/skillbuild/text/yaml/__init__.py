"""Parses YAML into strict JSON values with their positions, and suggests how to fix invalid
YAML.
"""

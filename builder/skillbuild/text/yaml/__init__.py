"""YAML as strict JSON values with their places, and hints that fix what cannot be read."""

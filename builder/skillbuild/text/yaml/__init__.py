"""YAML as strict JSON values with their places, and hints that mend what cannot be read."""

"""All rules, with code, severity and explanation; uses only the root modules."""

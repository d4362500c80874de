"""Every rule, with its code, severity and explanation; uses only the root modules."""

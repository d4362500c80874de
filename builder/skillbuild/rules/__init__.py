"""Every rule: its code, severity and explanation."""

"""Standard streams and HTTP: how messages come in and go out, and their limits."""

"""How messages come in and go out, over standard streams and HTTP, and the limits on them.

Uses `state`, `methods` and the server object.
"""

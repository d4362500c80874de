"""The transports of messages, standard streams and HTTP, with their limits.

Uses `state`, `methods` and the server object.
"""

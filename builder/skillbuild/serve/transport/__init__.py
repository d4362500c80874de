"""The transports of messages, standard streams and HTTP, with their limits.

They use `state`, `methods` and the server object.
"""

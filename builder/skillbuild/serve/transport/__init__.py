"""The ways in which messages reach the server, standard streams and HTTP, with their limits.

The modules use `state`, `methods` and the server object.
"""

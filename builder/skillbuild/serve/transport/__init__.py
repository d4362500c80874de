"""Connects the server to clients, over standard streams or HTTP, and limits what clients can do.

The modules use `state`, `methods` and the server object.
"""

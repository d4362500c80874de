"""Connects the server to clients, over standard streams or HTTP, and limits the memory, time and
connections that clients can use.

The modules use `state`, `methods` and `server`.
"""

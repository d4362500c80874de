"""Gathers facts that users should know before they install a skill: license, commands, network
access, hidden text.
"""

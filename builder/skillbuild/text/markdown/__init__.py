"""Markdown: finds the links that the checks follow, and renders safe HTML for the pages of a
catalog.
"""

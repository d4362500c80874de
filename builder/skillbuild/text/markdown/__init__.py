"""Markdown: the links that the checks follow, and safe HTML for the pages of a catalog."""

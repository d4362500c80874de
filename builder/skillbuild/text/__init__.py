"""Handles JSON, YAML, Markdown, source code and plain text. Imports no other subpackage of
skillbuild.
"""

"""Compile a git repository of Agent Skills into an immutable, verifiable catalog."""

__version__ = "0.1.0"

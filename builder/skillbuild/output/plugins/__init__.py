"""The tree of plugins: what clients that install from a git repository or a folder read."""

"""A commit or a work tree as input: git, discovery of skills, skill paths and history.

It may use `release`, `text`, `rules`, the settings and the modules at the root of the package.
"""

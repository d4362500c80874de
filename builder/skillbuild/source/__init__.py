"""A commit or a work tree as input: git, discovery of skills, skill paths and history."""

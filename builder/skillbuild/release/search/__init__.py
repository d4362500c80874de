"""The index of the search: how it is written, read, and asked; the same for people and agents."""

"""What is raised when a file of the output cannot be served."""


class DamagedError(Exception):
    """A file of the output is missing or not what was published; the text says which."""

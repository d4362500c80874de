"""What is raised when a file of the output cannot be served."""


class DamagedError(Exception):
    """A file of the output is missing or not what was published; the text says which."""


class DamagedContentError(DamagedError):
    """The same for the file that a client asked for; the text says what is wrong with it."""

    def __init__(self, uri: str, reason: str) -> None:
        super().__init__(reason)
        self.uri = uri
